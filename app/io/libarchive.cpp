// Opens libarchive.
#include "io/libarchive.hpp"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>

#include "gpuimg/error.hpp"
#include "io/shared_library.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

thread_local bool is_in_libarchive = false;

/// exit() would destroy what other threads use.
void end_without_memory() noexcept {
  if (is_in_libarchive) {
    try {
      throw std::bad_alloc();
    } catch (const std::bad_alloc&) {
      std::terminate();
    }
  }
}

std::optional<LibArchive> open() {
  SharedLibrary library("libarchive.so.13");  // of all versions 3
  LibArchive found;
  library.find(found.clear_error, "archive_clear_error");
  library.find(found.entry_clone, "archive_entry_clone");
  library.find(found.entry_copy_pathname, "archive_entry_copy_pathname");
  library.find(found.entry_filetype, "archive_entry_filetype");
  library.find(found.entry_free, "archive_entry_free");
  library.find(found.entry_hardlink, "archive_entry_hardlink");
  library.find(found.entry_new2, "archive_entry_new2");
  library.find(found.entry_pathname, "archive_entry_pathname");
  library.find(found.entry_pathname_utf8, "archive_entry_pathname_utf8");
  library.find(found.entry_set_size, "archive_entry_set_size");
  library.find(found.entry_size, "archive_entry_size");
  library.find(found.entry_sparse_clear, "archive_entry_sparse_clear");
  library.find(found.entry_sparse_count, "archive_entry_sparse_count");
  library.find(found.error_number, "archive_errno");
  library.find(found.error_string, "archive_error_string");
  library.find(found.filter_bytes, "archive_filter_bytes");
  library.find(found.filter_code, "archive_filter_code");
  library.find(found.free, "archive_free");
  library.find(found.read_data_block, "archive_read_data_block");
  library.find(found.read_new, "archive_read_new");
  library.find(found.read_next_header2, "archive_read_next_header2");
  library.find(found.read_open1, "archive_read_open1");
  library.find(found.read_set_callback_data, "archive_read_set_callback_data");
  library.find(found.read_set_read_callback, "archive_read_set_read_callback");
  library.find(found.read_set_skip_callback, "archive_read_set_skip_callback");
  library.find(found.read_support_filter_zstd, "archive_read_support_filter_zstd");
  library.find(found.read_support_format_tar, "archive_read_support_format_tar");
  library.find(found.set_error, "archive_set_error");
  library.find(found.version_number, "archive_version_number");
  library.find(found.write_header, "archive_write_header");
  library.find(found.write_new, "archive_write_new");
  library.find(found.write_open, "archive_write_open");
  library.find(found.write_set_bytes_per_block, "archive_write_set_bytes_per_block");
  library.find(found.write_set_format_pax_restricted, "archive_write_set_format_pax_restricted");
  (void)std::atexit(end_without_memory);
  return library.has_all() ? std::optional(found) : std::nullopt;
}

}  // namespace

const LibArchive* find_libarchive() noexcept {
  static const std::optional<LibArchive> kFound = open();
  return kFound ? &*kFound : nullptr;
}

const LibArchive& libarchive() {
  const LibArchive* found = find_libarchive();
  if (found == nullptr) {
    throw Error(ErrorKind::unsupported,
                "tar archives need libarchive, which is not installed (Debian and Ubuntu: apt-get install "
                "libarchive13); install it, or unpack the archive and name the folder");
  }
  return *found;
}

ArchiveOwner owned(archive* made) {
  if (made == nullptr) {
    throw std::bad_alloc();
  }
  return ArchiveOwner(made);
}

std::string failure_of(archive* of) {
  const bool has_memory = errno != ENOMEM && libarchive().error_number(of) != ENOMEM;
  const char* text = libarchive().error_string(of);
  if (!has_memory) {
    throw std::bad_alloc();
  }
  return text == nullptr ? "what follows cannot be read" : printable_name(text);
}

InLibarchive::InLibarchive() {
  static std::mutex one;
  lock_ = std::unique_lock(one);
  is_in_libarchive = true;
  static const locale_t kUtf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  before_ = kUtf8 == locale_t{} ? locale_t{} : ::uselocale(kUtf8);
  errno = 0;
}

InLibarchive::~InLibarchive() {
  is_in_libarchive = false;
  if (before_ != locale_t{}) {
    ::uselocale(before_);
  }
}

}  // namespace gpuimg
