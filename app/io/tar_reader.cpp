// Reads members of tar archives with libarchive, through our own callbacks, so that libarchive opens no file and prints
// nothing. gzip is decompressed here, because libarchive does not verify the checksum: a flipped bit in a JPEG would go
// unnoticed.
#include "io/tar.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "io/libarchive.hpp"
#include "io/output_file.hpp"
#include "io/system_handles.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr std::byte kFirst{0x1f};  // first byte of a gzip file
constexpr std::byte kSecond{0x8b};
constexpr std::byte kDeflated{8};  // the only compression method of gzip

void begin(inflate_state& state) {
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
}

std::uint32_t at_most_uint32(std::size_t size) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max()));
}

/// Decompresses with ISA-L a gzip file (RFC 1952), or several in a row, such as the output of `cat a.gz b.gz`.
class GzipStream {
 public:
  static constexpr std::size_t kMagicBytes = 3;

  /// True if `bytes` (at least kMagicBytes) are the beginning of a gzip file.
  static bool begins(std::span<const std::byte> bytes);

  GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream();

  /// Decompresses from `in` until `out` is full, and removes the consumed bytes from `in`. Returns the number of bytes
  /// written; zero if more input is needed, if the data are damaged, or after the end.
  std::size_t inflate(std::span<const std::byte>& in, std::span<std::byte> out);

  /// A wrong checksum counts as damage.
  [[nodiscard]] bool is_damaged() const { return is_damaged_; }

  /// True if the input may end here.
  [[nodiscard]] bool is_whole() const;

 private:
  std::unique_ptr<inflate_state> state_;
  bool is_damaged_ = false;
  bool has_ended_ = false;  ///< the end is reached, and no further gzip file follows
};

bool GzipStream::begins(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagicBytes && bytes[0] == kFirst && bytes[1] == kSecond && bytes[2] == kDeflated;
}

GzipStream::GzipStream() : state_(std::make_unique<inflate_state>()) { begin(*state_); }

GzipStream::~GzipStream() = default;

bool GzipStream::is_whole() const { return state_->block_state == ISAL_BLOCK_FINISH; }

std::size_t GzipStream::inflate(std::span<const std::byte>& in, std::span<std::byte> out) {
  inflate_state& state = *state_;
  if (is_whole() && !in.empty() && !has_ended_) {
    has_ended_ = in.front() != kFirst;  // bytes that start no further gzip file, such as padding, are ignored
    if (!has_ended_) {
      begin(state);
    }
  }
  if (is_whole() || is_damaged_) {
    in = {};
    return 0;
  }
  auto* const next = reinterpret_cast<std::uint8_t*>(out.data());
  state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(in.data()));
  state.avail_in = at_most_uint32(in.size());
  state.next_out = next;
  state.avail_out = at_most_uint32(out.size());
  is_damaged_ = isal_inflate(&state) < 0;
  in = in.subspan(static_cast<std::size_t>(state.next_in - reinterpret_cast<const std::uint8_t*>(in.data())));
  return is_damaged_ ? 0 : static_cast<std::size_t>(state.next_out - next);
}

constexpr std::size_t kStreamBlock = std::size_t{1} << 20;
constexpr std::size_t kDecompressedBlock = std::size_t{256} << 10;

/// The bytes of a tar archive, in the blocks that libarchive requests; a .tar.gz is decompressed. A file is read by
/// offset, a pipe in sequence.
class TarInput {
 public:
  /// The block size for regular files. Small, because libarchive skips most content and reads mainly headers.
  static constexpr std::size_t kFileBlock = std::size_t{64} << 10;

  /// `path` is a file or "-". Throws Error{read}.
  explicit TarInput(const std::string& path);

  [[nodiscard]] const std::string& shown() const { return shown_; }  ///< for messages
  [[nodiscard]] int number() const { return number_; }               ///< the descriptor

  /// The beginning of the first block, as stored. Valid until more is read.
  [[nodiscard]] std::span<const std::byte> beginning() const {
    constexpr std::size_t kBeginning = 1024;
    return std::span<const std::byte>(block_).first(std::min(filled_, kBeginning));
  }

  /// The size of a regular file.
  [[nodiscard]] const std::optional<std::uint64_t>& file_bytes() const { return file_bytes_; }

  /// The errno of a failed read, or 0.
  [[nodiscard]] int failure() const { return failure_; }

  [[nodiscard]] bool is_gzip() const { return gzip_ != nullptr; }

  /// The number of bytes read or skipped, and the number of bytes after decompression.
  [[nodiscard]] std::uint64_t bytes_taken() const { return position_ - start_; }
  [[nodiscard]] std::uint64_t bytes_given() const { return given_; }

  /// Skips a block after the end of the archive. False if there is no further block, or if reading failed: see
  /// failure() and damage().
  bool pass_over_block();

  /// The kind of damage in the compressed data; null if there is none.
  [[nodiscard]] const char* damage() const { return damage_; }

  /// The offset of `part` in the file. Nothing if `part` is not in the current block, because libarchive copied or
  /// decompressed it.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::span<const std::byte> part) const;

  /// libarchive's callbacks; `input` is a TarInput.
  static la_ssize_t read(archive* of, void* input, const void** block);
  static la_int64_t skip(archive* of, void* input, la_int64_t wanted);

 private:
  [[nodiscard]] ssize_t read_up_to_block(std::span<std::byte> to) const;
  void fill();
  std::span<const std::byte> next_block();
  std::span<const std::byte> next_decompressed();
  std::span<const std::byte> next();

  std::string shown_;
  Descriptor file_;
  int number_;
  std::optional<std::uint64_t> file_bytes_;
  std::uint64_t start_ = 0;     ///< offset of the archive in the file
  std::uint64_t position_ = 0;  ///< offset of the next block
  std::vector<std::byte> block_;
  std::size_t filled_ = 0;      ///< bytes in the block
  bool is_first_block_ = true;  ///< next_block() returns the block that the constructor has read
  std::uint64_t given_ = 0;
  int failure_ = 0;
  const char* damage_ = nullptr;
  std::unique_ptr<GzipStream> gzip_;       ///< only for a .tar.gz
  std::span<const std::byte> compressed_;  ///< the remainder of the block
  std::vector<std::byte> decompressed_;
};

TarInput::TarInput(const std::string& path)
    : shown_(input_name(path)),
      file_(path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      number_(path == "-" ? STDIN_FILENO : file_.number()) {
  if (path == "-") {
    reject_captured_input();
  }
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

/// Reads a block; a pipe may deliver only part of it. The first block is long enough to recognize the kind of file.
void TarInput::fill() {
  filled_ = 0;
  constexpr std::size_t kSignatureBytes = 16;
  const std::size_t least = position_ == start_ ? kSignatureBytes : 1;
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

/// The next stored block; empty at the end or after a failure.
std::span<const std::byte> TarInput::next_block() {
  if (!is_first_block_) {
    fill();
  }
  is_first_block_ = false;
  return failure_ == 0 ? std::span<const std::byte>(block_).first(filled_) : std::span<const std::byte>();
}

/// The next decompressed bytes; empty at the end, after a failure or after damage.
std::span<const std::byte> TarInput::next_decompressed() {
  for (;;) {
    const std::size_t count = gzip_->inflate(compressed_, decompressed_);
    if (gzip_->is_damaged()) {
      damage_ = "invalid gzip data, or a wrong checksum";
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

/// The next bytes of the archive, decompressed if needed.
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

/// Does not skip past the end of the file, so that libarchive notices a truncated archive.
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

// A decompression bomb expands a thousandfold, but gzip and zstd hardly shrink images.
constexpr std::int64_t kMaxExpansion = 200;
constexpr std::int64_t kAlwaysAllowed = std::int64_t{256} << 20;

std::string name_in(archive_entry* entry) {
  const char* name = libarchive().entry_pathname(entry);
  name = name != nullptr ? name : libarchive().entry_pathname_utf8(entry);
  return name == nullptr ? "" : name;
}

}  // namespace

std::string tar_library() {
  if (find_libarchive() == nullptr) {
    return {};
  }
  const int number = libarchive().version_number();
  return fmt::format("libarchive {}.{}.{}", number / 1000000, number / 1000 % 1000, number % 1000);
}

struct TarReader::State {
  explicit State(const std::string& path) : input(path), reader(owned(libarchive().read_new())) {}

  TarInput input;
  ArchiveOwner reader;
  std::span<const std::byte>
      chunk;                   ///< bytes of the member that libarchive has read, but read_some() has not yet taken
  std::uint64_t chunk_at = 0;  ///< offset of the chunk in the member; zeros precede it in a sparse member
  std::uint64_t taken = 0;     ///< bytes taken by read_some()
  bool has_member = false;

  /// Makes libarchive allocate memory for a long message now. Later messages use the same memory, so libarchive does
  /// not call exit() for lack of memory when content is read without an InLibarchive.
  void reserve_message() {
    constexpr std::size_t kLongest = 512;
    libarchive().set_error(reader.get(), 0, "%s", std::string(kLongest, ' ').c_str());
    libarchive().clear_error(reader.get());
  }

  /// Decompresses the remainder of the member. Otherwise libarchive would do so without the limit on expansion.
  void pass_over() {
    const bool is_compressed = input.is_gzip() || libarchive().filter_code(reader.get(), 0) != ARCHIVE_FILTER_NONE;
    while (is_compressed && has_member && next_chunk()) {
      taken = chunk_at + chunk.size();
    }
  }

  /// Reads past the end of the archive, because the checksum of a .tar.gz comes last.
  void read_to_end() {
    while (input.is_gzip() && input.pass_over_block()) {
      check_expansion();
    }
    check_input();
  }

  /// False at the end of the member.
  bool next_chunk() {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t at = 0;
    int result = ARCHIVE_OK;
    do {
      errno = 0;
      result = libarchive().read_data_block(reader.get(), &data, &size, &at);
      check(result);
      check_expansion();
    } while (size == 0 && result != ARCHIVE_EOF);
    if (static_cast<std::uint64_t>(at) < taken) {
      throw damaged("the parts of a sparse member overlap");
    }
    chunk = {static_cast<const std::byte*>(data), size};
    chunk_at = static_cast<std::uint64_t>(at);
    return chunk_at > taken || !chunk.empty();
  }

  /// Reads up to `room.size()` bytes of the member; 0 at its end.
  std::size_t read_some(std::span<std::byte> room) {
    if (chunk.empty() && taken == chunk_at && !next_chunk()) {
      return 0;
    }
    std::size_t count = 0;
    if (taken < chunk_at) {
      count = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), chunk_at - taken));
      std::memset(room.data(), 0, count);
    } else {
      count = std::min(room.size(), chunk.size());
      std::memcpy(room.data(), chunk.data(), count);
      chunk = chunk.subspan(count);
      chunk_at += count;
    }
    taken += count;
    return count;
  }

  /// Accepts warnings, which concern names or attributes, not content. Rejects ARCHIVE_RETRY: a retry would look for a
  /// valid header after a damaged one.
  void check(int result) const {
    if (result < ARCHIVE_WARN || result == ARCHIVE_RETRY) {
      check_input();
      throw damaged(failure_of(reader.get()));
    }
  }

  /// A read error is reported as such, not as damage.
  void check_input() const {
    if (input.failure() != 0) {
      throw Error(ErrorKind::read, cannot_be_read(input.shown(), input.failure()));
    }
    if (input.damage() != nullptr) {
      throw damaged(input.damage());
    }
  }

  [[nodiscard]] Error damaged(const std::string& how) const {
    return Error(ErrorKind::decode,
                 fmt::format("{}: file is damaged: {}; download or copy it again", input.shown(), how));
  }

  void check_expansion() const {
    const auto given = static_cast<std::int64_t>(input.bytes_given());
    const std::int64_t out = std::max<std::int64_t>(libarchive().filter_bytes(reader.get(), 0), given);
    const auto in = static_cast<std::int64_t>(input.bytes_taken());
    if (out > kAlwaysAllowed && out / kMaxExpansion > in) {
      throw Error(ErrorKind::decode, fmt::format("{}: expands to more than {} times its size; if you trust it, "
                                                 "decompress it first",
                                                 input.shown(), kMaxExpansion));
    }
  }
};

TarReader::TarReader(const std::string& path, const CheckBeginning& check) : state_(std::make_unique<State>(path)) {
  State& state = *state_;
  state.check_input();
  if (check) {
    check(state.input.beginning());
  }
  archive* reader = state.reader.get();
  const InLibarchive call;
  state.reserve_message();
  state.check(libarchive().read_support_filter_zstd(reader));
  state.check(libarchive().read_support_format_tar(reader));
  // Sets the callbacks one by one, because archive_read_open2() does not check whether memory for them is lacking.
  state.check(libarchive().read_set_read_callback(reader, TarInput::read));
  state.check(libarchive().read_set_skip_callback(reader, TarInput::skip));
  state.check(libarchive().read_set_callback_data(reader, &state.input));
  if (libarchive().read_open1(reader) != ARCHIVE_OK) {
    state.check_input();
    throw Error(ErrorKind::decode,
                fmt::format("{}: cannot be read as a tar archive: {}; check that it is a complete tar archive",
                            state.input.shown(), failure_of(reader)));
  }
}

TarReader::~TarReader() = default;

std::optional<TarMember> TarReader::next() {
  state_->pass_over();
  const InLibarchive call;
  // read_next_header() would make the entry itself without checking for lack of memory.
  const std::shared_ptr<archive_entry> header(libarchive().entry_new2(state_->reader.get()), libarchive().entry_free);
  if (header == nullptr) {
    throw std::bad_alloc();
  }
  const int result = libarchive().read_next_header2(state_->reader.get(), header.get());
  state_->has_member = result != ARCHIVE_EOF;
  if (!state_->has_member) {
    state_->read_to_end();
    return std::nullopt;
  }
  state_->check(result);
  state_->check_expansion();
  state_->chunk = {};
  state_->chunk_at = 0;
  state_->taken = 0;
  TarMember member;
  member.entry = header;
  member.name = name_in(header.get());
  member.size = static_cast<std::uint64_t>(libarchive().entry_size(header.get()));
  member.is_file =
      libarchive().entry_filetype(header.get()) == AE_IFREG && libarchive().entry_hardlink(header.get()) == nullptr;
  return member;
}

std::optional<FileSection> TarReader::section(const TarMember& member) {
  State& state = *state_;
  const std::optional<std::uint64_t>& all = state.input.file_bytes();
  const bool may_be = all && member.size > TarInput::kFileBlock;
  if (!may_be || libarchive().entry_sparse_count(member.entry.get()) > 0 || !state.next_chunk()) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> first = state.input.offset_of(state.chunk);
  if (!first || state.chunk_at > 0 || *first > *all || member.size > *all - *first) {
    return std::nullopt;
  }
  return FileSection{state.input.number(), *first, member.size, state.input.shown()};
}

void TarReader::read(const TarMember& member, std::span<std::byte> room) {
  while (!room.empty()) {
    const std::size_t got = state_->read_some(room);
    if (got == 0) {
      throw state_->damaged(printable_name(member.name) + " is shorter than its header says");
    }
    room = room.subspan(got);
  }
}

Bytes TarReader::content(const TarMember& member) {
  Bytes bytes{ByteMemory(new std::byte[member.size]), member.size};
  read(member, {bytes.data.get(), bytes.size});
  return bytes;
}

}  // namespace gpuimg
