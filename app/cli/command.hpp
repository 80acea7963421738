// A subcommand, as app/commands describes it and the command line runs it.
#pragma once

#include <functional>
#include <string>

#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"

namespace gpuimg {

/// Throws Error; its kind decides the exit code.
using RunCommand = std::function<ExitCode(const GlobalOptions&)>;

struct Command {
  std::string name;
  std::string description;  ///< one line for --help
  std::string examples;     ///< end of its --help
  /// Declares positionals and options; returns what to run if the user chooses this subcommand. The parser outlives
  /// the returned function.
  std::function<RunCommand(CommandParser&)> declare;
};

}  // namespace gpuimg
