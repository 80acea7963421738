// Finds the control groups with /proc/self/cgroup and /proc/self/mountinfo: man 7 cgroups, man 5 proc.
#include "io/control_group.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <vector>

namespace gpuimg {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// A version 1 controller, such as "memory", or kVersion2 for all version 2 controllers.
using Controller = std::string_view;
constexpr Controller kVersion2;

struct GroupMount {
  std::string group;  ///< the group that is mounted at `folder`
  std::string folder;
};

bool is_listed(std::string_view name, std::string_view comma_separated) {
  for (std::size_t begin = 0; begin <= comma_separated.size();) {
    const std::size_t end = std::min(comma_separated.find(',', begin), comma_separated.size());
    if (comma_separated.substr(begin, end - begin) == name) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

/// The kernel escapes space, tab, line break and backslash as three octal digits: "\040".
std::string unescaped(const std::string& text) {
  constexpr std::size_t kDigits = 3;
  constexpr int kOctal = 8;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char code = 0;
    const char* const first = text.data() + i + 1;
    if (text[i] == '\\' && text.size() - i > kDigits &&
        std::from_chars(first, first + kDigits, code, kOctal).ptr == first + kDigits) {
      plain += static_cast<char>(code);
      i += kDigits;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// The path of the process's group, from a line such as "4:memory:/job/7" (version 1) or "0::/job/7" (version 2).
std::optional<std::string> own_group(const std::string& root, Controller controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (controller == kVersion2 ? controllers.empty() && line.starts_with("0:") : is_listed(controller, controllers)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

/// Parses a line "32 31 0:29 GROUP FOLDER OPTIONS [FIELD]... - TYPE SOURCE SUPER_OPTIONS".
std::optional<GroupMount> group_mount(const std::string& line, Controller controller) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream before(line.substr(0, dash));
  std::istringstream after(line.substr(dash + 3));
  std::string skipped;
  std::string group;
  std::string folder;
  std::string type;
  std::string options;
  before >> skipped >> skipped >> skipped >> group >> folder;
  after >> type >> skipped >> options;
  const bool is_wanted =
      controller == kVersion2 ? type == "cgroup2" : type == "cgroup" && is_listed(controller, options);
  return is_wanted ? std::optional(GroupMount{unescaped(group), unescaped(folder)}) : std::nullopt;
}

std::vector<GroupMount> group_mounts(const std::string& root, Controller controller) {
  std::vector<GroupMount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (auto mount = group_mount(line, controller)) {
      mounts.push_back(std::move(*mount));
    }
  }
  return mounts;
}

/// The path of `group` relative to the mount: "" if the group itself is mounted, nothing if the group lies outside the
/// mount.
std::optional<std::string> path_below(const GroupMount& mount, const std::string& group) {
  const std::string above = mount.group == "/" ? "" : mount.group;
  if (!group.starts_with(above) || group.find("/..") != std::string::npos) {
    return std::nullopt;
  }
  const std::string below = group.substr(above.size());
  return below.empty() || below == "/" ? std::optional(std::string())
         : below.front() == '/'        ? std::optional(below)
                                       : std::nullopt;
}

/// The folders of the process's group and of those parent groups that are mounted. In a container, the path of the
/// group may lie outside the mount; the mounted group is then the container's own.
std::vector<std::string> group_folders(const std::string& root, Controller controller) {
  const std::optional<std::string> own = own_group(root, controller);
  if (!own) {
    return {};
  }
  const std::vector<GroupMount> mounts = group_mounts(root, controller);
  const bool is_shown =
      std::any_of(mounts.begin(), mounts.end(), [&](const GroupMount& mount) { return path_below(mount, *own); });
  std::vector<std::string> found;
  for (const GroupMount& mount : mounts) {
    std::optional<std::string> below = path_below(mount, *own);
    if (!is_shown) {
      below = "";
    }
    while (below) {
      found.push_back(root + mount.folder + *below);
      below = below->empty() ? std::nullopt : std::optional(below->substr(0, below->rfind('/')));
    }
  }
  return found;
}

/// Nothing for a missing file, or for text such as "max".
std::optional<std::uint64_t> number_in(const std::string& group, std::string_view file) {
  std::ifstream stream(group + "/" + std::string(file));
  std::string word;
  std::uint64_t number = 0;
  stream >> word;
  const char* const end = word.data() + word.size();
  return !word.empty() && std::from_chars(word.data(), end, number) == std::from_chars_result{end, std::errc()}
             ? std::optional(number)
             : std::nullopt;
}

/// The value of a line "name value" of memory.stat.
std::optional<std::uint64_t> statistic(const std::string& group, std::string_view name) {
  std::ifstream file(group + "/memory.stat");
  std::string found;
  std::uint64_t value = 0;
  while (file >> found >> value) {
    if (found == name) {
      return value;
    }
  }
  return std::nullopt;
}

std::uint64_t difference(std::uint64_t larger, std::uint64_t smaller) { return larger - std::min(larger, smaller); }

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > kUnlimited - b ? kUnlimited : a + b; }

/// The bytes that a limit leaves free. `used` includes `cache` bytes, which the kernel can drop.
std::uint64_t left(std::uint64_t limit, std::uint64_t used, std::uint64_t cache) {
  return limit == kUnlimited ? kUnlimited : difference(limit, difference(used, cache));
}

/// kUnlimited in both fields if the group has no limit.
GroupMemory memory_left_by_version_1(const std::string& group, std::uint64_t swap) {
  constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;  // without a limit, the file contains 2^63 minus a page
  const auto limit_in = [&](const std::optional<std::uint64_t>& limit) {
    return limit && *limit < kNoLimit ? *limit : kUnlimited;
  };
  const std::uint64_t cache =
      statistic(group, "total_inactive_file").value_or(0) + statistic(group, "total_active_file").value_or(0);
  const auto left_of = [&](std::uint64_t limit, std::string_view usage) {
    return left(limit, number_in(group, usage).value_or(0), cache);
  };
  // hierarchical_memory_limit includes the limits of parent groups, which may not be mounted.
  const std::uint64_t limit = std::min(limit_in(number_in(group, "memory.limit_in_bytes")),
                                       limit_in(statistic(group, "hierarchical_memory_limit")));
  const std::uint64_t with_swap = std::min(limit_in(number_in(group, "memory.memsw.limit_in_bytes")),
                                           limit_in(statistic(group, "hierarchical_memsw_limit")));
  const std::uint64_t free = left_of(limit, "memory.usage_in_bytes");
  return {free, std::min(sum(free, swap), left_of(with_swap, "memory.memsw.usage_in_bytes"))};
}

GroupMemory memory_left_by_version_2(const std::string& group, std::uint64_t swap) {
  const std::uint64_t limit = std::min(number_in(group, "memory.max").value_or(kUnlimited),
                                       number_in(group, "memory.high").value_or(kUnlimited));
  const std::uint64_t cache =
      statistic(group, "inactive_file").value_or(0) + statistic(group, "active_file").value_or(0);
  const std::uint64_t free = left(limit, number_in(group, "memory.current").value_or(0), cache);
  const std::uint64_t allowed_swap = left(number_in(group, "memory.swap.max").value_or(kUnlimited),
                                          number_in(group, "memory.swap.current").value_or(0), 0);
  return {free, sum(free, std::min(swap, allowed_swap))};
}

/// kUnlimited unless both numbers exist and are positive: "max" or -1 means no quota.
std::uint64_t processors_of(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  return quota && period && *quota > 0 && *period > 0 ? (*quota - 1) / *period + 1 : kUnlimited;
}

std::uint64_t processors_by_version_1(const std::string& group) {
  return processors_of(number_in(group, "cpu.cfs_quota_us"), number_in(group, "cpu.cfs_period_us"));
}

/// cpu.max contains the quota and the period.
std::uint64_t processors_by_version_2(const std::string& group) {
  std::ifstream file(group + "/cpu.max");
  std::uint64_t quota = 0;
  std::uint64_t period = 0;
  return file >> quota >> period ? processors_of(quota, period) : kUnlimited;
}

}  // namespace

std::optional<GroupMemory> group_memory(std::uint64_t free_swap, const std::string& root) {
  GroupMemory least{kUnlimited, kUnlimited};
  const auto limit_to = [&](const GroupMemory& memory) {
    least.free = std::min(least.free, memory.free);
    least.free_with_swap = std::min(least.free_with_swap, memory.free_with_swap);
  };
  for (const std::string& group : group_folders(root, "memory")) {
    limit_to(memory_left_by_version_1(group, free_swap));
  }
  for (const std::string& group : group_folders(root, kVersion2)) {
    limit_to(memory_left_by_version_2(group, free_swap));
  }
  least.free = std::min(least.free, least.free_with_swap);
  return least.free == kUnlimited ? std::nullopt : std::optional(least);
}

std::optional<int> group_processors(const std::string& root) {
  std::uint64_t least = kUnlimited;
  for (const std::string& group : group_folders(root, "cpu")) {
    least = std::min(least, processors_by_version_1(group));
  }
  for (const std::string& group : group_folders(root, kVersion2)) {
    least = std::min(least, processors_by_version_2(group));
  }
  return least <= std::numeric_limits<int>::max() ? std::optional(static_cast<int>(least)) : std::nullopt;
}

}  // namespace gpuimg
