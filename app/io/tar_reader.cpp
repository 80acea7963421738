// libarchive with callbacks of ours: it opens no file and prints nothing.
#include "io/tar_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "gpuimg/error.hpp"
#include "io/libarchive.hpp"
#include "io/tar_input.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

// A bomb expands a thousandfold; images do not shrink by gzip or zstd.
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
  std::span<const std::byte> chunk;  ///< what libarchive has read of the member and read_some() has not yet taken
  std::uint64_t chunk_at = 0;        ///< where it is in the member; zeros are before it in a sparse member
  std::uint64_t taken = 0;           ///< by read_some()
  bool has_member = false;

  /// libarchive keeps the memory of a message for the next one: from here on, it has no reason to call exit() while it
  /// reads content, outside InLibarchive.
  void reserve_message() {
    constexpr std::size_t kLongest = 512;
    libarchive().set_error(reader.get(), 0, "%s", std::string(kLongest, ' ').c_str());
    libarchive().clear_error(reader.get());
  }

  /// Decompresses what is left of the member: libarchive would do so without regard to the limit on expansion.
  void pass_over() {
    const bool is_compressed = input.is_gzip() || libarchive().filter_code(reader.get(), 0) != ARCHIVE_FILTER_NONE;
    while (is_compressed && has_member && next_chunk()) {
      taken = chunk_at + chunk.size();
    }
  }

  /// Behind the end of the archive: only there is the check sum of a .tar.gz.
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

  /// A warning is about a name or an attribute, not about content. A retry would look for a sound header behind one
  /// that is damaged.
  void check(int result) const {
    if (result < ARCHIVE_WARN || result == ARCHIVE_RETRY) {
      check_input();
      throw damaged(failure_of(reader.get()));
    }
  }

  /// A file that cannot be read need not be damaged.
  void check_input() const {
    if (input.failure() != 0) {
      throw Error(ErrorKind::read, cannot_be_read(input.shown(), input.failure()));
    }
    if (input.damage() != nullptr) {
      throw damaged(input.damage());
    }
  }

  [[nodiscard]] Error damaged(const std::string& how) const {
    return Error(ErrorKind::decode, fmt::format("{}: is damaged: {}; download or copy it again", input.shown(), how));
  }

  void check_expansion() const {
    const auto given = static_cast<std::int64_t>(input.bytes_given());
    const std::int64_t out = std::max<std::int64_t>(libarchive().filter_bytes(reader.get(), 0), given);
    const auto in = static_cast<std::int64_t>(input.bytes_taken());
    if (out > kAlwaysAllowed && out / kMaxExpansion > in) {
      throw Error(ErrorKind::decode, fmt::format("{}: expands to more than {} times its size; decompress it first if "
                                                 "it is to be trusted",
                                                 input.shown(), kMaxExpansion));
    }
  }
};

TarReader::TarReader(const std::string& path) : state_(std::make_unique<State>(path)) {
  State& state = *state_;
  archive* reader = state.reader.get();
  const InLibarchive call;
  state.reserve_message();
  state.check(libarchive().read_support_filter_zstd(reader));
  state.check(libarchive().read_support_format_tar(reader));
  // One by one: archive_read_open2() checks none of them, and needs their memory.
  state.check(libarchive().read_set_read_callback(reader, TarInput::read));
  state.check(libarchive().read_set_skip_callback(reader, TarInput::skip));
  state.check(libarchive().read_set_callback_data(reader, &state.input));
  if (libarchive().read_open1(reader) != ARCHIVE_OK) {
    state.check_input();
    throw Error(ErrorKind::decode,
                fmt::format("{}: cannot be read as a tar archive: {}; check that it is one, and whole",
                            state.input.shown(), failure_of(reader)));
  }
}

TarReader::~TarReader() = default;

std::optional<TarMember> TarReader::next() {
  state_->pass_over();
  const InLibarchive call;
  // With read_next_header() libarchive would make the entry, and not check that it has.
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
