// Reads a file by offset, and a pipe as it comes. gzip is decompressed here, because libarchive does not compare its
// check sum: a changed bit of a JPEG would pass.
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
constexpr std::size_t kDecompressedBlock = std::size_t{256} << 10;

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
    start_ = position_ = static_cast<std::uint64_t>(start);
  }
  block_.resize(file_bytes_ ? kFileBlock : kStreamBlock);
  fill();
  if (GzipStream::begins(std::span(block_).first(filled_))) {
    gzip_ = std::make_unique<GzipStream>();
    decompressed_.resize(kDecompressedBlock);
  }
}

std::optional<std::uint64_t> TarInput::offset_of(std::span<const std::byte> part) const {
  const auto at = reinterpret_cast<std::uintptr_t>(part.data());
  const auto from = reinterpret_cast<std::uintptr_t>(block_.data());
  const bool is_in_block = !part.empty() && at >= from && at + part.size() <= from + filled_;
  return is_in_block ? std::optional(position_ - filled_ + (at - from)) : std::nullopt;
}

ssize_t TarInput::read_up_to_block(std::span<std::byte> to) const {
  return file_bytes_ ? ::pread(number_, to.data(), to.size(), static_cast<off_t>(position_))
                     : ::read(number_, to.data(), to.size());
}

/// Reads a block, of which a pipe may give a part. The first one is as long as what tells compression needs.
void TarInput::fill() {
  filled_ = 0;
  const std::size_t least = position_ == start_ ? GzipStream::kMagicBytes : 1;
  while (filled_ < least) {
    const ssize_t got = read_up_to_block(std::span(block_).subspan(filled_));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      failure_ = got < 0 ? errno : 0;
      return;
    }
    filled_ += static_cast<std::size_t>(got);
    position_ += static_cast<std::size_t>(got);
  }
}

/// Empty at the end, and after a failure.
std::span<const std::byte> TarInput::next_block() {
  if (!is_first_block_) {
    fill();
  }
  is_first_block_ = false;
  return failure_ == 0 ? std::span<const std::byte>(block_).first(filled_) : std::span<const std::byte>();
}

/// Empty at the end, after a failure and after damage.
std::span<const std::byte> TarInput::next_decompressed() {
  for (;;) {
    const std::size_t count = gzip_->inflate(compressed_, decompressed_);
    if (gzip_->is_damaged()) {
      damage_ = "invalid gzip data, or a wrong check sum";
      return {};
    }
    if (count > 0) {
      return std::span<const std::byte>(decompressed_).first(count);
    }
    if (compressed_.empty()) {
      compressed_ = next_block();
      if (compressed_.empty()) {
        damage_ = failure_ == 0 && !gzip_->is_whole() ? "truncated gzip input" : nullptr;
        return {};
      }
    }
  }
}

/// The bytes of the archive itself.
std::span<const std::byte> TarInput::next() {
  const std::span<const std::byte> bytes = gzip_ ? next_decompressed() : next_block();
  given_ += bytes.size();
  return bytes;
}

bool TarInput::pass_over_block() { return !next().empty(); }

la_ssize_t TarInput::read(archive* of, void* input, const void** block) {
  auto& self = *static_cast<TarInput*>(input);
  const std::span<const std::byte> next = self.next();
  if (self.failure_ != 0 || self.damage_ != nullptr) {
    libarchive().set_error(of, self.failure_ != 0 ? self.failure_ : EILSEQ, "%s",
                           self.failure_ != 0 ? "cannot be read" : self.damage_);
    return ARCHIVE_FATAL;
  }
  *block = next.data();
  return static_cast<la_ssize_t>(next.size());
}

/// Not beyond the end: libarchive finds there that the archive is truncated.
la_int64_t TarInput::skip(archive* /*of*/, void* input, la_int64_t wanted) {
  auto& self = *static_cast<TarInput*>(input);
  if (self.gzip_ || !self.file_bytes_ || self.position_ >= *self.file_bytes_) {
    return 0;
  }
  const auto count = std::min(static_cast<std::uint64_t>(wanted), *self.file_bytes_ - self.position_);
  self.position_ += count;
  self.given_ += count;
  return static_cast<la_int64_t>(count);
}

}  // namespace gpuimg
