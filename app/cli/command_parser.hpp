// Declares the positionals and options of a command. Wraps CLI11, which only command_parser.cpp includes.
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
  std::string usage = {};   ///< in the usage line: "[IN...]"; empty: the name
  std::vector<Choice> choices = {};
  std::vector<std::string> extensions = {};  ///< extensions of the files, for completion; empty: any file
  bool names_subcommand = false;
};

struct OptionSpec {
  std::string names;           ///< comma-separated: "-o,--output"; the first long name identifies the option
  OptionText description;      ///< for --help
  std::string type_name = {};  ///< placeholder of the value; "FILE" and "FILE.csv" mean files
  std::string group = {};      ///< heading in --help; empty: an option of the operation itself
  bool reads_file = false;     ///< the value is the name of an input file, whose content affects the result
  std::string variable = {};   ///< environment variable to use if the option is not given
  bool is_of_run = false;      ///< with several steps, the option belongs to the run: it says how OUT is written
  bool is_of_end = false;      ///< affects only the summary of all images, so --resume may change it
};

/// `spec` as an option of the run.
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

/// Makes the step from a subcommand's parsed options; returns null for a step that changes nothing. Throws Error{usage}
/// if the result with these options cannot be the input of another step.
using MakeStep = std::function<std::shared_ptr<ImageStep>()>;

/// Where `--then` may put a subcommand.
enum class StepPlace { nowhere, last, anywhere };

/// What an option belongs to in a run of several steps.
enum class OptionOwner { nobody, step, run };

/// A step before the last one.
struct EarlierStep {
  std::string name;  ///< the subcommand
  std::shared_ptr<ImageStep> step;
  std::vector<GivenOption> options;
  std::string text;  ///< as CommandParser::step_text
};

/// The parser of the program or of one of its subcommands. Variables passed to the parser must outlive it. If the user
/// does not give an option, its variable stays unchanged.
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
  /// A flag with an optional value, --name=VALUE. Without a value, the variable becomes "true".
  void flag_or_text(const OptionSpec& spec, std::string& value);

  /// May be repeated; each occurrence takes one value.
  void list(const OptionSpec& spec, std::vector<std::string>& values);

  /// A decimal number. Parsing throws Error{usage} for a value that is not a number. The caller checks the range.
  void number(const OptionSpec& spec, int& value);
  void number(const OptionSpec& spec, double& value);
  void number(const OptionSpec& spec, std::optional<int>& value);
  void number(const OptionSpec& spec, std::optional<double>& value);

  /// A factor that may be a percentage: parse_factor().
  void factor(const OptionSpec& spec, std::optional<double>& value);

  /// -V, --version: prints what `text` returns.
  void version(std::function<std::string()> text);

  /// For a subcommand: it can be one of several steps; without `make`, only the last one.
  void declare_step(MakeStep make = nullptr);
  [[nodiscard]] StepPlace step_place() const { return step_place_; }

  /// Makes the step of a subcommand. Call this after parsing.
  [[nodiscard]] std::shared_ptr<ImageStep> make_step() const { return make_step_(); }

  /// For a subcommand, after parsing: its name and options. Defaults of options that are not given are in brackets.
  [[nodiscard]] std::string step_text() const;

  /// The steps before this subcommand, which is the last step. Set after all steps are parsed.
  void set_earlier_steps(std::vector<EarlierStep> steps) { earlier_ = std::move(steps); }
  [[nodiscard]] const std::vector<EarlierStep>& earlier_steps() const { return earlier_; }

  /// The subcommand of this name; nullptr if there is none.
  [[nodiscard]] CommandParser* find_subcommand(const std::string& name) const;

  /// Whether this parser has the option (a name with its dashes), and whether it belongs to the step or to the run.
  [[nodiscard]] OptionOwner owner_of(const std::string& option) const;

  /// Throws Error{usage} for an option that this subcommand does not have. The message names other subcommands that
  /// have it, or a similar option.
  [[noreturn]] void reject_option(const std::string& argument) const;

  /// " (did you mean equalize --clahe?)" for a misspelled word or a word of another tool; may be empty.
  [[nodiscard]] std::string subcommand_meant_by(const std::string& word) const;

  /// The number of words before the files, as in "rotate 90".
  [[nodiscard]] std::size_t words() const;

  /// True if this parser has the option and the option takes the next argument as its value.
  [[nodiscard]] bool takes_value(const std::string& option) const;

  /// The end of --help: examples of a subcommand, exit codes of the program.
  void set_examples(const std::string& text);
  void set_exit_codes(std::vector<Choice> codes);

  /// For the program: fills the variables from the arguments. Returns an exit code if --help or --version was answered,
  /// so there is nothing to run. Throws Error{usage}.
  std::optional<ExitCode> parse(int argc, const char* const* argv);

  /// For a subcommand, after parsing: true if the user named it.
  [[nodiscard]] bool is_chosen() const;

  [[nodiscard]] std::string name() const;

  /// The given options of the operation itself, and positionals with choices, sorted by name. Options with a group are
  /// left out.
  [[nodiscard]] std::vector<GivenOption> given_options() const;

  /// The model of the whole program. May be called on any of its parsers.
  [[nodiscard]] CommandModel program() const;

  /// The model of one subcommand. May be called on any parser of the program. Throws Error{usage} for an unknown name.
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
  const CommandParser* program_ = nullptr;  ///< for a subcommand
  std::vector<std::unique_ptr<CommandParser>> subcommands_;
  std::vector<std::string> file_options_;  ///< names of the options that read files
  std::vector<std::string> end_options_;   ///< names of the options with OptionSpec::is_of_end
  std::vector<std::string> run_options_;   ///< names of the options of the run
  StepPlace step_place_ = StepPlace::nowhere;
  MakeStep make_step_;
  std::vector<EarlierStep> earlier_;
};

/// For `gpuimg version`.
std::string cli11_version();

}  // namespace gpuimg
