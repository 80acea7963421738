// Where an image is computed: whole, in strips on a device, in bands of rows that stay in their file, or on the CPU
// instead of the device. Chosen from what the steps need and from the available memory. docs/batch.md, "Memory";
// docs/decisions/0022-bands-of-rows.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cli/global_options.hpp"
#include "codecs/rows.hpp"
#include "engine/item_report.hpp"
#include "engine/memory.hpp"
#include "engine/striped_backend.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg {

struct Placement {
  enum class Kind { whole, strips, bands };

  Kind kind = Kind::whole;
  bool on_device = false;       ///< else in host memory
  StripMemory strip_memory{0};  ///< of strips and bands
};

/// The placement to retry with after a device ran out of memory for `tried`, which fit before the work started: strips
/// after the whole image; the CPU after strips and bands, if it is allowed. The caller must determine the strips'
/// memory. Nullopt if no placement is left. docs/decisions/0031-memory-that-is-gone.md.
std::optional<Placement> placement_after(const Placement& tried, bool may_use_cpu);

/// A worker's part of its device's memory: the share for the input that it works on.
class DeviceMemory {
 public:
  /// Borrows all three.
  DeviceMemory(const GlobalOptions& options, DeviceBudgets& budgets, ItemReport& report)
      : options_(options), budgets_(budgets), report_(report) {}

  /// The total for the images in flight on the device of `backend`.
  MemoryBudget& total(Backend& backend) { return budgets_.of(backend, options_.device, options_.max_device_memory); }

  /// Waits for memory to decode the file and run any operation on it. Returns false if there can never be enough, or if
  /// a picture of this input already has a share: a waiting item must hold nothing, so that all items can finish.
  bool try_reserve(const EncodedImage& encoded, Backend& on);

  /// Reduces the share to what the decoded picture needs; releases it if the backend decoded nothing.
  void keep_share_of(const std::optional<Picture>& decoded);

  /// Hands the decoded picture's share over to its operation.
  [[nodiscard]] MemoryShare take_share() { return std::move(share_); }
  void release() { share_.release(); }

  /// Whole if `needed_bytes` fit on the device of `on` besides the other images, otherwise strips. Waits for `share`
  /// unless it is already held. An image in strips is alone on the device; the total is limited to what is then free.
  Placement place(Backend& on, std::size_t needed_bytes, MemoryShare& share);

  /// For a device that ran out of memory: waits until no other image is on it and returns the memory for strips. Limits
  /// the total to what is then free, so that later images are placed accordingly from the start.
  StripMemory room_alone(Backend& on, MemoryShare& share);

  /// Places an image in bands, which together use at most `most_bytes` of host memory. On a device, waits for `share`.
  Placement place_bands(Backend& on, std::uint64_t most_bytes, MemoryShare& share);

 private:
  const GlobalOptions& options_;
  DeviceBudgets& budgets_;
  ItemReport& report_;
  MemoryShare share_;  ///< for a decoded picture, until an operation takes it
};

}  // namespace gpuimg
