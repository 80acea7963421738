// Which calls fail on purpose: GPUIMG_FAIL=KIND:N[+][,…] says that the N-th call of a kind fails, with + every later
// one too. GPUIMG_FAULT_COUNTS names a file that receives how many calls of each kind there were. Rules:
// tests/faults/README.md.
#pragma once

#include <cstdint>

namespace gpuimg::faults {

/// In the order in which the counts stand in the file.
enum class Kind {
  malloc,
  mmap,
  thread,
  stat,
  open,
  read,
  write,
  close,
  dup,
  rename,
  norename,
  link,
  chmod,
  mkdir,
  part,
  task,
  cuda_memory,
  cuda_create,
  cuda_copy,
  cuda_launch,
  cuda_wait,
  cuda_query,
  cuda_free,
  cuda_lost,
  cuda_planted
};
constexpr int kKinds = 25;

/// Counts a call and says whether it is to fail. Nothing is counted before main and nothing fails.
/// Allocates nothing and may be called from any thread.
bool fails(Kind kind) noexcept;

/// While one lives, nothing of its thread is counted and nothing fails.
class Suspension {
 public:
  Suspension() noexcept;
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;
  ~Suspension();
};

/// Reads the environment. Exits with 99 if it makes no sense.
void arm() noexcept;

}  // namespace gpuimg::faults
