// What a CPU and a GPU both can do. Results are byte-identical on every backend (docs/operations.md); how they are
// obtained is the backend's own matter. Why virtual methods: docs/decisions/0001-backend-by-virtual-methods.md.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/equalize.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/ops/hsl.hpp"
#include "gpuimg/ops/integral.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg {

/// Pixels where a backend keeps them: host memory for the CPU, device memory for CUDA. Only the backend that made a
/// Picture can read it. Move-only.
class Picture {
 public:
  /// Each backend derives its own and knows which one it made.
  class Storage {
   public:
    Storage() = default;
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    virtual ~Storage() = default;
  };

  Picture(int width, int height, PixelFormat format, std::unique_ptr<Storage> storage)
      : storage_(std::move(storage)), width_(width), height_(height), format_(format) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] PixelFormat format() const { return format_; }
  [[nodiscard]] std::size_t pixel_count() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }
  [[nodiscard]] Storage& storage() const { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
  int width_ = 0;
  int height_ = 0;
  PixelFormat format_;
};

/// A summed-area table: a Picture of one channel of u32, u64, f32 or f64.
using SumTable = Picture;

/// One a worker: owns its threads or stream and its scratch memory, and is not thread-safe. Two Backends on two threads
/// are independent. Operations may return before the device is done; wait() and fetch() wait for it.
///
/// Every operation throws Error{unsupported} for a Picture or option that makes no sense together (an alpha histogram
/// of an image without alpha), Error{usage} for options out of range (a region outside the image, a mask of another
/// size), Error{out_of_memory} (the backend stays usable) and Error{device_fault} (it does not).
/// Pictures that the operations read are photographic (u8 or u16, 1 to 4 channels) unless said otherwise.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// "cpu" or "cuda".
  [[nodiscard]] virtual std::string name() const = 0;

  /// For people: "CPU, 2 threads", "NVIDIA H200 (device 0)".
  [[nodiscard]] virtual std::string description() const = 0;

  /// Host memory, not cleared, that import_pixels moves fastest, page-locked for CUDA: for callers with many images. It
  /// is used again when the Image dies, which may be on any thread and after the backend. fetch gives such memory too
  /// from then on. Throws Error{out_of_memory}.
  virtual Image new_image(int width, int height, PixelFormat format) = 0;

  /// Pixels of any sample type into the backend's memory. The first copies; the second takes the image over, which
  /// costs nothing where the backend computes in host memory.
  virtual Picture import_pixels(ConstView pixels) = 0;
  virtual Picture import_pixels(Image pixels) = 0;

  /// Pixels back in host memory. The second may give away the Picture's own memory.
  virtual Image fetch(const Picture& picture) = 0;
  virtual Image fetch(Picture&& picture) = 0;

  virtual Histogram histogram(const Picture& picture, const HistogramOptions& options) = 0;

  /// What equalize with these options makes its tables from.
  virtual LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) = 0;

  /// Same size and format as the input; alpha is copied. A table that maps every level to itself leaves the pixels as
  /// they are, in every colour mode. Where `used` is given it receives the tables, before `strength`. The second may
  /// give the result the Picture's own memory: new memory can take longer than the operation.
  virtual Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used = nullptr) = 0;
  virtual Picture equalize(Picture&& picture, const EqualizeOptions& options, LevelTables* used = nullptr) {
    return equalize(std::as_const(picture), options, used);
  }

  virtual SumTable integral(const Picture& picture, const IntegralOptions& options) = 0;

  /// 3 channels of sample_of(encoding), and a fourth, alpha rescaled to that type, where the input has alpha.
  virtual Picture to_hsl(const Picture& picture, HslEncoding encoding) = 0;

  /// Reads what to_hsl writes (any values; they are wrapped and clamped) into `sample` (u8 or u16), RGB or RGBA.
  virtual Picture from_hsl(const Picture& picture, HslEncoding encoding, Sample sample) = 0;

  /// Converts, adjusts in float32, converts back. Same size and format; gray images become RGB only in appearance: they
  /// have S = 0, so only lightness changes them and they stay gray.
  virtual Picture adjust_hsl(const Picture& picture, const HslAdjustment& by) = 0;

  /// Returns when everything asked for so far is done.
  virtual void wait() = 0;

  /// Bytes that new Pictures can take at present, where that is bounded by more than the host's memory; else the
  /// largest number there is.
  [[nodiscard]] virtual std::size_t available_bytes() = 0;

  /// Bytes read plus bytes written a second by plain copies of a block of `bytes` bytes, in the memory where Pictures
  /// are kept, with all the backend's threads or multiprocessors: the median of several. A measure for `bench`.
  virtual double measure_copy_rate(std::size_t bytes) = 0;
};

/// threads ≥ 1, or 0 for all processors the process may use.
std::unique_ptr<Backend> make_cpu_backend(int threads);

}  // namespace gpuimg
