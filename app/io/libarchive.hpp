// libarchive, opened when an archive is named. Its headers are needed to build, its library only to run: it brings
// libraries along that are larger than gpuimg.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <locale.h>

#include <memory>
#include <mutex>
#include <string>

namespace gpuimg {

/// Its functions, without their prefix.
struct LibArchive {
  decltype(&::archive_clear_error) clear_error = nullptr;
  decltype(&::archive_entry_clone) entry_clone = nullptr;
  decltype(&::archive_entry_copy_pathname) entry_copy_pathname = nullptr;
  decltype(&::archive_entry_filetype) entry_filetype = nullptr;
  decltype(&::archive_entry_free) entry_free = nullptr;
  decltype(&::archive_entry_hardlink) entry_hardlink = nullptr;
  decltype(&::archive_entry_new2) entry_new2 = nullptr;
  decltype(&::archive_entry_pathname) entry_pathname = nullptr;
  decltype(&::archive_entry_pathname_utf8) entry_pathname_utf8 = nullptr;
  decltype(&::archive_entry_set_size) entry_set_size = nullptr;
  decltype(&::archive_entry_size) entry_size = nullptr;
  decltype(&::archive_entry_sparse_clear) entry_sparse_clear = nullptr;
  decltype(&::archive_entry_sparse_count) entry_sparse_count = nullptr;
  decltype(&::archive_errno) error_number = nullptr;
  decltype(&::archive_error_string) error_string = nullptr;
  decltype(&::archive_filter_bytes) filter_bytes = nullptr;
  decltype(&::archive_filter_code) filter_code = nullptr;
  decltype(&::archive_free) free = nullptr;
  decltype(&::archive_read_data_block) read_data_block = nullptr;
  decltype(&::archive_read_new) read_new = nullptr;
  decltype(&::archive_read_next_header2) read_next_header2 = nullptr;
  decltype(&::archive_read_open1) read_open1 = nullptr;
  decltype(&::archive_read_set_callback_data) read_set_callback_data = nullptr;
  decltype(&::archive_read_set_read_callback) read_set_read_callback = nullptr;
  decltype(&::archive_read_set_skip_callback) read_set_skip_callback = nullptr;
  decltype(&::archive_read_support_filter_zstd) read_support_filter_zstd = nullptr;
  decltype(&::archive_read_support_format_tar) read_support_format_tar = nullptr;
  decltype(&::archive_set_error) set_error = nullptr;
  decltype(&::archive_version_number) version_number = nullptr;
  decltype(&::archive_write_header) write_header = nullptr;
  decltype(&::archive_write_new) write_new = nullptr;
  decltype(&::archive_write_open) write_open = nullptr;
  decltype(&::archive_write_set_bytes_per_block) write_set_bytes_per_block = nullptr;
  decltype(&::archive_write_set_format_pax_restricted) write_set_format_pax_restricted = nullptr;
};

/// Null if it is not installed.
const LibArchive* find_libarchive() noexcept;

/// Throws Error{unsupported} if it is not installed.
const LibArchive& libarchive();

struct ArchiveDeleter {
  void operator()(archive* of) const { libarchive().free(of); }
};
using ArchiveOwner = std::unique_ptr<archive, ArchiveDeleter>;

/// Throws std::bad_alloc for null.
ArchiveOwner owned(archive* made);

/// Why the last call failed, printable. Throws std::bad_alloc if memory ran out; errno says so too, as decompressors
/// call that damage. It must have been 0 before the call.
std::string failure_of(archive* of);

/// While it lives, this thread alone works with names in libarchive, which
///  - converts names by the locale of the thread: in C.UTF-8, UTF-8 stays as it is, and so do other bytes; and
///  - calls exit() if it has no memory for a name or an error message: that becomes std::terminate() with
///    std::bad_alloc. Two threads must not call exit() at once.
/// It begins with errno 0.
class InLibarchive {
 public:
  InLibarchive();
  InLibarchive(const InLibarchive&) = delete;
  InLibarchive& operator=(const InLibarchive&) = delete;
  ~InLibarchive();

 private:
  std::unique_lock<std::mutex> lock_;
  locale_t before_;
};

}  // namespace gpuimg
