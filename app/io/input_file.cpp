// Reads a regular file or standard input into memory. Rules: docs/cli.md, "Files".
#include "io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/descriptor.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

namespace {

[[noreturn]] void refuse(const std::string& path, int error_number) {
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

/// Reads to the end of the file; the reported size is only a hint.
Bytes read_to_end(int descriptor, const std::string& shown, std::size_t size_hint) {
  std::size_t capacity = size_hint + 1;
  Bytes bytes{allocate(shown, capacity), 0};
  for (;;) {
    if (bytes.size == capacity) {
      capacity *= 2;
      auto larger = allocate(shown, capacity);
      std::memcpy(larger.get(), bytes.data.get(), bytes.size);
      bytes.data = std::move(larger);
    }
    const ssize_t count = ::read(descriptor, bytes.data.get() + bytes.size, capacity - bytes.size);
    if (count == 0) {
      return bytes;
    }
    if (count > 0) {
      bytes.size += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {  // some programs pass on a non-blocking standard input
      pollfd waiting{descriptor, POLLIN, 0};
      (void)::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      refuse(shown, errno);
    }
  }
}

std::size_t size_hint_of(const struct stat& status) {
  constexpr std::size_t kUnknownSize = std::size_t{1} << 16;
  return S_ISREG(status.st_mode) && status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : kUnknownSize;
}

Bytes read_standard_input() {
  const std::string shown = "standard input";
  if (::isatty(STDIN_FILENO) == 1) {
    throw Error(ErrorKind::read, shown + ": is a terminal; name a file, or pipe an image into gpuimg");
  }
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0) {
    refuse(shown, errno);
  }
  return read_to_end(STDIN_FILENO, shown, size_hint_of(status));
}

}  // namespace

std::string cannot_be_read(const std::string& path, int error_number) {
  const auto has = [&](const char* any_of) { return path.find_first_of(any_of) != std::string::npos; };
  const bool is_missing = error_number == ENOENT;
  const char* advice = is_missing && has("*?")   ? "no file matches the pattern"
                       : is_missing && has("\\") ? "write / between folders, not \\"
                                                 : "check the name and the permissions";
  return fmt::format("{}: cannot be read: {}; {}", printable_name(path), std::strerror(error_number), advice);
}

Bytes read_input(const std::string& path) {
  if (path == "-") {
    return read_standard_input();
  }
  const std::string shown = printable_name(path);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    refuse(path, errno);
  }
  check_regular(shown, status);
  // The file may have been replaced by a fifo meanwhile: O_NONBLOCK keeps open() from waiting for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) {
    refuse(path, errno);
  }
  if (::fstat(file.number(), &status) != 0) {
    refuse(path, errno);
  }
  check_regular(shown, status);
  return read_to_end(file.number(), shown, size_hint_of(status));
}

}  // namespace gpuimg
