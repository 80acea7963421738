// Whether this program runs under qemu-user, which emulates another processor. The emulator differs from a kernel: it
// ignores MADV_POPULATE_WRITE, and it cannot start the program again if it was not registered with the kernel.
#pragma once

#include <filesystem>
#include <system_error>

namespace gpuimg::test {

/// The emulator replaces what the link /proc/self/exe shows, but not the same link under this name.
inline bool is_emulated() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/thread-self/exe", ignored).filename().string().starts_with("qemu-");
}

}  // namespace gpuimg::test
