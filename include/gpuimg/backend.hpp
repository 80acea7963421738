// The interface that every backend implements. Results are byte-identical on every backend (docs/operations.md). Why
// virtual methods: docs/decisions/0001-backend-by-virtual-methods.md.
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

/// The options of each operation from one Picture to another, as X(Options). What is declared once for each is declared
/// from this list.
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

/// An operation from one Picture to another: its options. Each has, beside its options,
///   check(picture, options), which every backend calls first,
///   result_format(input, options), the pixels of the result,
///   halo_rows(options): a row of the result depends on the same row of the input and on this many above and below it.
///     CLAHE, summed-area tables, thresholds and what changes the size or moves rows have other rules:
///     app/operations/operation_traits.hpp.
#define GPUIMG_AFTER_COMMA(Options) , Options
using PictureOperation = VariantAfter<void GPUIMG_PICTURE_OPERATIONS(GPUIMG_AFTER_COMMA)>;
#undef GPUIMG_AFTER_COMMA

/// Receives the rows of an image, from top to bottom. They are valid until it returns.
using TakeRows = std::function<void(ConstView rows)>;

/// Identifies an implementation of Backend.
enum class BackendKind : std::uint8_t { cpu, cuda, opencl };

/// A compute backend. Owns its threads or stream and its scratch memory. Not thread-safe: use one Backend per worker.
/// Backends on different threads are independent. Operations may return before the device finishes; wait() and
/// download() wait for it.
///
/// Every operation throws
///   Error{unsupported} if the Picture does not fit the options (an alpha histogram of an image without alpha),
///   Error{usage} if an option is out of range (a region outside the image, a mask of another size),
///   Error{out_of_memory}, after which the backend is still usable, and so is a Picture outside the host's memory,
///   Error{device_fault}, after which it is not.
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

  /// For people: "CPU, 2 threads", "NVIDIA H200 (device 0)".
  [[nodiscard]] virtual std::string description() const = 0;

  /// True if operations run in host memory. upload(Image) is then free, and there is no device memory to run out of.
  [[nodiscard]] virtual bool memory_is_host() const = 0;

  /// For callers that process many images, before the first: a device then copies through page-locked memory, which
  /// stays for the next image, and waiting for it leaves the processor to other threads. For one image, locking pages
  /// costs more than it saves.
  virtual void expect_many_images() {}

  /// Uninitialized host memory that uploads fastest: page-locked for devices. Calls expect_many_images(). The memory is
  /// recycled when the Image is destroyed, which may happen on any thread and after the backend is gone. Throws
  /// Error{out_of_memory}.
  virtual Image new_image(int width, int height, PixelFormat format) = 0;

  /// Moves pixels of any sample type into the backend's memory. The first overload copies. The second takes ownership,
  /// which is free if memory_is_host().
  virtual Picture upload(ConstView pixels) = 0;
  virtual Picture upload(Image pixels) = 0;

  /// Moves pixels back to host memory. The second overload may hand out the Picture's own memory.
  virtual Image download(const Picture& picture) = 0;
  virtual Image download(Picture&& picture) = 0;

  /// The same in bands of rows: a device moves the next band while take() uses one. What take() throws is passed on.
  virtual void download_rows(Picture&& picture, const TakeRows& take) {
    const Image image = download(std::move(picture));
    take(image.view());
  }

  /// Decodes to the same pixels as the host's decoder, upright. Returns nullopt if the host must decode the file: the
  /// backend has no decoder for it, or anything in the coded bytes is unusual. The host's verdict then counts.
  virtual std::optional<Picture> decode(const EncodedImage& /*encoded*/) { return std::nullopt; }

  /// Encodes to the same bytes as the host's encoder. Returns nullopt if the host must encode the pixels: the backend
  /// has no encoder for them, or too little memory.
  virtual std::optional<Encoded> encode(const Picture& /*picture*/, const Encoding& /*as*/) { return std::nullopt; }

  virtual Histogram histogram(const Picture& picture, const HistogramOptions& options) = 0;

  /// The histograms from which equalize() with these options builds its tables.
  virtual LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) = 0;

  /// Same size and format as the input. Alpha is copied. If every table is the identity, pixels stay unchanged in every
  /// color mode. Stores the tables, before `strength` is applied, in `used` unless it is null. The second overload may
  /// reuse the Picture's memory for the result: allocating can take longer than the operation.
  virtual Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used = nullptr) = 0;
  virtual Picture equalize(Picture&& picture, const EqualizeOptions& options, LevelTables* used = nullptr) {
    return equalize(std::as_const(picture), options, used);
  }

  /// What `wolf` with these options looks for before it compares, in rows [first_row, end_row). The rows around them
  /// are in the windows. Throws Error{unsupported} if this backend does not have the operation.
  virtual WolfScale wolf_scale(const Picture& /*picture*/, const ThresholdOptions& /*options*/, int /*first_row*/,
                               int /*end_row*/) {
    throw Error(ErrorKind::unsupported, "threshold: backend " + name() + " does not have it; use cpu");
  }

  /// Runs an operation from Picture to Picture. What the result is stands beside its options. Throws Error{unsupported}
  /// if this backend does not have the operation.
  virtual Picture apply(const Picture& picture, const PictureOperation& operation) = 0;

  // The same by name.
  SumTable integral(const Picture& picture, const IntegralOptions& options) { return apply(picture, options); }
  Picture to_hsl(const Picture& picture, HslEncoding encoding) { return apply(picture, ToHslOptions{encoding}); }
  Picture from_hsl(const Picture& picture, HslEncoding encoding, Sample sample) {
    return apply(picture, FromHslOptions{encoding, sample});
  }
  Picture adjust_hsl(const Picture& picture, const HslAdjustment& by) { return apply(picture, by); }

  /// Returns when all submitted work is done.
  virtual void wait() = 0;

  /// Bytes available for new Pictures if the backend has its own memory, else the largest std::size_t.
  [[nodiscard]] virtual std::size_t available_bytes() = 0;

  /// Memory bandwidth for `bench`: bytes read plus bytes written per second when copying `bytes` bytes where Pictures
  /// are kept, using all threads or multiprocessors. Median of several copies.
  virtual double measure_copy_rate(std::size_t bytes) = 0;
};

/// threads ≥ 1, or 0 for all processors available to the process.
std::unique_ptr<Backend> make_cpu_backend(int threads);

}  // namespace gpuimg
