// Writes the completion script for fish: a line per subcommand, option and kind of file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.hpp"

namespace gpuimg {
namespace {

// Fish completes any file unless told otherwise, so only files of certain endings need a function.
constexpr const char* kHead = R"fish(# Completion of gpuimg for fish: gpuimg completion fish | source

# Folders, and files with one of the endings; all files if none matches
function __gpuimg_files
    set -l word (commandline -ct | string replace -r -- '^-[^=]*=' '')
    set -l found
    for file in (complete -C "__gpuimg_no_such_command $word")
        set -l name (string split -m1 \t -- $file)[1]
        if string match -q -- '*/' $name; or contains -- (string lower -- (string replace -r '.*\.' '' -- $name)) $argv
            set -a found $file
        end
    end
    if test (count $found) -eq 0
        complete -C "__gpuimg_no_such_command $word"
    else
        printf '%s\n' $found
    end
end

)fish";

/// In single quotes, in which only \ and ' need an escape.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += (c == '\'' || c == '\\') ? std::string("\\") + c : std::string(1, c);
  }
  return result + "'";
}

/// The argument of -a: choices with their meanings, each after a tab.
std::string choice_arguments(const std::vector<Choice>& choices) {
  std::string list;
  for (const Choice& choice : choices) {
    list += (list.empty() ? "" : " ") + choice.name + "\\t" + quoted(choice.meaning);
  }
  return quoted(list);
}

std::string files_argument(const std::vector<std::string>& endings) {
  return endings.empty() ? std::string() : fmt::format(" -a '(__gpuimg_files {})'", fmt::join(endings, " "));
}

/// The options of `complete` that say what value the option takes.
std::string value_arguments(const OptionModel& option) {
  if (!option.text.choices.empty()) {
    return " -x -a " + choice_arguments(option.text.choices);
  }
  const auto endings = option.file_endings();
  if (!endings) {
    return " -x";
  }
  return endings->empty() ? " -rF" : " -x" + files_argument(*endings);
}

std::string option_lines(const std::vector<OptionModel>& options, const std::string& condition) {
  std::string lines;
  for (const OptionModel& option : options) {
    std::string names;
    for (const std::string& name : option.names) {
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    lines += fmt::format("complete -c gpuimg{}{} -d {}{}\n", condition, names, quoted(short_description(option.text)),
                         option.takes_value() ? value_arguments(option) : "");
  }
  return lines;
}

std::string positional_line(const CommandModel& command, const std::string& condition) {
  if (command.positionals.empty()) {
    return "";
  }
  const PositionalModel& first = command.positionals.front();
  if (!first.choices.empty()) {
    return "complete -c gpuimg" + condition + " -a " + choice_arguments(first.choices) + "\n";
  }
  return first.endings.empty() ? "complete -c gpuimg" + condition + " -F\n"
                               : "complete -c gpuimg" + condition + files_argument(first.endings) + "\n";
}

}  // namespace

std::string fish_completion(const CommandModel& program) {
  std::string names;
  for (const CommandModel& subcommand : program.subcommands) {
    names += " " + subcommand.name;
  }
  std::string script = kHead;
  script += "complete -c gpuimg -f\n" + option_lines(program.options, "");
  for (const CommandModel& subcommand : program.subcommands) {
    script += fmt::format("complete -c gpuimg -n 'not __fish_seen_subcommand_from{}' -a {} -d {}\n", names,
                          subcommand.name, quoted(subcommand.description));
  }
  for (const CommandModel& subcommand : program.subcommands) {
    const std::string condition = " -n '__fish_seen_subcommand_from " + subcommand.name + "'";
    script += positional_line(subcommand, condition) + option_lines(subcommand.options, condition);
  }
  return script;
}

}  // namespace gpuimg
