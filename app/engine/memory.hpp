// How much memory there is and how it is shared: what this process may use on the host, what an image needs while it is
// processed, and the budgets that the images in flight share. docs/batch.md, "Memory".
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

/// The memory that all images may use together: `limit` (--max-memory) minus what the process uses already, or, without
/// a limit, half of the free memory. Never more than the limits of control groups allow.
std::uint64_t memory_for_images(const std::optional<std::uint64_t>& limit);

/// The memory that a single image may use.
struct MostMemory {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> option;  ///< --max-memory if it sets the limit; nullopt if a control group does
};

/// Nullopt if neither `limit` (--max-memory) nor a control group limits the process; no image is then too large.
std::optional<MostMemory> memory_for_one(const std::optional<std::uint64_t>& limit);

/// Makes free() return the memory of pixels to the system at once; otherwise each thread keeps some of it, and the
/// process may exceed its limit.
void return_freed_memory();

/// Why an image that needs `bytes`, more than `most`, is rejected, and what to do.
std::string why_too_large(std::uint64_t bytes, const MostMemory& most);

/// Bytes that an image needs if it is decoded whole. `keeps_output`: its output stays in memory until it is written, as
/// for a member of an archive.
std::uint64_t whole_bytes(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                          const codecs::DeclaredImage& declared, bool keeps_output = false);

/// How to decode a file that is read in bands.
struct BandDecoding {
  int threads = 1;          ///< for decoding; one if the parts of several threads do not fit
  std::uint64_t bytes = 0;  ///< besides the bands: for the decoder's parts, and for threads beyond the first
};

/// For an image that may use `share` bytes and is processed by `threads` threads.
BandDecoding band_decoding(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                           int threads, std::uint64_t share);

/// Like whole_bytes(), for rows that are read in bands as band_decoding() says.
std::uint64_t band_bytes(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                         int threads, std::uint64_t share);

struct ImageMemory {
  std::uint64_t bytes = 0;
  bool in_bands = false;  ///< the rows are to be read in bands: Loader::read_in_bands
};

/// The memory that the image at `paths` needs if it should use no more than `share`. Chooses bands if the whole image
/// would exceed `share`, the file can be read in bands, and the job visits rows. `options` are those of the worker.
ImageMemory memory_of(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                      const codecs::DeclaredImage& declared, const GlobalOptions& options, std::uint64_t share);

/// The device memory that an image needs for its pixels, its mask, and computing or encoding, whichever needs more.
/// Computing needs the largest result of any operation, or the moments of windows; this also leaves room for the tables
/// and scratch memory of other operations. Encoding needs a result like the image, and the encoder's memory.
std::size_t device_bytes(int width, int height, PixelFormat format, std::size_t mask_bytes);

/// The device memory to decode a file, plus the picture as device_bytes() counts it. Decoding a JPEG takes the coded
/// bytes twice, records about those bytes and about each restart segment, 16-bit coefficients and samples, and the
/// pixels before they are rotated. Decoding a PNG takes png::decoding_bytes.
std::size_t device_decoding_bytes(const EncodedImage& encoded);

/// Memory that the images in flight share: --max-memory on the host, --max-device-memory on each device.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : most_(bytes), bytes_(bytes) {}

  /// Blocks until `bytes` more fit. A request larger than the whole budget waits until nothing else is in flight. Polls
  /// `is_abandoned()` and returns false once it is true: items in flight may then never finish.
  bool acquire(
      std::uint64_t bytes, const std::function<bool()>& is_abandoned = [] { return false; });
  void release(std::uint64_t bytes);

  /// Blocks until there have been more releases than `seen`. Returns false if nothing in flight could release memory,
  /// or once `is_abandoned()` is true.
  bool wait_for_release(std::uint64_t seen, const std::function<bool()>& is_abandoned);

  /// Limits the budget to `free_bytes` and to most(). Existing shares remain valid.
  void limit_to(std::uint64_t free_bytes);

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t most() const { return most_; }  ///< its initial size
  [[nodiscard]] std::uint64_t releases() const;               ///< so far

 private:
  const std::uint64_t most_;
  std::uint64_t bytes_;
  std::uint64_t in_use_ = 0;
  std::uint64_t releases_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable released_;
};

/// Bytes of a budget, held until the share is destroyed.
class MemoryShare {
 public:
  MemoryShare() = default;  ///< holds nothing
  /// Waits as MemoryBudget::acquire does. A holder of a share must not wait for a second one from the same budget
  /// (deadlock).
  MemoryShare(MemoryBudget& budget, std::uint64_t bytes);
  MemoryShare(MemoryShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept;
  ~MemoryShare() { release(); }

  [[nodiscard]] bool is_held() const { return budget_ != nullptr; }

  /// Releases what exceeds `bytes`.
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
  /// The budget of the device that `backend` computes on: `total_bytes`, or, if that is 0, what is free on the device
  /// at the first call for it, minus some for scratch memory. Throws Error{device_fault}.
  MemoryBudget& of(Backend& backend, int device, std::uint64_t total_bytes);

  /// Limits the budget to the `available` bytes of its device, minus some for scratch memory. Call only while holding
  /// the only share on the device: `available` already excludes the memory of other shares, so they would count twice.
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
  /// Lends at least `bytes` bytes until the result is destroyed. Null if the buffer is already lent, or if `bytes` is
  /// too large. Throws Error{out_of_memory}.
  ByteMemory lend(Backend& backend, std::size_t bytes);

 private:
  std::shared_ptr<Image> memory_;  ///< shared with the lent ByteMemory
};

}  // namespace gpuimg
