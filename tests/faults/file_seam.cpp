// Fault injection for files and threads: wrappers of the C library calls that gpuimg makes. The wrappers fail on
// request.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "fault_plan.hpp"

using gpuimg::faults::fails;
using gpuimg::faults::Kind;

namespace {

/// The real function.
template <class Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool rejected(Kind kind, int error) {
  if (!fails(kind)) {
    return false;
  }
  errno = error;
  return true;
}

/// Signal and event descriptors are exempt, because threads wake each other through them.
bool is_file(int file) {
  static auto* const real_fstat = reinterpret_cast<int (*)(int, struct stat*)>(::dlsym(RTLD_NEXT, "fstat"));
  struct stat found {};
  return real_fstat(file, &found) == 0 && (found.st_mode & S_IFMT) != 0;
}

/// Creates the folder right after a look-up of its name, as another process might. The test recognizes the folder by
/// its mode.
void make_if_it_appears(const char* path) {
  if (gpuimg::faults::appears(path)) {
    static auto* const real_mkdir = reinterpret_cast<int (*)(const char*, mode_t)>(::dlsym(RTLD_NEXT, "mkdir"));
    const int error = errno;
    (void)real_mkdir(path, S_IRWXU);
    errno = error;
  }
}

/// The size of a partial read or write; the system may make one at any time.
std::size_t part_of(std::size_t size) { return fails(Kind::part) ? std::max<std::size_t>(1, size / 2) : size; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (rejected(Kind::open, (flags & O_CREAT) != 0 ? ENOSPC : EMFILE)) {
    return -1;
  }
  static auto* const real_open = real(&open, "open");
  return real_open(path, flags, mode);
}

ssize_t read(int file, void* to, size_t size) {
  static auto* const real_read = real(&read, "read");
  if (!is_file(file)) {
    return real_read(file, to, size);
  }
  return rejected(Kind::read, EIO) ? -1 : real_read(file, to, part_of(size));
}

ssize_t write(int file, const void* from, size_t size) {
  static auto* const real_write = real(&write, "write");
  if (!is_file(file)) {
    return real_write(file, from, size);
  }
  return rejected(Kind::write, ENOSPC) ? -1 : real_write(file, from, part_of(size));
}

ssize_t pread(int file, void* to, size_t size, off_t offset) {
  static auto* const real_pread = real(&pread, "pread");
  return rejected(Kind::read, EIO) ? -1 : real_pread(file, to, part_of(size), offset);
}

ssize_t pwrite(int file, const void* from, size_t size, off_t offset) {
  static auto* const real_pwrite = real(&pwrite, "pwrite");
  return rejected(Kind::write, ENOSPC) ? -1 : real_pwrite(file, from, part_of(size), offset);
}

int ftruncate(int file, off_t size) noexcept {
  static auto* const real_ftruncate = real(&ftruncate, "ftruncate");
  return rejected(Kind::truncate, EIO) ? -1 : real_ftruncate(file, size);
}

int fallocate(int file, int mode, off_t offset, off_t size) {
  static auto* const real_fallocate = real(&fallocate, "fallocate");
  return rejected(Kind::map, EOPNOTSUPP) ? -1 : real_fallocate(file, mode, offset, size);
}

int madvise(void* memory, size_t size, int advice) noexcept {
  static auto* const real_madvise = real(&madvise, "madvise");
  return advice == MADV_POPULATE_WRITE && rejected(Kind::map, EFAULT) ? -1 : real_madvise(memory, size, advice);
}

/// With Kind::shared, every file appears to be on a file system in memory.
int fstatfs(int file, struct statfs* found) noexcept {
  static auto* const real_fstatfs = reinterpret_cast<int (*)(int, struct statfs*)>(::dlsym(RTLD_NEXT, "fstatfs"));
  const int result = real_fstatfs(file, found);
  if (fails(Kind::shared)) {
    found->f_type = TMPFS_MAGIC;
  }
  return result;
}

/// Closes the descriptor even if the call fails.
int close(int file) {
  static auto* const real_close = real(&close, "close");
  const int result = real_close(file);
  return rejected(Kind::close, EIO) ? -1 : result;
}

int fcntl(int file, int command, ...) {
  std::va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  static auto* const real_fcntl = real(&fcntl, "fcntl");
  return command == F_DUPFD_CLOEXEC && rejected(Kind::dup, EMFILE) ? -1 : real_fcntl(file, command, argument);
}

int stat(const char* path, struct stat* found) noexcept {
  static auto* const real_stat = reinterpret_cast<int (*)(const char*, struct stat*)>(::dlsym(RTLD_NEXT, "stat"));
  if (rejected(Kind::stat, EIO)) {
    return -1;
  }
  const int result = real_stat(path, found);
  make_if_it_appears(path);
  return result;
}

int lstat(const char* path, struct stat* found) noexcept {
  static auto* const real_lstat = reinterpret_cast<int (*)(const char*, struct stat*)>(::dlsym(RTLD_NEXT, "lstat"));
  return rejected(Kind::stat, EIO) ? -1 : real_lstat(path, found);
}

int fstat(int file, struct stat* found) noexcept {
  static auto* const real_fstat = reinterpret_cast<int (*)(int, struct stat*)>(::dlsym(RTLD_NEXT, "fstat"));
  return rejected(Kind::stat, EIO) ? -1 : real_fstat(file, found);
}

DIR* opendir(const char* path) {
  static auto* const real_opendir = real(&opendir, "opendir");
  return rejected(Kind::open, EMFILE) ? nullptr : real_opendir(path);
}

dirent* readdir(DIR* stream) {
  static auto* const real_readdir = real(&readdir, "readdir");
  return rejected(Kind::read, EIO) ? nullptr : real_readdir(stream);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real_rename = real(&rename, "rename");
  return rejected(Kind::rename, EIO) ? -1 : real_rename(from, to);
}

/// Fails like a faulty disk or, with norename, like a file system without RENAME_NOREPLACE.
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  static auto* const real_renameat2 = real(&renameat2, "renameat2");
  if (rejected(Kind::rename, EIO) || (flags != 0 && rejected(Kind::norename, EINVAL))) {
    return -1;
  }
  return real_renameat2(from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) noexcept {
  static auto* const real_link = real(&link, "link");
  return rejected(Kind::link, EPERM) ? -1 : real_link(from, to);
}

int fchmod(int file, mode_t mode) noexcept {
  static auto* const real_fchmod = real(&fchmod, "fchmod");
  return rejected(Kind::chmod, EPERM) ? -1 : real_fchmod(file, mode);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real_mkdir = real(&mkdir, "mkdir");
  return rejected(Kind::mkdir, ENOSPC) ? -1 : real_mkdir(path, mode);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  static auto* const real_create = real(&pthread_create, "pthread_create");
  return fails(Kind::thread) ? EAGAIN : real_create(thread, attributes, routine, argument);
}

/// With Kind::shared, another thread appears to hold the lock.
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static auto* const real_trylock = real(&pthread_mutex_trylock, "pthread_mutex_trylock");
  return fails(Kind::shared) ? EBUSY : real_trylock(mutex);
}
}
