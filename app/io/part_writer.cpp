// One writer by pwrite(), in memory four more by mappings; the others wait. Whatever a mapping cannot do is left to
// pwrite(), which has the error.
#include "io/part_writer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "io/output_file.hpp"
#include "io/temporary_file.hpp"

namespace gpuimg {
namespace {

/// Bounds the memory that a mapping adds to the process, and how long others wait for the writer.
constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 20;

/// Filled with pages at once: other threads cannot map or unmap memory meanwhile. The copy finds it in the cache.
constexpr std::size_t kFilledBytes = std::size_t{128} << 10;

/// Mapped at once. Other threads cannot use any memory of the process for the first time while one maps or unmaps.
constexpr std::uint64_t kWindowBytes = std::uint64_t{64} << 20;

/// Members in flight are mostly in two or three windows; of larger ones, as many as threads copy.
constexpr std::size_t kMaxWindows = 4;

/// The file grows by this much at a time, as a hole. Growing waits for the writer.
constexpr std::uint64_t kGrowthBytes = std::uint64_t{256} << 20;

constexpr auto kTmpfs = 0x01021994;  ///< TMPFS_MAGIC of statfs(2)

}  // namespace

/// A window of the file.
class PartWriter::Window {
 public:
  Window(int file, std::uint64_t number)
      : number_(number),
        memory_(::mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                       static_cast<off_t>(number * kWindowBytes))) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    if (is_mapped()) {
      ::munmap(memory_, kWindowBytes);
    }
  }

  [[nodiscard]] bool is_mapped() const { return memory_ != MAP_FAILED; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

  /// Gives the range its pages. Where space is lacking this fails, and writing to the memory would raise SIGBUS.
  [[nodiscard]] bool fill(std::size_t offset, std::size_t size) const {
    return ::madvise(at(offset), size, MADV_POPULATE_WRITE) == 0;
  }

  /// The process no longer has the pages of the range; the file keeps them.
  void drop(std::size_t offset, std::size_t size) const { (void)::madvise(at(offset), size, MADV_DONTNEED); }

  [[nodiscard]] std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(memory_) + offset; }

 private:
  std::uint64_t number_;
  void* memory_;
};

PartWriter::PartWriter(int file, const std::string& path, const std::string& shown)
    : file_(file), path_(path), shown_(shown) {}

PartWriter::~PartWriter() = default;

void PartWriter::write_at(std::uint64_t offset, std::span<const std::byte> part) {
  if (part.empty()) {
    return;
  }
  const std::uint64_t end = offset + part.size();
  for (std::uint64_t before = end_; before < end && !end_.compare_exchange_weak(before, end);) {
  }
  while (!part.empty()) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), kPartBytes - offset % kPartBytes));
    std::unique_lock writer(writing_, std::try_to_lock);
    if (writer || !write_beside(offset, part.first(size))) {
      if (!writer) {
        writer.lock();
      }
      write_all_at(file_, offset, part.first(size), shown_);
    }
    part = part.subspan(size);
    offset += size;
  }
}

/// False without having written all, if this part must wait for the writer.
bool PartWriter::write_beside(std::uint64_t offset, std::span<const std::byte> part) {
  if (!is_in_memory() || !mappers_.try_acquire()) {
    return false;
  }
  const bool is_written = copy_to_mapping(offset, part);
  mappers_.release();
  return is_written;
}

void PartWriter::finish(std::uint64_t appended) {
  const std::uint64_t end = std::max<std::uint64_t>(end_, appended);
  while (grown_ > end && ::ftruncate(file_, static_cast<off_t>(end)) != 0) {
    if (errno != EINTR) {
      fail_writing(shown_, errno);
    }
  }
}

bool PartWriter::is_in_memory() {
  std::call_once(is_examined_, [&] {
    struct statfs found {};
    in_memory_ = ::fstatfs(file_, &found) == 0 && found.f_type == kTmpfs;
  });
  return in_memory_;
}

bool PartWriter::copy_to_mapping(std::uint64_t offset, std::span<const std::byte> part) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const int file = readable_file();
  if (file < 0 || !is_grown_to(offset + part.size())) {
    return false;
  }
  const std::shared_ptr<const Window> window = window_of(file, offset / kWindowBytes);
  if (window == nullptr) {
    return false;
  }
  // Neighbors share pages at the ends of a part: the window and pwrite() are the same memory, and what is dropped comes
  // back when it is used.
  const auto skipped = static_cast<std::size_t>(offset % page);
  const auto begin = static_cast<std::size_t>(offset % kWindowBytes) - skipped;
  const std::size_t size = skipped + part.size();
  std::size_t filled = 0;
  for (std::size_t copied = 0; filled < size; copied = filled - skipped) {
    const std::size_t next = std::min(size, filled + kFilledBytes);
    if (!window->fill(begin + filled, next - filled)) {
      break;
    }
    filled = next;
    std::memcpy(window->at(begin + skipped + copied), part.data() + copied, filled - skipped - copied);
  }
  window->drop(begin, size);
  return filled == size;
}

/// Null if there is no memory for one.
std::shared_ptr<const PartWriter::Window> PartWriter::window_of(int file, std::uint64_t number) {
  const std::lock_guard lock(mapping_);
  const auto known = std::ranges::find(windows_, number, [](const auto& window) { return window->number(); });
  if (known != windows_.end()) {
    return *known;
  }
  try {
    const auto made = std::make_shared<const Window>(file, number);
    if (!made->is_mapped()) {
      return nullptr;
    }
    if (windows_.size() == kMaxWindows) {
      windows_.erase(std::ranges::min_element(windows_, {}, [](const auto& window) { return window->number(); }));
    }
    return windows_.emplace_back(made);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// A mapping must be readable, and outputs are open for writing alone. Negative if the file cannot be opened so.
int PartWriter::readable_file() {
  std::call_once(is_opened_, [&] { readable_.emplace(::open(path_.c_str(), O_RDWR | O_CLOEXEC)); });
  return readable_->number();
}

/// A mapping holds nothing past the end of the file. fallocate() never shortens a file that another thread has just
/// made longer, as ftruncate() would. Its one byte takes a page, so this much more space is needed meanwhile.
bool PartWriter::is_grown_to(std::uint64_t end) {
  if (end <= grown_) {
    return true;
  }
  const std::lock_guard lock(growing_);
  if (end <= grown_) {
    return true;
  }
  const std::uint64_t grown = (end / kGrowthBytes + 1) * kGrowthBytes;
  if (::fallocate(file_, 0, static_cast<off_t>(grown - 1), 1) != 0) {
    return false;
  }
  grown_ = grown;
  return true;
}

}  // namespace gpuimg
