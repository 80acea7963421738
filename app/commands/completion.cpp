// gpuimg completion SHELL: prints the script with which a shell completes gpuimg's command lines.
#include <memory>
#include <string>

#include "cli/help.hpp"
#include "cli/option_values.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"

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

Command completion_command() {
  return {"completion", "print a script that completes command lines with Tab", commands::completion::kExamples,
          commands::completion::declare};
}

}  // namespace gpuimg
