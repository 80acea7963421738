// Reads /proc/meminfo, the limits of control groups and /proc/self/statm.
#include "engine/host_memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "cli/option_values.hpp"
#include "io/control_group.hpp"
#include "text/number_text.hpp"

namespace gpuimg {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

/// A line "NAME: KIBIBYTES kB" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> memory_fact(std::string_view wanted) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes && std::getline(file, unit)) {
    if (name == wanted) {
      return kibibytes * kKibibyte;
    }
  }
  return std::nullopt;
}

std::uint64_t free_in_system() {
  if (const std::optional<std::uint64_t> available = memory_fact("MemAvailable:")) {
    return *available;
  }
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<GroupMemory> memory_of_group() { return group_memory(memory_fact("SwapFree:").value_or(0)); }

/// Resident set size of the process, in bytes.
std::uint64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  return file >> pages >> resident ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::uint64_t left_by_option(std::uint64_t limit) {
  const std::uint64_t held = resident_memory();
  return limit > held ? limit - held : 0;
}

}  // namespace

std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit) {
  const std::optional<GroupMemory> group = memory_of_group();
  const std::uint64_t free = group ? group->free : std::numeric_limits<std::uint64_t>::max();
  return limit ? std::min(left_by_option(*limit), free) : std::min(free_in_system(), free) / 2;
}

std::optional<MostMemory> memory_for_one(const std::optional<std::uint64_t>& limit) {
  const std::optional<GroupMemory> group = memory_of_group();
  const std::optional<std::uint64_t> left = limit ? std::optional(left_by_option(*limit)) : std::nullopt;
  if (group && (!left || group->free_with_swap < *left)) {
    return MostMemory{group->free_with_swap, std::nullopt};
  }
  return left ? std::optional(MostMemory{*left, limit}) : std::nullopt;
}

void return_freed_memory() { ::mallopt(M_MMAP_THRESHOLD, 256 << 10); }

std::string why_too_large(std::uint64_t bytes, const MostMemory& most) {
  const std::string needed = fmt::format("needs about {} MB of memory", grouped((bytes >> 20) + 1));
  const std::string left = grouped(most.bytes >> 20);
  if (!most.option) {
    return fmt::format(
        "{}, but the limit of its control group (container, job or service) leaves {} MB; raise that limit by {} MB or "
        "more",
        needed, left, grouped(((bytes - std::min(bytes, most.bytes)) >> 20) + 1));
  }
  constexpr std::uint64_t kVaries = std::uint64_t{1} << 20;  // what the next process holds, which is measured again
  const std::uint64_t held = (most.bytes > 0 ? *most.option - most.bytes : resident_memory()) + kVaries;
  return fmt::format("{}, but --max-memory leaves {} MB; give --max-memory {} or more", needed, left,
                     byte_size_text(held + bytes));
}

}  // namespace gpuimg
