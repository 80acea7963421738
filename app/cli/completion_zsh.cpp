// Writes the completion script for zsh: a list of `_arguments` specifications for each subcommand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "cli/completion.hpp"

namespace gpuimg {
namespace {

constexpr const char* kHead = R"(#compdef gpuimg
# Completion of gpuimg for zsh: gpuimg completion zsh > FOLDER_OF_FPATH/_gpuimg

_gpuimg() {
  local curcontext=$curcontext state line
  local -a subcommands global options
  typeset -A opt_args
)";

constexpr const char* kMiddle = R"(
  _arguments -C -s -S $global '1:subcommand:->subcommand' '*::argument:->argument' && return
  case $state in
    subcommand) _describe subcommand subcommands ;;
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
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return result + "'";
}

/// With a backslash before each of `special`.
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
    action += fmt::format("{}{}\\:{}", action.empty() ? "" : " ", choice.name, quoted(escaped(choice.meaning, ":\\")));
  }
  return fmt::format("(({}))", action);
}

std::string offers_files(const std::vector<std::string>& endings) {
  if (endings.empty()) {
    return "_files";
  }
  const std::string alternatives = fmt::format("{}", fmt::join(endings, "|"));
  // A single one stands without parentheses: zsh would read (csv) as glob qualifiers.
  return fmt::format("_files -g \"(#i)*.{}\"", endings.size() == 1 ? alternatives : fmt::format("({})", alternatives));
}

/// The part of a specification after the names: "[what]:PLACEHOLDER:action".
std::string description_and_value(const OptionModel& option) {
  std::string text = fmt::format("[{}]", escaped(short_description(option.text), "[]:\\"));
  if (option.takes_value()) {
    const auto endings = option.file_endings();
    text += fmt::format(":{}:", escaped(option.placeholder, ":")) + (!option.text.choices.empty()
                                                                         ? offers_choices(option.text.choices)
                                                                     : endings ? offers_files(*endings)
                                                                               : " ");
  }
  return text;
}

/// The specifications of an option: one per name, each excluding the others.
std::string specifications(const OptionModel& option, const std::string& indent) {
  std::string lines;
  for (const std::string& name : option.names) {
    const std::string exclusion = option.repeats ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    const std::string assignment = !option.takes_value() ? "" : name.starts_with("--") ? "=" : "+";
    lines += indent + quoted(exclusion + name + assignment + description_and_value(option)) + "\n";
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
  const std::string action = first.choices.empty() ? offers_files(first.endings) : offers_choices(first.choices);
  return indent + quoted("*:" + first.name + ":" + action) + "\n";
}

}  // namespace

std::string zsh_completion(const CommandModel& program) {
  std::string script = kHead;
  script += "  subcommands=(\n";
  for (const CommandModel& subcommand : program.subcommands) {
    script += "    " + quoted(subcommand.name + ":" + escaped(subcommand.description, ":\\")) + "\n";
  }
  script += "  )\n  global=(\n" + specifications(program.options, "    ") + "  )\n" + kMiddle;
  for (const CommandModel& subcommand : program.subcommands) {
    script += "        " + subcommand.name + ")\n          options=(\n" +
              specifications(subcommand.options, "            ") + positional(subcommand, "            ") +
              "          )\n          ;;\n";
  }
  return script + kTail;
}

}  // namespace gpuimg
