// Opens libarchive.
#include "io/libarchive.hpp"

#include <dlfcn.h>

#include <optional>

#include "gpuimg/error.hpp"

namespace gpuimg {
namespace {

/// The functions of a library, as long as all are there.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    all_ = all_ && function != nullptr;
  }
  [[nodiscard]] bool all() const { return all_; }

 private:
  void* library_;
  bool all_ = true;
};

std::optional<LibArchive> open() {
  void* library = ::dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);  // of all versions 3; stays open
  if (library == nullptr) {
    return std::nullopt;
  }
  LibArchive found;
  Symbols symbols(library);
  symbols.find(found.entry_clone, "archive_entry_clone");
  symbols.find(found.entry_copy_pathname, "archive_entry_copy_pathname");
  symbols.find(found.entry_filetype, "archive_entry_filetype");
  symbols.find(found.entry_free, "archive_entry_free");
  symbols.find(found.entry_hardlink, "archive_entry_hardlink");
  symbols.find(found.entry_pathname, "archive_entry_pathname");
  symbols.find(found.entry_pathname_utf8, "archive_entry_pathname_utf8");
  symbols.find(found.entry_set_size, "archive_entry_set_size");
  symbols.find(found.entry_size, "archive_entry_size");
  symbols.find(found.entry_sparse_clear, "archive_entry_sparse_clear");
  symbols.find(found.entry_sparse_count, "archive_entry_sparse_count");
  symbols.find(found.error_string, "archive_error_string");
  symbols.find(found.filter_bytes, "archive_filter_bytes");
  symbols.find(found.free, "archive_free");
  symbols.find(found.read_data_block, "archive_read_data_block");
  symbols.find(found.read_new, "archive_read_new");
  symbols.find(found.read_next_header, "archive_read_next_header");
  symbols.find(found.read_open2, "archive_read_open2");
  symbols.find(found.read_support_filter_gzip, "archive_read_support_filter_gzip");
  symbols.find(found.read_support_filter_zstd, "archive_read_support_filter_zstd");
  symbols.find(found.read_support_format_tar, "archive_read_support_format_tar");
  symbols.find(found.set_error, "archive_set_error");
  symbols.find(found.version_number, "archive_version_number");
  symbols.find(found.write_header, "archive_write_header");
  symbols.find(found.write_new, "archive_write_new");
  symbols.find(found.write_open, "archive_write_open");
  symbols.find(found.write_set_bytes_per_block, "archive_write_set_bytes_per_block");
  symbols.find(found.write_set_format_pax_restricted, "archive_write_set_format_pax_restricted");
  return symbols.all() ? std::optional(found) : std::nullopt;
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

}  // namespace gpuimg
