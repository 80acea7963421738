// From argv to an exit code: parses, says what is wrong with a command line, runs the subcommand, reports its error.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "commands/commands.hpp"

namespace gpuimg {

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  /// Reads nothing but the arguments and the environment. An exit code where nothing is left to run: --help and
  /// --version have been answered, or what is wrong has been said.
  std::optional<ExitCode> parse(int argc, const char* const* argv);

  /// The subcommand, after parse() has returned nothing.
  ExitCode run();

 private:
  void limit_threads();

  std::unique_ptr<CLI::App> app_;
  GlobalArguments arguments_;
  std::vector<Command> commands_;
  GlobalOptions options_;
};

ExitCode run_command_line(int argc, char** argv);

}  // namespace gpuimg
