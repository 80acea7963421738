// Declares the positionals and options of a command. Wraps CLI11, which only its .cpp includes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/help.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpuimg {

struct PositionalSpec {
  std::string name;         ///< "IN"
  std::string description;  ///< for --help
  std::string usage = {};   ///< how the usage line shows it: "[IN...]"; empty: its name
  std::vector<Choice> choices = {};
  std::vector<std::string> endings = {};  ///< of the files that it names, for completion; empty: any file
  bool names_subcommand = false;
};

struct OptionSpec {
  std::string names;           ///< all of them, separated by commas: "-o,--output"; the first long one is its name
  OptionText description;      ///< for --help
  std::string type_name = {};  ///< placeholder for the value: "FILE" and "FILE.csv" name files
  std::string group = {};      ///< heading in --help; empty for an option of the operation itself
  bool reads_file = false;     ///< the value names an input: its content affects the result, not its name
  std::string variable = {};   ///< of the environment, used if the option is not given
  bool is_of_run = false;      ///< of several steps, it belongs to the run: it says how OUT is written
  bool is_of_end = false;      ///< it affects only what is made of the results of all images: --resume may change it
};

/// The option as one of the run.
inline OptionSpec of_run(OptionSpec spec) {
  spec.is_of_run = true;
  return spec;
}

/// An option as the user gave it.
struct GivenOption {
  std::string name;                 ///< long name without dashes
  std::vector<std::string> values;  ///< in the order given
  bool reads_file = false;
  bool is_of_end = false;
};

class ImageStep;  // app/engine

/// Makes the step of a subcommand's options, once they are parsed; null for a step that changes nothing. Throws
/// Error{usage} if these options make something that another step cannot take.
using MakeStep = std::function<std::shared_ptr<ImageStep>()>;

/// Where `--then` may put a subcommand.
enum class StepPlace { nowhere, last, anywhere };

/// Whom an option belongs to in a run of several steps.
enum class OptionOwner { nobody, step, run };

/// A step before the last one.
struct EarlierStep {
  std::string name;  ///< the subcommand
  std::shared_ptr<ImageStep> step;
  std::vector<GivenOption> options;
  std::string text;  ///< as CommandParser::step_text
};

/// The parser of the program or of one of its subcommands. Variables passed to it must outlive it. An option that the
/// user does not give leaves its variable unchanged.
class CommandParser {
 public:
  CommandParser(const std::string& name, const std::string& description);
  CommandParser(const CommandParser&) = delete;
  CommandParser& operator=(const CommandParser&) = delete;
  ~CommandParser();

  /// The new subcommand; owned by this parser.
  CommandParser& add_subcommand(const std::string& name, const std::string& description);

  void positional(const PositionalSpec& spec, std::string& value);
  void positionals(const PositionalSpec& spec, std::vector<std::string>& values);
  void required_positionals(const PositionalSpec& spec, std::vector<std::string>& values);

  void flag(const OptionSpec& spec, bool& value);
  void text(const OptionSpec& spec, std::string& value);
  /// A flag that may have a value behind an equals sign, --name=VALUE; "true" without one.
  void flag_or_text(const OptionSpec& spec, std::string& value);

  /// May be repeated; each occurrence takes one value.
  void list(const OptionSpec& spec, std::vector<std::string>& values);

  /// A decimal number. Parsing throws Error{usage} if the value is not a number; the caller checks the range.
  void number(const OptionSpec& spec, int& value);
  void number(const OptionSpec& spec, double& value);
  void number(const OptionSpec& spec, std::optional<int>& value);
  void number(const OptionSpec& spec, std::optional<double>& value);

  /// A factor that may be a percentage: parse_factor().
  void factor(const OptionSpec& spec, std::optional<double>& value);

  /// -V, --version: prints what `text` returns.
  void version(std::function<std::string()> text);

  /// Of a subcommand: it can be a step of several, anywhere if there is a `make`, else only the last.
  void declare_step(MakeStep make = nullptr);
  [[nodiscard]] StepPlace step_place() const { return step_place_; }

  /// Of a subcommand, after parsing.
  [[nodiscard]] std::shared_ptr<ImageStep> make_step() const { return make_step_(); }

  /// Of a subcommand, after parsing: its name and options, with the defaults of those that are not given in brackets.
  [[nodiscard]] std::string step_text() const;

  /// The steps before this subcommand, which is the last; set once all are parsed.
  void set_earlier_steps(std::vector<EarlierStep> steps) { earlier_ = std::move(steps); }
  [[nodiscard]] const std::vector<EarlierStep>& earlier_steps() const { return earlier_; }

  /// The subcommand of this name; nullptr if there is none.
  [[nodiscard]] CommandParser* find_subcommand(const std::string& name) const;

  /// Whether a subcommand, or the program, has the option (a name with its dashes), and whom it belongs to.
  [[nodiscard]] OptionOwner owner_of(const std::string& option) const;

  /// Throws Error{usage} for an option that a subcommand does not have: which other one has it, or what is like it.
  [[noreturn]] void refuse_option(const std::string& argument) const;

  /// " (did you mean equalize --clahe?)" for a word of another tool or another spelling; may be empty.
  [[nodiscard]] std::string subcommand_meant_by(const std::string& word) const;

  /// How many of its arguments are words, as in "rotate 90": they come before files.
  [[nodiscard]] std::size_t words() const;

  /// True if it has the option, and its value is the next argument.
  [[nodiscard]] bool takes_value(const std::string& option) const;

  /// The end of --help: of a subcommand, and of the program.
  void set_examples(const std::string& text);
  void set_exit_codes(std::vector<Choice> codes);

  /// Of the program: fills the variables from the arguments. Returns an exit code if nothing is left to run: --help or
  /// --version was answered. Throws Error{usage}.
  std::optional<ExitCode> parse(int argc, const char* const* argv);

  /// Of a subcommand, after parsing: the user wrote its name.
  [[nodiscard]] bool is_chosen() const;

  [[nodiscard]] std::string name() const;

  /// The operation's own options that were given, and positionals that are one of several choices, sorted by name.
  /// Options with a group are left out.
  [[nodiscard]] std::vector<GivenOption> given_options() const;

  /// The whole program, from any of its parsers.
  [[nodiscard]] CommandModel program() const;

  /// One subcommand of the program, from any of its parsers. Throws Error{usage} if there is none of this name.
  [[nodiscard]] CommandModel subcommand(const std::string& name) const;

 private:
  CommandParser(std::shared_ptr<CLI::App> app, CommandModel model, const CommandParser* program);
  CLI::Option& finish(CLI::Option& option, const OptionSpec& spec);
  CLI::Option& finish(CLI::Option& option, const PositionalSpec& spec);
  [[nodiscard]] const CommandParser& program_parser() const { return program_ == nullptr ? *this : *program_; }

  template <class Number, class Target>
  void add_number(const OptionSpec& spec, Target& value);

  std::shared_ptr<CLI::App> app_;
  CommandModel model_;                      ///< without subcommands
  const CommandParser* program_ = nullptr;  ///< of a subcommand
  std::vector<std::unique_ptr<CommandParser>> subcommands_;
  std::vector<std::string> file_options_;  ///< names of the options that read files
  std::vector<std::string> end_options_;   ///< names of those with OptionSpec::is_of_end
  std::vector<std::string> run_options_;   ///< names of the options of the run
  StepPlace step_place_ = StepPlace::nowhere;
  MakeStep make_step_;
  std::vector<EarlierStep> earlier_;
};

/// For `gpuimg version`.
std::string cli11_version();

}  // namespace gpuimg
