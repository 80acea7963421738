// Runs a job over the images of a tar archive, or of several archives whose images share one result. A oneTBB pipeline
// takes members from the archive, processes them and assigns their offsets in the output. Headers are read in order.
// Workers read, compute and write in any order. Offsets are assigned and messages are printed in order.
#include "batch/session.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "batch/batch_item.hpp"
#include "batch/devices.hpp"
#include "batch/inputs.hpp"
#include "batch/outputs.hpp"
#include "batch/pipeline.hpp"
#include "batch/progress.hpp"
#include "batch/stop_signal.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "engine/memory.hpp"
#include "io/bytes.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/tar.hpp"
#include "io/temporary_file.hpp"
#include "text/number_text.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// A member of the output archive that is not written yet.
struct ArchivePiece {
  std::vector<std::byte> header;
  std::shared_ptr<const FileContent> content;
  std::optional<FileSection> copied_from = std::nullopt;  ///< copied in blocks instead of `content`
  std::uint64_t offset = 0;                               ///< in the output archive; set by place()

  [[nodiscard]] std::uint64_t content_bytes() const { return copied_from ? copied_from->size : content->size(); }
};

/// The output archive. In a file, members get their offsets in order, and any thread then writes them. A stream is
/// written in order. Every function that writes throws Error{write} or OutputClosed.
class ArchiveOutput {
 public:
  ArchiveOutput(const std::string& name, const OverwriteRules& rules);

  /// In a file, assigns the piece its offset after all earlier pieces. To a stream, writes the piece.
  void place(ArchivePiece& piece);

  /// Writes a placed piece to a file. A no-op for a stream, because place() has written the piece. Thread-safe.
  void store(const ArchivePiece& piece) const;

  /// Appends bytes.
  void append(std::span<const std::byte> part);
  void append_zeros(std::size_t count);

  /// Writes buffered bytes to a stream.
  void flush();

  /// Ends the archive and gives it its final name. Sets `times`, if given, on a file.
  void finish(const std::optional<FileTimes>& times);

 private:
  void write_to_stream(std::span<const std::byte> part) const;

  std::optional<StagedOutput> file_;
  std::optional<FifoOutput> fifo_;  ///< if neither file nor fifo is open, the output is standard output
  std::uint64_t end_ = 0;
  std::vector<std::byte> waiting_;  ///< only for a stream: combines headers and small members into one write
};

constexpr std::size_t kBlock = std::size_t{1} << 20;

/// Calls write(at, part) for each part of a piece's content, in order.
template <class Write>
void for_each_part(const ArchivePiece& piece, const Write& write) {
  if (!piece.copied_from) {
    std::uint64_t at = 0;
    return piece.content->for_each_part([&](std::span<const std::byte> part) {
      write(at, part);
      at += part.size();
    });
  }
  std::vector<std::byte> block(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, piece.copied_from->size)));
  for (std::uint64_t at = 0; at < piece.copied_from->size; at += block.size()) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), piece.copied_from->size - at)));
    read_section(*piece.copied_from, at, block);
    write(at, std::span<const std::byte>(block));
  }
}

ArchiveOutput::ArchiveOutput(const std::string& name, const OverwriteRules& rules) {
  if (is_fifo(name)) {
    fifo_.emplace(name);
  } else if (!is_standard_output(name)) {
    file_.emplace(name, rules);
  }
}

void ArchiveOutput::place(ArchivePiece& piece) {
  const std::uint64_t size = piece.content_bytes();
  if (file_) {
    piece.offset = end_;
    end_ += piece.header.size() + size + tar_padding(size);
  } else {
    append(piece.header);
    for_each_part(piece, [&](std::uint64_t /*at*/, std::span<const std::byte> part) { append(part); });
    append_zeros(tar_padding(size));
  }
}

void ArchiveOutput::store(const ArchivePiece& piece) const {
  if (!file_) {
    return;
  }
  file_->write_at(piece.offset, piece.header);
  const std::uint64_t first = piece.offset + piece.header.size();
  for_each_part(piece, [&](std::uint64_t at, std::span<const std::byte> part) { file_->write_at(first + at, part); });
}

void ArchiveOutput::append(std::span<const std::byte> part) {
  if (file_) {
    file_->write_at(std::exchange(end_, end_ + part.size()), part);
    return;
  }
  if (waiting_.size() + part.size() > kBlock) {
    flush();
  }
  if (part.size() > kBlock) {
    write_to_stream(part);
  } else {
    waiting_.insert(waiting_.end(), part.begin(), part.end());
  }
}

void ArchiveOutput::append_zeros(std::size_t count) {
  constexpr std::array<std::byte, kTarEndBytes> kZeros{};
  append(std::span(kZeros).first(count));
}

void ArchiveOutput::flush() {
  if (!waiting_.empty()) {
    write_to_stream(waiting_);
    waiting_.clear();
  }
}

void ArchiveOutput::write_to_stream(std::span<const std::byte> part) const {
  if (fifo_) {
    fifo_->write(part);
  } else {
    write_output("-", part, {});
  }
}

void ArchiveOutput::finish(const std::optional<FileTimes>& times) {
  append_zeros(kTarEndBytes);
  if (file_) {
    file_->finish();
    if (times) {
      (void)file_->set_times(*times);
    }
    file_->commit();
  } else {
    flush();
  }
}

/// A member of an archive in the pipeline. Its content is in the archive's file (`section`), in memory (`content`), or
/// not read at all.
struct ArchiveMember : BatchItem {
  TarMember member;
  std::optional<FileSection> section;
  Bytes content;
  bool is_image = false;
  std::uint64_t held_bytes = 0;      ///< bytes acquired from the budget
  PlanItem plan;                     ///< only for an image
  std::vector<ArchivePiece> pieces;  ///< the output of the member
};

/// Takes members from an archive one after another, whenever memory allows. Leaves content in the file if a worker can
/// read it later. Only release() is thread-safe.
class ArchiveIntake {
 public:
  /// `budget` is in bytes. If `copies_others`, also reads members that are not images. `folder` is a prefix for the
  /// names of images in reports and can be empty.
  ArchiveIntake(const std::string& archive, const std::string& folder, const ImageJob& job,
                const GlobalOptions& globals, std::uint64_t budget, bool copies_others);

  /// Returns the next member. Returns null at the end of the archive, and at a member that is too large for memory;
  /// take_large() then returns it. Throws TarReader's errors, and Error{usage} if the output of a member would have the
  /// name of another output. An exception does not affect earlier members. Waits for memory, but stops waiting when
  /// `is_cancelled()` is true.
  std::unique_ptr<ArchiveMember> next(const std::function<bool()>& is_cancelled);

  /// Lowers the limits to the memory that is available now.
  void limit_memory();

  /// Returns the member at which next() stopped, but only once; read() then reads its content.
  std::optional<TarMember> take_large() { return std::exchange(large_, std::nullopt); }
  void read(const TarMember& member, std::span<std::byte> room) { reader_.read(member, room); }

  /// Releases the memory that was acquired for a member. Thread-safe.
  void release(ArchiveMember& taken) { budget_.release(std::exchange(taken.held_bytes, 0)); }

 private:
  bool take_in(ArchiveMember& taken, const std::function<bool()>& is_cancelled);
  void plan_image(ArchiveMember& taken) const;
  void claim_outputs(const ArchiveMember& taken);
  [[nodiscard]] std::uint64_t memory_for(const ArchiveMember& taken) const;
  void hold(ArchiveMember& taken, std::uint64_t bytes, const std::function<bool()>& is_cancelled);

  const ImageJob& job_;
  const GlobalOptions& globals_;
  MemoryBudget budget_;
  std::optional<MostMemory> most_;  ///< an image that needs more memory fails
  bool copies_others_;
  std::string folder_;
  /// Selects files as in folders, except that a .json in an archive is never an input, even for --merge.
  FileFilter images_;
  TarReader reader_;
  MemberOutputs outputs_;
  std::optional<TarMember> large_;
};

/// A larger member that is not an image, and that cannot be read by offset, is copied in blocks.
constexpr std::uint64_t kHeldAtMost = std::uint64_t{1} << 20;

void check_beginning(const std::string& archive, std::span<const std::byte> beginning) {
  if (beginning.empty() && archive == "-") {
    reject_empty(archive);
  }
  codecs::check_archive(beginning, input_name(archive));
}

ArchiveIntake::ArchiveIntake(const std::string& archive, const std::string& folder, const ImageJob& job,
                             const GlobalOptions& globals, std::uint64_t budget, bool copies_others)
    : job_(job),
      globals_(globals),
      budget_(budget),
      most_(memory_for_one(globals.max_memory)),
      copies_others_(copies_others),
      folder_(folder),
      images_({}, {}, codecs::input_extensions()),
      reader_(archive, [&archive](std::span<const std::byte> beginning) { check_beginning(archive, beginning); }) {}

void ArchiveIntake::limit_memory() {
  budget_.limit_to(memory_for_images(globals_.max_memory));
  most_ = memory_for_one(globals_.max_memory);
}

std::unique_ptr<ArchiveMember> ArchiveIntake::next(const std::function<bool()>& is_cancelled) {
  std::optional<TarMember> member = reader_.next();
  if (!member) {
    return nullptr;
  }
  auto taken = std::make_unique<ArchiveMember>();
  taken->member = std::move(*member);
  taken->is_image = taken->member.is_file && images_.takes(taken->member.name);
  if (taken->is_image) {
    plan_image(*taken);
  }
  if (!job_.merges()) {
    claim_outputs(*taken);
  }
  const bool is_read = taken->is_image || copies_others_;
  if (is_read && !take_in(*taken, is_cancelled)) {
    large_ = std::move(taken->member);
    return nullptr;
  }
  return taken;
}

/// Waits for the memory that a member and its result need. If the member cannot be read later, reads it now. Returns
/// false if it must be read now and is too large for memory.
bool ArchiveIntake::take_in(ArchiveMember& taken, const std::function<bool()>& is_cancelled) {
  const TarMember& member = taken.member;
  if (taken.is_image) {
    if (member.size > budget_.bytes()) {
      fail(taken, name_of(ErrorKind::out_of_memory),
           fmt::format("has {} bytes, more than the memory limit; raise --max-memory", grouped(member.size)));
      return true;
    }
  }
  taken.section = reader_.section(member);
  if (!taken.section) {
    if (!taken.is_image && member.size > kHeldAtMost) {
      return false;
    }
    hold(taken, member.size, is_cancelled);
    taken.content = reader_.content(member);
  }
  if (taken.is_image) {
    const std::uint64_t all = memory_for(taken);
    release(taken);
    if (most_ && all > most_->bytes) {
      taken.content = {};
      fail(taken, name_of(ErrorKind::out_of_memory), why_too_large(all, *most_));
      return true;
    }
    hold(taken, all, is_cancelled);
  }
  return true;
}

void ArchiveIntake::plan_image(ArchiveMember& taken) const {
  const std::string& name = taken.member.name;
  taken.plan.input = folder_.empty() ? name : joined_path(folder_, name.substr(name.find_first_not_of('/')));
  if (!job_.merges()) {
    taken.plan.output = mirrored_name("", name, job_.extension_for(name));
  }
  taken.planned = &taken.plan;
  taken.record.input = taken.plan.input;
}

void ArchiveIntake::claim_outputs(const ArchiveMember& taken) {
  const std::string& name = taken.member.name;
  outputs_.add(name, taken.is_image ? job_.files_of(taken.plan.output) : std::vector<std::string>{name});
}

std::uint64_t ArchiveIntake::memory_for(const ArchiveMember& taken) const {
  const TarMember& member = taken.member;
  const codecs::DeclaredImage declared = taken.section ? codecs::declared_image_in(*taken.section, member.name)
                                                       : codecs::declared_image(taken.content.span(), member.name);
  const bool is_rejected = declared.pixels() > globals_.max_pixels;  // the decoder will reject it
  const ItemPaths paths{taken.plan.input, taken.plan.output};
  return whole_bytes(job_, paths, member.size, is_rejected ? codecs::DeclaredImage{} : declared, true);
}

void ArchiveIntake::hold(ArchiveMember& taken, std::uint64_t bytes, const std::function<bool()>& is_cancelled) {
  taken.held_bytes = budget_.acquire(bytes, is_cancelled) ? bytes : 0;
}

bool ends_run(const BatchItem& item) {
  return is_kind(item, ErrorKind::device_fault) || is_kind(item, ErrorKind::backend_unavailable);
}

void compute(ArchiveMember& taken, const ImageJob& job, Worker& worker) {
  BatchItem& item = taken;
  const auto work = [&] {
    const ItemPaths paths{taken.plan.input, taken.plan.output};
    if (!job.merges()) {
      job.check_name(paths.output);
    }
    item.in_order = job.run(worker, paths);
  };
  // While a worker waits for its own parallel loops, it must not start another image.
  if (const auto thrown = caught([&] { tbb::this_task_arena::isolate(work); })) {
    (void)worker.writer.take_kept();
    fail_by(item, thrown);
    if (ends_run(item)) {
      std::rethrow_exception(thrown);
    }
  }
  item.record.times = worker.report.take_times();
  item.messages = worker.report.take_messages();
}

void process_image(ArchiveMember& taken, const ImageJob& job, Worker& worker) {
  const TarMember& member = taken.member;
  if (taken.section) {
    worker.begin_member(taken.plan.input, *taken.section);
  } else {
    worker.begin_member(taken.plan.input, std::move(taken.content));
  }
  compute(taken, job, worker);
  for (ItemOutputs::Kept& made : worker.writer.take_kept()) {
    taken.pieces.push_back({tar_header(member, made.name, made.content->size()), std::move(made.content)});
  }
}

/// Copies a member unchanged, except that its header is written anew.
void copy(ArchiveMember& taken) {
  const TarMember& member = taken.member;
  const auto content = std::make_shared<FileContent>(LentBytes{taken.content.span(), nullptr});
  content->parts().append(taken.content.span());
  taken.pieces.push_back({tar_header(member, member.name, member.size), content, taken.section});
}

/// Runs the job over an image, and records a failure in the member. If `copies_others`, copies a member that is not an
/// image. Throws only for failures that end the run, such as a lost device. Thread-safe.
void process_member(ArchiveMember& taken, const ImageJob& job, WorkerPool& pool, bool copies_others) {
  if (!taken.is_image) {
    if (copies_others) {
      copy(taken);
    }
  } else if (taken.record.status != ItemStatus::failed) {
    process_image(taken, job, *pool.lease());
  }
}

int jobs_of(const BatchOptions& options, const GlobalOptions& globals) {
  return options.jobs > 0 ? options.jobs : processors(globals);
}

/// Owns the members that are in the pipeline. The pipeline passes only pointers, and drops them without deleting the
/// members when it is cancelled. Thread-safe.
class MembersOnTheirWay {
 public:
  ArchiveMember* add(std::unique_ptr<ArchiveMember> member) {
    const std::lock_guard lock(mutex_);
    return member == nullptr ? nullptr : members_.emplace_back(std::move(member)).get();
  }
  void remove(const ArchiveMember& member) {
    const std::lock_guard lock(mutex_);
    std::erase_if(members_, [&](const auto& each) { return each.get() == &member; });
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ArchiveMember>> members_;
};

ArchiveMember& member_of(BatchItem& item) { return static_cast<ArchiveMember&>(item); }

RunSettings archive_settings(const BatchOptions& options, const GlobalOptions& globals, int jobs) {
  RunSettings settings;
  settings.jobs = jobs;
  settings.worker = globals;
  settings.max_errors = options.max_errors;
  settings.verbosity = globals.verbosity;
  return settings;
}

class ArchiveRun {
 public:
  /// Opens the first of the archives.
  ArchiveRun(ImageJob& job, const BatchOptions& options, const GlobalOptions& globals,
             const std::vector<std::string>& archives, const StopSignal& stop)
      : job_(job),
        globals_(globals),
        archives_(archives),
        stop_(stop),
        jobs_(jobs_of(options, globals)),
        pool_(worker_options(globals, jobs_), devices_of(options.devices, globals, globals.backend)),
        settings_(archive_settings(options, globals, jobs_)),
        recorder_(settings_, channels_, no_plan_, reserve_) {
    open(archives.front());
  }

  /// `output` is null if the job merges. Returns false if a signal stopped the run.
  bool run(ArchiveOutput* output) {
    output_ = output;
    job_.prepare(*pool_.lease());
    intake_->limit_memory();  // because masks and tables that prepare() has read take memory
    try {
      read();
      for (std::size_t i = 1; i < archives_.size() && !must_stop(); ++i) {
        open(archives_[i]);
        read();
      }
    } catch (const Error&) {
      print_failures();
      throw;
    }
    return !stop_.requested();
  }

  void finish_merged(const std::string& output) {
    if (job_.has_merged()) {
      const WorkerPool::Lease worker = pool_.lease();
      worker->begin_item();
      job_.finish(*worker, output);
      worker->writer.commit();
      recorder_.outcome().times.add(worker->report.times());
    }
  }

  [[nodiscard]] ExitCode report(double seconds) {
    const RunOutcome& outcome = recorder_.outcome();
    for (const std::string& note : outcome.notes.rest()) {
      print_note(globals_.verbosity, note);
    }
    print_failures();
    std::string text = globals_.timing ? globals_.json ? outcome.times.json() : outcome.times.table() : "";
    if (globals_.verbosity != Verbosity::quiet) {
      text += fmt::format("{} done, {} failed, {} other member{} {} in {:.1f} s\n", grouped(outcome.counts.done),
                          grouped(outcome.counts.failed), grouped(others_), others_ == 1 ? "" : "s",
                          output_ != nullptr ? "copied" : "skipped", seconds);
    }
    print_report(text);
    return outcome.counts.failed > 0 ? ExitCode::some_failed : ExitCode::ok;
  }

 private:
  static GlobalOptions worker_options(GlobalOptions globals, int jobs) {
    globals.threads = std::max(1, processors(globals) / jobs);
    return globals;
  }

  void print_failures() {
    const std::vector<std::string> lines = recorder_.outcome().failures.lines();
    std::for_each(lines.begin(), lines.end(), print_error);
  }

  [[nodiscard]] bool must_stop() const { return stop_.requested() || recorder_.must_end(); }

  void open(const std::string& archive) {
    const std::string folder = archives_.size() > 1 ? archive : "";
    intake_.emplace(archive, folder, job_, globals_, memory_for_images(globals_.max_memory), !job_.merges());
  }

  /// Processes all members of the open archive.
  void read() {
    do {
      run_pipeline();
    } while (!unreadable_ && copy_large());
    if (output_ != nullptr) {
      output_->flush();
    }
    if (unreadable_) {
      std::rethrow_exception(unreadable_);
    }
  }

  /// An exception in a stage ends the run: the archive cannot be read or written.
  void run_pipeline() {
    StageRun pass;
    const auto is_cancelled = [&pass] { return pass.is_cancelled(); };
    MembersOnTheirWay members;
    const Stages stages{[&]() -> BatchItem* { return members.add(next_member(is_cancelled)); },
                        [&](BatchItem& item) { process_member(member_of(item), job_, pool_, output_ != nullptr); },
                        [&](BatchItem& item) { end_member(member_of(item)); },
                        [&](BatchItem& item) {
                          store_member(member_of(item));
                          members.remove(member_of(item));
                        }};
    pass.run(stages, jobs_, 2 * static_cast<std::size_t>(jobs_) + 2);
  }

  /// If the archive cannot be read any further, the members before that point are still completed.
  std::unique_ptr<ArchiveMember> next_member(const std::function<bool()>& is_cancelled) {
    std::unique_ptr<ArchiveMember> taken;
    if (!must_stop()) {
      unreadable_ = caught([&] { taken = intake_->next(is_cancelled); });
    }
    return taken;
  }

  /// Does the work that must be in order: messages, contributions to the merged output, and offsets in the archive.
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
    recorder_.end(taken);
    if (taken.record.status == ItemStatus::failed) {
      taken.pieces.clear();
    }
  }

  void store_member(ArchiveMember& taken) {
    for (const ArchivePiece& piece : taken.pieces) {
      output_->store(piece);
    }
    taken.pieces.clear();
    taken.content = Bytes();
    intake_->release(taken);
  }

  /// Copies the member at which the pipeline stopped, in blocks. Returns false if there is no such member, or if the
  /// archive cannot be read any further.
  bool copy_large() {
    const std::optional<TarMember> member = intake_->take_large();
    if (!member) {
      return false;
    }
    ++others_;
    output_->append(tar_header(*member, member->name, member->size));
    std::vector<std::byte> block(std::size_t{1} << 20);
    for (std::uint64_t left = member->size; left > 0; left -= block.size()) {
      block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size())));
      unreadable_ = caught([&] { intake_->read(*member, block); });
      if (unreadable_) {
        return false;
      }
      output_->append(block);
    }
    output_->append_zeros(tar_padding(member->size));
    return true;
  }

  ImageJob& job_;
  const GlobalOptions& globals_;
  const std::vector<std::string>& archives_;  ///< more than one only if the job merges
  const StopSignal& stop_;
  int jobs_;
  WorkerPool pool_;
  std::optional<ArchiveIntake> intake_;
  RunSettings settings_;
  Progress progress_{ProgressMode::none, 0};
  RunChannels channels_{progress_, stop_, nullptr, {}};
  MemoryBudget nothing_in_flight_{0};
  MemoryReserve reserve_{nothing_in_flight_, [] { return false; }};
  const std::vector<PlanItem> no_plan_;
  ResultRecorder recorder_;
  ArchiveOutput* output_ = nullptr;
  std::exception_ptr unreadable_;
  std::uint64_t others_ = 0;
};

/// Throws Error if the output exists, is the input archive, or is a terminal. Removes temporary files of killed runs
/// from the output's folder.
void check_archive_output(ImageJob& job, const NamedPaths& named, const GlobalOptions& globals) {
  Worker worker(globals);
  const std::string target = named.output.empty() ? "-" : named.output;
  if (job.merges()) {
    job.check_name(named.output);
    job.note_options(target, globals.verbosity);
  }
  for (const std::string& input : named.inputs) {
    worker.writer.check(target, input, !job.merges() || job.is_binary(target));
  }
  if (!is_stream(target)) {
    (void)remove_stale_temporaries(folder_of(target));
  }
}

/// Returns the archives without duplicates. They share one result, so an archive that is named twice must count once.
std::vector<std::string> distinct_archives(const std::vector<std::string>& archives) {
  std::vector<std::string> distinct;
  std::set<FileIdentity> seen;
  for (const std::string& archive : archives) {
    const std::optional<FileIdentity> identity = is_stream(archive) ? std::nullopt : identity_of(archive);
    if (!identity || seen.insert(*identity).second) {
      distinct.push_back(archive);
    }
  }
  return distinct;
}

/// Opens all archives except the first and reads their first headers, so that a file that is not an archive is found
/// before the first archive is processed. Throws as TarReader does. The first archive is opened next anyway. Pipes are
/// not checked, because they can be read only once.
void check_further_archives(const std::vector<std::string>& archives) {
  for (std::size_t i = 1; i < archives.size(); ++i) {
    const std::string& archive = archives[i];
    if (!is_stream(archive)) {
      TarReader reader(archive, [&](std::span<const std::byte> beginning) { check_beginning(archive, beginning); });
      (void)reader.next();
    }
  }
}

}  // namespace

ExitCode run_archive(ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                     const NamedPaths& named) {
  const BatchOptions options = checked(arguments);
  expect_work(work_per_device(options.devices, globals, jobs_of(options, globals), std::nullopt));
  if (job.merges()) {
    job.check_several();
  }
  check_archive_output(job, named, globals);
  const auto times = globals.preserve_times ? times_of(named.inputs.front()) : std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  const StopSignal stop([&] {
    print_note(globals.verbosity, fmt::format("stopping once the images in flight are done{}",
                                              globals.on_end ? "" : "; interrupt again to stop at once"));
  });
  const std::vector<std::string> archives = distinct_archives(named.inputs);
  check_further_archives(archives);
  ArchiveRun run(job, options, globals, archives, stop);
  std::optional<ArchiveOutput> output;
  if (!job.merges()) {
    output.emplace(named.output, OverwriteRules{globals.force, false});
  }
  const bool is_whole = run.run(output ? &*output : nullptr);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const ExitCode code = run.report(seconds);
  if (!is_whole) {
    return stop.exit_code().value_or(ExitCode::stopped_early);
  }
  if (output) {
    output->finish(times);
  } else {
    run.finish_merged(named.output);
  }
  return code;
}

}  // namespace gpuimg
