// Where an image is computed: whole, in strips on a device, in bands of rows that stay in their file, or on the CPU in
// place of the device. Chosen from what the steps need and from the memory that there is. docs/batch.md, "Memory";
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

/// What is left after a device ran out of memory for `tried`, which had fitted before the work: strips after the whole
/// image, the CPU after strips and bands if it may take the image. The strips' memory is to be found out. Nothing if
/// there is nothing left. docs/decisions/0031-memory-that-is-gone.md.
std::optional<Placement> placement_after(const Placement& tried, bool may_use_cpu);

/// A worker's part of the memory of its device: the share of the input that it works on.
class DeviceMemory {
 public:
  /// Borrows all three.
  DeviceMemory(const GlobalOptions& options, DeviceBudgets& budgets, ItemReport& report)
      : options_(options), budgets_(budgets), report_(report) {}

  /// The total for the images in flight on the device of `backend`.
  MemoryBudget& total(Backend& backend) { return budgets_.of(backend, options_.device, options_.max_device_memory); }

  /// Waits for memory to decode the file and run any operation on it. Returns false if there is never enough, or if a
  /// picture of this input has its share already: an item that waits holds nothing, so that all can finish.
  bool try_reserve(const EncodedImage& encoded, Backend& on);

  /// Keeps the share of what the file was decoded to, of nothing if it was not.
  void keep_share_of(const std::optional<Picture>& decoded);

  /// The share of the decoded picture: its operation holds it from now on.
  [[nodiscard]] MemoryShare take_share() { return std::move(share_); }
  void release() { share_.release(); }

  /// Whole if so many bytes fit on the device of `on` beside the other images, else strips. Waits for `share`, unless
  /// it is held already. An image in strips is alone, and limits the total to what is free then.
  Placement place(Backend& on, std::size_t needed_bytes, MemoryShare& share);

  /// The memory of strips after the device ran out of it: waits until nothing else is there. Limits the total to what
  /// is free then, so that the next images are placed by that before they begin.
  StripMemory room_alone(Backend& on, MemoryShare& share);

  /// Bands. Together they hold at most `most_bytes` of the host's memory. On a device, waits for `share`.
  Placement place_bands(Backend& on, std::uint64_t most_bytes, MemoryShare& share);

 private:
  const GlobalOptions& options_;
  DeviceBudgets& budgets_;
  ItemReport& report_;
  MemoryShare share_;  ///< for the decoded picture that no operation has taken yet
};

}  // namespace gpuimg
