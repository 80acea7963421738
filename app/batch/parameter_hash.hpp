// A hash of everything besides the inputs that affects output bytes: stored in the manifest, compared by --resume.
// docs/batch.md, "Manifest".
#pragma once

#include <string>

#include "cli/global_options.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

/// Returns 16 hexadecimal digits: the hash of the subcommand, its given options and the content of the files they name.
/// Throws Error{read} for such a file.
std::string parameter_hash(const CLI::App& parser, const GlobalOptions& globals);

}  // namespace gpuimg
