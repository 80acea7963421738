// libarchive, opened when an archive is first used. It is not linked, because it depends on libraries that are larger
// than gpuimg; a build needs only its headers. GPUIMG_STATIC links it instead, reduced to what tar needs.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <locale.h>

#include <memory>
#include <mutex>
#include <string>

#include "io/system_handles.hpp"

#if GPUIMG_LINKS_ARCHIVE
#define GPUIMG_ARCHIVE_FUNCTION(member, name) decltype(&::name) member = &::name
#else
#define GPUIMG_ARCHIVE_FUNCTION GPUIMG_LIBRARY_FUNCTION
#endif

namespace gpuimg {

/// The functions of libarchive, without their prefix.
struct LibArchive {
#if !GPUIMG_LINKS_ARCHIVE
  SharedLibrary library{"libarchive.so.13"};  // the soname of all 3.x versions
#endif
  GPUIMG_ARCHIVE_FUNCTION(clear_error, archive_clear_error);
  GPUIMG_ARCHIVE_FUNCTION(entry_clone, archive_entry_clone);
  GPUIMG_ARCHIVE_FUNCTION(entry_copy_pathname, archive_entry_copy_pathname);
  GPUIMG_ARCHIVE_FUNCTION(entry_filetype, archive_entry_filetype);
  GPUIMG_ARCHIVE_FUNCTION(entry_free, archive_entry_free);
  GPUIMG_ARCHIVE_FUNCTION(entry_hardlink, archive_entry_hardlink);
  GPUIMG_ARCHIVE_FUNCTION(entry_new2, archive_entry_new2);
  GPUIMG_ARCHIVE_FUNCTION(entry_pathname, archive_entry_pathname);
  GPUIMG_ARCHIVE_FUNCTION(entry_pathname_utf8, archive_entry_pathname_utf8);
  GPUIMG_ARCHIVE_FUNCTION(entry_set_size, archive_entry_set_size);
  GPUIMG_ARCHIVE_FUNCTION(entry_size, archive_entry_size);
  GPUIMG_ARCHIVE_FUNCTION(entry_sparse_clear, archive_entry_sparse_clear);
  GPUIMG_ARCHIVE_FUNCTION(entry_sparse_count, archive_entry_sparse_count);
  GPUIMG_ARCHIVE_FUNCTION(error_number, archive_errno);
  GPUIMG_ARCHIVE_FUNCTION(error_string, archive_error_string);
  GPUIMG_ARCHIVE_FUNCTION(filter_bytes, archive_filter_bytes);
  GPUIMG_ARCHIVE_FUNCTION(filter_code, archive_filter_code);
  GPUIMG_ARCHIVE_FUNCTION(free, archive_free);
  GPUIMG_ARCHIVE_FUNCTION(read_data_block, archive_read_data_block);
  GPUIMG_ARCHIVE_FUNCTION(read_new, archive_read_new);
  GPUIMG_ARCHIVE_FUNCTION(read_next_header2, archive_read_next_header2);
  GPUIMG_ARCHIVE_FUNCTION(read_open1, archive_read_open1);
  GPUIMG_ARCHIVE_FUNCTION(read_set_callback_data, archive_read_set_callback_data);
  GPUIMG_ARCHIVE_FUNCTION(read_set_read_callback, archive_read_set_read_callback);
  GPUIMG_ARCHIVE_FUNCTION(read_set_skip_callback, archive_read_set_skip_callback);
  GPUIMG_ARCHIVE_FUNCTION(read_support_filter_zstd, archive_read_support_filter_zstd);
  GPUIMG_ARCHIVE_FUNCTION(read_support_format_tar, archive_read_support_format_tar);
  GPUIMG_ARCHIVE_FUNCTION(set_error, archive_set_error);
  GPUIMG_ARCHIVE_FUNCTION(version_number, archive_version_number);
  GPUIMG_ARCHIVE_FUNCTION(write_header, archive_write_header);
  GPUIMG_ARCHIVE_FUNCTION(write_new, archive_write_new);
  GPUIMG_ARCHIVE_FUNCTION(write_open, archive_write_open);
  GPUIMG_ARCHIVE_FUNCTION(write_set_bytes_per_block, archive_write_set_bytes_per_block);
  GPUIMG_ARCHIVE_FUNCTION(write_set_format_pax_restricted, archive_write_set_format_pax_restricted);
};
#undef GPUIMG_ARCHIVE_FUNCTION

/// Null if libarchive is not installed.
const LibArchive* find_libarchive() noexcept;

/// Throws Error{unsupported} if libarchive is not installed.
const LibArchive& libarchive();

struct ArchiveDeleter {
  void operator()(archive* of) const { libarchive().free(of); }
};
using ArchiveOwner = std::unique_ptr<archive, ArchiveDeleter>;

/// Throws std::bad_alloc for null.
ArchiveOwner owned(archive* made);

/// The reason why the last call failed, as printable text. Throws std::bad_alloc if memory ran out. Decompressors
/// report a lack of memory as damage, so errno ENOMEM is also checked; errno must have been 0 before the call.
std::string failure_of(archive* of);

/// While an object of this class lives, only its thread works with names in libarchive. It sets errno to 0 and handles
/// two habits of libarchive:
///  - Names are converted by the locale of the thread. C.UTF-8 keeps UTF-8 and other bytes unchanged.
///  - libarchive calls exit() if there is no memory for a name or an error message. This class turns exit() into
///    std::terminate() with std::bad_alloc. Two threads must not call exit() at once.
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
