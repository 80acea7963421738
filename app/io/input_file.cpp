// Reads a regular file or standard input into memory. Rules: docs/cli.md.
#include "io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

namespace {

[[noreturn]] void reject(const std::string& path, int error_number) {
  throw Error(ErrorKind::read, cannot_be_read(path, error_number));
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) {
    return "a folder";
  }
  if (S_ISFIFO(mode)) {
    return "a named pipe";
  }
  if (S_ISSOCK(mode)) {
    return "a socket";
  }
  return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "a special file";
}

void check_regular(const std::string& shown, const struct stat& status) {
  if (S_ISREG(status.st_mode)) {
    return;
  }
  const std::string_view advice =
      S_ISDIR(status.st_mode) ? "name an image file" : "pipe it into standard input and use - as the name";
  throw Error(ErrorKind::read,
              fmt::format("{}: is {}, not a regular file; {}", shown, kind_of(status.st_mode), advice));
}

std::unique_ptr<std::byte[]> allocate(const std::string& shown, std::size_t size) {
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[size]);
  if (memory == nullptr) {
    throw Error(ErrorKind::out_of_memory,
                fmt::format("{}: cannot allocate {} bytes to read it; use a machine with more memory", shown, size));
  }
  return memory;
}

/// Reads up to `size` bytes; fewer only at the end.
std::size_t read_up_to(int descriptor, std::byte* to, std::size_t size, const std::string& shown) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(descriptor, to + done, size - done);
    if (count == 0) {
      break;
    }
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {  // some programs pass a non-blocking standard input
      pollfd waiting{descriptor, POLLIN, 0};
      (void)::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      reject(shown, errno);
    }
  }
  return done;
}

/// Reads up to `to.size()` bytes from `offset` on; fewer at the end of the file or if reading fails.
std::size_t read_at(int descriptor, std::uint64_t offset, std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t count = ::pread(descriptor, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (count == 0 || (count < 0 && errno != EINTR)) {
      break;
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  return done;
}

/// Like read_up_to, but from byte `at` of a section.
std::size_t read_up_to_at(const FileSection& from, std::uint64_t at, std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t count =
        ::pread(from.file, to.data() + done, to.size() - done, static_cast<off_t>(from.first + at + done));
    if (count == 0) {
      break;
    }
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      reject(from.shown, errno);
    }
  }
  return done;
}

Bytes memory_for(std::size_t size, const std::string& shown, const LendMemory& lend) {
  Bytes bytes{lend ? lend(size) : nullptr, 0};
  if (bytes.data == nullptr) {
    bytes.data = allocate(shown, size);
  }
  return bytes;
}

/// Reads to the end of the file; the reported size is only a hint.
Bytes read_to_end(int descriptor, const std::string& shown, std::size_t size_hint, const LendMemory& lend,
                  const CheckBeginning& check) {
  std::size_t capacity = size_hint + 1;
  Bytes bytes = memory_for(capacity, shown, lend);
  if (check) {
    constexpr std::size_t kBeginning = 1024;
    bytes.size = read_up_to(descriptor, bytes.data.get(), std::min(capacity, kBeginning), shown);
    check(bytes.span());
  }
  for (;;) {
    bytes.size += read_up_to(descriptor, bytes.data.get() + bytes.size, capacity - bytes.size, shown);
    if (bytes.size < capacity) {
      return bytes;
    }
    capacity *= 2;
    auto larger = allocate(shown, capacity);
    std::memcpy(larger.get(), bytes.data.get(), bytes.size);
    bytes.data = std::move(larger);
  }
}

std::size_t size_hint_of(const struct stat& status) {
  constexpr std::size_t kUnknownSize = std::size_t{1} << 16;
  return S_ISREG(status.st_mode) && status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : kUnknownSize;
}

struct stat status_of(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    reject(path, errno);
  }
  return status;
}

void reject_terminal(const std::string& shown) {
  if (::isatty(STDIN_FILENO) == 1) {
    throw Error(ErrorKind::read, shown + ": is a terminal; name a file, or pipe an image into gpuimg");
  }
}

/// Returns the descriptor of a regular file, or a negative number for standard input.
int opened_input(const std::string& path) {
  if (path == "-") {
    reject_captured_input();
    reject_terminal(input_name(path));
    return -1;
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    reject(path, errno);
  }
  check_regular(printable_name(path), status);
  // The file may have been replaced by a fifo since stat(). O_NONBLOCK keeps open() from waiting for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    reject(path, errno);
  }
  return descriptor;
}

}  // namespace

std::string cannot_be_read(const std::string& path, int error_number) {
  const auto has = [&](const char* any_of) { return path.find_first_of(any_of) != std::string::npos; };
  const std::string name = printable_name(path);
  if (error_number == ENOENT) {
    const char* advice = has("*?")   ? "no file matches the pattern"
                         : has("\\") ? "write / between folders, not \\"
                                     : "check the name";
    return fmt::format("{}: file does not exist; {}", name, advice);
  }
  if (error_number == EACCES) {
    return name + ": permission denied; change the permissions of the file or its folder";
  }
  return fmt::format("{}: cannot be read: {}; check the name and the permissions", name, std::strerror(error_number));
}

void reject_empty(const std::string& path) {
  struct stat status {};
  const bool is_stream = path == "-" && ::fstat(STDIN_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
  const char* why = !is_stream ? "file is empty; download or copy it again"
                    : S_ISCHR(status.st_mode)
                        ? "is empty; name a file, or pipe an image into gpuimg"
                        : "is empty, because the program before the pipe wrote nothing; look for its error message";
  throw Error(ErrorKind::decode, fmt::format("{}: {}", input_name(path), why));
}

Bytes read_input(const std::string& path, const LendMemory& lend, const CheckBeginning& check) {
  const std::string shown = input_name(path);
  const Descriptor file(opened_input(path));
  const bool is_file = file.number() >= 0;
  const int descriptor = is_file ? file.number() : STDIN_FILENO;
  const struct stat status = status_of(descriptor, shown);
  if (is_file) {
    check_regular(shown, status);
  }
  return read_to_end(descriptor, shown, size_hint_of(status), S_ISREG(status.st_mode) ? lend : nullptr, check);
}

void read_section(const FileSection& section, std::uint64_t at, std::span<std::byte> room) {
  if (read_up_to_at(section, at, room) < room.size()) {
    throw Error(ErrorKind::read,
                section.shown + ": became shorter while it was read; wait until it is complete, and try again");
  }
}

Bytes read_input(const FileSection& section, const LendMemory& lend) {
  const auto size = static_cast<std::size_t>(section.size);
  Bytes bytes = memory_for(size, section.shown, lend);
  read_section(section, 0, {bytes.data.get(), size});
  bytes.size = size;
  return bytes;
}

PartialInput::PartialInput(const FileSection& section)
    : file_(-1),
      number_(section.file),
      is_section_(true),
      shown_(section.shown),
      first_(section.first),
      file_bytes_(section.size) {}

PartialInput::PartialInput(const std::string& path)
    : file_(opened_input(path)),
      number_(file_.number() >= 0 ? file_.number() : STDIN_FILENO),
      shown_(input_name(path)) {
  const struct stat status = status_of(number_, shown_);
  if (file_.number() >= 0) {
    check_regular(shown_, status);
  }
  if (S_ISREG(status.st_mode)) {
    const off_t position = std::clamp<off_t>(::lseek(number_, 0, SEEK_CUR), 0, status.st_size);
    first_ = static_cast<std::uint64_t>(position);
    file_bytes_ = static_cast<std::uint64_t>(status.st_size - position);
  }
}

std::span<const std::byte> PartialInput::beginning(std::size_t size) {
  const std::size_t old_size = bytes_.size();
  if (is_section_) {
    bytes_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(size, old_size), *file_bytes_)));
    const FileSection section{number_, first_, *file_bytes_, shown_};
    read_section(section, old_size, std::span(bytes_).subspan(old_size));
    is_whole_ = bytes_.size() == *file_bytes_;
  } else if (size > old_size && !is_whole_) {
    // Asking for one byte more than the reported size finds the end of the file, unless it has grown.
    const bool may_bound = file_bytes_ && *file_bytes_ >= old_size;
    bytes_.resize(may_bound ? static_cast<std::size_t>(std::min<std::uint64_t>(size, *file_bytes_ + 1)) : size);
    const std::size_t wanted = bytes_.size() - old_size;
    const std::size_t count = read_up_to(number_, bytes_.data() + old_size, wanted, shown_);
    bytes_.resize(old_size + count);
    is_whole_ = count < wanted;
  }
  return bytes_;
}

std::vector<std::byte> PartialInput::end(std::size_t size) const {
  if (!file_bytes_) {
    return {};
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size, *file_bytes_)));
  const FileSection last{number_, first_ + *file_bytes_ - bytes.size(), bytes.size(), shown_};
  bytes.resize(read_up_to_at(last, 0, bytes));
  return bytes;
}

RandomAccess PartialInput::random_access() const {
  return {file_bytes_.value_or(0), [this](std::uint64_t offset, std::span<std::byte> to) {
            const std::uint64_t left = *file_bytes_ - std::min(offset, *file_bytes_);
            return read_at(number_, first_ + offset,
                           to.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, to.size()))));
          }};
}

}  // namespace gpuimg
