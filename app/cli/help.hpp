// The command model: subcommands, positionals and options as they were declared. --help, manual pages and completion
// scripts are made from the model, so they always agree with the parser.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuimg {

/// A named value of an option.
struct Choice {
  std::string name;
  std::string meaning;  ///< a few words
};

/// Says what an option changes. Plain text converts to it.
struct OptionText {
  OptionText(const char* text) : what(text) {}             // NOLINT(google-explicit-constructor)
  OptionText(std::string text) : what(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  OptionText(std::string text, std::vector<Choice> named, std::string absent)
      : what(std::move(text)), choices(std::move(named)), by_default(std::move(absent)) {}

  std::string what;  ///< may have several lines; without choices, it ends with the default in brackets
  std::vector<Choice> choices;
  std::string by_default;  ///< with choices: the name of one, or how the default is chosen
};

struct PositionalModel {
  std::string name;         ///< "IN"
  std::string description;  ///< for --help
  std::string usage;        ///< in the usage line: "[IN...]"
  std::vector<Choice> choices;
  std::vector<std::string> extensions;  ///< extensions of the files, for completion; empty: any file
  bool names_subcommand = false;        ///< its choices are the subcommands of the program
};

struct OptionModel {
  std::vector<std::string> names;  ///< short names first: "-o", "--output"; without compatibility names
  OptionText text;
  std::string placeholder;  ///< for the value: "FILE.csv"; empty: a flag
  std::string group;        ///< heading in --help
  std::string variable;     ///< environment variable to use if the option is not given; may be empty
  bool repeats = false;     ///< may be given several times
  bool is_of_run = false;   ///< with several steps, belongs to the run

  [[nodiscard]] bool takes_value() const { return !placeholder.empty(); }

  /// Extensions of the files that the value names, without dot; empty: any file. Nothing if the value is not a file.
  [[nodiscard]] std::optional<std::vector<std::string>> file_extensions() const;
};

struct CommandModel {
  std::string name;
  std::string description;
  std::vector<PositionalModel> positionals;
  std::vector<OptionModel> options;
  std::string examples;                   ///< the first line is the heading
  std::vector<Choice> exit_codes;         ///< of the program
  std::vector<CommandModel> subcommands;  ///< of the program
  bool is_step = false;                   ///< --then may name the subcommand
  bool is_last_step = false;              ///< no other step may follow
};

/// The headings of the model's options, in the order of declaration.
std::vector<std::string> option_groups(const CommandModel& command);

/// "luma  the luma; keeps the hue [default]": one line per choice. If the default is not a choice, a last line says how
/// it is chosen.
std::vector<std::string> choice_lines(const OptionText& text);

/// The first line of the description without the default: for a menu.
std::string short_description(const OptionText& text);

/// The default that the description names; empty if it names none.
std::string default_of(const OptionText& text);

/// The text of --help. Always 80 columns wide, so that it looks the same in a file.
std::string program_help(const CommandModel& program);

std::string subcommand_help(const std::string& program_name, const CommandModel& subcommand);

/// gpuimg(1) in roff with the man macros (man(7)). `version` is shown at the foot of the page.
std::string program_manual(const CommandModel& program, const std::string& version);

/// gpuimg-SUBCOMMAND(1).
std::string subcommand_manual(const CommandModel& program, const CommandModel& subcommand, const std::string& version);

/// A completion script: to be read by `eval`, or installed in bash-completion's folder. Also works without
/// bash-completion.
std::string bash_completion(const CommandModel& program);

/// Likewise, to be installed as `_gpuimg` in a folder of $fpath, or read by `eval` after compinit.
std::string zsh_completion(const CommandModel& program);

/// Likewise, to be installed as `gpuimg.fish` in fish's folder of completions, or read by `source`.
std::string fish_completion(const CommandModel& program);

}  // namespace gpuimg
