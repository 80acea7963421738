// Parses i/n, or the variables of Slurm, Open MPI and Kubernetes.
#include "batch/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "gpuimg/error.hpp"
#include "text/fnv_hash.hpp"

namespace gpuimg {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && stop == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// An environment variable that must be a whole number if it is set.
std::optional<std::uint64_t> variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  if (value == nullptr || *value == '\0') {
    return std::nullopt;
  }
  const auto number = number_in(value);
  if (!number) {
    throw Error(ErrorKind::usage, fmt::format("--shard auto: {} is '{}', not a whole number", name, value));
  }
  return number;
}

Shard checked(std::optional<std::uint64_t> from_zero, std::optional<std::uint64_t> count, const char* source,
              const char* count_source) {
  if (!count) {
    throw Error(ErrorKind::usage, fmt::format("--shard auto: {} is set, but {} is not; set it to the number of shards, "
                                              "or give --shard i/n",
                                              source, count_source));
  }
  if (*from_zero >= *count) {
    throw Error(ErrorKind::usage, fmt::format("--shard auto: {} makes this shard {} of {} from {}; give --shard i/n",
                                              source, *from_zero + 1, *count, count_source));
  }
  if (*count > kMaxShards) {
    throw Error(ErrorKind::usage,
                fmt::format("--shard auto: {} is {}; there are at most {} shards", count_source, *count, kMaxShards));
  }
  return {*from_zero + 1, *count, source};
}

std::optional<Shard> slurm_array(const Environment& environment) {
  const auto id = variable(environment, "SLURM_ARRAY_TASK_ID");
  if (!id) {
    return std::nullopt;
  }
  const std::uint64_t first = variable(environment, "SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::uint64_t step = variable(environment, "SLURM_ARRAY_TASK_STEP").value_or(1);
  if (*id < first || step == 0 || (*id - first) % step != 0) {
    throw Error(ErrorKind::usage,
                "--shard auto: SLURM_ARRAY_TASK_ID, _MIN and _STEP are inconsistent; give "
                "--shard i/n");
  }
  return checked((*id - first) / step, variable(environment, "SLURM_ARRAY_TASK_COUNT"), "SLURM_ARRAY_TASK_ID",
                 "SLURM_ARRAY_TASK_COUNT");
}

Shard from_environment(const Environment& environment) {
  if (const auto shard = slurm_array(environment)) {
    return *shard;
  }
  struct Rank {
    const char* index;
    const char* count;
  };
  for (const Rank& rank : {Rank{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Rank{"SLURM_PROCID", "SLURM_NTASKS"},
                           Rank{"JOB_COMPLETION_INDEX", "GPUIMG_SHARDS"}}) {
    if (const auto index = variable(environment, rank.index)) {
      return checked(index, variable(environment, rank.count), rank.index, rank.count);
    }
  }
  throw Error(ErrorKind::usage,
              "--shard auto: the environment does not define a shard (SLURM_ARRAY_TASK_ID, SLURM_PROCID, "
              "OMPI_COMM_WORLD_RANK or JOB_COMPLETION_INDEX); give --shard i/n");
}

}  // namespace

bool Shard::holds(const std::string& relative_path) const { return fnv_hash(relative_path) % count == index - 1; }

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

Shard parse_shard(const std::string& text, const Environment& environment) {
  if (text.empty()) {
    return {};
  }
  if (text == "auto") {
    return from_environment(environment);
  }
  const std::size_t slash = text.find('/');
  const std::uint64_t index = number_in(std::string_view(text).substr(0, slash)).value_or(0);
  const std::uint64_t count =
      slash == std::string::npos ? 0 : number_in(std::string_view(text).substr(slash + 1)).value_or(0);
  if (index < 1 || index > count || count > kMaxShards) {
    throw Error(ErrorKind::usage,
                fmt::format("--shard: '{}' is neither i/n with i from 1 to n, such as 2/8 (n at most {}), "
                            "nor auto",
                            text, kMaxShards));
  }
  return {index, count, "--shard"};
}

}  // namespace gpuimg
