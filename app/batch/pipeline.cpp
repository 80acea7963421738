// Implements the stages of every run, and runs a plan in these stages. If oneTBB runs out of memory or threads, runs
// one item after another instead.
#include "batch/pipeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include "batch/batch_item.hpp"
#include "batch/inputs.hpp"
#include "cli/messages.hpp"
#include "codecs/file_header.hpp"
#include "codecs/rejections.hpp"
#include "io/output_file.hpp"
#include "pixel_memory.hpp"

namespace gpuimg {
namespace {

/// Processes an item up to the point at which its result can be recorded.
class ItemProcessor {
 public:
  /// `is_cancelled` returns true after oneTBB has cancelled the running group: parallel loops then return early.
  /// `manifest` may be null.
  ItemProcessor(const ImageJob& job, WorkerPool& pool, const RunSettings& settings, ManifestWriter* manifest,
                MemoryBudget& budget, MemoryReserve& reserve, std::function<bool()> is_cancelled);

  /// Resets the item to begun, or to ready if it needs no work. Strong guarantee; throws only std::bad_alloc or
  /// Error{out_of_memory}.
  void begin(BatchItem& item, const PlanItem& planned) const;

  /// Processes an item that is begun, sets it to ready, and releases its share of the memory budget. If the group was
  /// cancelled, the item stays begun and nothing is written. Throws like begin(), and Error{write} if the line with the
  /// status `begun` cannot be written to the manifest; the outputs then keep their temporary names and are removed.
  void compute(BatchItem& item);

  /// True after a device was lost: no new items may start.
  [[nodiscard]] bool device_is_lost() const { return device_is_lost_; }

 private:
  struct Attempt {
    bool is_cut_short = false;
    std::exception_ptr thrown;    ///< an exception that fails the item
    std::exception_ptr ends_run;  ///< an exception that ends the run: the manifest cannot be written
  };

  void plan_memory(BatchItem& item) const;
  [[nodiscard]] Attempt attempt(BatchItem& item) const;
  void stage(BatchItem& item, Worker& worker) const;
  void give_names(BatchItem& item, Worker& worker, Attempt& made) const;

  /// The manifest line to write before the item's outputs get their final names; empty if none is needed.
  [[nodiscard]] std::string line_before_names(const BatchItem& item) const;
  void check_still_absent(const PlanItem& item, const std::vector<std::string>& files) const;
  void conclude(BatchItem& item, const std::exception_ptr& thrown) const;
  [[nodiscard]] bool has_output(const PlanItem& item) const;

  const ImageJob& job_;
  WorkerPool& pool_;
  const RunSettings& settings_;
  ManifestWriter* manifest_;
  MemoryBudget& budget_;
  MemoryReserve& reserve_;
  std::function<bool()> is_cancelled_;
  std::atomic<bool> device_is_lost_ = false;
};

constexpr const char* kOutputExists = "its output exists";

ItemProcessor::ItemProcessor(const ImageJob& job, WorkerPool& pool, const RunSettings& settings,
                             ManifestWriter* manifest, MemoryBudget& budget, MemoryReserve& reserve,
                             std::function<bool()> is_cancelled)
    : job_(job),
      pool_(pool),
      settings_(settings),
      manifest_(manifest),
      budget_(budget),
      reserve_(reserve),
      is_cancelled_(std::move(is_cancelled)) {}

void ItemProcessor::begin(BatchItem& item, const PlanItem& planned) const {
  reserve_.retry_on_oom([&] {
    item = BatchItem();
    item.planned = &planned;
    item.record = settings_.blank;
    item.record.input = planned.input;
    item.record.output = planned.output;
    item.record.page = planned.page.number;
    item.record.has_later = !planned.lost.empty();
    (void)read_file_facts(planned.input, item.record.bytes, item.record.mtime_ns);
    if (planned.state == PlanState::done_before) {
      item.record.files = job_.files_of(planned.output);
    }
    if (!planned.lost.empty()) {
      fail_by(item, caught([&] { codecs::reject_lost_pages(shown_input(planned), planned.lost); }));
      item.is_decided = true;
    } else if (planned.state != PlanState::to_do) {
      skip(item, planned.state == PlanState::done_before ? "done before" : kOutputExists);
      item.is_decided = true;
    }
    if (planned.earlier != nullptr) {
      item.record.result = planned.earlier->result;
      item.in_order =
          job_.again(shown_input(ItemPaths{planned.input, planned.output, planned.page}), item.record.result);
    }
  });
  if (!item.is_decided) {
    plan_memory(item);
  }
  item.state = item.is_decided ? BatchItem::State::ready : BatchItem::State::begun;
}

void ItemProcessor::plan_memory(BatchItem& item) const {
  const GlobalOptions& options = settings_.worker;
  const PlanItem& planned = *item.planned;
  const ItemPaths paths{planned.input, planned.output,
                        planned.page.number > 0 ? planned.page : codecs::PageRef{options.page}};
  codecs::DeclaredImage declared;
  // If memory runs out here, the decoder reports it later.
  (void)caught([&] { reserve_.retry_on_oom([&] { declared = codecs::declared_image_in(paths.input, paths.page); }); });
  item.pixels = declared.pixels();
  if (declared.pixels() > options.max_pixels) {
    declared = codecs::DeclaredImage();  // the decoder will reject the image
  }
  const std::uint64_t share = budget_.bytes() / static_cast<std::uint64_t>(settings_.jobs);
  reserve_.retry_on_oom([&] { item.memory = memory_of(job_, paths, item.record.bytes, declared, options, share); });
  if (settings_.most_bytes && item.memory.bytes > settings_.most_bytes->bytes) {
    reserve_.retry_on_oom([&] {
      fail(item, name_of(ErrorKind::out_of_memory), why_too_large(item.memory.bytes, *settings_.most_bytes));
    });
    item.is_decided = true;
  }
}

void ItemProcessor::compute(BatchItem& item) {
  Attempt made;
  // While a worker waits for its own parallel loops, it must not start another image.
  if (auto thrown = caught([&] { tbb::this_task_arena::isolate([&] { made = attempt(item); }); })) {
    made.thrown = std::move(thrown);
  }
  if (std::exchange(item.holds_memory, false)) {
    budget_.release(item.memory.bytes);
  }
  if (made.ends_run) {
    std::rethrow_exception(made.ends_run);
  }
  if (made.is_cut_short) {
    return;
  }
  if (made.thrown) {
    reserve_.retry_on_oom([&] { conclude(item, made.thrown); });
  }
  if (is_kind(item, ErrorKind::device_fault) || is_kind(item, ErrorKind::backend_unavailable)) {
    device_is_lost_ = true;
  }
  item.state = BatchItem::State::ready;
}

ItemProcessor::Attempt ItemProcessor::attempt(BatchItem& item) const {
  WorkerPool::Lease worker = pool_.lease();
  worker->begin_item(item.planned->may_replace, item.planned->page);
  if (item.memory.in_bands) {
    worker->loader.read_in_bands(item.memory.bytes);
  }
  Attempt made;
  made.thrown = caught([&] { stage(item, *worker); });
  // After cancellation, neither a result nor a failure is valid.
  made.is_cut_short = is_cancelled_();
  if (made.is_cut_short) {
    item.in_order = nullptr;
    return made;
  }
  if (!made.thrown) {
    give_names(item, *worker, made);
  }
  item.record.backend = worker->report.backend_name();
  item.record.device = worker->report.device();
  item.record.sides = worker->report.sides();
  item.record.result = worker->report.take_result();
  item.record.times = worker->report.take_times();
  item.messages = worker->report.take_messages();
  item.replaced = settings_.force && worker->writer.has_replaced();
  // A backend may cache memory for the next image, but not a large share of the limit.
  const std::uint64_t kept = budget_.bytes() / static_cast<std::uint64_t>(2 * settings_.jobs);
  if (settings_.worker.max_memory && item.memory.bytes > kept) {
    worker.discard();
  }
  return made;
}

void ItemProcessor::stage(BatchItem& item, Worker& worker) const {
  const ItemPaths paths{item.planned->input, item.planned->output, item.planned->page};
  worker.writer.preserve_times(item.planned->times);
  const auto files = job_.merges() ? std::vector<std::string>{} : job_.files_of(paths.output);
  for (const std::string& file : files) {
    make_folder_of(file);
    worker.writer.check(file, paths.input, job_.is_binary(file));
  }
  item.in_order = job_.run(worker, paths);
}

void ItemProcessor::give_names(BatchItem& item, Worker& worker, Attempt& made) const {
  std::string line;
  made.thrown = caught([&] {
    if (device_is_lost_ && worker.report.device()) {
      throw Error(ErrorKind::device_fault,
                  "the device was lost during the computation; nothing was written; check it with gpuimg doctor");
    }
    line = line_before_names(item);
  });
  if (!made.thrown && !line.empty()) {
    made.ends_run = caught([&] { manifest_->write(line); });
  }
  if (!made.thrown && !made.ends_run) {
    made.thrown = caught([&] { worker.writer.commit(); });
  }
}

std::string ItemProcessor::line_before_names(const BatchItem& item) const {
  if (manifest_ == nullptr || job_.merges()) {
    return {};
  }
  std::vector<std::string> files = job_.files_of(item.planned->output);
  if (files.empty()) {
    return {};
  }
  check_still_absent(*item.planned, files);
  ItemRecord begun = item.record;
  begun.status = ItemStatus::begun;
  if (!item.planned->is_in_place) {
    begun.files = std::move(files);
  }
  return manifest_line(begun);
}

/// Checks that the outputs still do not exist: otherwise the manifest would record another program's new file as
/// gpuimg's.
void ItemProcessor::check_still_absent(const PlanItem& item, const std::vector<std::string>& files) const {
  const bool may_exist = item.may_replace || item.is_in_place || settings_.force;
  for (const std::string& file : files) {
    if (!may_exist && identity_of(file)) {
      fail_writing(file, "another program created it during the run; use --force to replace it, or another name");
    }
  }
}

void ItemProcessor::conclude(BatchItem& item, const std::exception_ptr& thrown) const {
  fail_by(item, thrown);
  // Another process may be writing to this folder.
  if (settings_.skip_existing && is_kind(item, ErrorKind::write) && has_output(*item.planned)) {
    skip(item, kOutputExists);
  }
}

bool ItemProcessor::has_output(const PlanItem& item) const { return all_exist(job_.files_of(item.output)); }

bool is_unread(const BatchItem& item) {
  return is_kind(item, ErrorKind::read) || is_kind(item, ErrorKind::decode) || is_kind(item, ErrorKind::unsupported);
}

}  // namespace

ResultRecorder::ResultRecorder(const RunSettings& settings, const RunChannels& channels,
                               const std::vector<PlanItem>& items, MemoryReserve& reserve)
    : settings_(settings), channels_(channels), reserve_(reserve), blocked_(items) {
  outcome_.counts.total = items.size();
}

void ResultRecorder::end(BatchItem& item) {
  take_turn(item);
  const std::vector<std::string> lines = lines_of(item);
  std::string told;
  std::string recorded;
  reserve_.retry_on_oom([&] {
    told = fmt::format("{}", fmt::join(lines, ""));
    recorded = is_recorded(item) ? manifest_line(item.record) : "";
    outcome_.times.make_room(item.record.times);
    if (item.record.status == ItemStatus::failed) {
      outcome_.failures.add(item.record.error_kind, item.reason, item.record.message);
    }
    tell_end(item);
  });
  count(item);
  if (!told.empty()) {
    channels_.progress.print(told);
  }
  if (!recorded.empty()) {
    channels_.manifest->write(recorded);
  }
}

void ResultRecorder::tell_end(const BatchItem& item) const {
  if (const auto& on_end = settings_.worker.on_end) {
    const ItemRecord& record = item.record;
    const ItemEnd::Status status = record.status == ItemStatus::done     ? ItemEnd::Status::done
                                   : record.status == ItemStatus::failed ? ItemEnd::Status::failed
                                                                         : ItemEnd::Status::skipped;
    on_end({status, record.input, record.error_kind, record.message});
  }
}

/// Returns the lines to print. Counts each message once, even if memory runs out and the step is retried.
std::vector<std::string> ResultRecorder::lines_of(const BatchItem& item) {
  std::vector<std::string> lines;
  reserve_.retry_on_oom([&] {
    lines.reserve(item.messages.size());
    while (lines.size() < item.messages.size()) {
      lines.push_back(outcome_.notes.line_of(item, item.messages[lines.size()], settings_.verbosity));
    }
  });
  return lines;
}

void ResultRecorder::take_turn(BatchItem& item) {
  if (!item.in_order) {
    return;
  }
  if (const auto thrown = caught([&] { reserve_.retry_on_oom(item.in_order); })) {
    reserve_.retry_on_oom([&] { fail_by(item, thrown); });
  }
}

void ResultRecorder::count(BatchItem& item) {
  ProgressCounts& counts = outcome_.counts;
  switch (item.record.status) {
    case ItemStatus::done:
      ++counts.done;
      counts.pixels += item.pixels;
      counts.replaced += item.replaced ? 1 : 0;
      break;
    case ItemStatus::failed:
      ++counts.failed;
      outcome_.unread += is_unread(item) ? 1 : 0;
      break;
    case ItemStatus::begun: break;  // not a final status
    case ItemStatus::skipped: ++counts.skipped; break;
  }
  outcome_.times.add(item.record.times);
  blocked_.count(item);
  if (blocked_.is_certain() && !outcome_.fatal) {
    outcome_.fatal = ErrorKind::write;
    outcome_.why_no_output = std::move(item.reason);
  }
  must_end_ = blocked_.is_certain() || (settings_.max_errors > 0 && counts.failed >= settings_.max_errors);
  for (const ErrorKind kind : {ErrorKind::device_fault, ErrorKind::backend_unavailable}) {
    if (is_kind(item, kind) && !outcome_.fatal) {
      outcome_.fatal = kind;
    }
  }
  channels_.progress.update(counts);
}

bool ResultRecorder::is_recorded(const BatchItem& item) const {
  const bool known = item.planned->state == PlanState::done_before && !settings_.record_done_before;
  return channels_.manifest != nullptr && !known;
}

namespace {

using State = BatchItem::State;

/// Runs a plan in the pipeline, and falls back to sequential processing.
class Run {
 public:
  Run(const ImageJob& job, const WorkPlan& plan, WorkerPool& pool, const RunSettings& settings,
      const RunChannels& channels)
      : plan_(plan),
        pool_(pool),
        settings_(settings),
        channels_(channels),
        budget_(settings.budget_bytes),
        is_cancelled_([this] { return group_ && group_->is_cancelled(); }),
        reserve_(budget_, is_cancelled_),
        processor_(job, pool, settings, channels.manifest, budget_, reserve_, is_cancelled_),
        recorder_(settings, channels, plan.items, reserve_),
        // Finished items wait for earlier ones. There are more slots than workers, so that one slow item does not block
        // the others.
        slots_(static_cast<std::size_t>(settings.jobs) * 8 + 8) {}

  RunOutcome execute() {
    if (channels_.manifest != nullptr) {
      channels_.manifest->write(channels_.first_line);
    }
    for (bool is_through = false; !is_through;) {
      const bool has_run = run_pipeline();
      is_through = has_run && !lacks_memory_;
      end_begun_items();
      // Makes progress even if the pipeline cannot start.
      if (!has_run) {
        is_through = !take_one_alone();
      }
    }
    conclude();
    return std::move(recorder_.outcome());
  }

 private:
  [[nodiscard]] bool must_stop() const {
    return channels_.stop.requested() || processor_.device_is_lost() || recorder_.must_end() || is_broken_;
  }

  /// Returns false if oneTBB ran out of memory or threads. It may then have dropped items that were begun.
  bool run_pipeline() {
    bool is_through = false;
    try {
      group_.emplace().run(stages(), settings_.jobs, slots_.size());
      is_through = true;
    } catch (const std::bad_alloc&) {
    } catch (const std::runtime_error& failure) {
      if (!is_rejected_thread(failure)) {
        throw;
      }
    }
    group_.reset();
    return is_through;
  }

  /// The stages never throw, because an exception would cancel the work of the other workers.
  Stages stages() {
    return {[this] { return begin_next(); }, [this](BatchItem& item) { compute_begun(item); },
            [this](BatchItem& item) { end(item); }};
  }

  /// Waits until the memory of the next item fits, and returns the item. Returns nullptr if there is no next item or
  /// the run must stop. The item's slot is free, because the pipeline never has more items in flight than slots.
  BatchItem* begin_next() {
    if (next_ == plan_.items.size() || must_stop() || lacks_memory_) {
      return nullptr;
    }
    BatchItem& item = slots_[next_ % slots_.size()];
    return try_begin(item, plan_.items[next_]) ? (++next_, &item) : nullptr;
  }

  /// Begins an item and waits for its memory. Returns false if the run must stop.
  bool try_begin(BatchItem& item, const PlanItem& planned) {
    if (!run_step([&] { processor_.begin(item, planned); })) {
      item.state = State::none;
      return false;
    }
    if (item.state == State::ready) {
      return true;
    }
    item.holds_memory = budget_.acquire(item.memory.bytes, is_cancelled_);
    if (item.holds_memory && !must_stop()) {
      return true;
    }
    if (std::exchange(item.holds_memory, false)) {
      budget_.release(item.memory.bytes);
    }
    item.state = State::none;
    return false;
  }

  void compute_begun(BatchItem& item) {
    if (item.state == State::begun) {
      (void)run_step([&] { processor_.compute(item); });
    }
  }

  /// Ends an item. If this or an earlier item must be retried, leaves the item to end_begun_items(), which keeps the
  /// plan order.
  void end(BatchItem& item) {
    lacks_memory_ = lacks_memory_ || (settings_.jobs > 1 && ran_out_of_memory(item));
    if (!lacks_memory_) {
      record(item);
    }
  }

  /// True if the item lacked memory, which other images in flight may have taken.
  [[nodiscard]] static bool ran_out_of_memory(const BatchItem& item) {
    return item.state == State::ready && !item.is_decided && is_kind(item, ErrorKind::out_of_memory);
  }

  void record(BatchItem& item) {
    if (item.state == State::ready) {
      (void)run_step([&] { recorder_.end(item); });
      item.state = State::ended;
    }
  }

  /// Runs a step. If the step throws, ends the run and returns false: memory for the bookkeeping has run out, or the
  /// manifest cannot be written.
  template <class Step>
  bool run_step(const Step& step) noexcept {
    std::exception_ptr thrown = caught(step);
    if (!thrown) {
      return true;
    }
    const std::lock_guard lock(mutex_);
    if (!broken_by_) {
      broken_by_ = std::move(thrown);
    }
    is_broken_ = true;
    return false;
  }

  /// Finishes the items that the pipeline did not finish, in plan order, one at a time.
  void end_begun_items() {
    for (BatchItem& item : slots_) {
      if (std::exchange(item.holds_memory, false)) {
        budget_.release(item.memory.bytes);
      }
    }
    for (std::size_t i = next_ - std::min(next_, slots_.size()); i < next_; ++i) {
      finish_alone(slots_[i % slots_.size()]);
    }
    lacks_memory_ = false;
  }

  void finish_alone(BatchItem& item) {
    if (!must_stop()) {
      compute_begun(item);
    }
    if (settings_.jobs > 1 && ran_out_of_memory(item)) {
      pool_.clear();
      if (must_stop() || !try_begin(item, *item.planned)) {
        item.state = State::none;
        return;
      }
      compute_begun(item);
    }
    record(item);
  }

  /// Processes the next item. Returns false if there is no next item.
  bool take_one_alone() {
    BatchItem* item = begin_next();
    if (item != nullptr) {
      finish_alone(*item);
    }
    return item != nullptr;
  }

  void conclude() {
    RunOutcome& outcome = recorder_.outcome();
    if (!broken_by_) {
      // A run that leaves items unprocessed without a reason must not be reported as complete.
      if (!must_stop() && outcome.counts.ended() < outcome.counts.total) {
        outcome.fatal = ErrorKind::out_of_memory;
      }
      return;
    }
    try {
      std::rethrow_exception(broken_by_);
    } catch (const std::bad_alloc&) {
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::out_of_memory) {
        throw;
      }
    }
    outcome.fatal = outcome.fatal.value_or(ErrorKind::out_of_memory);
  }

  const WorkPlan& plan_;
  WorkerPool& pool_;
  const RunSettings& settings_;
  const RunChannels& channels_;
  MemoryBudget budget_;
  std::optional<StageRun> group_;  ///< the group that is running now
  std::function<bool()> is_cancelled_;
  MemoryReserve reserve_;
  ItemProcessor processor_;
  ResultRecorder recorder_;
  std::vector<BatchItem> slots_;  ///< item i is in slot i modulo the number of slots
  std::size_t next_ = 0;
  std::atomic<bool> lacks_memory_ = false;  ///< an item must be retried alone; until then, no new items begin
  std::mutex mutex_;
  std::exception_ptr broken_by_;
  std::atomic<bool> is_broken_ = false;
};

}  // namespace

struct StageRun::Group {
  tbb::task_group_context context;
};

StageRun::StageRun() : group_(std::make_unique<Group>()) {}
StageRun::~StageRun() = default;

bool StageRun::is_cancelled() const { return group_->context.is_group_execution_cancelled(); }

void StageRun::run(const Stages& stages, int jobs, std::size_t in_flight) {
  constexpr auto kInOrder = tbb::filter_mode::serial_in_order;
  constexpr auto kParallel = tbb::filter_mode::parallel;
  // oneTBB stores pointers without allocating memory.
  const auto next = tbb::make_filter<void, BatchItem*>(kInOrder, [&](tbb::flow_control& flow) {
    BatchItem* item = stages.next();
    if (item == nullptr) {
      flow.stop();
    }
    return item;
  });
  const auto compute = tbb::make_filter<BatchItem*, BatchItem*>(kParallel, [&](BatchItem* item) {
    stages.compute(*item);
    return item;
  });
  const auto end = tbb::make_filter<BatchItem*, BatchItem*>(kInOrder, [&](BatchItem* item) {
    stages.end(*item);
    return item;
  });
  const auto store = tbb::make_filter<BatchItem*, void>(kParallel, [&](BatchItem* item) {
    if (stages.store) {
      stages.store(*item);
    }
  });
  // Without this, oneTBB limits the number of workers to the number of processors, and warns on stderr.
  const auto most = tbb::global_control::max_allowed_parallelism;
  const tbb::global_control leave(most,
                                  std::max(static_cast<std::size_t>(jobs), tbb::global_control::active_value(most)));
  require_arena_memory();
  tbb::task_arena arena(jobs);
  arena.execute([&] { tbb::parallel_pipeline(in_flight, next & compute & end & store, group_->context); });
}

RunOutcome run_plan(const ImageJob& job, const WorkPlan& plan, WorkerPool& pool, const RunSettings& settings,
                    const RunChannels& channels) {
  return Run(job, plan, pool, settings, channels).execute();
}

}  // namespace gpuimg
