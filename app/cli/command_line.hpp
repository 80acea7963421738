// From argv to an exit code: parses the command line, explains its mistakes, runs the subcommand and reports its error.
// docs/cli.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"

namespace gpuimg {

/// Runs a subcommand. Throws Error, whose kind decides the exit code.
using RunCommand = std::function<ExitCode(const GlobalOptions&)>;

/// A subcommand, as app/commands describes it.
struct Command {
  std::string name;
  std::string description;  ///< one line for --help
  std::string examples;     ///< end of its --help
  /// Declares positionals and options. Returns the function that runs the subcommand; the parser outlives this
  /// function.
  std::function<RunCommand(CommandParser&)> declare;
};

class CommandLine {
 public:
  /// `version_text` is called for --version.
  CommandLine(const std::vector<Command>& commands, const std::function<std::string()>& version_text);

  /// Reads only the arguments and the environment. Returns an exit code if there is nothing to run: --help or --version
  /// was answered, or an error was printed.
  std::optional<ExitCode> parse(int argc, const char* const* argv);

  /// Runs the subcommand. Call only if parse() returned nothing.
  ExitCode run();

  /// Sets callbacks for the end of each image and for the error that ends parse() or run(). Both callbacks may throw
  /// only std::bad_alloc.
  void tell(std::function<void(const ItemEnd& end)> on_end, std::function<void(const Error& error)> on_error) {
    on_end_ = std::move(on_end);
    on_error_ = std::move(on_error);
  }

  /// State that several command lines of one process share.
  struct Shared {
    Resident* resident = nullptr;
    std::function<void(GlobalOptions& options)> wait_until_alone;  ///< GlobalOptions::wait_until_alone
    GlobalArguments defaults = {};                                 ///< for global options that are not given
  };
  /// Call before parse() if the process also runs other command lines, possibly at the same time.
  void stay(Shared shared) { shared_ = std::move(shared); }

  // --- For programs that hold images, such as the Python module: nothing is printed, errors are thrown ---------------

  /// All subcommands and options.
  [[nodiscard]] CommandModel model() const { return programs_.back()->parser.program(); }

  /// Parses words such as "resize --size 50% --then flip horizontal". Returns the steps, ready to process images.
  static std::vector<EarlierStep> steps_of(const std::vector<Command>& commands, const std::vector<std::string>& words);

  /// Use this instead of parse() and run(). Makes the job of a command line, and passes it to take(). The job lives
  /// until take() returns. File names among the words are parsed, but not used.
  void pass_job(const std::vector<std::string>& words, const std::function<void(ImageJob& job)>& take);

 private:
  struct DeclaredCommand {
    const CommandParser* parser;
    RunCommand run;
  };

  /// All subcommands with their options. Each step has its own Program.
  struct Program {
    Program(const std::vector<Command>& commands, const std::function<std::string()>& version_text);

    CommandParser parser;
    GlobalArguments arguments;
    std::vector<DeclaredCommand> commands;
  };

  /// Parses a command line with --then. Each step is parsed by its own Program; the last one also parses the options of
  /// the run. Throws Error{usage}.
  std::optional<ExitCode> parse_steps(const std::vector<std::string>& words);

  std::optional<ExitCode> parse_words(const std::vector<std::string>& words);
  ExitCode run_chosen();
  ExitCode failed_by(const Error& error);

  [[nodiscard]] Program& last_program() { return *programs_.back(); }
  void limit_threads();

  std::vector<Command> definitions_;
  std::function<std::string()> version_text_;
  std::vector<std::unique_ptr<Program>> programs_;  ///< one for each step; the last one runs
  GlobalOptions options_;
  std::function<void(const ItemEnd& end)> on_end_;
  std::function<void(const Error& error)> on_error_;
  Shared shared_;
};

}  // namespace gpuimg
