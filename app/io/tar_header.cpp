// Makes the headers of members to write. libarchive writes each header as the beginning of a separate archive.
#include "io/tar.hpp"

#include <memory>
#include <new>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/libarchive.hpp"

namespace gpuimg {
namespace {

class HeaderWriter {
 public:
  HeaderWriter() : writer_(owned(libarchive().write_new())) {
    check(libarchive().write_set_format_pax_restricted(writer_.get()));
    check(libarchive().write_set_bytes_per_block(writer_.get(), 0));  // no buffering: each part is written at once
    check(libarchive().write_open(writer_.get(), this, nullptr, collect, nullptr));
  }
  HeaderWriter(const HeaderWriter&) = delete;
  HeaderWriter& operator=(const HeaderWriter&) = delete;

  /// Freeing an archive closes it, which would write the missing content; is_done_ discards these bytes.
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
      throw Error(ErrorKind::write, "the archive cannot be written: " + failure_of(writer_.get()));
    }
  }

  std::vector<std::byte> bytes_;
  bool is_done_ = false;
  bool lacks_memory_ = false;
  ArchiveOwner writer_;  ///< the last data member, so it is destroyed first
};

}  // namespace

std::vector<std::byte> tar_header(const TarMember& model, const std::string& name, std::uint64_t size) {
  const InLibarchive call;
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
