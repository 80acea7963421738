// The interface that every backend implements. All backends give byte-identical results (docs/operations.md).
// docs/decisions/0001-backend-by-virtual-methods.md explains why the methods are virtual.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/ops/arrange.hpp"
#include "gpuimg/ops/clahe.hpp"
#include "gpuimg/ops/denoise.hpp"
#include "gpuimg/ops/document.hpp"
#include "gpuimg/ops/equalize.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/ops/hsl.hpp"
#include "gpuimg/ops/integral.hpp"
#include "gpuimg/ops/resize.hpp"
#include "gpuimg/ops/threshold.hpp"
#include "gpuimg/ops/window.hpp"
#include "gpuimg/picture.hpp"

namespace gpuimg {

/// A summed-area table: a Picture with one channel of u32, u64, f32 or f64.
using SumTable = Picture;

/// The options of each operation that turns one Picture into another, as X(Options). Declarations that every such
/// operation needs are generated from this list.
#define GPUIMG_PICTURE_OPERATIONS(X) \
  X(ClaheOptions)                    \
  X(IntegralOptions)                 \
  X(ToHslOptions)                    \
  X(FromHslOptions)                  \
  X(HslAdjustment)                   \
  X(WindowOptions)                   \
  X(ThresholdOptions)                \
  X(DenoiseOptions)                  \
  X(DespeckleOptions)                \
  X(DeskewOptions)                   \
  X(ResizeOptions)                   \
  X(CropOptions)                     \
  X(TurnOptions)

template <class, class... Options>
using VariantAfter = std::variant<Options...>;

/// An operation that turns one Picture into another, given by its options. Each type of options comes with these
/// functions:
///   check(picture, options), which every backend calls first;
///   result_format(input, options), the pixel format of the result;
///   halo_rows(options): row y of the result depends only on rows y − halo … y + halo of the input. CLAHE, summed-area
///     tables, thresholds, and operations that change the size or move rows follow other rules:
///     app/operations/operation_traits.hpp.
#define GPUIMG_AFTER_COMMA(Options) , Options
using PictureOperation = VariantAfter<void GPUIMG_PICTURE_OPERATIONS(GPUIMG_AFTER_COMMA)>;
#undef GPUIMG_AFTER_COMMA

/// Receives the rows of an image in bands, from top to bottom. Each band is valid only during the call.
using TakeRows = std::function<void(ConstView rows)>;

/// Identifies an implementation of Backend.
enum class BackendKind : std::uint8_t { cpu, cuda, opencl };

/// A compute backend. Owns its threads or stream, and its scratch memory. Not thread-safe: use one Backend per worker.
/// Backends on different threads are independent. Operations may return before the device finishes; wait() and
/// download() block until it has finished.
///
/// Every operation throws
///   Error{unsupported} if the Picture does not fit the options (an alpha histogram of an image without alpha),
///   Error{usage} if an option is out of range (a region outside the image, a mask of another size),
///   Error{out_of_memory} if memory runs out; the backend and Pictures in device memory stay usable,
///   Error{device_fault} if the device fails; the backend is no longer usable.
/// Operations read photographic Pictures (u8 or u16, 1 to 4 channels) unless documented otherwise.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual BackendKind kind() const = 0;

  /// The name that `--backend` accepts: "cpu", "cuda" or "opencl".
  [[nodiscard]] virtual std::string name() const = 0;

  /// A description for people: "CPU, 2 threads", "NVIDIA H200 (device 0)".
  [[nodiscard]] virtual std::string description() const = 0;

  /// True if operations run in host memory. Then upload(Image) is free, and available_bytes() sets no limit.
  [[nodiscard]] virtual bool memory_is_host() const = 0;

  /// Call this before the first of many images. A device backend then copies through page-locked memory, which it keeps
  /// for the next image, and waits without occupying a processor. For a single image, locking pages costs more than it
  /// saves.
  virtual void expect_many_images() {}

  /// Uninitialized host memory that uploads fastest: page-locked for devices. Calls expect_many_images(). The memory is
  /// recycled when the Image is destroyed, which may happen on any thread and after the backend is gone. Throws
  /// Error{out_of_memory}.
  virtual Image new_image(int width, int height, PixelFormat format) = 0;

  /// Moves pixels of any sample type into the backend's memory. The first overload copies. The second takes ownership,
  /// which is free if memory_is_host().
  virtual Picture upload(ConstView pixels) = 0;
  virtual Picture upload(Image pixels) = 0;

  /// Copies pixels to host memory. The second overload may instead hand over the Picture's own memory.
  virtual Image download(const Picture& picture) = 0;
  virtual Image download(Picture&& picture) = 0;

  /// Downloads in bands of rows: while take() uses one band, a device copies the next. Exceptions from take()
  /// propagate.
  virtual void download_rows(Picture&& picture, const TakeRows& take) {
    const Image image = download(std::move(picture));
    take(image.view());
  }

  /// Decodes to the same upright pixels as the host's decoder. Returns nullopt if the host must decode the file,
  /// because the backend has no decoder for it or because the coded bytes are unusual. Only the host decides whether
  /// such a file is valid.
  virtual std::optional<Picture> decode(const EncodedImage& /*encoded*/) { return std::nullopt; }

  /// Encodes to the same bytes as the host's encoder. Returns nullopt if the host must encode the pixels, because the
  /// backend has no encoder for them or too little memory.
  virtual std::optional<Encoded> encode(const Picture& /*picture*/, const Encoding& /*as*/) { return std::nullopt; }

  virtual Histogram histogram(const Picture& picture, const HistogramOptions& options) = 0;

  /// The histograms that equalize() would build its tables from, given these options.
  virtual LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) = 0;

  /// The result has the input's size and format; alpha is copied. If every table is the identity, pixels stay unchanged
  /// in every color mode. If `used` is not null, it receives the tables, without the effect of `strength`. The second
  /// overload may reuse the Picture's memory for the result, because allocating can take longer than the operation.
  virtual Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used = nullptr) = 0;
  virtual Picture equalize(Picture&& picture, const EqualizeOptions& options, LevelTables* used = nullptr) {
    return equalize(std::as_const(picture), options, used);
  }

  /// The WolfScale of rows [first_row, end_row). The windows of their pixels may extend into other rows.
  /// ThresholdMethod::wolf needs the scale of the whole image before it can compare the first pixel. Throws
  /// Error{usage} if `options` has another method or if the rows lie outside the image, and Error{unsupported} if this
  /// backend does not have the operation.
  virtual WolfScale wolf_scale(const Picture& /*picture*/, const ThresholdOptions& /*options*/, int /*first_row*/,
                               int /*end_row*/) {
    throw Error(ErrorKind::unsupported,
                "threshold: backend " + name() + " does not support this method; use --backend cpu");
  }

  /// Runs an operation that turns one Picture into another. The header that declares the options describes the result.
  /// Throws Error{unsupported} if this backend does not have the operation.
  virtual Picture apply(const Picture& picture, const PictureOperation& operation) = 0;

  // Shorthands for apply().
  SumTable integral(const Picture& picture, const IntegralOptions& options) { return apply(picture, options); }
  Picture to_hsl(const Picture& picture, HslEncoding encoding) { return apply(picture, ToHslOptions{encoding}); }
  Picture from_hsl(const Picture& picture, HslEncoding encoding, Sample sample) {
    return apply(picture, FromHslOptions{encoding, sample});
  }
  Picture adjust_hsl(const Picture& picture, const HslAdjustment& by) { return apply(picture, by); }

  /// Returns when all submitted work is done.
  virtual void wait() = 0;

  /// Number of bytes available for new Pictures. The largest std::size_t value if memory_is_host().
  [[nodiscard]] virtual std::size_t available_bytes() = 0;

  /// Memory bandwidth for `bench`, in bytes per second. Copies `bytes` bytes several times within the memory that holds
  /// Pictures, using all threads or multiprocessors. Counts bytes read plus bytes written, and returns the median rate.
  virtual double measure_copy_rate(std::size_t bytes) = 0;
};

/// `threads` is at least 1, or 0 for all processors available to the process.
std::unique_ptr<Backend> make_cpu_backend(int threads);

}  // namespace gpuimg
