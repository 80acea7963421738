// Functions that read the command model, shared by --help, manual pages and completion; then --help itself, which wraps
// and indents texts. A description may have several lines. A line of two columns, "name  text", wraps within its second
// column.
#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gpuimg {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kDescriptionColumn = 26;

/// Where the second of two columns begins; 0 for text in one column.
std::size_t second_column(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", first);
  return gap == std::string_view::npos ? 0 : std::min(line.find_first_not_of(' ', gap), line.size());
}

/// Splits a line into lines of at most `width` characters; all but the first are indented to its second column.
std::vector<std::string> wrapped(std::string_view line, std::size_t width) {
  const std::string indent(second_column(line), ' ');
  std::vector<std::string> lines;
  std::string begun;
  while (begun.size() + line.size() > width) {
    const std::size_t space = line.rfind(' ', width - begun.size());
    if (space == std::string_view::npos || space < (lines.empty() ? indent.size() + 1 : 1)) {
      break;
    }
    lines.push_back(begun + std::string(line.substr(0, space)));
    line.remove_prefix(space + 1);
    begun = indent;
  }
  lines.push_back(begun + std::string(line));
  return lines;
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> more = wrapped(text.substr(0, end), width);
    lines.insert(lines.end(), more.begin(), more.end());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A name with its description to the right, or below if the name is too long.
std::string entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  for (const std::string& line : wrapped_lines(description, kColumns - kDescriptionColumn)) {
    const bool fits = text.find('\n') == std::string::npos && text.size() + 2 <= kDescriptionColumn;
    text += fits ? std::string(kDescriptionColumn - text.size(), ' ') : "\n" + std::string(kDescriptionColumn, ' ');
    text += line;
  }
  return text + "\n";
}

std::string usage(const CommandModel& command, const std::string& typed) {
  std::string text = "Usage: " + typed + " [OPTIONS]";
  for (const PositionalModel& positional : command.positionals) {
    text += " " + positional.usage;
  }
  text += command.is_step && !command.is_last_step ? " [--then STEP [OPTIONS]]..." : "";
  return text + (command.subcommands.empty() ? "\n" : " SUBCOMMAND ...\n");
}

std::string positionals(const CommandModel& command) {
  std::string text;
  for (const PositionalModel& positional : command.positionals) {
    text += entry(positional.name, positional.description);
  }
  return text.empty() ? text : "\n" + text;
}

std::string description(const OptionText& text) {
  std::string lines = text.what;
  for (const std::string& line : choice_lines(text)) {
    lines += "\n" + line;
  }
  return lines;
}

/// "-o, --output OUT".
std::string names_and_value(const OptionModel& option) {
  return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.takes_value() ? " " : "", option.placeholder);
}

std::string options(const CommandModel& command) {
  std::string text;
  for (const std::string& group : option_groups(command)) {
    text += "\n" + group + ":\n";
    for (const OptionModel& option : command.options) {
      text += option.group == group ? entry(names_and_value(option), description(option.text)) : "";
    }
  }
  return text;
}

std::string subcommands(const CommandModel& program) {
  std::string text;
  for (const CommandModel& subcommand : program.subcommands) {
    text += entry(subcommand.name, subcommand.description);
  }
  return text.empty() ? text : "\nSubcommands:\n" + text;
}

std::string exit_codes(const CommandModel& program) {
  std::string text;
  for (const Choice& code : program.exit_codes) {
    text += fmt::format("  {:<5}{}\n", code.name, code.meaning);
  }
  return text.empty() ? text : "\nExit codes:\n" + text;
}

std::string paragraphs(const std::string& text) {
  return fmt::format("{}\n", fmt::join(wrapped_lines(text, kColumns), "\n"));
}

std::string body(const CommandModel& command, const std::string& typed) {
  return paragraphs(command.description) + "\n" + usage(command, typed) + positionals(command) + options(command);
}

std::string about_steps(const std::string& program_name, const CommandModel& subcommand) {
  if (!subcommand.is_step) {
    return "";
  }
  const std::string beginning =
      subcommand.is_last_step
          ? fmt::format("{0} can be the last step after others: '{1} deskew IN OUT --then {0}'. ", subcommand.name,
                        program_name)
          : std::string("--then STEP adds a step that processes the result of the step before it. ");
  return paragraphs(beginning +
                    "Write the options of a step after its name. Output options, options for many images "
                    "and global options may stand anywhere, but only once.") +
         "\n";
}

}  // namespace

std::optional<std::vector<std::string>> OptionModel::file_extensions() const {
  if (placeholder.starts_with("FILE.")) {
    return std::vector<std::string>{placeholder.substr(placeholder.find('.') + 1)};
  }
  if (placeholder == "FILE" || placeholder == "OUT") {
    return std::vector<std::string>{};
  }
  return std::nullopt;
}

std::vector<std::string> option_groups(const CommandModel& command) {
  std::vector<std::string> groups;
  for (const OptionModel& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  return groups;
}

std::vector<std::string> choice_lines(const OptionText& text) {
  std::size_t width = 0;
  for (const Choice& choice : text.choices) {
    width = std::max(width, choice.name.size());
  }
  std::vector<std::string> lines;
  bool is_choice = false;
  for (const Choice& choice : text.choices) {
    const bool is_default = choice.name == text.by_default;
    is_choice = is_choice || is_default;
    lines.push_back(choice.name + std::string(width + 2 - choice.name.size(), ' ') + choice.meaning +
                    (is_default ? " [default]" : ""));
  }
  if (!text.choices.empty() && !is_choice) {
    lines.push_back("[" + text.by_default + "]");
  }
  return lines;
}

std::string short_description(const OptionText& text) {
  const std::string line = text.what.substr(0, text.what.find('\n'));
  const std::size_t bracket = line.ends_with(']') ? line.rfind(" [") : std::string::npos;
  return line.substr(0, bracket);
}

std::string default_of(const OptionText& text) {
  if (!text.choices.empty()) {
    return text.by_default;
  }
  const std::size_t bracket = text.what.ends_with(']') ? text.what.rfind('[') : std::string::npos;
  return bracket == std::string::npos ? "" : text.what.substr(bracket + 1, text.what.size() - bracket - 2);
}

std::string program_help(const CommandModel& program) {
  const std::string more =
      program.subcommands.empty()
          ? ""
          : "\n'" + program.name + " help SUBCOMMAND' explains the options of a subcommand, with examples.\n";
  return body(program, program.name) + subcommands(program) + exit_codes(program) + more;
}

std::string subcommand_help(const std::string& program_name, const CommandModel& subcommand) {
  return body(subcommand, program_name + " " + subcommand.name) + "\n" + paragraphs(subcommand.examples) + "\n" +
         about_steps(program_name, subcommand) +
         paragraphs(
             "Global options, such as --backend, --threads, --force, --timing and --quiet, and exit codes: see '" +
             program_name + " --help'.");
}

}  // namespace gpuimg
