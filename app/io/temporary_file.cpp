// Temporary files: names, a registry, writing and renaming, and removal of stale ones.
#include "io/temporary_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <set>
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

bool removed_if_stale(const std::string& path) {
  // Open for writing: network file systems need that for an exclusive lock.
  constexpr int kFlags = O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  int file = ::open(path.c_str(), O_RDWR | kFlags);
  if (file < 0 && errno == EACCES) {  // it has the permissions of the file it was to replace
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

/// The temporary files of this process. There is one registry, because a signal is sent to the process.
struct Registry {
  std::mutex mutex;
  std::set<std::string> paths;
};

/// Static storage: used on the out-of-memory path, so it must not allocate. Never destroyed, because threads may still
/// write while the process exits.
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

/// False if another run removed the file as stale, between its creation and its lock; then another name is needed. If
/// the file system has no locks, nobody removes anything.
bool is_kept(int file) {
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
  // Not std::random_device alone: making one asks the processor what it can, which traps in a virtual machine.
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
    removed += is_temporary_name(name, prefix) && removed_if_stale(folder + "/" + name) ? 1 : 0;
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

TemporaryFile::TemporaryFile(const std::string& target, const std::string& shown) : target_(target), shown_(shown) {
  constexpr int kAttempts = 16;
  const std::string folder = folder_of(target);
  for (int attempt = 0; attempt < kAttempts && file_ < 0; ++attempt) {
    path_ = folder + "/" + new_temporary_name();
    register_temporary(path_);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    const int failure = file_ < 0 ? errno : 0;
    if (file_ >= 0 && is_kept(file_)) {
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

void TemporaryFile::take_permissions_of(const struct stat& old) {
  constexpr mode_t kAll = S_IRWXU | S_IRWXG | S_IRWXO;
  constexpr uid_t kUnchanged = static_cast<uid_t>(-1);
  const bool has_group = ::fchown(file_, old.st_uid, old.st_gid) == 0 || ::fchown(file_, kUnchanged, old.st_gid) == 0;
  const mode_t kept = has_group ? kAll : kAll & ~mode_t{S_IRWXG};
  if (::fchmod(file_, old.st_mode & kept) != 0) {
    fail_writing(shown_, errno);
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
  // If the file system does not support RENAME_NOREPLACE, link() refuses just as safely. The destructor removes the
  // temporary name.
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
