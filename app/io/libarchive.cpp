// Opens libarchive, and handles its failures.
#include "io/libarchive.hpp"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>

#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

thread_local bool is_in_libarchive = false;

/// Called by exit(). If libarchive has called exit(), terminates the process before exit() destroys objects that other
/// threads use.
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
  LibArchive found;
  (void)std::atexit(end_without_memory);
#if !GPUIMG_LINKS_ARCHIVE
  if (!found.library.has_all()) {
    return std::nullopt;
  }
#endif
  return found;
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
  return text == nullptr ? "the rest cannot be read" : printable_name(text);
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
