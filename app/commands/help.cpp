// gpuimg help [SUBCOMMAND]: prints what --help prints.
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "io/output_file.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg help\n"
    "  gpuimg help equalize";

RunCommand declare(CommandParser& parser) {
  auto subcommand = std::make_shared<std::string>();
  parser.positional({"SUBCOMMAND", "what to explain [gpuimg itself]", "[SUBCOMMAND]"}, *subcommand);
  return [subcommand, &parser](const GlobalOptions&) {
    write_text(parser.help_on(*subcommand));
    return ExitCode::ok;
  };
}

}  // namespace

Command help_command() { return {"help", "explain gpuimg, or a subcommand", kExamples, declare}; }

}  // namespace gpuimg
