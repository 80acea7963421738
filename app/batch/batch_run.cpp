// The pipeline.
#include "batch/batch_run.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "batch/flight.hpp"
#include "batch/folder_scan.hpp"
#include "files/output_folder.hpp"
#include "files/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr const char* kOutputExists = "its output exists";

class Run {
 public:
  Run(const ImageJob& job, const WorkPlan& plan, ContextPool& contexts, const RunSettings& settings,
      const RunChannels& channels)
      : job_(job),
        plan_(plan),
        contexts_(contexts),
        settings_(settings),
        channels_(channels),
        budget_(settings.budget_bytes) {
    outcome_.counts.total = plan.items.size();
  }

  RunOutcome execute() {
    // Ended items wait for those before them: more of them than workers, so that a slow one holds nobody up.
    const auto in_flight = static_cast<std::size_t>(settings_.jobs) * 8 + 8;
    // Without leave for more, TBB keeps to a thread a processor and complains on stderr.
    const auto most = tbb::global_control::max_allowed_parallelism;
    const tbb::global_control leave(
        most, std::max(static_cast<std::size_t>(settings_.jobs), tbb::global_control::active_value(most)));
    tbb::task_arena arena(settings_.jobs);
    arena.execute([&] {
      tbb::parallel_pipeline(
          in_flight, tbb::make_filter<void, FlightPointer>(tbb::filter_mode::serial_in_order,
                                                           [&](tbb::flow_control& flow) { return next(flow); }) &
                         tbb::make_filter<FlightPointer, FlightPointer>(tbb::filter_mode::parallel,
                                                                        [&](FlightPointer flight) {
                                                                          compute(*flight);
                                                                          return flight;
                                                                        }) &
                         tbb::make_filter<FlightPointer, void>(tbb::filter_mode::serial_in_order,
                                                               [&](const FlightPointer& flight) { end(flight); }));
    });
    try_again_alone();
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] bool must_stop() const { return channels_.stop.requested() || fatal_ || too_many_failed_; }

  /// The next item, with room for it in memory; nothing if there is none or no more may begin.
  FlightPointer next(tbb::flow_control& flow) {
    if (next_ < plan_.items.size() && !must_stop()) {
      FlightPointer flight = prepared(plan_.items[next_++]);
      if (flight->is_decided) {
        return flight;
      }
      budget_.acquire(flight->memory);
      if (!must_stop()) {
        return flight;
      }
      budget_.release(flight->memory);
    }
    flow.stop();
    return nullptr;
  }

  FlightPointer prepared(const PlanItem& item) const {
    auto flight = std::make_shared<Flight>();
    flight->item = &item;
    flight->record = settings_.blank;
    flight->record.input = item.input;
    flight->record.output = item.output;
    (void)read_file_facts(item.input, flight->record.bytes, flight->record.mtime_ns);
    if (item.state != PlanState::to_do) {
      flight->is_decided = true;
      skip(*flight, item.state == PlanState::done_before ? "done before" : kOutputExists);
      return flight;
    }
    const DeclaredImage declared = declared_image_in(item.input);
    flight->pixels = declared.pixels;
    const bool is_refused = declared.pixels > settings_.max_pixels;
    flight->memory = expected_memory(job_, flight->record.bytes, is_refused ? DeclaredImage() : declared);
    if (settings_.budget_is_limit && flight->memory > budget_.bytes()) {
      flight->is_decided = true;
      fail(*flight, name_of(ErrorKind::out_of_memory),
           fmt::format("needs about {} MB of memory, and --max-memory leaves {} MB; raise it", flight->memory >> 20,
                       budget_.bytes() >> 20));
    }
    return flight;
  }

  void compute(Flight& flight) {
    if (flight.is_decided) {
      return;
    }
    // A worker that waits for parts of its own image must not begin another one meanwhile.
    guard(flight, [&] { tbb::this_task_arena::isolate([&] { compute_item(flight); }); });
    budget_.release(flight.memory);
    // Another process may work in the same folder.
    if (settings_.skip_existing && is_kind(flight, ErrorKind::write) && has_output(*flight.item)) {
      skip(flight, kOutputExists);
    }
    if (is_kind(flight, ErrorKind::device_fault) || is_kind(flight, ErrorKind::backend_unavailable)) {
      fatal_ = true;
    }
  }

  [[nodiscard]] bool has_output(const PlanItem& item) const {
    const auto files = job_.files_of(item.output);
    return std::any_of(files.begin(), files.end(),
                       [](const std::string& file) { return identity_of(file).has_value(); });
  }

  void compute_item(Flight& flight) {
    ContextPool::Lease context = contexts_.lease();
    context->begin_item();
    guard(flight, [&] {
      const ItemPaths paths{flight.item->input, flight.item->output};
      const auto files = job_.merges() ? std::vector<std::string>{} : job_.files_of(paths.output);
      for (const std::string& file : files) {
        make_folder_of(file);
        context->check_output_file(file, paths.input, job_.is_binary(file));
      }
      flight.in_order = job_.run(*context, paths);
      if (fatal_ && context->backend_name() == "cuda") {
        throw Error(ErrorKind::device_fault, "a device was lost while it was computed; nothing was written");
      }
      context->finish();
    });
    flight.record.backend = context->backend_name();
    flight.record.device = context->device();
    flight.record.times = context->times();
    flight.messages = context->take_messages();
    // A backend may keep memory for the next image: not what is a good part of the limit.
    if (settings_.budget_is_limit && flight.memory > budget_.bytes() / static_cast<std::uint64_t>(2 * settings_.jobs)) {
      context.discard();
    }
  }

  void end(const FlightPointer& flight) {
    if (is_kind(*flight, ErrorKind::out_of_memory) && !flight->is_decided && settings_.jobs > 1 && !alone_) {
      again_.push_back(flight->item);
      return;
    }
    if (flight->in_order) {
      guard(*flight, [&] { flight->in_order(); });
    }
    count(*flight);
    tell(*flight);
    const bool known = flight->item->state == PlanState::done_before && !settings_.record_done_before;
    if (channels_.manifest != nullptr && !known) {
      channels_.manifest->write(manifest_line(flight->record));
    }
  }

  void count(const Flight& flight) {
    ProgressCounts& counts = outcome_.counts;
    switch (flight.record.status) {
      case ItemStatus::done:
        ++counts.done;
        counts.pixels += flight.pixels;
        break;
      case ItemStatus::failed:
        ++counts.failed;
        outcome_.failures.push_back(flight.record.message);
        break;
      case ItemStatus::skipped: ++counts.skipped; break;
    }
    outcome_.times.add(flight.record.times);
    too_many_failed_ = settings_.max_errors > 0 && counts.failed >= settings_.max_errors;
    for (const ErrorKind kind : {ErrorKind::device_fault, ErrorKind::backend_unavailable}) {
      if (is_kind(flight, kind) && !outcome_.fatal) {
        outcome_.fatal = kind;
      }
    }
    channels_.progress.update(counts);
  }

  void tell(const Flight& flight) {
    const std::string name = printable_name(flight.item->input);
    for (const Message& message : flight.messages) {
      const bool named = message.text.find(name) != std::string::npos;
      channels_.progress.print(message_line(message.least, named ? message.text : name + ": " + message.text));
    }
  }

  /// Images that memory did not suffice for, one at a time.
  void try_again_alone() {
    alone_ = true;
    for (const PlanItem* item : again_) {
      if (must_stop()) {
        return;
      }
      contexts_.clear();
      FlightPointer flight = prepared(*item);
      budget_.acquire(flight->memory);
      compute(*flight);
      end(flight);
    }
  }

  const ImageJob& job_;
  const WorkPlan& plan_;
  ContextPool& contexts_;
  const RunSettings& settings_;
  const RunChannels& channels_;
  MemoryBudget budget_;
  std::size_t next_ = 0;
  std::atomic<bool> fatal_ = false;
  std::atomic<bool> too_many_failed_ = false;
  bool alone_ = false;
  std::vector<const PlanItem*> again_;
  RunOutcome outcome_;
};

}  // namespace

std::uint64_t expected_memory(const ImageJob& job, std::uint64_t file_bytes, const DeclaredImage& declared) {
  constexpr std::uint64_t kDecoder = std::uint64_t{2} << 20;
  if (declared.pixels == 0) {
    return 4 * file_bytes + kDecoder;  // pixels that are not encoded (.npy), or nothing that can be read
  }
  const std::uint64_t result = job.result_bytes_per_pixel(declared.bytes_per_pixel);
  // The result and the encoded result stand side by side; the latter is hardly ever larger. A plane of levels lies
  // beside the pixels while they are computed.
  const std::uint64_t per_pixel = declared.bytes_per_pixel + declared.decoder_bytes_per_pixel + 2 * result + 1;
  return file_bytes + declared.pixels * per_pixel + kDecoder;
}

RunOutcome run_plan(const ImageJob& job, const WorkPlan& plan, ContextPool& contexts, const RunSettings& settings,
                    const RunChannels& channels) {
  return Run(job, plan, contexts, settings, channels).execute();
}

}  // namespace gpuimg
