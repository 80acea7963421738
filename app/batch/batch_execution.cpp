// Executes the plan of a session.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "backends/backends.hpp"
#include "batch/batch_item.hpp"
#include "batch/batch_session.hpp"
#include "cli/messages.hpp"
#include "cli/version.hpp"
#include "codecs/declared_image.hpp"
#include "engine/backend_choice.hpp"
#include "engine/host_memory.hpp"
#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

std::size_t items_to_do(const WorkPlan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.items.begin(), plan.items.end(),
                                                [](const PlanItem& item) { return item.state == PlanState::to_do; }));
}

/// Removes temporary files of killed runs from the output folders.
void remove_stale_outputs(const WorkPlan& plan, const ImageJob& job, const std::string& merged, Verbosity verbosity) {
  std::set<std::string> folders;
  if (!merged.empty() && !is_stream(merged)) {
    folders.insert(folder_of(merged));
  }
  for (const PlanItem& item : plan.items) {
    if (!item.output.empty()) {
      folders.insert(folder_of(job.files_of(item.output).front()));
    }
  }
  for (const std::string& folder : folders) {
    if (const std::size_t removed = remove_stale_temporaries(folder); removed > 0) {
      print_detail(verbosity, fmt::format("{}: removed {} temporary file{} of a killed run", printable_name(folder),
                                          removed, removed == 1 ? "" : "s"));
    }
  }
}

/// Asks the driver.
bool is_there(const BackendEntry& entry, Verbosity verbosity) {
  try {
    return entry.device_facts == nullptr || !entry.device_facts->devices().empty();
  } catch (const Error& error) {
    print_detail(verbosity, fmt::format("{} would be faster, but: {}", entry.title, error.what()));
    return false;
  }
}

/// "estimated 1.2 s on the CPU, 0.4 s with CUDA".
std::string text_of(const std::vector<BackendEstimate>& estimates) {
  std::string text;
  for (const BackendEstimate& estimate : estimates) {
    text += fmt::format("{}{:.1f} s {} {}", text.empty() ? "estimated " : ", ", estimate.ms / 1000.0,
                        estimate.backend->memory_is_host ? "on" : "with", estimate.backend->title);
  }
  return text;
}

/// Ignores a closed standard output: the reader had what it needed.
void rethrow_unless_closed(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const OutputClosed&) {
  }
}

}  // namespace

int BatchSession::jobs_for(const WorkPlan& plan) const {
  const int wanted = options_.jobs > 0 ? options_.jobs : processors(globals_);
  return static_cast<int>(std::clamp<std::size_t>(items_to_do(plan), 1, static_cast<std::size_t>(wanted)));
}

GlobalOptions BatchSession::worker_options(const WorkPlan& plan, int jobs) const {
  GlobalOptions options = globals_;
  options.threads = std::max(1, processors(globals_) / jobs);
  if (options.backend || candidates(options).size() == 1) {
    return options;
  }
  // One decision for all images, based on the first one whose size is known.
  for (const PlanItem& item : plan.items) {
    const auto declared =
        item.state == PlanState::to_do
            ? codecs::declared_image_in(item.input, item.page.number > 0 ? item.page : codecs::PageRef{globals_.page})
            : codecs::DeclaredImage{};
    if (declared.pixels() > 0) {
      const std::uint64_t images = items_to_do(plan);
      const auto expected = estimates(
          options, {images, declared.pixels() * images, declared.suits_backends, processors(globals_), options.cost});
      const BackendEntry* first = &fastest(expected);
      std::string why_not = why_no_rival(expected, *first);
      if (first->device_facts != nullptr) {
        why_not = is_there(*first, globals_.verbosity) ? "" : fmt::format("there is no {} device", first->title);
        first = why_not.empty() ? first : expected.front().backend;
      }
      options.backend = first->kind;
      const std::string reason = why_not.empty() ? text_of(expected) : why_not;
      print_detail(globals_.verbosity, fmt::format("backend {}: {}", backend_entry(*options.backend).name, reason));
      break;
    }
  }
  return options;
}

RunSettings BatchSession::settings_for(int jobs, const GlobalOptions& worker) const {
  RunSettings settings;
  settings.worker = worker;
  settings.jobs = jobs;
  settings.max_errors = options_.max_errors;
  settings.force = globals_.force;
  settings.skip_existing = arguments_.skip_existing;
  settings.record_done_before = !continues_manifest_;
  settings.verbosity = globals_.verbosity;
  settings.budget_bytes = memory_for_images(globals_.max_memory);
  settings.most_bytes = memory_for_one(globals_.max_memory);
  settings.blank.operation = operation_;
  settings.blank.parameters = parameters_;
  settings.blank.version = version_number();
  return settings;
}

std::unique_ptr<ManifestWriter> BatchSession::open_manifest() const {
  if (arguments_.manifest.empty()) {
    return nullptr;
  }
  const auto mode = continues_manifest_ ? ManifestWriter::Mode::append
                    : globals_.force    ? ManifestWriter::Mode::replace
                                        : ManifestWriter::Mode::create;
  const bool replaces = mode == ManifestWriter::Mode::replace && identity_of(arguments_.manifest).has_value();
  auto manifest = std::make_unique<ManifestWriter>(arguments_.manifest, mode);
  if (replaces) {
    print_note(globals_.verbosity, "replaced " + printable_name(arguments_.manifest));
  }
  return manifest;
}

std::string BatchSession::first_line(const WorkPlan& plan, const std::string& merged) const {
  const std::uint64_t items = continues_manifest_ ? plan.shard_size : plan.items.size();
  return manifest_line(RunRecord{operation_, parameters_, version_number(), items, plan.total, options_.shard, folder_,
                                 merged.empty() || is_stream(merged) ? "" : merged});
}

ExitCode BatchSession::execute(const NamedPaths& named, const WorkPlan& plan) {
  const std::string merged = job_.merges() ? named.output : "";
  const int jobs = jobs_for(plan);
  expect_work(work_per_device(options_.devices, globals_, jobs, items_to_do(plan)));
  const GlobalOptions workers = worker_options(plan, jobs);
  const std::vector<int> devices = devices_of(options_.devices, globals_, workers.backend);
  if (devices.size() > 1 && workers.backend && backend_entry(*workers.backend).device_facts != nullptr) {
    print_detail(globals_.verbosity, fmt::format("the images are shared by the {} devices {}",
                                                 backend_entry(*workers.backend).title, fmt::join(devices, ", ")));
  }
  Progress progress(progress_mode(globals_), plan.items.size());
  const StopSignal stop([&] {
    progress.print("gpuimg: note: stopping once the images in flight are done; interrupt again to stop at once\n");
  });
  progress.start();
  if (globals_.max_memory) {
    return_freed_memory();
  }
  ContextPool contexts(workers, devices);
  if (items_to_do(plan) > 0) {
    job_.prepare(*contexts.lease());
  }
  const std::unique_ptr<ManifestWriter> manifest = open_manifest();
  remove_stale_outputs(plan, job_, merged, globals_.verbosity);

  const RunChannels channels{progress, stop, manifest.get(), first_line(plan, merged)};
  RunOutcome outcome = run_plan(job_, plan, contexts, settings_for(jobs, workers), channels);
  MemoryBudget nothing_in_flight(0);
  MemoryReserve reserve(nothing_in_flight, [] { return false; });
  const std::exception_ptr unfinished = caught([&] { finish_merged(contexts, outcome, named.output, reserve); });
  progress.stop();
  print_failures(outcome, reserve);
  if (unfinished) {
    rethrow_unless_closed(unfinished);
  }
  if (manifest != nullptr) {
    manifest->finish();
  }
  // If there is no memory for the report, the exit code still tells.
  (void)caught([&] { reserve.retry_on_oom([&] { print_report(summary(outcome, progress.seconds())); }); });
  return concluded(plan, outcome, stop);
}

void BatchSession::finish_merged(ContextPool& contexts, RunOutcome& outcome, const std::string& output,
                                 MemoryReserve& reserve) {
  const bool is_whole = outcome.counts.ended() == outcome.counts.total;
  if (!job_.merges() || !is_whole || outcome.fatal || !job_.has_merged()) {
    return;
  }
  reserve.retry_on_oom([&] {
    const ContextPool::Lease context = contexts.lease();
    context->begin_item(is_recorded(output));
    job_.finish(*context, output);
    context->finish();
    outcome.counts.replaced += context->has_replaced() ? 1 : 0;
    outcome.times.add(context->times());
  });
}

}  // namespace gpuimg
