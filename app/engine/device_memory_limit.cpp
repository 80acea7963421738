// Shares of the device's memory, and fallbacks if it has too little: the host decodes, then strips, then with `auto`
// the CPU. docs/batch.md, "Memory".
#include <fmt/format.h>

#include <algorithm>

#include "engine/command_context.hpp"

namespace gpuimg {

bool CommandContext::takes_memory_for(const EncodedImage& encoded, Backend& on) {
  const EncodedJpeg& jpeg = frame_of(encoded);
  const std::size_t needed =
      device_bytes(jpeg.width, jpeg.height, {Sample::u8, jpeg.component_count}, 0) + device_decoding_bytes(jpeg);
  MemoryBudget& memory = device_memory(on);
  if (share_.is_held() || needed > memory.bytes()) {
    return false;
  }
  share_ = MemoryShare(memory, needed);
  return true;
}

void CommandContext::keep_memory_for(const std::optional<Picture>& decoded) {
  if (decoded) {
    share_.shrink_to(device_bytes(decoded->width(), decoded->height(), decoded->format(), 0));
  } else {
    share_.release();
  }
}

void CommandContext::computed(Backend& on, OperationInput input, const Compute& compute) {
  MemoryShare share = std::move(share_);  // of a picture that is there already
  if (input.rows) {
    try {
      return in_bands(on, [&](Backend& backend, const StripMemory& memory) {
        StripedBackend bands(backend, memory, &times_);
        compute(bands, AttemptInput(std::as_const(input)));
      });
    } catch (const VoidStrips&) {
      input = read_whole(std::move(input));
    }
  }
  if (on.memory_is_host()) {
    return compute(on, AttemptInput(std::move(input)));
  }
  std::size_t room = device_memory_limit(on, input, share);
  if (room == 0) {
    try {
      return compute(on, AttemptInput(std::as_const(input)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::out_of_memory) {
        throw;
      }
      room = room_alone(on, input, share);
    }
  }
  Backend* instead = nullptr;
  try {
    StripedBackend strips(on, room, &times_);
    return compute(strips, AttemptInput(std::as_const(input)));
  } catch (const Error& error) {
    if (!allows_cpu_after(error)) {
      throw;
    }
    instead = &cpu_for_strips();
  }
  share.release();
  compute(*instead, AttemptInput(std::move(input)));
}

std::size_t CommandContext::device_memory_limit(Backend& on, const OperationInput& input, MemoryShare& share) {
  if (on.memory_is_host() || share.is_held()) {
    return 0;
  }
  const std::size_t mask_bytes = input.mask ? input.mask->size_bytes() : 0;
  const std::size_t needed = device_bytes(input.width(), input.height(), input.format(), mask_bytes);
  MemoryBudget& memory = device_memory(on);
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, needed); });
  if (needed <= memory.bytes()) {
    return 0;
  }
  if (options_.max_device_memory != 0) {
    return memory.bytes();
  }
  const std::size_t available = on.available_bytes();
  detail(fmt::format("the device has {} MB of memory left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

std::size_t CommandContext::room_alone(Backend& on, OperationInput& input, MemoryShare& share) {
  bring_to_host(on, input);
  share.release();
  MemoryBudget& memory = device_memory(on);
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, memory.bytes()); });
  const std::size_t available = on.available_bytes();
  note(fmt::format("the device ran out of memory and has {} MB left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

bool CommandContext::allows_cpu_after(const Error& error) const {
  return error.kind() == ErrorKind::out_of_memory && options_.can_use_cpu && !options_.verify;
}

Backend& CommandContext::cpu_for_strips() {
  note("the device has no memory for strips either: the CPU takes the image");
  Backend& cpu = backends_.other();
  record(cpu);
  return cpu;
}

}  // namespace gpuimg
