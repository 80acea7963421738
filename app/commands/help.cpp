// gpuimg help [SUBCOMMAND]: prints what --help prints, or the manual page.
#include <memory>
#include <string>

#include "cli/help.hpp"
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

namespace gpuimg {

Command help_command() {
  return {"help", "explain gpuimg, or a subcommand", commands::help::kExamples, commands::help::declare};
}

}  // namespace gpuimg
