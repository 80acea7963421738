// gpuimg report MANIFEST…
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "batch/manifest_report.hpp"
#include "cli/messages.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg report run.jsonl\n"
    "  gpuimg report run-1.jsonl run-2.jsonl          the shards of one run\n"
    "  gpuimg report --json run.jsonl";

ExitCode run(const std::vector<std::string>& paths, const GlobalOptions& globals) {
  ManifestReport report;
  for (const std::string& path : paths) {
    report.add(read_manifest(path), path);
  }
  for (const std::string& note : report.notes()) {
    print_note(globals.verbosity, note);
  }
  try {
    write_text(globals.json ? report.json() : report.text());
  } catch (const OutputClosed&) {  // the exit code says it too
  }
  return report.is_complete() ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

Command add_report(CLI::App& app) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* parser = app.add_subcommand("report", "summarize the manifests of a run over many files");
  parser->footer(kExamples);
  parser->add_option("MANIFEST", *paths, "files that --manifest wrote, of all shards of the run")
      ->required()
      ->type_name("")
      ->option_text("MANIFEST...");
  return {parser, [paths](const GlobalOptions& globals) { return run(*paths, globals); }};
}

}  // namespace gpuimg
