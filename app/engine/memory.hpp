// How much memory there is and how it is shared: what this process may take of the host, what an image holds while it
// is processed, and the budgets that the images in flight share. docs/batch.md, "Memory".
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "cli/global_options.hpp"
#include "codecs/file_header.hpp"
#include "gpuimg/backend.hpp"
#include "io/bytes.hpp"

namespace gpuimg {

class ImageJob;
struct ItemPaths;

/// What images may take together: what --max-memory, `limit`, leaves beside what the process holds already, or half of
/// the free memory. Never more than the limits of the control groups leave.
std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit);

/// What a single image may take.
struct MostMemory {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> option;  ///< --max-memory, if it leaves so little; else a control group does
};

/// Nothing if neither --max-memory, `limit`, nor a control group limits the process; then an image is tried.
std::optional<MostMemory> memory_for_one(const std::optional<std::uint64_t>& limit);

/// Returns freed pixels to the system at once; otherwise each thread keeps some beyond the limit.
void return_freed_memory();

/// Why an image is refused that needs `bytes`, more than `most`, and what to do.
std::string why_too_large(std::uint64_t bytes, const MostMemory& most);

/// Bytes that an image holds if it is decoded whole. `keeps_output`: its output is held until it is written, as that of
/// a member of an archive.
std::uint64_t whole_bytes(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                          const codecs::DeclaredImage& declared, bool keeps_output = false);

/// How a file is decoded that is read in bands.
struct BandDecoding {
  int threads = 1;          ///< for decoding; one if the parts of several do not fit
  std::uint64_t bytes = 0;  ///< of the parts, and of the further threads of the job, beside the bands
};

/// For an image that may hold `share` bytes and is processed by `threads` threads.
BandDecoding band_decoding(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                           int threads, std::uint64_t share);

/// The same as whole_bytes() if its rows are read in bands so.
std::uint64_t band_bytes(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                         int threads, std::uint64_t share);

struct ImageMemory {
  std::uint64_t bytes = 0;
  bool in_bands = false;  ///< the rows are to be read in bands: Loader::read_in_bands
};

/// What the image at `paths` holds if it should hold no more than `share`: bands if it would exceed that as a whole,
/// its file can be read so, and the job visits rows. `options` are those of the worker.
ImageMemory memory_of(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                      const codecs::DeclaredImage& declared, const GlobalOptions& options, std::uint64_t share);

/// What an image takes of the memory of a device: its pixels, its mask, and the larger of: the largest result of any
/// operation, or the moments of windows, which also leaves room for the tables and scratch memory of the others; and a
/// result like the image with what it takes to encode it.
std::size_t device_bytes(int width, int height, PixelFormat format, std::size_t mask_bytes);

/// What a backend takes to decode a file, and the picture as device_bytes() counts it. Of a JPEG, the coded bytes twice
/// and notes about them and about each restart segment, 16-bit coefficients and samples, and the pixels before they are
/// turned; of a PNG, png::decoding_bytes.
std::size_t device_decoding_bytes(const EncodedImage& encoded);

/// Memory that the images in flight share: of the host, --max-memory, and of each device, --max-device-memory.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : most_(bytes), bytes_(bytes) {}

  /// Blocks until `bytes` more fit. A request larger than the whole budget waits until nothing else is in flight. Polls
  /// `is_abandoned()` and returns false once it is true: items in flight may then never finish.
  bool acquire(
      std::uint64_t bytes, const std::function<bool()>& is_abandoned = [] { return false; });
  void release(std::uint64_t bytes);

  /// Blocks until there were more releases than `seen`. Returns false if nothing is in flight that could release
  /// memory, or if abandoned.
  bool wait_for_release(std::uint64_t seen, const std::function<bool()>& is_abandoned);

  /// Limits the budget to what is free, and to what it had at first. Shares that are held stay.
  void limit_to(std::uint64_t free_bytes);

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t most() const { return most_; }  ///< what it had at first
  [[nodiscard]] std::uint64_t releases() const;               ///< so far

 private:
  const std::uint64_t most_;
  std::uint64_t bytes_;
  std::uint64_t in_use_ = 0;
  std::uint64_t releases_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable released_;
};

/// Bytes of a budget, until it is destroyed.
class MemoryShare {
 public:
  MemoryShare() = default;  ///< of nothing
  /// Waits as MemoryBudget::acquire does. A holder of a share must not wait for a second one of the same budget: that
  /// would be a deadlock.
  MemoryShare(MemoryBudget& budget, std::uint64_t bytes);
  MemoryShare(MemoryShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept;
  ~MemoryShare() { release(); }

  [[nodiscard]] bool is_held() const { return budget_ != nullptr; }

  /// Gives back what exceeds `bytes`.
  void shrink_to(std::uint64_t bytes);
  void release();

 private:
  MemoryBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// The memory of each device as one total, which the images in flight there share. Shared by the workers of a run.
/// Thread-safe.
class DeviceBudgets {
 public:
  /// The budget of the device that `backend` computes on: `total_bytes`, or if 0 what is free there at the first call
  /// for it, less some for scratch memory. Throws Error{device_fault}.
  MemoryBudget& of(Backend& backend, int device, std::uint64_t total_bytes);

  /// Limits the budget to what is free on its device, less some for scratch memory, of `available` bytes. Only for a
  /// holder of a share that is alone there: else shares would count twice.
  static void limit(MemoryBudget& budget, std::uint64_t available);

 private:
  std::mutex mutex_;
  std::map<int, MemoryBudget> budgets_;  ///< by device
};

/// Memory that the files of one worker are read into, one after another: page-locked if its backend has such memory, so
/// that coded bytes reach the device without a copy on the host. Page-locking takes milliseconds, so the buffer is
/// replaced only by a larger one, for a larger file.
class InputBuffer {
 public:
  /// At least `bytes` bytes, which come back when the result is destroyed. Null if they are lent already, or too many.
  /// Throws Error{out_of_memory}.
  ByteMemory lend(Backend& backend, std::size_t bytes);

 private:
  std::shared_ptr<Image> memory_;  ///< also held by what is lent
};

}  // namespace gpuimg
