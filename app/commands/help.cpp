// Help for people and shells. gpuimg help [SUBCOMMAND] prints the text of --help, or the manual page; gpuimg completion
// SHELL prints a script that completes command lines.
#include <memory>
#include <string>

#include "cli/help.hpp"
#include "cli/option_values.hpp"
#include "cli/version.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"

namespace gpuimg::commands::help {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg help\n"
    "  gpuimg help equalize\n"
    "  gpuimg help --man equalize | man -l -";

struct Arguments {
  std::string subcommand;
  bool man = false;
};

std::string asked_for(const Arguments& arguments, const CommandParser& parser) {
  const CommandModel program = parser.program();
  const std::string version = program.name + " " + version_number();
  if (arguments.subcommand.empty()) {
    return arguments.man ? program_manual(program, version) : program_help(program);
  }
  const CommandModel subcommand = parser.subcommand(arguments.subcommand);
  return arguments.man ? subcommand_manual(program, subcommand, version) : subcommand_help(program.name, subcommand);
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  parser.positional({.name = "SUBCOMMAND",
                     .description = "what to explain [gpuimg itself]",
                     .usage = "[SUBCOMMAND]",
                     .names_subcommand = true},
                    arguments->subcommand);
  parser.flag({"--man", "print the manual page, for man -l"}, arguments->man);
  return [arguments, &parser](const GlobalOptions&) {
    write_text(asked_for(*arguments, parser));
    return ExitCode::ok;
  };
}

}  // namespace
}  // namespace gpuimg::commands::help

namespace gpuimg::commands::completion {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  eval \"$(gpuimg completion bash)\"\n"
    "  gpuimg completion zsh > ~/.zfunc/_gpuimg    a folder of $fpath\n"
    "  gpuimg completion fish > ~/.config/fish/completions/gpuimg.fish";

using WriteCompletion = std::string (*)(const CommandModel& program);

const NamedValues<WriteCompletion> kShells = {
    {"bash", bash_completion, "bash 4 or later"},
    {"zsh", zsh_completion, "zsh, after compinit"},
    {"fish", fish_completion, "fish 3 or later"},
};

RunCommand declare(CommandParser& parser) {
  auto shell = std::make_shared<std::string>();
  const OptionText choices = with_choices("", kShells, "");
  parser.positional({.name = "SHELL", .description = listed(names_of(kShells)), .choices = choices.choices}, *shell);
  return [shell, &parser](const GlobalOptions&) {
    if (shell->empty()) {
      throw Error(ErrorKind::usage, "SHELL is missing; name " + listed(names_of(kShells)));
    }
    write_text(value_named("SHELL", *shell, kShells)(parser.program()));
    return ExitCode::ok;
  };
}

}  // namespace
}  // namespace gpuimg::commands::completion

namespace gpuimg {

Command help_command() {
  return {"help", "explain gpuimg, or a subcommand", commands::help::kExamples, commands::help::declare};
}

Command completion_command() {
  return {"completion", "print a script that completes command lines with Tab", commands::completion::kExamples,
          commands::completion::declare};
}

}  // namespace gpuimg
