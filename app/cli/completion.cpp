// Writes the completion scripts. Each has the same parts, in the language of its shell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/help.hpp"

namespace gpuimg {
namespace {

/// The subcommands that --then may name.
std::vector<Choice> step_choices(const CommandModel& program) {
  std::vector<Choice> choices;
  for (const CommandModel& subcommand : program.subcommands) {
    if (subcommand.is_step) {
      choices.push_back({subcommand.name, subcommand.description});
    }
  }
  return choices;
}

/// The second positional if the first one has choices, such as the files after "rotate 90". Null otherwise.
const PositionalModel* after_words(const CommandModel& command) {
  const auto& positionals = command.positionals;
  return positionals.size() > 1 && !positionals[0].choices.empty() ? &positionals[1] : nullptr;
}

/// One function with a table of the options and values of each subcommand.
namespace bash {

// The script sees "--color=rgb" as three words, because = separates words in bash.
constexpr const char* kHead = R"bash(# Completion of gpuimg for bash: eval "$(gpuimg completion bash)"

# _gpuimg_files PATTERN: folders, and files of this pattern; all files if none matches
_gpuimg_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(shopt -s extglob nocasematch; compgen -f -X "!$1" -- "$word"; compgen -d -- "$word"))
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}

# _gpuimg_words WORDS: completes the word at the cursor with these words
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
std::string pattern_of(const std::vector<std::string>& extensions) {
  return extensions.empty() ? "*" : fmt::format("*.@({})", fmt::join(extensions, "|"));
}

/// The call that completes a value of the option; ":" if there is nothing to offer.
std::string completes_value(const OptionModel& option) {
  if (!option.text.choices.empty()) {
    return "_gpuimg_words '" + word_list(option.text.choices) + "'";
  }
  const auto extensions = option.file_extensions();
  return extensions ? "_gpuimg_files '" + pattern_of(*extensions) + "'" : ":";
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
  if (first.choices.empty()) {
    return "_gpuimg_files '" + pattern_of(first.extensions) + "'";
  }
  const std::string words = "_gpuimg_words '" + word_list(first.choices) + "'";
  const PositionalModel* const second = after_words(command);
  return second == nullptr ? words
                           : fmt::format("if [ \"$previous\" = {} ]; then {}; else _gpuimg_files '{}'; fi",
                                         command.name, words, pattern_of(second->extensions));
}

/// Completes a word of `command` that is not the value of an option.
std::string word_case(const CommandModel& command, const std::string& global_names) {
  return fmt::format(
      "    {})\n      case $word in\n        -*) _gpuimg_words '{}{} {}' ;;\n        *) {} ;;\n      esac\n      "
      ";;\n",
      command.name, option_names(command), command.is_step ? " --then" : "", global_names,
      completes_positionals(command));
}

std::vector<Choice> subcommand_choices(const CommandModel& program) {
  std::vector<Choice> choices;
  for (const CommandModel& subcommand : program.subcommands) {
    choices.push_back({subcommand.name, subcommand.description});
  }
  return choices;
}

/// Finds the subcommand: the first word that is not an option or the value of a global option, or the word after the
/// last --then.
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
      "      --then) command=--then ;;\n"
      "      {}) case $command in '' | --then) command=${{COMP_WORDS[i]}} ;; esac ;;\n",
      fmt::join(with_value, " | "), fmt::join(names, " | "));
}

std::string script_of(const CommandModel& program) {
  std::string script = kHead;
  for (const CommandModel& subcommand : program.subcommands) {
    script += value_cases(subcommand.name, subcommand.options);
  }
  script += value_cases("*", program.options) + kMiddle + finds_subcommand(program) + kTail;
  const std::string global_names = option_names(program);
  for (const CommandModel& subcommand : program.subcommands) {
    script += word_case(subcommand, global_names);
  }
  script += fmt::format("    --then) _gpuimg_words '{}' ;;\n", word_list(step_choices(program)));
  return script + fmt::format(
                      "    *)\n      case $word in\n        -*) _gpuimg_words '{}' ;;\n"
                      "        *) _gpuimg_words '{}' ;;\n      esac\n      ;;\n  esac\n}}\n\n"
                      "complete -F _gpuimg gpuimg\n",
                      global_names, word_list(subcommand_choices(program)));
}

}  // namespace bash

/// A line per subcommand, option and kind of file.
namespace fish {

// By default, fish completes any file, so only files with certain extensions need a function.
constexpr const char* kHead = R"fish(# Completion of gpuimg for fish: gpuimg completion fish | source

# Folders, and files with one of the extensions; all files if none matches
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

# True if the current step has this name: the subcommand after the last --then, or else the first subcommand. The name
# --then stands for a step that is not named yet
function __gpuimg_in_step
    set -l step
    for word in (commandline -opc)[2..-1]
        if test "$word" = --then
            set step --then
        else if contains -- "$step" '' --then; and contains -- $word $__gpuimg_subcommands
            set step $word
        end
    end
    test "$step" = "$argv[1]"
end

)fish";

/// In single quotes, in which only \ and ' need an escape.
std::string in_quotes(const std::string& text) {
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
    list += (list.empty() ? "" : " ") + choice.name + "\\t" + in_quotes(choice.meaning);
  }
  return in_quotes(list);
}

std::string files_argument(const std::vector<std::string>& extensions) {
  return extensions.empty() ? std::string() : fmt::format(" -a '(__gpuimg_files {})'", fmt::join(extensions, " "));
}

/// The arguments of `complete` that describe the value of the option.
std::string value_arguments(const OptionModel& option) {
  if (!option.text.choices.empty()) {
    return " -x -a " + choice_arguments(option.text.choices);
  }
  const auto extensions = option.file_extensions();
  if (!extensions) {
    return " -x";
  }
  return extensions->empty() ? " -rF" : " -x" + files_argument(*extensions);
}

std::string option_lines(const std::vector<OptionModel>& options, const std::string& condition) {
  std::string lines;
  for (const OptionModel& option : options) {
    std::string names;
    for (const std::string& name : option.names) {
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    lines +=
        fmt::format("complete -c gpuimg{}{} -d {}{}\n", condition, names, in_quotes(short_description(option.text)),
                    option.takes_value() ? value_arguments(option) : "");
  }
  return lines;
}

std::string positional_line(const CommandModel& command, const std::string& condition) {
  if (command.positionals.empty()) {
    return "";
  }
  const PositionalModel& first = command.positionals.front();
  if (const PositionalModel* const second = after_words(command); second != nullptr) {
    const auto if_word_is = [&](const char* seen) {
      return fmt::format(" -n '__gpuimg_in_step {}; and{} __fish_seen_subcommand_from {}'", command.name, seen,
                         bash::word_list(first.choices));
    };
    return "complete -c gpuimg" + if_word_is(" not") + " -a " + choice_arguments(first.choices) +
           "\ncomplete -c gpuimg" + if_word_is("") + files_argument(second->extensions) + "\n";
  }
  if (!first.choices.empty()) {
    return "complete -c gpuimg" + condition + " -a " + choice_arguments(first.choices) + "\n";
  }
  return first.extensions.empty() ? "complete -c gpuimg" + condition + " -F\n"
                                  : "complete -c gpuimg" + condition + files_argument(first.extensions) + "\n";
}

std::string script_of(const CommandModel& program) {
  std::string names;
  for (const CommandModel& subcommand : program.subcommands) {
    names += " " + subcommand.name;
  }
  std::string script = kHead;
  script += "set -g __gpuimg_subcommands" + names + "\n";
  script += "complete -c gpuimg -f\n" + option_lines(program.options, "");
  for (const CommandModel& subcommand : program.subcommands) {
    script += fmt::format("complete -c gpuimg -n 'not __fish_seen_subcommand_from{}' -a {} -d {}\n", names,
                          subcommand.name, in_quotes(subcommand.description));
  }
  for (const CommandModel& subcommand : program.subcommands) {
    const std::string condition = " -n '__gpuimg_in_step " + subcommand.name + "'";
    script += positional_line(subcommand, condition) + option_lines(subcommand.options, condition);
    if (subcommand.is_step) {
      script += "complete -c gpuimg" + condition + " -l then -d 'begin the next step' -x\n";
    }
  }
  return script + "complete -c gpuimg -n '__gpuimg_in_step --then' -l then -x -a " +
         choice_arguments(step_choices(program)) + "\n";
}

}  // namespace fish

/// A list of `_arguments` specifications for each subcommand.
namespace zsh {

constexpr const char* kHead = R"(#compdef gpuimg
# Completion of gpuimg for zsh: gpuimg completion zsh > FOLDER_OF_FPATH/_gpuimg

_gpuimg() {
  local curcontext=$curcontext state line
  local -a subcommands steps global options
  typeset -A opt_args
  # After --then, the words begin with the name of the step.
  local last=${words[(I)--then]} names=subcommands
  if (( last && CURRENT > last )); then
    words=(gpuimg "${(@)words[last + 1,-1]}")
    (( CURRENT -= last - 1 ))
    names=steps
  fi
)";

constexpr const char* kMiddle = R"(
  _arguments -C -s -S $global '1:subcommand:->subcommand' '*::argument:->argument' && return
  case $state in
    subcommand) _describe subcommand $names ;;
    argument)
      case $line[1] in
)";

constexpr const char* kTail = R"(      esac
      _arguments -s -S $global $options
      ;;
  esac
}

if [ "$funcstack[1]" = _gpuimg ]; then
  _gpuimg "$@"
else
  compdef _gpuimg gpuimg
fi
)";

/// In single quotes, for the shell.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return result + "'";
}

/// `text` with a backslash before each character of `special`.
std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) {
    result += special.find(c) == std::string::npos ? std::string(1, c) : std::string("\\") + c;
  }
  return result;
}

/// An action that offers choices with their meanings. It is evaluated, so the meanings are quoted for the shell.
std::string offers_choices(const std::vector<Choice>& choices) {
  std::string action;
  for (const Choice& choice : choices) {
    action +=
        fmt::format("{}{}\\:{}", action.empty() ? "" : " ", choice.name, in_quotes(escaped(choice.meaning, ":\\")));
  }
  return fmt::format("(({}))", action);
}

std::string offers_files(const std::vector<std::string>& extensions) {
  if (extensions.empty()) {
    return "_files";
  }
  const std::string alternatives = fmt::format("{}", fmt::join(extensions, "|"));
  // A single extension has no parentheses, because zsh would read (csv) as glob qualifiers.
  return fmt::format("_files -g \"(#i)*.{}\"",
                     extensions.size() == 1 ? alternatives : fmt::format("({})", alternatives));
}

/// The part of a specification after the names: "[what]:PLACEHOLDER:action".
std::string description_and_value(const OptionModel& option) {
  std::string text = fmt::format("[{}]", escaped(short_description(option.text), "[]:\\"));
  if (option.takes_value()) {
    const auto extensions = option.file_extensions();
    text += fmt::format(":{}:", escaped(option.placeholder, ":")) + (!option.text.choices.empty()
                                                                         ? offers_choices(option.text.choices)
                                                                     : extensions ? offers_files(*extensions)
                                                                                  : " ");
  }
  return text;
}

/// The specifications of an option: one per name. Each name excludes the other names.
std::string specifications(const OptionModel& option, const std::string& indent) {
  std::string lines;
  for (const std::string& name : option.names) {
    const std::string exclusion = option.repeats ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    const std::string assignment = !option.takes_value() ? "" : name.starts_with("--") ? "=" : "+";
    lines += indent + in_quotes(exclusion + name + assignment + description_and_value(option)) + "\n";
  }
  return lines;
}

std::string specifications(const std::vector<OptionModel>& options, const std::string& indent) {
  std::string lines;
  for (const OptionModel& option : options) {
    lines += specifications(option, indent);
  }
  return lines;
}

std::string positional(const CommandModel& command, const std::string& indent) {
  if (command.positionals.empty()) {
    return "";
  }
  const PositionalModel& first = command.positionals.front();
  const std::string action = first.choices.empty() ? offers_files(first.extensions) : offers_choices(first.choices);
  if (const PositionalModel* const second = after_words(command); second != nullptr) {
    return indent + in_quotes("1:" + first.name + ":" + action) + "\n" + indent +
           in_quotes("*:" + second->name + ":" + offers_files(second->extensions)) + "\n";
  }
  return indent + in_quotes("*:" + first.name + ":" + action) + "\n";
}

std::string script_of(const CommandModel& program) {
  std::string script = kHead;
  std::string steps;
  script += "  subcommands=(\n";
  for (const CommandModel& subcommand : program.subcommands) {
    const std::string line = "    " + in_quotes(subcommand.name + ":" + escaped(subcommand.description, ":\\")) + "\n";
    script += line;
    steps += subcommand.is_step ? line : "";
  }
  script +=
      "  )\n  steps=(\n" + steps + "  )\n  global=(\n" + specifications(program.options, "    ") + "  )\n" + kMiddle;
  for (const CommandModel& subcommand : program.subcommands) {
    script += "        " + subcommand.name + ")\n          options=(\n" +
              specifications(subcommand.options, "            ") +
              (subcommand.is_step ? "            '*--then[begin the next step]'\n" : "") +
              positional(subcommand, "            ") + "          )\n          ;;\n";
  }
  return script + kTail;
}

}  // namespace zsh

}  // namespace

std::string bash_completion(const CommandModel& program) { return bash::script_of(program); }
std::string zsh_completion(const CommandModel& program) { return zsh::script_of(program); }
std::string fish_completion(const CommandModel& program) { return fish::script_of(program); }

}  // namespace gpuimg
