// A oneTBB pipeline: headers are read in order; the workers read, compute and write; places and messages are in order.
#include "batch/archive_run.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "batch/archive_arguments.hpp"
#include "batch/archive_output.hpp"
#include "batch/batch_item.hpp"
#include "batch/context_pool.hpp"
#include "batch/device_list.hpp"
#include "batch/failure_list.hpp"
#include "batch/host_memory.hpp"
#include "batch/stop_signal.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/declared_image.hpp"
#include "io/output_file.hpp"
#include "io/output_stream.hpp"
#include "io/tar_archive.hpp"
#include "text/number_text.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Larger members that are no images are not held in memory.
constexpr std::uint64_t kHeldAtMost = std::uint64_t{1} << 20;

/// A member on its way. Its content is in the archive's file, or in memory.
struct Passing {
  TarMember member;
  std::optional<FileSection> section;
  Bytes content;
  bool is_image = false;
  std::uint64_t memory = 0;  ///< of the budget
  PlanItem planned;
  BatchItem item;
  std::vector<ArchivePiece> pieces;  ///< what is written of it
};

int jobs_of(const BatchOptions& options, const GlobalOptions& globals) {
  return options.jobs > 0 ? options.jobs : processors(globals);
}

class ArchiveRun {
 public:
  ArchiveRun(ImageJob& job, const BatchOptions& options, const GlobalOptions& globals, const NamedPaths& named)
      : job_(job),
        options_(options),
        globals_(globals),
        jobs_(jobs_of(options, globals)),
        contexts_(worker_options(globals, jobs_), devices_of(options.devices, globals, globals.backend)),
        budget_(memory_for_images(options.max_memory)),
        endings_(codecs::input_endings()),
        reader_(named.inputs.front()) {}

  /// Returns false if a signal stopped the run.
  bool run(ArchiveOutput* output, const StopSignal& stop) {
    output_ = output;
    stop_ = &stop;
    job_.prepare(*contexts_.lease());
    const auto most = tbb::global_control::max_allowed_parallelism;
    const tbb::global_control leave(most,
                                    std::max(static_cast<std::size_t>(jobs_), tbb::global_control::active_value(most)));
    tbb::task_arena arena(jobs_);
    while (!is_through_ && !must_stop()) {
      arena.execute([&] { run_pipeline(); });
      if (unreadable_) {
        std::rethrow_exception(unreadable_);
      }
      copy_large();
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
      text += fmt::format("{} images done, {} failed, {} other members {} in {:.1f} s\n", grouped(done_),
                          grouped(failed_), grouped(others_), output_ != nullptr ? "copied" : "passed over", seconds);
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
    tbb::task_group_context group;
    is_cancelled_ = [&group] { return group.is_group_execution_cancelled(); };
    tbb::parallel_pipeline(
        2 * static_cast<std::size_t>(jobs_) + 2,
        tbb::make_filter<void, std::shared_ptr<Passing>>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& flow) { return next(flow); }) &
            tbb::make_filter<std::shared_ptr<Passing>, std::shared_ptr<Passing>>(tbb::filter_mode::parallel,
                                                                                 [&](std::shared_ptr<Passing> passing) {
                                                                                   compute(*passing);
                                                                                   return passing;
                                                                                 }) &
            tbb::make_filter<std::shared_ptr<Passing>, std::shared_ptr<Passing>>(tbb::filter_mode::serial_in_order,
                                                                                 [&](std::shared_ptr<Passing> passing) {
                                                                                   end(*passing);
                                                                                   return passing;
                                                                                 }) &
            tbb::make_filter<std::shared_ptr<Passing>, void>(
                tbb::filter_mode::parallel, [&](const std::shared_ptr<Passing>& passing) { store(*passing); }),
        group);
  }

  std::shared_ptr<Passing> next(tbb::flow_control& flow) {
    std::shared_ptr<Passing> passing;
    unreadable_ = caught([&] { passing = read_next(); });
    if (passing == nullptr) {
      flow.stop();
    }
    return passing;
  }

  /// Null if there is none, or a large one in its place. If it throws, the members before it still end.
  std::shared_ptr<Passing> read_next() {
    std::optional<TarMember> member = must_stop() ? std::nullopt : reader_.next();
    is_through_ = !member;
    if (!member) {
      return nullptr;
    }
    auto passing = std::make_shared<Passing>();
    passing->member = std::move(*member);
    const std::string ending = file_ending(passing->member.name);
    passing->is_image =
        passing->member.is_file && std::find(endings_.begin(), endings_.end(), ending) != endings_.end();
    if (is_read(*passing) && !is_taken_in(*passing)) {
      large_ = std::move(passing->member);
      return nullptr;
    }
    return passing;
  }

  /// Nobody asks for a member that is neither an image nor copied.
  [[nodiscard]] bool is_read(const Passing& passing) const { return passing.is_image || output_ != nullptr; }

  /// Waits for the memory that a member and what becomes of it need. Reads it now if it cannot be read later; false if
  /// it is then too large to be held.
  bool is_taken_in(Passing& passing) {
    const TarMember& member = passing.member;
    if (passing.is_image) {
      prepare_item(passing);
      if (member.size > budget_.bytes()) {
        fail(passing.item, name_of(ErrorKind::out_of_memory),
             fmt::format("has {} bytes, more than the memory limit; raise --max-memory", grouped(member.size)));
        return true;
      }
    }
    passing.section = reader_.section(member);
    if (!passing.section) {
      if (!passing.is_image && member.size > kHeldAtMost) {
        return false;
      }
      hold(passing, member.size);
      passing.content = reader_.content(member);
    }
    if (passing.is_image) {
      const std::uint64_t all = memory_for(passing);
      budget_.release(std::exchange(passing.memory, 0));
      hold(passing, all);
    }
    return true;
  }

  [[nodiscard]] std::uint64_t memory_for(const Passing& passing) const {
    const TarMember& member = passing.member;
    const codecs::DeclaredImage declared = passing.section
                                               ? codecs::declared_image_in(*passing.section, member.name)
                                               : codecs::declared_image(passing.content.span(), member.name);
    const bool is_refused = declared.pixels() > globals_.max_pixels;  // by the decoder
    return expected_memory(job_, member.size, is_refused ? codecs::DeclaredImage{} : declared);
  }

  void hold(Passing& passing, std::uint64_t bytes) {
    passing.memory = budget_.acquire(bytes, is_cancelled_) ? bytes : 0;
  }

  void prepare_item(Passing& passing) const {
    passing.planned.input = passing.member.name;
    if (!job_.merges()) {
      passing.planned.output = mirrored_name("", passing.member.name, job_.ending_for(passing.member.name));
    }
    passing.item.planned = &passing.planned;
    passing.item.record.input = passing.member.name;
  }

  /// A member that is no image needs no more than a header. A failure outside compute_image() ends the run.
  void compute(Passing& passing) {
    const TarMember& member = passing.member;
    if (!passing.is_image) {
      if (output_ != nullptr) {
        passing.pieces.push_back({tar_header(member, member.name, member.size), passing.content.span()});
        passing.pieces.back().copied_from = passing.section;
      }
      return;
    }
    if (passing.item.record.status == ItemStatus::failed) {
      return;
    }
    const ContextPool::Lease context = contexts_.lease();
    if (passing.section) {
      context->begin_member(member.name, *passing.section);
    } else {
      context->begin_member(member.name, std::move(passing.content));
    }
    compute_image(passing, *context);
    for (CommandContext::StreamContent& made : context->take_outputs()) {
      passing.pieces.push_back(
          {tar_header(member, made.name, made.content.size()), made.content, std::move(made.keeper)});
    }
  }

  void compute_image(Passing& passing, CommandContext& context) {
    const auto work = [&] {
      const ItemPaths paths{passing.planned.input, passing.planned.output};
      if (!job_.merges()) {
        job_.check_name(paths.output);
      }
      passing.item.in_order = job_.run(context, paths);
    };
    // A worker that waits for its own parallel loops must not start another image.
    if (const auto thrown = caught([&] { tbb::this_task_arena::isolate(work); })) {
      (void)context.take_outputs();
      fail_by(passing.item, thrown);
      if (is_kind(passing.item, ErrorKind::device_fault) || is_kind(passing.item, ErrorKind::backend_unavailable)) {
        std::rethrow_exception(thrown);
      }
    }
    passing.item.record.times = context.times();
    passing.item.messages = context.take_messages();
  }

  /// In order: messages, what the images add to one output, and places in the archive.
  void end(Passing& passing) {
    if (passing.is_image) {
      end_image(passing);
    } else {
      ++others_;
    }
    for (ArchivePiece& piece : passing.pieces) {
      output_->place(piece);
    }
  }

  void end_image(Passing& passing) {
    BatchItem& item = passing.item;
    for (const Message& message : item.messages) {
      tell(message, passing.member.name);
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
      passing.pieces.clear();
    } else {
      ++done_;
    }
  }

  void store(Passing& passing) {
    for (const ArchivePiece& piece : passing.pieces) {
      output_->store(piece);
    }
    passing.pieces.clear();
    passing.content = Bytes();
    budget_.release(passing.memory);
  }

  void tell(const Message& message, const std::string& name) const {
    const std::string text = text_with_name(message, printable_name(name));
    message.least == Verbosity::normal ? print_note(globals_.verbosity, text) : print_detail(globals_.verbosity, text);
  }

  /// The member at which the pipeline stopped: its content is still to be read.
  void copy_large() {
    const std::optional<TarMember> member = std::exchange(large_, std::nullopt);
    if (!member) {
      return;
    }
    is_through_ = false;
    ++others_;
    output_->append(tar_header(*member, member->name, member->size));
    std::vector<std::byte> block(kHeldAtMost);
    for (std::uint64_t left = member->size; left > 0; left -= block.size()) {
      block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size())));
      reader_.read(*member, block);
      output_->append(block);
    }
    output_->append_zeros(tar_padding(member->size));
  }

  ImageJob& job_;
  const BatchOptions& options_;
  const GlobalOptions& globals_;
  int jobs_;
  ContextPool contexts_;
  MemoryBudget budget_;
  std::vector<std::string> endings_;  ///< of images: a .json of an archive is a label, also for --merge
  TarReader reader_;
  ArchiveOutput* output_ = nullptr;
  const StopSignal* stop_ = nullptr;
  std::function<bool()> is_cancelled_;
  bool is_through_ = false;
  std::optional<TarMember> large_;
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
  expect_workers(jobs_per_device(options.devices, jobs_of(options, globals)));
  check_archive_arguments(job, arguments, globals, named);
  check_archive_output(job, named, globals);
  const auto start = std::chrono::steady_clock::now();
  const StopSignal stop([&] {
    print_note(globals.verbosity, "stopping once the images in flight are done; interrupt again to stop at once");
  });
  ArchiveRun run(job, options, globals, named);
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
