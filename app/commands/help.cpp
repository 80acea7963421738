// gpuimg help [SUBCOMMAND] and gpuimg version: what --help and --version print.
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "cli/name_synonyms.hpp"
#include "cli/version.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"

namespace gpuimg {
namespace {

constexpr const char* kHelpExamples =
    "Examples:\n"
    "  gpuimg help\n"
    "  gpuimg help equalize";

constexpr const char* kVersionExamples =
    "Examples:\n"
    "  gpuimg version";

std::string help_on(const CLI::App& app, const std::string& subcommand) {
  if (subcommand.empty()) {
    return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
  }
  for (const CLI::App* parser : app.get_subcommands(nullptr)) {
    if (parser->get_name() == subcommand) {
      return app.get_formatter()->make_help(parser, app.get_name() + " " + subcommand, CLI::AppFormatMode::Normal);
    }
  }
  throw Error(ErrorKind::usage, unknown_subcommand(subcommand, app) + "; see 'gpuimg --help'");
}

}  // namespace

Command add_help(CLI::App& app) {
  auto subcommand = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("help", "explain gpuimg, or a subcommand");
  parser->footer(kHelpExamples);
  parser->add_option("SUBCOMMAND", *subcommand, "what to explain [gpuimg itself]")
      ->type_name("")
      ->option_text("[SUBCOMMAND]");
  return {parser, [subcommand, &app](const GlobalOptions&) {
            write_text(help_on(app, *subcommand));
            return ExitCode::ok;
          }};
}

Command add_version(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("version", "print the version, and what is built in");
  parser->footer(kVersionExamples);
  return {parser, [](const GlobalOptions&) {
            write_text(version_text() + "\n");
            return ExitCode::ok;
          }};
}

}  // namespace gpuimg
