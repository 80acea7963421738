// One batch, from the command line to the exit code: gathers inputs, plans, runs, summarizes. docs/batch.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/batch_options.hpp"
#include "batch/inputs.hpp"
#include "batch/manifest.hpp"
#include "batch/memory_reserve.hpp"
#include "batch/pipeline.hpp"
#include "batch/plan.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

struct NamedPaths {
  std::vector<std::string> inputs;
  std::string output;            ///< empty if none is given
  bool each_is_its_own = false;  ///< --in-place without OUT: each input is its own output
};

class BatchSession {
 public:
  BatchSession(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
               const GlobalOptions& globals);

  ExitCode run(const NamedPaths& named);

 private:
  /// Throws Error{usage} if OUT is a file name but several inputs need a folder.
  void demand_folder(const NamedPaths& named) const;
  [[nodiscard]] GatheredInputs gather(const NamedPaths& named) const;
  [[nodiscard]] OutputNaming naming_for(const NamedPaths& named, std::size_t inputs) const;
  [[nodiscard]] WorkPlan plan_for(const OutputNaming& naming, const std::vector<InputFile>& inputs);

  /// Notes options without effect, once, if all outputs have the same extension. `merged` is the output of --merge.
  void note_options(const std::string& merged, const WorkPlan& plan) const;
  /// True if the manifest that is continued says that gpuimg wrote this file, or was about to.
  [[nodiscard]] bool is_recorded(const std::string& output) const;
  /// Throws Error{usage} if --manifest has the extension of an image.
  void check_manifest() const;
  void check_merged_output(const std::string& output, const std::vector<InputFile>& inputs) const;

  /// Options for the workers: resolves `auto` once for all and divides the threads.
  [[nodiscard]] GlobalOptions worker_options(const WorkPlan& plan, int jobs) const;
  [[nodiscard]] int jobs_for(const WorkPlan& plan) const;

  [[nodiscard]] RunSettings settings_for(int jobs, const GlobalOptions& worker) const;
  /// Prints a note if a resumed run is not recorded in the manifest it resumes from.
  void note_if_not_recorded() const;
  [[nodiscard]] std::unique_ptr<ManifestWriter> open_manifest() const;
  [[nodiscard]] std::string first_line(const WorkPlan& plan, const std::string& merged) const;

  /// If images are merged: writes the single output, unless the run ended early.
  void finish_merged(ContextPool& contexts, RunOutcome& outcome, const std::string& output, MemoryReserve& reserve);

  ExitCode execute(const NamedPaths& named, const WorkPlan& plan);
  [[nodiscard]] std::vector<std::string> failure_lines(const RunOutcome& outcome) const;
  void print_failures(const RunOutcome& outcome, MemoryReserve& reserve) const;
  [[nodiscard]] std::string summary(const RunOutcome& outcome, double seconds) const;
  [[nodiscard]] ExitCode concluded(const WorkPlan& plan, const RunOutcome& outcome, const StopSignal& stop) const;

  ImageJob& job_;
  const BatchArguments& arguments_;
  GlobalOptions globals_;
  BatchOptions options_;
  std::string operation_;
  std::string parameters_;
  std::string folder_;               ///< the working folder
  std::string earlier_name_;         ///< from --resume or --retry-failed
  std::optional<Manifest> earlier_;  ///< from --resume or --retry-failed
  bool continues_manifest_ = false;  ///< --manifest is the file of --resume or --retry-failed
};

}  // namespace gpuimg
