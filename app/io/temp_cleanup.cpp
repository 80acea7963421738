// Names temporary files and removes stale ones.
#include "io/temp_cleanup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <random>

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

}  // namespace gpuimg
