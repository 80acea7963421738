// One number for everything except the inputs that affects the bytes of a run's outputs. A manifest stores it, and
// --resume compares it. docs/batch.md, "Manifest".
#pragma once

#include <string>

#include "cli/command_parser.hpp"
#include "cli/global_options.hpp"

namespace gpuimg {

/// 16 hexadecimal digits: a hash of the subcommand, its options as given, and the content of the files they name.
/// Throws Error{read} for such a file, Error{usage} if it is standard input.
std::string parameter_hash(const CommandParser& parser, const GlobalOptions& globals);

}  // namespace gpuimg
