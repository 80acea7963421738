// libarchive with callbacks of ours: it opens no file and prints nothing.
#include "io/tar_archive.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <locale.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/descriptor.hpp"
#include "io/input_file.hpp"
#include "io/libarchive.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

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
  std::vector<std::byte> block = std::vector<std::byte>(kBlock);
  ArchiveOwner reader;

  static la_ssize_t read_block(archive* of, void* data, const void** block) {
    auto& state = *static_cast<State*>(data);
    *block = state.block.data();
    for (;;) {
      const ssize_t got = ::read(state.number, state.block.data(), state.block.size());
      if (got >= 0) {
        return got;
      }
      if (errno != EINTR) {
        libarchive().set_error(of, errno, "%s", "cannot be read");
        return ARCHIVE_FATAL;
      }
    }
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
  if (path != "-") {
    state.file.emplace(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    state.number = state.file->number();
    if (state.number < 0) {
      throw Error(ErrorKind::read, cannot_be_read(path, errno));
    }
  }
  state.reader.reset(libarchive().read_new());
  demand(state.reader);
  archive* reader = state.reader.get();
  libarchive().read_support_filter_gzip(reader);
  libarchive().read_support_filter_zstd(reader);
  libarchive().read_support_format_tar(reader);
  const Utf8Locale locale;
  if (libarchive().read_open(reader, &state, nullptr, State::read_block, nullptr) != ARCHIVE_OK) {
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

std::size_t TarReader::read(std::span<std::byte> room) {
  const la_ssize_t got = libarchive().read_data(state_->reader.get(), room.data(), room.size());
  state_->check(got);
  state_->check_expansion();
  return static_cast<std::size_t>(got);
}

Bytes TarReader::content(const TarMember& member) {
  Bytes bytes{ByteMemory(new std::byte[member.size]), member.size};
  std::size_t at = 0;
  while (at < bytes.size) {
    const std::size_t got = read({bytes.data.get() + at, bytes.size - at});
    if (got == 0) {
      throw Error(ErrorKind::decode, fmt::format("{}: is damaged: {} is shorter than its header says", state_->shown,
                                                 printable_name(member.name)));
    }
    at += got;
  }
  return bytes;
}

struct TarWriter::State {
  ByteSink sink;              ///< empty once the archive is given up
  std::exception_ptr thrown;  ///< by the sink: an exception must not pass through libarchive
  ArchiveOwner writer;

  static la_ssize_t write_block(archive* /*of*/, void* data, const void* block, std::size_t size) {
    auto& state = *static_cast<State*>(data);
    if (!state.sink) {
      return -1;
    }
    try {
      state.sink({static_cast<const std::byte*>(block), size});
    } catch (...) {
      state.thrown = std::current_exception();
      return -1;
    }
    return static_cast<la_ssize_t>(size);
  }

  void check(la_int64_t result) const {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
    if (result < ARCHIVE_WARN) {
      throw Error(ErrorKind::write, "the archive cannot be written: " + reason_of(writer.get()));
    }
  }
};

TarWriter::TarWriter(ByteSink sink) : state_(std::make_unique<State>()) {
  state_->sink = std::move(sink);
  state_->writer.reset(libarchive().write_new());
  demand(state_->writer);
  archive* writer = state_->writer.get();
  libarchive().write_set_format_pax_restricted(writer);
  libarchive().write_set_bytes_per_block(writer, static_cast<int>(kBlock));
  libarchive().write_set_bytes_in_last_block(writer, 1);
  state_->check(libarchive().write_open(writer, state_.get(), nullptr, State::write_block, nullptr));
}

/// Freeing an archive closes it, which would write what is left. It does not free all without closing
/// (archive_write_fail).
TarWriter::~TarWriter() { state_->sink = nullptr; }

void TarWriter::begin(const TarMember& model, const std::string& name, std::uint64_t size) {
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
  state_->check(libarchive().write_header(state_->writer.get(), entry.get()));
}

void TarWriter::write(std::span<const std::byte> part) {
  while (!part.empty()) {
    const la_ssize_t done = libarchive().write_data(state_->writer.get(), part.data(), part.size());
    state_->check(done);
    if (done <= 0) {
      throw Error(ErrorKind::write, "the archive cannot be written: a member is longer than its header says");
    }
    part = part.subspan(static_cast<std::size_t>(done));
  }
}

void TarWriter::finish() { state_->check(libarchive().write_close(state_->writer.get())); }

}  // namespace gpuimg
