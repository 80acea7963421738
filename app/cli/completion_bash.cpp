// Writes the completion script for bash: one function with a table of the options and values of each subcommand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/completion.hpp"

namespace gpuimg {
namespace {

// The script sees "--color=rgb" as three words, because = separates words in bash.
constexpr const char* kHead = R"bash(# Completion of gpuimg for bash: eval "$(gpuimg completion bash)"

# _gpuimg_files PATTERN: folders, and files of this pattern; all files if none matches
_gpuimg_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(shopt -s extglob nocasematch; compgen -f -X "!$1" -- "$word"; compgen -d -- "$word"))
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}

# _gpuimg_words WORDS: those that begin as the word at the cursor
_gpuimg_words() { COMPREPLY=($(compgen -W "$1" -- "$word")); }

# _gpuimg_value: completes the value of the option $previous of the subcommand $command; fails if it takes none
_gpuimg_value() {
  case $command:$previous in
)bash";

constexpr const char* kMiddle = R"bash(    *) return 1 ;;
  esac
}

_gpuimg() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= i
  COMPREPLY=()
  if [ "$word" = = ]; then
    word=
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
)bash";

constexpr const char* kTail = R"bash(    esac
  done
  _gpuimg_value && return
  case $command in
)bash";

std::string word_list(const std::vector<Choice>& choices) {
  std::string words;
  for (const Choice& choice : choices) {
    words += (words.empty() ? "" : " ") + choice.name;
  }
  return words;
}

/// A pattern for `compgen -X`.
std::string pattern_of(const std::vector<std::string>& endings) {
  return endings.empty() ? "*" : fmt::format("*.@({})", fmt::join(endings, "|"));
}

/// The call that completes a value of the option; ":" if there is nothing to offer.
std::string completes_value(const OptionModel& option) {
  if (!option.text.choices.empty()) {
    return "_gpuimg_words '" + word_list(option.text.choices) + "'";
  }
  const auto endings = option.file_endings();
  return endings ? "_gpuimg_files '" + pattern_of(*endings) + "'" : ":";
}

/// The lines of a `case` on "COMMAND:OPTION".
std::string value_cases(const std::string& command, const std::vector<OptionModel>& options) {
  std::string lines;
  for (const OptionModel& option : options) {
    if (option.takes_value()) {
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(command + ":" + name);
      }
      lines += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), completes_value(option));
    }
  }
  return lines;
}

std::string option_names(const CommandModel& command) {
  std::string names;
  for (const OptionModel& option : command.options) {
    names += (names.empty() ? "" : " ") + option.names.back();
  }
  return names;
}

std::string completes_positionals(const CommandModel& command) {
  if (command.positionals.empty()) {
    return ":";
  }
  const PositionalModel& first = command.positionals.front();
  return first.choices.empty() ? "_gpuimg_files '" + pattern_of(first.endings) + "'"
                               : "_gpuimg_words '" + word_list(first.choices) + "'";
}

/// What completes a word of `command` that is no option's value.
std::string word_case(const CommandModel& command, const std::string& global_names) {
  return fmt::format(
      "    {})\n      case $word in\n        -*) _gpuimg_words '{} {}' ;;\n        *) {} ;;\n      esac\n      "
      ";;\n",
      command.name, option_names(command), global_names, completes_positionals(command));
}

std::vector<Choice> subcommand_choices(const CommandModel& program) {
  std::vector<Choice> choices;
  for (const CommandModel& subcommand : program.subcommands) {
    choices.push_back({subcommand.name, subcommand.description});
  }
  return choices;
}

/// Skips the values of options before the subcommand, then takes the first word that is one.
std::string finds_subcommand(const CommandModel& program) {
  std::vector<std::string> with_value;
  for (const OptionModel& option : program.options) {
    if (option.takes_value()) {
      with_value.insert(with_value.end(), option.names.begin(), option.names.end());
    }
  }
  std::vector<std::string> names;
  for (const CommandModel& subcommand : program.subcommands) {
    names.push_back(subcommand.name);
  }
  return fmt::format(
      "      {}) if [ \"${{COMP_WORDS[i + 1]}}\" = = ]; then i=$((i + 2)); else i=$((i + 1)); fi ;;\n"
      "      {}) command=${{COMP_WORDS[i]}}; break ;;\n",
      fmt::join(with_value, " | "), fmt::join(names, " | "));
}

}  // namespace

std::string bash_completion(const CommandModel& program) {
  std::string script = kHead;
  for (const CommandModel& subcommand : program.subcommands) {
    script += value_cases(subcommand.name, subcommand.options);
  }
  script += value_cases("*", program.options) + kMiddle + finds_subcommand(program) + kTail;
  const std::string global_names = option_names(program);
  for (const CommandModel& subcommand : program.subcommands) {
    script += word_case(subcommand, global_names);
  }
  return script + fmt::format(
                      "    *)\n      case $word in\n        -*) _gpuimg_words '{}' ;;\n"
                      "        *) _gpuimg_words '{}' ;;\n      esac\n      ;;\n  esac\n}}\n\n"
                      "complete -F _gpuimg gpuimg\n",
                      global_names, word_list(subcommand_choices(program)));
}

}  // namespace gpuimg
