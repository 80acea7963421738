// Fallbacks if the device has too little memory: strips, then with `auto` the CPU.
#include <fmt/format.h>

#include <algorithm>

#include "engine/command_context.hpp"
#include "operations/operations.hpp"

namespace gpuimg {

std::size_t CommandContext::device_memory_limit(Backend& on, const OperationInput& input) {
  constexpr std::size_t kScratchBytes = std::size_t{64} << 20;
  if (on.memory_is_host()) {
    return 0;
  }
  const std::size_t pixels = input.image.view().pixel_count();
  const std::size_t mask_bytes = input.mask ? input.mask->size_bytes() : 0;
  // The largest result of any operation also leaves room for tables and scratch memory.
  const std::size_t needed = input.image.size_bytes() + mask_bytes + pixels * most_result_bytes();
  if (options_.max_device_memory != 0) {
    return needed > options_.max_device_memory ? options_.max_device_memory : 0;
  }
  const std::size_t available = on.available_bytes();
  if (available > kScratchBytes && needed <= available - kScratchBytes) {
    return 0;
  }
  detail(fmt::format("the device has {} MB of memory left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

std::size_t CommandContext::room_after(const Error& error, Backend& on, const OperationInput& input) {
  if (error.kind() != ErrorKind::out_of_memory || on.memory_is_host() || input.image.empty()) {
    throw;  // the exception being handled
  }
  const std::size_t available = on.available_bytes();
  note(fmt::format("the device ran out of memory and has {} MB left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

Backend& CommandContext::cpu_after(const Error& error, const OperationInput& input) {
  if (error.kind() != ErrorKind::out_of_memory || !options_.can_use_cpu || options_.verify || input.image.empty()) {
    throw;  // the exception being handled
  }
  note("the device has no memory for strips either: the CPU takes the image");
  Backend& cpu = backends_.other();
  record(cpu);
  return cpu;
}

}  // namespace gpuimg
