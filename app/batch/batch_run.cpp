// The oneTBB pipeline, and the sequential fallback when oneTBB runs out of memory or threads.
#include "batch/batch_run.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "arena_memory.hpp"
#include "batch/item_processor.hpp"
#include "batch/result_recorder.hpp"

namespace gpuimg {
namespace {

using State = BatchItem::State;

class Run {
 public:
  Run(const ImageJob& job, const WorkPlan& plan, ContextPool& contexts, const RunSettings& settings,
      const RunChannels& channels)
      : plan_(plan),
        contexts_(contexts),
        settings_(settings),
        channels_(channels),
        budget_(settings.budget_bytes),
        is_cancelled_([this] { return group_ && group_->is_group_execution_cancelled(); }),
        reserve_(budget_, is_cancelled_),
        processor_(job, contexts, settings, channels.manifest, budget_, reserve_, is_cancelled_),
        recorder_(settings, channels, plan.items, reserve_),
        // Finished items wait for earlier ones: more slots than workers, so that one slow item does not block the
        // others.
        slots_(static_cast<std::size_t>(settings.jobs) * 8 + 8) {}

  RunOutcome execute() {
    if (channels_.manifest != nullptr) {
      channels_.manifest->write(channels_.first_line);
    }
    while (!pipeline_is_through()) {
      end_what_is_begun();
      if (!one_is_taken_alone()) {
        break;
      }
    }
    try_again_alone();
    conclude();
    return std::move(recorder_.outcome());
  }

 private:
  [[nodiscard]] bool must_stop() const {
    return channels_.stop.requested() || processor_.device_is_lost() || recorder_.must_end() || is_broken_;
  }

  /// Returns false if oneTBB ran out of memory or threads. It may then have dropped items that were begun.
  bool pipeline_is_through() {
    group_.emplace();
    bool is_through = false;
    try {
      // Without this, oneTBB caps the workers at one per processor and warns on stderr.
      const auto most = tbb::global_control::max_allowed_parallelism;
      const tbb::global_control leave(
          most, std::max(static_cast<std::size_t>(settings_.jobs), tbb::global_control::active_value(most)));
      require_arena_memory();
      tbb::task_arena arena(settings_.jobs);
      arena.execute([&] { run_pipeline(); });
      is_through = true;
    } catch (const std::bad_alloc&) {
    } catch (const std::runtime_error& failure) {
      if (!is_refused_thread(failure)) {
        throw;
      }
    }
    group_.reset();
    return is_through;
  }

  /// Passes pointers, which oneTBB stores without allocating. The filters never throw: an exception would cancel the
  /// work of the other workers.
  void run_pipeline() {
    const auto next = [&](tbb::flow_control& flow) {
      BatchItem* item = begun();
      if (item == nullptr) {
        flow.stop();
      }
      return item;
    };
    const auto compute = [&](BatchItem* item) {
      computed(*item);
      return item;
    };
    tbb::parallel_pipeline(
        slots_.size(),
        tbb::make_filter<void, BatchItem*>(tbb::filter_mode::serial_in_order, next) &
            tbb::make_filter<BatchItem*, BatchItem*>(tbb::filter_mode::parallel, compute) &
            tbb::make_filter<BatchItem*, void>(tbb::filter_mode::serial_in_order, [&](BatchItem* item) { end(*item); }),
        *group_);
  }

  /// Returns the next item once its memory fits, or nullptr if there is none or the run must stop. Its slot is free:
  /// the pipeline has no more items in flight than there are slots.
  BatchItem* begun() {
    if (next_ == plan_.items.size() || must_stop()) {
      return nullptr;
    }
    BatchItem& item = slots_[next_ % slots_.size()];
    return is_begun(item, plan_.items[next_]) ? (++next_, &item) : nullptr;
  }

  bool is_begun(BatchItem& item, const PlanItem& planned) {
    if (!held([&] { processor_.begin(item, planned); })) {
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

  void computed(BatchItem& item) {
    if (item.state == State::begun) {
      (void)held([&] { processor_.compute(item); });
    }
  }

  void end(BatchItem& item) {
    if (item.state != State::ready) {
      return;
    }
    (void)held([&] {
      if (is_kind(item, ErrorKind::out_of_memory) && !item.is_decided && settings_.jobs > 1 && !alone_) {
        reserve_.retry_on_oom([&] { again_.push_back(item.planned); });
      } else {
        recorder_.end(item);
      }
    });
    item.state = State::ended;
  }

  /// Runs a step; an exception ends the run: no memory for the bookkeeping, or the manifest cannot be written.
  template <class Step>
  bool held(const Step& step) noexcept {
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

  /// Finishes the items that the pipeline left behind, in plan order.
  void end_what_is_begun() {
    for (BatchItem& item : slots_) {
      if (std::exchange(item.holds_memory, false)) {
        budget_.release(item.memory.bytes);
      }
    }
    for (std::size_t i = next_ - std::min(next_, slots_.size()); i < next_; ++i) {
      BatchItem& item = slots_[i % slots_.size()];
      if (!must_stop()) {
        computed(item);
      }
      end(item);
    }
  }

  /// Processes one item sequentially: guarantees progress even if the pipeline cannot start.
  bool one_is_taken_alone() {
    BatchItem* item = begun();
    if (item != nullptr) {
      computed(*item);
      end(*item);
    }
    return item != nullptr;
  }

  /// Retries images that ran out of memory, one at a time.
  void try_again_alone() {
    alone_ = true;
    for (const PlanItem* planned : again_) {
      contexts_.clear();
      BatchItem& item = slots_.front();
      if (must_stop() || !is_begun(item, *planned)) {
        return;
      }
      computed(item);
      end(item);
    }
  }

  void conclude() {
    RunOutcome& outcome = recorder_.outcome();
    if (!broken_by_) {
      // A run that leaves items behind for no stated reason must not pass as complete.
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
  ContextPool& contexts_;
  const RunSettings& settings_;
  const RunChannels& channels_;
  MemoryBudget budget_;
  std::optional<tbb::task_group_context> group_;  ///< of the running pipeline
  std::function<bool()> is_cancelled_;
  MemoryReserve reserve_;
  ItemProcessor processor_;
  ResultRecorder recorder_;
  std::vector<BatchItem> slots_;  ///< item i is in slot i modulo the number of slots
  std::size_t next_ = 0;
  bool alone_ = false;
  std::vector<const PlanItem*> again_;
  std::mutex mutex_;
  std::exception_ptr broken_by_;
  std::atomic<bool> is_broken_ = false;
};

}  // namespace

RunOutcome run_plan(const ImageJob& job, const WorkPlan& plan, ContextPool& contexts, const RunSettings& settings,
                    const RunChannels& channels) {
  return Run(job, plan, contexts, settings, channels).execute();
}

}  // namespace gpuimg
