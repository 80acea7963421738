// A oneTBB pipeline: headers are read in order; the workers read, compute and write; places and messages are in order.
#include "batch/archive_run.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/backends.hpp"
#include "batch/archive_arguments.hpp"
#include "batch/archive_intake.hpp"
#include "batch/archive_member.hpp"
#include "batch/archive_output.hpp"
#include "batch/archive_processor.hpp"
#include "batch/batch_item.hpp"
#include "batch/devices.hpp"
#include "batch/failures.hpp"
#include "batch/stop_signal.hpp"
#include "cli/messages.hpp"
#include "engine/host_memory.hpp"
#include "io/tar.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

int jobs_of(const BatchOptions& options, const GlobalOptions& globals) {
  return options.jobs > 0 ? options.jobs : processors(globals);
}

/// Owns the members in a pipeline, which hands on pointers: a pipeline that is cancelled loses what waits in it.
/// Thread-safe.
class MembersOnTheirWay {
 public:
  ArchiveMember* add(std::unique_ptr<ArchiveMember> member) {
    const std::lock_guard lock(mutex_);
    return member == nullptr ? nullptr : members_.emplace_back(std::move(member)).get();
  }
  void remove(const ArchiveMember* member) {
    const std::lock_guard lock(mutex_);
    std::erase_if(members_, [&](const auto& each) { return each.get() == member; });
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ArchiveMember>> members_;
};

class ArchiveRun {
 public:
  ArchiveRun(ImageJob& job, const BatchOptions& options, const GlobalOptions& globals, const std::string& input)
      : job_(job),
        options_(options),
        globals_(globals),
        jobs_(jobs_of(options, globals)),
        contexts_(worker_options(globals, jobs_), devices_of(options.devices, globals, globals.backend)),
        intake_(input, job, globals, memory_for_images(globals.max_memory), !job.merges()) {}

  /// `output` is null if the job merges. Returns false if a signal stopped the run.
  bool run(ArchiveOutput* output, const StopSignal& stop) {
    output_ = output;
    stop_ = &stop;
    job_.prepare(*contexts_.lease());
    const auto most = tbb::global_control::max_allowed_parallelism;
    const tbb::global_control leave(most,
                                    std::max(static_cast<std::size_t>(jobs_), tbb::global_control::active_value(most)));
    tbb::task_arena arena(jobs_);
    do {
      arena.execute([&] { run_pipeline(); });
    } while (!unreadable_ && copy_large());
    if (output_ != nullptr) {
      output_->flush();
    }
    if (unreadable_) {
      std::rethrow_exception(unreadable_);
    }
    return !stop.requested();
  }

  void finish_merged(const std::string& output) {
    if (job_.has_merged()) {
      const ContextPool::Lease context = contexts_.lease();
      context->begin_item();
      job_.finish(*context, output);
      context->finish();
      times_.add(context->times());
    }
  }

  [[nodiscard]] ExitCode report(double seconds) const {
    const std::vector<std::string> lines = failures_.lines();
    std::for_each(lines.begin(), lines.end(), print_error);
    std::string text = globals_.timing ? globals_.json ? times_.json() : times_.table() : "";
    if (globals_.verbosity != Verbosity::quiet) {
      text += fmt::format("{} done, {} failed, {} other member{} {} in {:.1f} s\n", grouped(done_), grouped(failed_),
                          grouped(others_), others_ == 1 ? "" : "s", output_ != nullptr ? "copied" : "passed over",
                          seconds);
    }
    print_report(text);
    return failed_ > 0 ? ExitCode::some_failed : ExitCode::ok;
  }

 private:
  static GlobalOptions worker_options(GlobalOptions globals, int jobs) {
    globals.threads = std::max(1, processors(globals) / jobs);
    return globals;
  }

  [[nodiscard]] bool must_stop() const {
    return stop_->requested() || (options_.max_errors > 0 && failed_ >= options_.max_errors);
  }

  /// An exception of a stage ends the run: the archive cannot be read or written.
  void run_pipeline() {
    using Taken = ArchiveMember*;
    constexpr auto kInOrder = tbb::filter_mode::serial_in_order;
    constexpr auto kParallel = tbb::filter_mode::parallel;
    tbb::task_group_context group;
    const auto is_cancelled = [&group] { return group.is_group_execution_cancelled(); };
    MembersOnTheirWay members;
    const auto next = tbb::make_filter<void, Taken>(kInOrder, [&](tbb::flow_control& flow) {
      const Taken taken = members.add(next_member(is_cancelled));
      if (taken == nullptr) {
        flow.stop();
      }
      return taken;
    });
    const auto process = tbb::make_filter<Taken, Taken>(kParallel, [&](Taken taken) {
      process_member(*taken, job_, contexts_, output_ != nullptr);
      return taken;
    });
    const auto end = tbb::make_filter<Taken, Taken>(kInOrder, [&](Taken taken) {
      end_member(*taken);
      return taken;
    });
    const auto store = tbb::make_filter<Taken, void>(kParallel, [&](Taken taken) {
      store_member(*taken);
      members.remove(taken);
    });
    tbb::parallel_pipeline(2 * static_cast<std::size_t>(jobs_) + 2, next & process & end & store, group);
  }

  /// If the archive cannot be read any further, the members before that still end.
  std::unique_ptr<ArchiveMember> next_member(const std::function<bool()>& is_cancelled) {
    std::unique_ptr<ArchiveMember> taken;
    if (!must_stop()) {
      unreadable_ = caught([&] { taken = intake_.next(is_cancelled); });
    }
    return taken;
  }

  /// In order: messages, what the images add to one output, and places in the archive.
  void end_member(ArchiveMember& taken) {
    if (taken.is_image) {
      end_image(taken);
    } else {
      ++others_;
    }
    for (ArchivePiece& piece : taken.pieces) {
      output_->place(piece);
    }
  }

  void end_image(ArchiveMember& taken) {
    BatchItem& item = taken.item;
    for (const Message& message : item.messages) {
      tell(message, taken.member.name);
    }
    if (item.in_order) {
      if (const auto thrown = caught(item.in_order)) {
        fail_by(item, thrown);
      }
    }
    times_.add(item.record.times);
    if (item.record.status == ItemStatus::failed) {
      ++failed_;
      failures_.add(item.record.error_kind, item.reason, item.record.message);
      taken.pieces.clear();
    } else {
      ++done_;
    }
  }

  void store_member(ArchiveMember& taken) {
    for (const ArchivePiece& piece : taken.pieces) {
      output_->store(piece);
    }
    taken.pieces.clear();
    taken.content = Bytes();
    intake_.release(taken);
  }

  void tell(const Message& message, const std::string& name) const {
    const std::string text = text_with_name(message, printable_name(name));
    message.least == Verbosity::normal ? print_note(globals_.verbosity, text) : print_detail(globals_.verbosity, text);
  }

  /// Copies the member at which the pipeline stopped, in blocks. False if it stopped at none, or if
  /// the archive cannot be read any further.
  bool copy_large() {
    const std::optional<TarMember> member = intake_.take_large();
    if (!member) {
      return false;
    }
    ++others_;
    output_->append(tar_header(*member, member->name, member->size));
    std::vector<std::byte> block(std::size_t{1} << 20);
    for (std::uint64_t left = member->size; left > 0; left -= block.size()) {
      block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size())));
      unreadable_ = caught([&] { intake_.read(*member, block); });
      if (unreadable_) {
        return false;
      }
      output_->append(block);
    }
    output_->append_zeros(tar_padding(member->size));
    return true;
  }

  ImageJob& job_;
  const BatchOptions& options_;
  const GlobalOptions& globals_;
  int jobs_;
  ContextPool contexts_;
  ArchiveIntake intake_;
  ArchiveOutput* output_ = nullptr;
  const StopSignal* stop_ = nullptr;
  std::exception_ptr unreadable_;
  FailureList failures_;
  PhaseTimes times_;
  std::uint64_t done_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::uint64_t others_ = 0;
};

}  // namespace

ExitCode run_archive(ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                     const NamedPaths& named) {
  const BatchOptions options = checked(arguments);
  expect_work(work_per_device(options.devices, globals, jobs_of(options, globals), std::nullopt));
  check_archive_arguments(job, arguments, globals, named);
  if (job.merges()) {
    job.check_several();
  }
  check_archive_output(job, named, globals);
  const auto start = std::chrono::steady_clock::now();
  const StopSignal stop([&] {
    print_note(globals.verbosity, "stopping once the images in flight are done; interrupt again to stop at once");
  });
  ArchiveRun run(job, options, globals, named.inputs.front());
  std::optional<ArchiveOutput> output;
  if (!job.merges()) {
    output.emplace(named.output, OverwriteRules{globals.force, false});
  }
  const bool is_whole = run.run(output ? &*output : nullptr, stop);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const ExitCode code = run.report(seconds);
  if (!is_whole) {
    return stop.exit_code().value_or(ExitCode::stopped_early);
  }
  if (output) {
    output->finish();
  } else {
    run.finish_merged(named.output);
  }
  return code;
}

}  // namespace gpuimg
