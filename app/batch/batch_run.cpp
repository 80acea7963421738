// The pipeline, and what is left over where oneTBB cannot keep it up.
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

#include "batch/item_processor.hpp"
#include "batch/result_recorder.hpp"

namespace gpuimg {
namespace {

using State = Flight::State;

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
        work_(job, contexts, settings, channels.manifest, budget_, reserve_, is_cancelled_),
        ledger_(settings, channels, plan.items, reserve_),
        // Ended items wait for those before them: more of them than workers, so that a slow one holds nobody up.
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
    return std::move(ledger_.outcome());
  }

 private:
  [[nodiscard]] bool must_stop() const {
    return channels_.stop.requested() || work_.device_is_lost() || ledger_.must_end() || is_broken_;
  }

  /// False if oneTBB found no memory or no thread for itself: it has then lost some of the items that were begun.
  bool pipeline_is_through() {
    group_.emplace();
    bool is_through = false;
    try {
      // Without leave for more, TBB keeps to a thread a processor and complains on stderr.
      const auto most = tbb::global_control::max_allowed_parallelism;
      const tbb::global_control leave(
          most, std::max(static_cast<std::size_t>(settings_.jobs), tbb::global_control::active_value(most)));
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

  /// Pointers pass through it, for which it allocates nothing, and nothing is thrown: that would cut short what the
  /// other workers compute.
  void run_pipeline() {
    const auto next = [&](tbb::flow_control& flow) {
      Flight* flight = begun();
      if (flight == nullptr) {
        flow.stop();
      }
      return flight;
    };
    const auto compute = [&](Flight* flight) {
      computed(*flight);
      return flight;
    };
    tbb::parallel_pipeline(
        slots_.size(),
        tbb::make_filter<void, Flight*>(tbb::filter_mode::serial_in_order, next) &
            tbb::make_filter<Flight*, Flight*>(tbb::filter_mode::parallel, compute) &
            tbb::make_filter<Flight*, void>(tbb::filter_mode::serial_in_order, [&](Flight* flight) { end(*flight); }),
        *group_);
  }

  /// The next item, with room for it in memory; nothing if there is none or no more may begin. Its slot is free: the
  /// pipeline takes no more items than there are slots.
  Flight* begun() {
    if (next_ == plan_.items.size() || must_stop()) {
      return nullptr;
    }
    Flight& flight = slots_[next_ % slots_.size()];
    return is_begun(flight, plan_.items[next_]) ? (++next_, &flight) : nullptr;
  }

  bool is_begun(Flight& flight, const PlanItem& item) {
    if (!held([&] { work_.begin(flight, item); })) {
      flight.state = State::none;
      return false;
    }
    if (flight.state == State::ready) {
      return true;
    }
    flight.holds_memory = budget_.acquire(flight.memory, is_cancelled_);
    if (flight.holds_memory && !must_stop()) {
      return true;
    }
    if (std::exchange(flight.holds_memory, false)) {
      budget_.release(flight.memory);
    }
    flight.state = State::none;
    return false;
  }

  void computed(Flight& flight) {
    if (flight.state == State::begun) {
      (void)held([&] { work_.compute(flight); });
    }
  }

  void end(Flight& flight) {
    if (flight.state != State::ready) {
      return;
    }
    (void)held([&] {
      if (is_kind(flight, ErrorKind::out_of_memory) && !flight.is_decided && settings_.jobs > 1 && !alone_) {
        reserve_.insist([&] { again_.push_back(flight.item); });
      } else {
        ledger_.end(flight);
      }
    });
    flight.state = State::ended;
  }

  /// What is thrown here ends the run: no memory for the bookkeeping, or a manifest that cannot be written.
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

  /// In their order, those that the pipeline left behind.
  void end_what_is_begun() {
    for (Flight& flight : slots_) {
      if (std::exchange(flight.holds_memory, false)) {
        budget_.release(flight.memory);
      }
    }
    for (std::size_t i = next_ - std::min(next_, slots_.size()); i < next_; ++i) {
      Flight& flight = slots_[i % slots_.size()];
      if (!must_stop()) {
        computed(flight);
      }
      end(flight);
    }
  }

  /// So that there is progress where the pipeline does not even start.
  bool one_is_taken_alone() {
    Flight* flight = begun();
    if (flight != nullptr) {
      computed(*flight);
      end(*flight);
    }
    return flight != nullptr;
  }

  /// Images that memory did not suffice for, one at a time.
  void try_again_alone() {
    alone_ = true;
    for (const PlanItem* item : again_) {
      contexts_.clear();
      Flight& flight = slots_.front();
      if (must_stop() || !is_begun(flight, *item)) {
        return;
      }
      computed(flight);
      end(flight);
    }
  }

  void conclude() {
    RunOutcome& outcome = ledger_.outcome();
    if (!broken_by_) {
      // No run that leaves items behind without a reason may pass for a whole one.
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
  std::optional<tbb::task_group_context> group_;  ///< of the pipeline while it runs
  std::function<bool()> is_cancelled_;
  MemoryReserve reserve_;
  ItemWork work_;
  RunLedger ledger_;
  std::vector<Flight> slots_;  ///< item i in the one with the number i modulo their count
  std::size_t next_ = 0;
  bool alone_ = false;
  std::vector<const PlanItem*> again_;
  std::mutex mutex_;
  std::exception_ptr broken_by_;
  std::atomic<bool> is_broken_ = false;
};

}  // namespace

std::uint64_t expected_memory(const ImageJob& job, std::uint64_t file_bytes, const codecs::DeclaredImage& declared) {
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
