// Reads /proc/meminfo, the control group and /proc/self/statm.
#include "engine/host_memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "cli/byte_size.hpp"
#include "text/number_text.hpp"

namespace gpuimg {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

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

/// Resident set size of the process, in bytes.
std::uint64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  return file >> pages >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

std::uint64_t available_memory() { return std::min(free_in_system(), free_in_group()); }

std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit) {
  const std::uint64_t held = limit ? resident_memory() : 0;
  return !limit ? available_memory() / 2 : *limit > held ? *limit - held : 0;
}

void return_freed_memory() { ::mallopt(M_MMAP_THRESHOLD, 256 << 10); }

std::string why_too_large(std::uint64_t bytes, std::uint64_t limit, std::uint64_t room) {
  constexpr std::uint64_t kVaries = std::uint64_t{1} << 20;  // what the next process holds, which is measured again
  const std::uint64_t held = (room > 0 ? limit - room : resident_memory()) + kVaries;
  return fmt::format("needs about {} MB of memory, but --max-memory leaves {} MB; give --max-memory {} or more",
                     grouped((bytes >> 20) + 1), grouped(room >> 20), byte_size_text(held + bytes));
}

}  // namespace gpuimg
