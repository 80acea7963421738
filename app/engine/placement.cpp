// Compares what an image needs with what the device has left, and waits for a share.
#include "engine/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpuimg {

std::optional<Placement> placement_after(const Placement& tried, bool may_use_cpu) {
  if (!tried.on_device) {
    return std::nullopt;
  }
  switch (tried.kind) {
    case Placement::Kind::whole: return Placement{Placement::Kind::strips, true};
    case Placement::Kind::strips: return may_use_cpu ? std::optional(Placement{}) : std::nullopt;
    case Placement::Kind::bands: break;
  }
  return may_use_cpu ? std::optional(Placement{Placement::Kind::bands}) : std::nullopt;
}

bool DeviceMemory::try_reserve(const EncodedImage& encoded, Backend& on) {
  const std::size_t needed = device_decoding_bytes(encoded);
  MemoryBudget& memory = total(on);
  if (share_.is_held() || needed > memory.bytes()) {
    return false;
  }
  share_ = MemoryShare(memory, needed);
  return true;
}

void DeviceMemory::keep_share_of(const std::optional<Picture>& decoded) {
  if (decoded) {
    share_.shrink_to(device_bytes(decoded->width(), decoded->height(), decoded->format(), 0));
  } else {
    share_.release();
  }
}

Placement DeviceMemory::place(Backend& on, std::size_t needed_bytes, MemoryShare& share) {
  const Placement whole{Placement::Kind::whole, !on.memory_is_host()};
  if (on.memory_is_host() || share.is_held()) {
    return whole;
  }
  MemoryBudget& memory = total(on);
  report_.times().measure(Phase::start, [&] { share = MemoryShare(memory, needed_bytes); });
  if (needed_bytes <= memory.bytes()) {
    return whole;
  }
  const std::size_t available = on.available_bytes();
  DeviceBudgets::limit(memory, available);
  const std::size_t half = std::max<std::size_t>(available / 2, 1);
  if (options_.max_device_memory != 0) {
    return {Placement::Kind::strips, true, std::min<std::size_t>(options_.max_device_memory, half)};
  }
  report_.detail(fmt::format("the device has {} MB of memory left: the image is processed in strips", available >> 20));
  return {Placement::Kind::strips, true, half};
}

StripMemory DeviceMemory::room_alone(Backend& on, MemoryShare& share) {
  share.release();
  MemoryBudget& memory = total(on);
  report_.times().measure(Phase::start, [&] { share = MemoryShare(memory, memory.most()); });
  const std::size_t available = on.available_bytes();
  DeviceBudgets::limit(memory, available);
  report_.note(fmt::format("the device ran out of memory and has {} MB left: the image is processed in strips",
                           available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

/// In host memory, bands fit into a core's cache; on a device, they are large enough to make a transfer worthwhile.
/// Halo rows are read again with each band, so bands with a halo are as large as possible.
Placement DeviceMemory::place_bands(Backend& on, std::uint64_t most_bytes, MemoryShare& share) {
  constexpr std::size_t kInCache = std::size_t{256} << 10;
  constexpr std::size_t kTransfer = std::size_t{8} << 20;
  const std::size_t most = std::max<std::size_t>(kInCache, most_bytes / 2);
  if (on.memory_is_host()) {
    return {Placement::Kind::bands, false, {kInCache, most}};
  }
  MemoryBudget& memory = total(on);
  const std::size_t bytes = std::min({memory.bytes(), most, std::max(kTransfer, memory.bytes() / 4)});
  report_.times().measure(Phase::start, [&] { share = MemoryShare(memory, bytes); });
  return {Placement::Kind::bands, true, {std::min(kTransfer, bytes), bytes}};
}

}  // namespace gpuimg
