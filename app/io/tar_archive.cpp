// libarchive with callbacks of ours: it opens no file and prints nothing.
#include "io/tar_archive.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/descriptor.hpp"
#include "io/input_file.hpp"
#include "io/libarchive.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// libarchive reads one block after another of a stream. Of a file it needs the headers: the rest is skipped.
constexpr std::size_t kStreamBlock = std::size_t{1} << 20;
constexpr std::size_t kFileBlock = std::size_t{64} << 10;

// A bomb expands a thousandfold; images do not shrink by gzip or zstd.
constexpr std::int64_t kMaxExpansion = 200;
constexpr std::int64_t kAlwaysAllowed = std::int64_t{256} << 20;

/// libarchive converts names by the locale of the thread. In C.UTF-8, UTF-8 stays as it is, and so do other bytes.
class Utf8Locale {
 public:
  Utf8Locale() {
    static const locale_t kUtf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    before_ = kUtf8 == locale_t{} ? locale_t{} : ::uselocale(kUtf8);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (before_ != locale_t{}) {
      ::uselocale(before_);
    }
  }

 private:
  locale_t before_;
};

std::string reason_of(archive* of) {
  const char* text = libarchive().error_string(of);
  return text == nullptr ? "unknown reason" : printable_name(text);
}

void demand(const ArchiveOwner& made) {
  if (made == nullptr) {
    throw std::bad_alloc();
  }
}

std::string name_in(archive_entry* entry) {
  const char* name = libarchive().entry_pathname(entry);
  name = name != nullptr ? name : libarchive().entry_pathname_utf8(entry);
  return name == nullptr ? "" : name;
}

/// An archive of one header: libarchive makes it, and nothing else is asked of it.
class HeaderWriter {
 public:
  HeaderWriter() : writer_(libarchive().write_new()) {
    demand(writer_);
    libarchive().write_set_format_pax_restricted(writer_.get());
    libarchive().write_set_bytes_per_block(writer_.get(), 0);  // each part at once
    check(libarchive().write_open(writer_.get(), this, nullptr, collect, nullptr));
  }
  HeaderWriter(const HeaderWriter&) = delete;
  HeaderWriter& operator=(const HeaderWriter&) = delete;

  /// Freeing an archive closes it, which would write the content that it misses.
  ~HeaderWriter() { is_done_ = true; }

  std::vector<std::byte> header_of(archive_entry* entry) {
    check(libarchive().write_header(writer_.get(), entry));
    return std::move(bytes_);
  }

 private:
  static la_ssize_t collect(archive* /*of*/, void* data, const void* part, std::size_t size) {
    auto& writer = *static_cast<HeaderWriter*>(data);
    if (writer.is_done_) {
      return -1;
    }
    const auto* bytes = static_cast<const std::byte*>(part);
    try {
      writer.bytes_.insert(writer.bytes_.end(), bytes, bytes + size);
    } catch (const std::bad_alloc&) {  // must not pass through libarchive
      writer.lacks_memory_ = true;
      return -1;
    }
    return static_cast<la_ssize_t>(size);
  }

  void check(int result) const {
    if (lacks_memory_) {
      throw std::bad_alloc();
    }
    if (result < ARCHIVE_WARN) {
      throw Error(ErrorKind::write, "the archive cannot be written: " + reason_of(writer_.get()));
    }
  }

  std::vector<std::byte> bytes_;
  bool is_done_ = false;
  bool lacks_memory_ = false;
  ArchiveOwner writer_;  ///< the last member, thus freed first
};

}  // namespace

std::string tar_library() {
  if (find_libarchive() == nullptr) {
    return {};
  }
  const int number = libarchive().version_number();
  return fmt::format("libarchive {}.{}.{}", number / 1000000, number / 1000 % 1000, number % 1000);
}

struct TarReader::State {
  std::string shown;
  std::optional<Descriptor> file;
  int number = STDIN_FILENO;
  std::optional<std::uint64_t> file_bytes;  ///< of a regular file
  std::uint64_t position = 0;               ///< in the file, of the next block
  std::vector<std::byte> block;
  std::size_t filled = 0;
  ArchiveOwner reader;
  std::span<const std::byte> chunk;  ///< what libarchive has read of the member and read_some() has not yet taken
  std::uint64_t chunk_at = 0;        ///< where it is in the member; zeros are before it in a sparse member
  std::uint64_t taken = 0;           ///< by read_some()

  void open(const std::string& path) {
    if (path != "-") {
      file.emplace(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      number = file->number();
      if (number < 0) {
        throw Error(ErrorKind::read, cannot_be_read(path, errno));
      }
    }
    struct stat status {};
    const off_t start = ::lseek(number, 0, SEEK_CUR);
    if (start >= 0 && ::fstat(number, &status) == 0 && S_ISREG(status.st_mode)) {
      file_bytes = static_cast<std::uint64_t>(status.st_size);
      position = static_cast<std::uint64_t>(start);
    }
    block.resize(file_bytes ? kFileBlock : kStreamBlock);
  }

  [[nodiscard]] ssize_t read_up_to_block() {
    return file_bytes ? ::pread(number, block.data(), block.size(), static_cast<off_t>(position))
                      : ::read(number, block.data(), block.size());
  }

  static la_ssize_t read_block(archive* of, void* data, const void** block) {
    auto& state = *static_cast<State*>(data);
    *block = state.block.data();
    for (;;) {
      const ssize_t got = state.read_up_to_block();
      if (got >= 0) {
        state.filled = static_cast<std::size_t>(got);
        state.position += state.filled;
        return got;
      }
      if (errno != EINTR) {
        libarchive().set_error(of, errno, "%s", "cannot be read");
        return ARCHIVE_FATAL;
      }
    }
  }

  /// Not beyond the end: libarchive finds there that the archive is truncated.
  static la_int64_t skip(archive* /*of*/, void* data, la_int64_t wanted) {
    auto& state = *static_cast<State*>(data);
    if (!state.file_bytes || state.position >= *state.file_bytes) {
      return 0;
    }
    const auto count = std::min(static_cast<std::uint64_t>(wanted), *state.file_bytes - state.position);
    state.position += count;
    return static_cast<la_int64_t>(count);
  }

  /// Where `chunk` is in the file; nothing if libarchive has copied or decompressed it.
  [[nodiscard]] std::optional<std::uint64_t> offset_of_chunk() const {
    const auto at = reinterpret_cast<std::uintptr_t>(chunk.data());
    const auto from = reinterpret_cast<std::uintptr_t>(block.data());
    const bool is_in_block = !chunk.empty() && at >= from && at + chunk.size() <= from + filled;
    return is_in_block ? std::optional(position - filled + (at - from)) : std::nullopt;
  }

  /// False at the end of the member.
  bool next_chunk() {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t at = 0;
    int result = ARCHIVE_OK;
    do {
      result = libarchive().read_data_block(reader.get(), &data, &size, &at);
      check(result);
      check_expansion();
    } while (size == 0 && result != ARCHIVE_EOF);
    if (static_cast<std::uint64_t>(at) < taken) {
      throw Error(ErrorKind::decode, fmt::format("{}: is damaged: the parts of a sparse member overlap; download or "
                                                 "copy it again",
                                                 shown));
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

  /// A warning is about a name or an attribute, not about content.
  void check(la_int64_t result) const {
    if (result < ARCHIVE_WARN) {
      throw Error(ErrorKind::decode,
                  fmt::format("{}: is damaged: {}; download or copy it again", shown, reason_of(reader.get())));
    }
  }

  void check_expansion() const {
    const std::int64_t out = libarchive().filter_bytes(reader.get(), 0);
    const std::int64_t in = libarchive().filter_bytes(reader.get(), -1);
    if (out > kAlwaysAllowed && out / kMaxExpansion > in) {
      throw Error(ErrorKind::decode, fmt::format("{}: expands to more than {} times its size; decompress it first if "
                                                 "it is to be trusted",
                                                 shown, kMaxExpansion));
    }
  }
};

TarReader::TarReader(const std::string& path) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.shown = path == "-" ? "standard input" : printable_name(path);
  state.open(path);
  state.reader.reset(libarchive().read_new());
  demand(state.reader);
  archive* reader = state.reader.get();
  libarchive().read_support_filter_gzip(reader);
  libarchive().read_support_filter_zstd(reader);
  libarchive().read_support_format_tar(reader);
  const Utf8Locale locale;
  if (libarchive().read_open2(reader, &state, nullptr, State::read_block, State::skip, nullptr) != ARCHIVE_OK) {
    throw Error(ErrorKind::decode,
                fmt::format("{}: cannot be read as a tar archive: {}; check that it is one, and whole", state.shown,
                            reason_of(reader)));
  }
}

TarReader::~TarReader() = default;

std::optional<TarMember> TarReader::next() {
  const Utf8Locale locale;
  archive_entry* header = nullptr;
  const int result = libarchive().read_next_header(state_->reader.get(), &header);
  if (result == ARCHIVE_EOF) {
    return std::nullopt;
  }
  state_->check(result);
  state_->check_expansion();
  state_->chunk = {};
  state_->chunk_at = 0;
  state_->taken = 0;
  TarMember member;
  member.entry = std::shared_ptr<archive_entry>(libarchive().entry_clone(header), libarchive().entry_free);
  if (member.entry == nullptr) {
    throw std::bad_alloc();
  }
  member.name = name_in(header);
  member.size = static_cast<std::uint64_t>(libarchive().entry_size(header));
  member.is_file = libarchive().entry_filetype(header) == AE_IFREG && libarchive().entry_hardlink(header) == nullptr;
  return member;
}

std::optional<FileSection> TarReader::section(const TarMember& member) {
  State& state = *state_;
  const bool may_be = state.file_bytes && member.size > kFileBlock;
  if (!may_be || libarchive().entry_sparse_count(member.entry.get()) > 0 || !state.next_chunk()) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> first = state.offset_of_chunk();
  if (!first || state.chunk_at > 0 || *first > *state.file_bytes || member.size > *state.file_bytes - *first) {
    return std::nullopt;
  }
  return FileSection{state.number, *first, member.size, state.shown};
}

void TarReader::read(const TarMember& member, std::span<std::byte> room) {
  while (!room.empty()) {
    const std::size_t got = state_->read_some(room);
    if (got == 0) {
      throw Error(ErrorKind::decode, fmt::format("{}: is damaged: {} is shorter than its header says", state_->shown,
                                                 printable_name(member.name)));
    }
    room = room.subspan(got);
  }
}

Bytes TarReader::content(const TarMember& member) {
  Bytes bytes{ByteMemory(new std::byte[member.size]), member.size};
  read(member, {bytes.data.get(), bytes.size});
  return bytes;
}

std::vector<std::byte> tar_header(const TarMember& model, const std::string& name, std::uint64_t size) {
  const Utf8Locale locale;
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(libarchive().entry_clone(model.entry.get()),
                                                                       libarchive().entry_free);
  if (entry == nullptr) {
    throw std::bad_alloc();
  }
  if (name != model.name) {
    libarchive().entry_copy_pathname(entry.get(), name.c_str());
  }
  libarchive().entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  libarchive().entry_sparse_clear(entry.get());
  HeaderWriter writer;
  std::vector<std::byte> header = writer.header_of(entry.get());
  if (static_cast<std::uint64_t>(libarchive().entry_size(entry.get())) != size) {
    throw Error(ErrorKind::write, "the archive cannot be written: a member is longer than its header says");
  }
  return header;
}

}  // namespace gpuimg
