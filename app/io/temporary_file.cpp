// Temporary files: names, a registry, removal of stale files, renaming, and writing, either in order or in parts from
// several threads at once.
#include "io/temporary_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include "io/output_file.hpp"
#include "text/fnv_hash.hpp"

namespace gpuimg {
namespace {

std::string prefix_of_this_host() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return fmt::format(".gpuimg-{:06x}", fnv_hash(host.data()) & 0xFFFFFFU);
}

bool is_temporary_name(const std::string& name, const std::string& prefix) {
  return name.size() == prefix.size() + 10 && name.starts_with(prefix) &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string::npos;
}

bool remove_if_stale(const std::string& path) {
  // Opened for writing, because network file systems require this for an exclusive lock.
  constexpr int kFlags = O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  int file = ::open(path.c_str(), O_RDWR | kFlags);
  if (file < 0 && errno == EACCES) {  // it already has the permissions of the file to replace
    file = ::open(path.c_str(), O_RDONLY | kFlags);
  }
  if (file < 0) {
    return false;
  }
  struct stat held {};
  struct stat named {};
  const bool stale = ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &held) == 0 && S_ISREG(held.st_mode) &&
                     ::lstat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev && held.st_ino == named.st_ino &&
                     ::unlink(path.c_str()) == 0;
  ::close(file);
  return stale;
}

/// The temporary files of this process. There is one registry, because signals concern the whole process.
struct Registry {
  std::mutex mutex;
  std::set<std::string> paths;
};

/// Static storage, because the out-of-memory path must not allocate. Never destroyed, because threads may still write
/// while the process exits.
union NeverDestroyed {
  NeverDestroyed() : registry{} {}
  ~NeverDestroyed() {}
  Registry registry;
};

Registry& registry() {
  static NeverDestroyed storage;
  return storage.registry;
}

/// Call before the file is created.
void register_temporary(const std::string& path) {
  const std::lock_guard lock(registry().mutex);
  registry().paths.insert(path);
}

/// Call after the file is renamed or removed.
void unregister_temporary(const std::string& path) noexcept {
  const std::lock_guard lock(registry().mutex);
  registry().paths.erase(path);
}

constexpr std::size_t kMaxBytesPerCall = std::size_t{1} << 30;

/// Locks a new file. Returns false if another run removed the file as stale before it was locked; the caller then needs
/// another name. On a file system without locks, no run removes files.
bool try_lock(int file) {
  struct stat created {};
  const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  return locked && ::fstat(file, &created) == 0 && created.st_nlink > 0;
}

void wait_until_writable(int file) {
  pollfd waiting{file, POLLOUT, 0};
  ::poll(&waiting, 1, -1);
}

}  // namespace

std::string new_temporary_name() {
  std::uint64_t random = 0;
  // std::random_device is only the fallback: constructing it queries processor features, which traps in a virtual
  // machine.
  if (::getrandom(&random, sizeof(random), 0) != static_cast<ssize_t>(sizeof(random))) {
    std::random_device source;
    random = std::uint64_t{source()} << 32 | source();
  }
  random &= 0xFFFFFFFFFFU;
  return fmt::format("{}{:010x}", prefix_of_this_host(), random);
}

std::size_t remove_stale_temporaries(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) {
    return 0;
  }
  const std::string prefix = prefix_of_this_host();
  std::size_t removed = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    removed += is_temporary_name(name, prefix) && remove_if_stale(folder + "/" + name) ? 1 : 0;
  }
  return removed;
}

void remove_registered_temporaries() {
  registry().mutex.lock();
  for (const std::string& path : registry().paths) {
    ::unlink(path.c_str());
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

void write_all(int file, std::span<const std::byte> content, const std::string& shown) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), std::min(content.size(), kMaxBytesPerCall));
    if (written > 0) {
      content = content.subspan(static_cast<std::size_t>(written));
    } else if (written == 0) {
      fail_writing(shown, EIO);
    } else if (errno == EPIPE) {
      throw OutputClosed();
    } else if (errno == EAGAIN) {
      wait_until_writable(file);
    } else if (errno != EINTR) {
      fail_writing(shown, errno);
    }
  }
}

void write_all_at(int file, std::uint64_t offset, std::span<const std::byte> content, const std::string& shown) {
  while (!content.empty()) {
    const ssize_t written =
        ::pwrite(file, content.data(), std::min(content.size(), kMaxBytesPerCall), static_cast<off_t>(offset));
    if (written > 0) {
      content = content.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    } else if (written == 0) {
      fail_writing(shown, EIO);
    } else if (errno != EINTR) {
      fail_writing(shown, errno);
    }
  }
}

void check_written(int file, const std::string& shown) {
  // Some file systems report a failed write only on close. The original descriptor keeps the lock.
  const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || (::close(copy) != 0 && errno != EINTR)) {
    fail_writing(shown, errno);
  }
}

// PartWriter: one thread writes with pwrite(); on tmpfs, up to four more write through mappings; the others wait. If a
// mapping fails, pwrite() is used, which reports the error.
namespace {

/// Bounds the memory that a mapping adds to the process, and how long others wait for the writer.
constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 20;

/// Pages are populated in steps of this size, because other threads cannot map or unmap memory meanwhile. The copy then
/// finds the pages in the cache.
constexpr std::size_t kFilledBytes = std::size_t{128} << 10;

/// The size of one mapping. While a thread maps or unmaps, no other thread can touch new memory of the process.
constexpr std::uint64_t kWindowBytes = std::uint64_t{64} << 20;

/// Archive members that are being written usually lie in two or three windows. With larger members, each copying thread
/// needs its own window.
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

  /// Populates the pages of the range. Fails if the file system has no space; writing to the pages would then raise
  /// SIGBUS.
  [[nodiscard]] bool fill(std::size_t offset, std::size_t size) const {
    return ::madvise(at(offset), size, MADV_POPULATE_WRITE) == 0;
  }

  /// Removes the pages of the range from the process; the file keeps them.
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

/// Returns false, possibly after writing some of the part, if the part must wait for the writer.
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
  if (file < 0 || !grow_to(offset + part.size())) {
    return false;
  }
  const std::shared_ptr<const Window> window = window_of(file, offset / kWindowBytes);
  if (window == nullptr) {
    return false;
  }
  // Neighboring parts share pages at their ends. This is safe: the window and pwrite() use the same memory, and a
  // dropped page returns when it is used.
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

/// Null if there is no memory for a window.
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

/// Opens the file again for reading and writing, because mappings must be readable and outputs are opened write-only.
/// Negative if this fails.
int PartWriter::readable_file() {
  std::call_once(is_opened_, [&] { readable_.emplace(::open(path_.c_str(), O_RDWR | O_CLOEXEC)); });
  return readable_->number();
}

/// A mapping cannot extend past the end of the file, so the file must grow first. Unlike ftruncate(), fallocate() never
/// shortens a file that another thread has just extended. The byte that it allocates takes a page of space until the
/// file is truncated.
bool PartWriter::grow_to(std::uint64_t end) {
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

// Extended attributes. Attributes that the system rejects are left out.
namespace {

bool is_access_list(std::string_view attribute) { return attribute.starts_with("system."); }

/// False for attributes that belong to the content (security.ima), to the file system (trusted.overlay) or to access
/// rights.
bool is_free_attribute(std::string_view attribute) {
  const bool is_restricted = attribute.starts_with("security.") || attribute.starts_with("trusted.");
  return attribute == "security.selinux" || !(is_restricted || is_access_list(attribute));
}

/// The text that get(memory, size) writes. get() returns its size, also for null memory, or -1 on failure.
template <class Get>
std::string attribute_text(const Get& get) {
  const ssize_t size = get(nullptr, 0);
  std::string text(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
  const ssize_t got = text.empty() ? 0 : get(text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

void copy_attributes(const std::string& from, int to, bool (*takes)(std::string_view attribute)) {
  const std::string names =
      attribute_text([&](char* memory, std::size_t size) { return ::listxattr(from.c_str(), memory, size); });
  for (std::size_t at = 0; at < names.size();) {
    const std::string name(names.c_str() + at);
    at += name.size() + 1;
    if (takes(name)) {
      const std::string value = attribute_text(
          [&](char* memory, std::size_t size) { return ::getxattr(from.c_str(), name.c_str(), memory, size); });
      (void)::fsetxattr(to, name.c_str(), value.data(), value.size(), 0);
    }
  }
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& target, const std::string& shown) : target_(target), shown_(shown) {
  constexpr int kAttempts = 16;
  const std::string folder = folder_of(target);
  for (int attempt = 0; attempt < kAttempts && file_ < 0; ++attempt) {
    path_ = folder + "/" + new_temporary_name();
    register_temporary(path_);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    const int failure = file_ < 0 ? errno : 0;
    if (file_ >= 0 && try_lock(file_)) {
      parts_.emplace(file_, path_, shown_);
      return;
    }
    if (file_ >= 0) {
      ::unlink(path_.c_str());
      ::close(std::exchange(file_, -1));
    }
    unregister_temporary(path_);
    if (failure != 0 && failure != EEXIST && failure != EINTR) {
      fail_writing(shown_, failure);
    }
  }
  fail_writing(shown_, EEXIST);
}

TemporaryFile::~TemporaryFile() {
  if (!renamed_) {
    ::unlink(path_.c_str());
  }
  unregister_temporary(path_);
  ::close(file_);  // also releases the lock, after the temporary name is gone
}

void TemporaryFile::take_permissions_of(const struct stat& old, const std::string& attributes_of) {
  constexpr mode_t kAll = S_IRWXU | S_IRWXG | S_IRWXO;
  constexpr uid_t kUnchanged = static_cast<uid_t>(-1);
  if (!attributes_of.empty()) {
    (void)::fchmod(file_, S_IRUSR | S_IWUSR);  // attributes may be private, and cannot be set on a read-only file
    copy_attributes(attributes_of, file_, is_free_attribute);
  }
  const bool has_group = ::fchown(file_, old.st_uid, old.st_gid) == 0 || ::fchown(file_, kUnchanged, old.st_gid) == 0;
  const mode_t kept = has_group ? kAll : kAll & ~mode_t{S_IRWXG};
  if (::fchmod(file_, old.st_mode & kept) != 0) {
    fail_writing(shown_, errno);
  }
  if (!attributes_of.empty() && has_group) {
    copy_attributes(attributes_of, file_, is_access_list);
  }
}

void TemporaryFile::write(std::span<const std::byte> content) {
  write_all(file_, content, shown_);
  appended_ += content.size();
}

void TemporaryFile::write_at(std::uint64_t offset, std::span<const std::byte> content) {
  parts_->write_at(offset, content);
}

void TemporaryFile::flush() {
  parts_->finish(appended_);
  check_written(file_, shown_);
}

int TemporaryFile::set_times(const timespec& accessed, const timespec& modified) {
  const std::array<timespec, 2> times = {accessed, modified};
  return ::futimens(file_, times.data()) == 0 ? 0 : errno;
}

void TemporaryFile::replace_target() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) {
    fail_writing(shown_, errno);
  }
  renamed_ = true;
}

void TemporaryFile::become_target() {
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) {
    renamed_ = true;
    return;
  }
  // If the file system does not support RENAME_NOREPLACE, link() is as safe: it fails if the target exists. The
  // destructor removes the temporary name.
  const bool can_try_link = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  if (can_try_link && ::link(path_.c_str(), target_.c_str()) == 0) {
    return;
  }
  if (errno == EEXIST) {
    fail_writing(shown_, "it already exists; use --force to replace it, or another name");
  }
  if (can_try_link) {
    fail_writing(shown_, "this file system cannot rename without replacing; use --force, or write elsewhere");
  }
  fail_writing(shown_, errno);
}

}  // namespace gpuimg
