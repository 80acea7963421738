// Recognizes the names of standard output, writes to fifos, and keeps a file in memory: what is lent is borrowed, the
// rest is copied.
#include "io/output_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "text/path_names.hpp"

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

/// Returns which standard stream of this process a path names: 0, 1 or 2; otherwise kNoDescriptor. Follows links one by
/// one, because the last one (/proc/self/fd/N) leads to the stream's target.
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

/// Returns a negative number if the fifo has no reader yet.
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
      fail_writing(path, "nobody reads this pipe; start its reader first");
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
  if (path == "-" || !file_ending(path).empty()) {
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

}  // namespace gpuimg
