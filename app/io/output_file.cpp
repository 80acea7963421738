// Outputs: recognizing streams, writing to fifos, content in memory, error messages, checks, staging, and commit by
// rename.
#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "io/temporary_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr int kNoDescriptor = -1;

bool is_own_descriptor_folder(const std::string& folder) {
  const std::unique_ptr<char, decltype(&std::free)> found(::realpath(folder.c_str(), nullptr), &std::free);
  const std::string own = "/proc/" + std::to_string(::getpid());
  return found != nullptr &&
         (found.get() == own + "/fd" || found.get() == own + "/task/" + std::to_string(::gettid()) + "/fd");
}

/// File mode of the target; 0 if it does not exist.
mode_t mode_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode : 0;
}

/// Follows a symbolic link by one step; empty if it is not a link.
std::string target_of(const std::string& path) {
  std::array<char, 4096> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) {
    return "";
  }
  const std::string text(target.data(), static_cast<std::size_t>(size));
  return text.front() == '/' ? text : joined_path(folder_of(path), text);
}

/// The standard stream of this process that `path` names: 0, 1 or 2; otherwise kNoDescriptor. Follows links one at a
/// time and stops at /proc/self/fd/N, because that link leads to the target of the stream.
int standard_descriptor(std::string path) {
  constexpr int kMaxLinks = 8;
  for (int links = 0; links < kMaxLinks && !path.empty(); ++links) {
    const std::string name = name_of_path(path);
    if (name.size() == 1 && name >= "0" && name <= "2" && is_own_descriptor_folder(folder_of(path))) {
      return name.front() - '0';
    }
    path = target_of(path);
  }
  return kNoDescriptor;
}

/// Opens a fifo. Returns a negative number if it has no reader yet.
int opened(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno != ENXIO && errno != EINTR) {
    fail_writing(path, errno);
  }
  return file;
}

int opened_when_read(const std::string& path) {
  using std::chrono::milliseconds;
  // Scripts often start writer and reader at the same time.
  const auto patience = std::chrono::steady_clock::now() + milliseconds(2000);
  int file = opened(path);
  while (file < 0) {
    if (std::chrono::steady_clock::now() > patience) {
      fail_writing(path, "no program reads this pipe; start its reader first");
    }
    std::this_thread::sleep_for(milliseconds(5));
    file = opened(path);
  }
  return file;
}

bool is_within(std::span<const std::byte> part, std::span<const std::byte> whole) {
  const std::less_equal<> is_before;
  return !whole.empty() && is_before(whole.data(), part.data()) &&
         is_before(part.data() + part.size(), whole.data() + whole.size());
}

}  // namespace

bool is_standard_output(const std::string& path) { return path == "-" || standard_descriptor(path) == STDOUT_FILENO; }

bool is_other_standard_stream(const std::string& path) {
  const int descriptor = standard_descriptor(path);
  return descriptor == STDIN_FILENO || descriptor == STDERR_FILENO;
}

bool is_fifo(const std::string& path) { return S_ISFIFO(mode_of(path)); }

bool is_stream(const std::string& path) { return is_standard_output(path) || is_fifo(path); }

bool is_untyped_stream(const std::string& path) {
  if (path == "-" || !file_extension(path).empty()) {
    return path == "-";
  }
  const mode_t mode = mode_of(path);
  return S_ISFIFO(mode) || S_ISCHR(mode) || S_ISBLK(mode) || standard_descriptor(path) != kNoDescriptor;
}

FifoOutput::FifoOutput(const std::string& path) : path_(path), file_(opened_when_read(path)) {}

void FifoOutput::write(std::span<const std::byte> content) const {
  try {
    write_all(file_.number(), content, path_);
  } catch (const OutputClosed&) {
    fail_writing(path_, "its reader closed the pipe early; start both again");
  }
}

FileParts FileContent::parts() {
  return {[this](std::span<const std::byte> part) { append(part); },
          [this](std::uint64_t offset, std::span<const std::byte> part) { place(offset, part); }};
}

std::uint64_t FileContent::size() const {
  std::uint64_t sum = own_.size();
  for (const Borrowed& part : borrowed_) {
    sum += part.bytes.size();
  }
  return sum;
}

std::span<const std::byte> FileContent::in_one_piece(std::vector<std::byte>& room) const {
  if (borrowed_.empty()) {
    return own_;
  }
  room.clear();
  room.reserve(static_cast<std::size_t>(size()));
  for_each_part([&](std::span<const std::byte> part) { room.insert(room.end(), part.begin(), part.end()); });
  return room;
}

void FileContent::append(std::span<const std::byte> part) {
  if (is_within(part, lent_.bytes)) {
    borrowed_.push_back({own_.size(), part});
  } else {
    own_.insert(own_.end(), part.begin(), part.end());
  }
}

void FileContent::place(std::uint64_t offset, std::span<const std::byte> part) {
  own_.resize(std::max<std::size_t>(own_.size(), offset + part.size()));
  std::copy(part.begin(), part.end(), own_.begin() + static_cast<std::ptrdiff_t>(offset));
}

namespace {

constexpr const char* kExists = "it already exists; use --force to replace it, or another name";
constexpr const char* kNoName = "its name is empty; name a file";

/// Status of the target, following symbolic links; nullopt if it does not exist.
std::optional<struct stat> existing(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    return found;
  }
  if (errno != ENOENT) {
    fail_writing(path, errno);
  }
  if (::lstat(path.c_str(), &found) == 0) {
    fail_writing(path, "it is a symbolic link to a file that does not exist; remove the link, or use another name");
  }
  return std::nullopt;
}

void check_is_regular(const std::string& path, const struct stat& found) {
  if (S_ISDIR(found.st_mode)) {
    fail_writing(path, "it is a folder; name a file");
  }
  if (!S_ISREG(found.st_mode)) {
    fail_writing(path, "it is a device or a socket; use - to write to standard output");
  }
}

void reject_other_standard_stream(const std::string& path) {
  if (is_other_standard_stream(path)) {
    fail_writing(path, "standard input and standard error cannot be outputs; use - to write to standard output");
  }
}

/// `shown` is the name for messages.
void check_folder(const std::string& path, const std::string& shown) {
  const std::string folder = folder_of(path);
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) {
    fail_writing(shown, errno);
  }
  if (!S_ISDIR(found.st_mode)) {
    fail_writing(shown, ENOTDIR);
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    fail_writing(shown, errno);
  }
}

thread_local CapturedStreams* captured_of_thread = nullptr;
std::atomic<CapturedStreams*> captured_of_process = nullptr;

void write_own_standard_output(std::span<const std::byte> content) {
  const std::string shown = "standard output";
  write_all(STDOUT_FILENO, content, shown);
  // Some file systems report a failed write only on close.
  const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (copy >= 0 && ::close(copy) != 0 && errno != EINTR) {
    fail_writing(shown, errno);
  }
}

void write_standard_output(std::span<const std::byte> content) {
  if (CapturedStreams* captured = captured_streams()) {
    const std::lock_guard lock(captured->mutex);
    captured->output.append(reinterpret_cast<const char*>(content.data()), content.size());
  } else {
    write_own_standard_output(content);
  }
}

/// Resolves symbolic links.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> found(::realpath(path.c_str(), nullptr), &std::free);
  if (found == nullptr) {
    fail_writing(path, errno);
  }
  return found.get();
}

}  // namespace

StreamCapture::StreamCapture(CapturedStreams& streams) { captured_of_thread = &streams; }

StreamCapture::~StreamCapture() {
  captured_of_thread = nullptr;
  captured_of_process = nullptr;
}

void StreamCapture::take_all() { captured_of_process = captured_of_thread; }

CapturedStreams* captured_streams() noexcept {
  return captured_of_thread != nullptr ? captured_of_thread : captured_of_process.load();
}

bool check_output(const std::string& output, const std::string& input, const OverwriteRules& rules) {
  if (is_standard_output(output)) {
    return false;
  }
  reject_other_standard_stream(output);
  if (is_fifo(output)) {
    return false;
  }
  if (output.empty()) {
    fail_writing(output, kNoName);
  }
  const auto found = existing(output);
  bool is_input = false;
  if (found) {
    check_is_regular(output, *found);
    struct stat source {};
    const bool has_input = !input.empty() && input != "-" && ::stat(input.c_str(), &source) == 0;
    is_input = has_input && source.st_dev == found->st_dev && source.st_ino == found->st_ino;
    if (is_input && !rules.in_place) {
      fail_writing(output, "it is the input itself; use --in-place to replace it, or another name");
    }
    if (!is_input && !rules.force) {
      fail_writing(output, kExists);
    }
  }
  check_folder(found ? resolved(output) : output, output);
  return is_input;
}

std::optional<FileTimes> times_of(const std::string& path) {
  struct stat found {};
  if (path == "-" || ::stat(path.c_str(), &found) != 0) {
    return std::nullopt;
  }
  return FileTimes{found.st_atim, found.st_mtim};
}

StagedOutput::StagedOutput(const std::string& path, const OverwriteRules& rules)
    : may_replace_(rules.force || rules.in_place) {
  if (path.empty()) {
    fail_writing(path, kNoName);
  }
  const auto found = existing(path);
  if (found) {
    check_is_regular(path, *found);
    if (!may_replace_) {
      fail_writing(path, kExists);
    }
  }
  replaces_ = found.has_value();
  file_ = std::make_unique<TemporaryFile>(found ? resolved(path) : path, path);
  if (found) {
    // Set permissions before content is written, which may be private.
    file_->take_permissions_of(*found, rules.in_place ? path : std::string());
    other_names_ = found->st_nlink - 1;
  }
}

StagedOutput::StagedOutput(StagedOutput&&) noexcept = default;
StagedOutput::~StagedOutput() = default;

void StagedOutput::write(std::span<const std::byte> part) {
  file_->write(part);
  size_ += part.size();
}

void StagedOutput::write_at(std::uint64_t offset, std::span<const std::byte> part) const {
  file_->write_at(offset, part);
}

void StagedOutput::finish() { file_->flush(); }

int StagedOutput::set_times(const FileTimes& times) { return file_->set_times(times.accessed, times.modified); }

void StagedOutput::commit() {
  if (may_replace_) {
    file_->replace_target();
  } else {
    file_->become_target();
  }
  file_.reset();
}

void write_output(const std::string& path, std::span<const std::byte> content, const OverwriteRules& rules) {
  if (is_standard_output(path)) {
    write_standard_output(content);
    return;
  }
  reject_other_standard_stream(path);
  if (is_fifo(path)) {
    FifoOutput(path).write(content);
  } else {
    StagedOutput output(path, rules);
    output.write(content);
    output.finish();
    output.commit();
  }
}

void reject_captured_input() {
  if (captured_streams() != nullptr) {
    throw Error(ErrorKind::usage, "standard input contains the command lines; name a file");
  }
}

void write_answer(std::string_view text) { write_own_standard_output(std::as_bytes(std::span(text))); }

void write_text(std::string_view text) {
  write_standard_output(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

OutputError::OutputError(const std::string& path, std::string why_and_what_to_do, int system_error)
    : Error(ErrorKind::write, fmt::format("{}: cannot write: {}", printable_name(path), why_and_what_to_do)),
      why_(std::move(why_and_what_to_do)),
      system_error_(system_error) {}

void fail_writing(const std::string& path, const std::string& why_and_what_to_do) {
  throw OutputError(path, why_and_what_to_do, 0);
}

void fail_writing(const std::string& path, int system_error) {
  if (system_error == ENOMEM) {
    throw std::bad_alloc();
  }
  throw OutputError(path, write_advice(system_error), system_error);
}

std::string write_advice(int error) {
  switch (error) {
    case ENOSPC: return "the disk is full; free some space, or write elsewhere";
    case EDQUOT: return "the disk quota is used up; free some space, or write elsewhere";
    case EFBIG: return "the file would exceed the size limit; raise it (ulimit -f), or write elsewhere";
    case EACCES:
    case EPERM: return "permission denied; change the folder's permissions, or write elsewhere";
    case EROFS: return "the file system is read-only; write elsewhere";
    case ENOENT: return "its folder does not exist; create it first";
    case ENOTDIR: return "part of its path is not a folder; correct the path";
    case ENAMETOOLONG: return "the name is too long; use a shorter one";
    case ELOOP: return "its symbolic links form a cycle; write elsewhere";
    case EMFILE:
    case ENFILE: return "too many open files; raise the limit (ulimit -n)";
    default: return fmt::format("{}; check the disk, or write elsewhere", std::generic_category().message(error));
  }
}

void make_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  struct stat found {};
  if (::stat(folder.c_str(), &found) == 0) {
    return;  // a later write reports the error
  }
  if (errno == ENOENT && folder != path && folder != "/" && folder != ".") {
    make_folder_of(folder);
  }
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    fail_writing(folder, errno);
  }
}

}  // namespace gpuimg
