// Reads a file by offset, and a pipe as it comes.
#include "io/tar_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kStreamBlock = std::size_t{1} << 20;

}  // namespace

TarInput::TarInput(const std::string& path)
    : shown_(path == "-" ? "standard input" : printable_name(path)),
      file_(path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      number_(path == "-" ? STDIN_FILENO : file_.number()) {
  if (number_ < 0) {
    throw Error(ErrorKind::read, cannot_be_read(path, errno));
  }
  struct stat status {};
  const off_t start = ::lseek(number_, 0, SEEK_CUR);
  if (start >= 0 && ::fstat(number_, &status) == 0 && S_ISREG(status.st_mode)) {
    file_bytes_ = static_cast<std::uint64_t>(status.st_size);
    position_ = static_cast<std::uint64_t>(start);
  }
  block_.resize(file_bytes_ ? kFileBlock : kStreamBlock);
}

std::optional<std::uint64_t> TarInput::offset_of(std::span<const std::byte> part) const {
  const auto at = reinterpret_cast<std::uintptr_t>(part.data());
  const auto from = reinterpret_cast<std::uintptr_t>(block_.data());
  const bool is_in_block = !part.empty() && at >= from && at + part.size() <= from + filled_;
  return is_in_block ? std::optional(position_ - filled_ + (at - from)) : std::nullopt;
}

ssize_t TarInput::read_up_to_block() {
  return file_bytes_ ? ::pread(number_, block_.data(), block_.size(), static_cast<off_t>(position_))
                     : ::read(number_, block_.data(), block_.size());
}

la_ssize_t TarInput::read(archive* of, void* input, const void** block) {
  auto& self = *static_cast<TarInput*>(input);
  *block = self.block_.data();
  for (;;) {
    const ssize_t got = self.read_up_to_block();
    if (got >= 0) {
      self.filled_ = static_cast<std::size_t>(got);
      self.position_ += self.filled_;
      return got;
    }
    if (errno != EINTR) {
      self.failure_ = errno;
      libarchive().set_error(of, errno, "%s", "cannot be read");
      return ARCHIVE_FATAL;
    }
  }
}

/// Not beyond the end: libarchive finds there that the archive is truncated.
la_int64_t TarInput::skip(archive* /*of*/, void* input, la_int64_t wanted) {
  auto& self = *static_cast<TarInput*>(input);
  if (!self.file_bytes_ || self.position_ >= *self.file_bytes_) {
    return 0;
  }
  const auto count = std::min(static_cast<std::uint64_t>(wanted), *self.file_bytes_ - self.position_);
  self.position_ += count;
  return static_cast<la_int64_t>(count);
}

}  // namespace gpuimg
