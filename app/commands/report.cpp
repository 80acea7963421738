// gpuimg report MANIFEST…: summarizes the manifests of a batch run.
#include <memory>
#include <string>
#include <vector>

#include "batch/manifest.hpp"
#include "cli/messages.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"

namespace gpuimg::commands::report {
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
  } catch (const OutputClosed&) {  // the exit code tells the result too
  }
  return report.is_complete() ? ExitCode::ok : ExitCode::some_failed;
}

RunCommand declare(CommandParser& parser) {
  auto paths = std::make_shared<std::vector<std::string>>();
  parser.required_positionals({"MANIFEST", "files that --manifest wrote, of all shards of the run", "MANIFEST..."},
                              *paths);
  return [paths](const GlobalOptions& globals) { return run(*paths, globals); };
}

}  // namespace
}  // namespace gpuimg::commands::report

namespace gpuimg {

Command report_command() {
  return {"report", "summarize the manifests of a run over many files", commands::report::kExamples,
          commands::report::declare};
}

}  // namespace gpuimg
