// The budget, and the available memory from /proc/meminfo and the control group.
#include "batch/memory_budget.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace gpuimg {
namespace {

constexpr std::uint64_t kKibibyte = 1024;
constexpr std::chrono::milliseconds kPatience(100);

std::uint64_t free_in_system() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == "MemAvailable:") {
      return kibibytes * kKibibyte;
    }
  }
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// "max" or a missing file means no limit.
std::optional<std::uint64_t> number_in_file(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// Control groups version 2, as containers and Slurm use them. The limits of all parent groups apply too.
std::uint64_t free_in_group() {
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  std::ifstream membership("/proc/self/cgroup");
  std::string line;
  while (std::getline(membership, line)) {
    if (!line.starts_with("0::")) {
      continue;
    }
    for (std::string group = line.substr(3);; group.erase(group.rfind('/'))) {
      const std::string folder = "/sys/fs/cgroup" + group;
      const auto limit = number_in_file(folder + "/memory.max");
      const auto used = number_in_file(folder + "/memory.current");
      if (limit && used) {
        lowest = std::min(lowest, *limit - std::min(*limit, *used));
      }
      if (group.rfind('/') == std::string::npos) {
        break;
      }
    }
  }
  return lowest;
}

}  // namespace

bool MemoryBudget::acquire(std::uint64_t bytes, const std::function<bool()>& is_abandoned) {
  std::unique_lock lock(mutex_);
  const auto fits = [&] { return in_use_ == 0 || (bytes <= bytes_ && in_use_ <= bytes_ - bytes); };
  while (!released_.wait_for(lock, kPatience, fits)) {
    if (is_abandoned()) {
      return false;
    }
  }
  in_use_ += bytes;
  return true;
}

void MemoryBudget::release(std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    in_use_ -= bytes;
    ++releases_;
  }
  released_.notify_all();
}

bool MemoryBudget::wait_for_release(std::uint64_t seen, const std::function<bool()>& is_abandoned) {
  std::unique_lock lock(mutex_);
  while (!released_.wait_for(lock, kPatience, [&] { return releases_ > seen || in_use_ == 0; })) {
    if (is_abandoned()) {
      return false;
    }
  }
  return releases_ > seen;
}

std::uint64_t MemoryBudget::releases() const {
  const std::lock_guard lock(mutex_);
  return releases_;
}

std::uint64_t available_memory() { return std::min(free_in_system(), free_in_group()); }

std::uint64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  return file >> pages >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace gpuimg
