// Creates, writes and renames temporary files.
#include "io/temporary_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "io/output_error.hpp"
#include "io/output_file.hpp"
#include "io/temp_cleanup.hpp"
#include "io/temp_registry.hpp"

namespace gpuimg {
namespace {

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
