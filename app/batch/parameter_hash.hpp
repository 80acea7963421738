// What decides the bytes of a run's outputs, beside its inputs, as one number: a manifest holds it, and --resume
// compares it. docs/batch.md, "Manifest".
#pragma once

#include <string>

#include "cli/global_options.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

/// 16 hexadecimal digits: of the subcommand, of its options as given, and of the content of the files that they name.
/// Throws Error{read} for such a file.
std::string parameter_hash(const CLI::App& parser, const GlobalOptions& globals);

}  // namespace gpuimg
