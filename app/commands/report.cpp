// gpuimg report MANIFEST…: summarizes the manifests of a batch run.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "batch/manifest.hpp"
#include "cli/messages.hpp"
#include "commands/commands.hpp"
#include "gpuimg/error.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::report {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg report run.jsonl\n"
    "  gpuimg report run-1.jsonl run-2.jsonl          the shards of one run\n"
    "  gpuimg report --json run.jsonl";

/// `path` itself, or if it is a folder, its manifests, sorted. Throws Error{read} if the folder has no manifests.
std::vector<std::string> manifests_at(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) {
    return {path};
  }
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
    std::string beginning(kBeginningOfRun.size(), '\0');
    std::ifstream file(entry.is_regular_file(failed) ? entry.path().string() : "", std::ios::binary);
    if (file.read(beginning.data(), static_cast<std::streamsize>(beginning.size())) && beginning == kBeginningOfRun) {
      found.push_back(entry.path().string());
    }
  }
  if (found.empty()) {
    throw Error(ErrorKind::read,
                printable_name(path) + ": folder contains no manifest; name a file that --manifest wrote");
  }
  std::sort(found.begin(), found.end());
  return found;
}

ExitCode run(const std::vector<std::string>& names, const GlobalOptions& globals) {
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    const std::vector<std::string> there = manifests_at(name);
    paths.insert(paths.end(), there.begin(), there.end());
  }
  ManifestReport report;
  for (const std::string& path : paths) {
    report.add(read_manifest(path), path);
  }
  for (const std::string& note : report.notes()) {
    print_note(globals.verbosity, note);
  }
  try {
    write_text(globals.json ? report.json() : report.text());
  } catch (const OutputClosed&) {  // the exit code also tells the result
  }
  return report.is_complete() ? ExitCode::ok : ExitCode::some_failed;
}

RunCommand declare(CommandParser& parser) {
  auto paths = std::make_shared<std::vector<std::string>>();
  parser.required_positionals(
      {"MANIFEST", "files that --manifest wrote, of all shards of the run, or a folder of them", "MANIFEST..."},
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
