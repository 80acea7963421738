// Chooses the calls that fail. GPUIMG_FAIL=KIND:N[+][,…]: the N-th call of a kind fails; with +, all later ones fail,
// too. GPUIMG_FAULT_APPEARS=N:FOLDER: FOLDER is created right after the N-th look-up of its name. GPUIMG_FAULT_COUNTS
// names a file that receives the number of calls of each kind. Rules: tests/faults/README.md.
#pragma once

#include <cstdint>

namespace gpuimg::faults {

/// In the order of the counts in the file of GPUIMG_FAULT_COUNTS.
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
  truncate,
  map,
  shared,
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
constexpr int kKinds = 28;

/// Counts a call and returns true if it must fail. Before main, nothing counts or fails. Thread-safe; does not
/// allocate.
bool fails(Kind kind) noexcept;

/// Counts a look-up of a name, and returns true if the folder with that name must appear now. Thread-safe; does not
/// allocate.
bool appears(const char* path) noexcept;

/// While it exists, its thread's calls neither count nor fail.
class Suspension {
 public:
  Suspension() noexcept;
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;
  ~Suspension();
};

/// Reads the environment. Exits with 99 if it is invalid.
void arm() noexcept;

}  // namespace gpuimg::faults
