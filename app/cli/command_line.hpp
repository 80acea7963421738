// From argv to an exit code: parses, explains what is wrong with a command line, runs the subcommand, reports its
// error. docs/cli.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"

namespace gpuimg {

class CommandLine {
 public:
  /// `version_text` is called for --version.
  CommandLine(const std::vector<Command>& commands, std::function<std::string()> version_text);

  /// Reads only the arguments and the environment. Returns an exit code if nothing is left to run: --help or --version
  /// was answered, or an error was printed.
  std::optional<ExitCode> parse(int argc, const char* const* argv);

  /// Runs the subcommand; only after parse() returned nothing.
  ExitCode run();

 private:
  struct DeclaredCommand {
    const CommandParser* parser;
    RunCommand run;
  };

  void limit_threads();

  CommandParser parser_;
  GlobalArguments arguments_;
  std::vector<DeclaredCommand> commands_;
  GlobalOptions options_;
};

}  // namespace gpuimg
