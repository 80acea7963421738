// Runs the steps of an image on one backend, in whatever memory can hold it; with --verify, compares two backends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/rows.hpp"
#include "engine/backend_choice.hpp"
#include "engine/codec_selftest.hpp"
#include "engine/item_report.hpp"
#include "engine/loader.hpp"
#include "engine/placement.hpp"
#include "engine/striped_backend.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/picture.hpp"
#include "operations/operation_traits.hpp"
#include "operations/result_checks.hpp"

namespace gpuimg {

/// The pixels of a mask: u8, 1 channel. All images of a run share them, so they must not be changed. Null: no mask.
using SharedMask = std::shared_ptr<const Image>;

/// What the first step computes with: pixels on the host, on the backend that decoded them, or in a file. An attempt to
/// compute only reads the input, unless it is the last attempt.
struct OperationInput {
  explicit OperationInput(Image pixels) : image(std::move(pixels)) {}
  explicit OperationInput(codecs::DecodedImage&& decoded)
      : image(std::move(decoded.image)), picture(std::move(decoded.picture)), rows(std::move(decoded.rows)) {}

  [[nodiscard]] int width() const { return picture ? picture->width() : rows ? rows->width() : image.width(); }
  [[nodiscard]] int height() const { return picture ? picture->height() : rows ? rows->height() : image.height(); }
  [[nodiscard]] PixelFormat format() const {
    return picture ? picture->format() : rows ? rows->format() : image.format();
  }

  /// Only for pixels on the host.
  [[nodiscard]] OperationInput clone() const { return OperationInput(image.clone()); }

  Image image;
  std::optional<Picture> picture;           ///< in place of `image`
  std::shared_ptr<codecs::RowReader> rows;  ///< in place of `image`: pixels that are still in their file
};

/// The input of one attempt to compute. An input given as const must stay intact for another attempt.
class AttemptInput {
 public:
  explicit AttemptInput(const OperationInput& kept) : input_(kept) {}
  explicit AttemptInput(OperationInput&& last) : input_(last), last_(&last) {}

  [[nodiscard]] const OperationInput* operator->() const { return &input_; }

  /// Takes the pixels on the host out of the input of the last attempt; nullopt if another attempt may follow.
  [[nodiscard]] std::optional<Image> take_image() const {
    return last_ != nullptr ? std::optional<Image>(std::move(last_->image)) : std::nullopt;
  }

 private:
  const OperationInput& input_;
  OperationInput* last_ = nullptr;
};

/// The Picture that a step receives: the attempt's own, whose memory the result may reuse, or one that another attempt
/// may need.
class AttemptPicture {
 public:
  explicit AttemptPicture(const Picture& kept) : picture_(kept) {}
  explicit AttemptPicture(Picture&& own) : picture_(own), own_(&own) {}

  operator const Picture&() const { return picture_; }  // NOLINT: most operations only read

  /// Null if another attempt may need the Picture.
  [[nodiscard]] Picture* own() const { return own_; }

 private:
  const Picture& picture_;
  Picture* own_ = nullptr;
};

/// Throws what a backend would throw for an image and a mask of these sizes and formats. Neither Picture has pixels.
using CheckFit = std::function<void(const Picture& image, const Picture* mask)>;

/// The CheckFit of an operation with these options.
template <class Options>
CheckFit fit_of(const Options& options) {
  return [options](const Picture& image, const Picture* mask) {
    Options with_mask = options;
    if constexpr (requires { with_mask.selection.mask = mask; }) {
      with_mask.selection.mask = mask;
    }
    check(image, with_mask);
  };
}

/// A step from an image to an image. `run` is called again after a failure, so it must not consume what it captures. It
/// receives `mask` uploaded to the backend, or nullptr.
struct Step {
  std::function<Picture(Backend& backend, const AttemptPicture& picture, const Picture* mask)> run;
  SharedMask mask = nullptr;
  std::string_view name = {};    ///< shown in the times if there are several steps
  OperationTraits traits = {};   ///< for the input; required if there are several steps. Default: any backend
  CheckFit check_fit = nullptr;  ///< called before any of several steps runs; null: any image fits
};

/// The operation from Picture to Picture with these options.
template <class Options>
Step applying(const Options& options) {
  Step step{
      [options](Backend& backend, const Picture& picture, const Picture*) { return backend.apply(picture, options); }};
  step.check_fit = fit_of(options);
  return step;
}

/// Steps in the order in which they run. If there are none, the input pixels are the result. A step that the run's
/// backend lacks runs on the CPU: the pixels move there, and back for the next step that the backend has.
using Steps = std::vector<Step>;

/// A last step that counts pixels.
struct CountStep {
  std::function<Histogram(Backend& backend, const Picture& picture, const Picture* mask)> run;
  SharedMask mask = nullptr;
  std::string_view name = {};
  CheckFit check_fit = nullptr;
  std::span<const BackendKind> only_on = {};  ///< the backends that have it; empty = all of them
};

/// What placement must know about the steps of a run.
struct RunNeeds {
  explicit RunNeeds(const Steps& steps, const CountStep* last = nullptr);

  /// True if the backend has all steps.
  [[nodiscard]] bool are_met_by(BackendKind kind) const {
    return std::ranges::all_of(only_on, [kind](const auto& backends) { return is_on(kind, backends); });
  }

  std::size_t mask_bytes = 0;  ///< of the largest mask: only one is on the device at a time
  std::vector<std::span<const BackendKind>> only_on;
};

/// The result of the steps, for an image file: pixels on the host, or the bytes to which a backend has encoded them.
struct ProcessedImage {
  int width = 0;
  int height = 0;
  PixelFormat format;
  std::optional<Encoded> encoded;
  Image image;             ///< empty if `encoded` has a value, except with --verify
  std::string encoded_by;  ///< the backend of `encoded`
};

/// Compares the pixels, which both results must have.
inline std::string first_difference(const ProcessedImage& a, const std::string& a_name, const ProcessedImage& b,
                                    const std::string& b_name) {
  return first_difference(a.image, a_name, b.image, b_name);
}

/// Starts a file that is written row by row and calls produce(writer). Everything but the writing is measured as
/// `phase`. Returns false and leaves no file if the file cannot be written row by row, or if produce returns false.
using StageRows = std::function<bool(Phase phase, const std::function<bool(codecs::RowWriter& to)>& produce)>;

class Executor {
 public:
  /// What an executor works with. Everything in it must outlive the executor.
  struct Parts {
    const GlobalOptions& options;
    ItemReport& report;
    BackendSource& backends;
    DeviceMemory& device_memory;
    CodecAdmission& admission;
    Loader& loader;  ///< rereads a file whose bands are invalid
  };
  explicit Executor(const Parts& parts) : parts_(parts) {}

  /// Runs the steps and downloads the result. With --verify, runs them on both backends and throws Error{mismatch} at
  /// the first difference. Releases the input before it returns.
  Image process(OperationInput input, const Steps& steps);

  /// Like process(), for a result that becomes an image file. If `as` is set and the backend can encode the result in
  /// that format, the pixels are not downloaded, except with --verify.
  ProcessedImage process_for_file(OperationInput input, const std::optional<Encoding>& as, const Steps& steps);

  /// Like process(), for steps that end with a count.
  Histogram count(OperationInput input, const Steps& steps, const CountStep& last);

  /// For rows that were left in their file: runs the steps on bands of rows and writes the rows of the result as they
  /// are computed, so that no whole image is ever in memory. Several steps run on each band, which includes the halo
  /// rows of all of them. A step that first counts all rows needs a second pass: the steps before it are computed
  /// twice, unless their result fits in memory. Returns false if the result must be in memory as a whole.
  bool write_bands(OperationInput& input, const Steps& steps, const StageRows& stage);

  /// Runs the steps on an image in memory and writes the rows of the result as they arrive from a device.
  void write_rows(OperationInput input, const Steps& steps, const StageRows& stage);

 private:
  [[nodiscard]] const GlobalOptions& options() const { return parts_.options; }
  PhaseTimes& times() { return parts_.report.times(); }
  Backend& backend();

  /// Uploads the host's pixels; only the last attempt may move them.
  Picture uploaded(Backend& backend, const AttemptInput& input);
  Picture upload(Backend& backend, ConstView pixels);
  Picture uploaded_mask(Backend& backend, const Image& mask);
  Image downloaded(Backend& backend, const AttemptPicture& picture);

  /// Tests the backend's own encoder before its first use; returns whether it may be used.
  bool admit_encoder(Backend& on, const Encoding& as);
  ProcessedImage encoded_or_downloaded(Backend& on, const AttemptPicture& picture, const std::optional<Encoding>& as);

  /// Runs one step and waits for it. Its time counts for step `place` (PhaseTimes::StepPlace).
  template <class AnyStep>
  auto run_step(Backend& on, Phase phase, const AttemptPicture& picture, const AnyStep& step, std::size_t place) {
    return times().measure_step({place, step.name},
                                [&] { return run_masked(on, phase, picture, step.mask, step.run); });
  }
  template <class Run>
  auto run_masked(Backend& on, Phase phase, const AttemptPicture& picture, const SharedMask& mask, const Run& run) {
    const std::optional<Picture> mask_there = mask ? std::optional<Picture>(uploaded_mask(on, *mask)) : std::nullopt;
    return times().measure(phase, [&] {
      auto result = run(on, picture, mask_there ? &*mask_there : nullptr);
      on.wait();
      return result;
    });
  }

  /// The pixels between two steps, and where they are.
  struct StepPixels {
    Backend* on;
    std::optional<Picture> own;
    const Picture* kept = nullptr;  ///< in place of `own`: another attempt may need it

    AttemptPicture take() { return own ? AttemptPicture(std::move(*own)) : AttemptPicture(*kept); }
  };

  /// Uploads the input to the backend of the first step, unless it was decoded on `on`. If the input is rows in a file
  /// and the steps end with a count, the steps are computed while the rows are read; `left` is then empty.
  StepPixels begin_steps(Backend& on, const AttemptInput& input, std::span<const Step>& left, const CountStep* last);

  /// The backend for a step that only `only_on` have: `on` if it is one of them, otherwise the CPU's.
  Backend& place_of_step(Backend& on, std::span<const BackendKind> only_on);

  /// Moves the pixels to `there`; a no-op if they are there already.
  void move(StepPixels& pixels, Backend& there);

  /// Runs the first of these steps, or the first few that can run together. `place` is the number of the first step,
  /// from 1, or 0 if it is the only one. Returns how many steps have run.
  std::size_t run_some(Backend& on, Phase phase, StepPixels& pixels, std::span<const Step> steps, std::size_t place);

  /// Runs the steps, starting where the input is, and returns use(pixels of the result); `use` runs `last`.
  template <class Use>
  auto run(Backend& on, const AttemptInput& input, const Steps& steps, const Use& use,
           const CountStep* last = nullptr) {
    std::span<const Step> left(steps);
    StepPixels pixels = begin_steps(on, input, left, last);
    Phase phase = input->rows ? Phase::decode : Phase::kernel;
    const bool is_only = steps.size() == 1 && last == nullptr;
    while (!left.empty()) {
      const Phase now = std::exchange(phase, Phase::kernel);
      left = left.subspan(run_some(on, now, pixels, left, is_only ? 0 : steps.size() - left.size() + 1));
    }
    return use(pixels);
  }

  /// The first few of these steps, if several can run one after another on each strip of `on`; otherwise none.
  static std::span<const Step> steps_for_strips(Backend& on, std::span<const Step> steps);

  /// Runs the steps on each strip, which includes the halo rows of all of them. `on` is a StripedBackend; `first_place`
  /// is the number of the first step.
  Picture run_on_strips(Backend& on, const Picture& picture, std::span<const Step> steps, std::size_t first_place);

  /// Work that runs in a placement. Returns false if bands of a file turned out to be invalid (RowReader::read).
  using PlacedWork = std::function<bool(Backend& backend, const Placement& placement)>;

  /// Runs the work in `placement`. Each time the device runs out of memory, retries in the placement that
  /// placement_after() returns. Throws the last Error{out_of_memory} if no placement is left.
  bool run_placed(Backend& on, Placement placement, OperationInput& input, MemoryShare& share, const PlacedWork& work);

  /// Before a retry: for strips on a device, brings the input to the host and waits for device memory; otherwise
  /// releases the share.
  void prepare(Placement& next, Backend& on, OperationInput& input, MemoryShare& share);

  /// Writes the rows as they are. Returns false if the bands are invalid.
  bool copy_bands(codecs::RowReader& rows, codecs::RowWriter& to);

  /// Runs the steps on bands of the input's rows. Returns false if the bands are invalid.
  bool run_on_bands(StripedBackend& bands, const OperationInput& input, const Steps& steps);

  /// Steps that run one after another on each band, or a single step that cuts the bands itself.
  using Group = std::span<const Step>;

  /// Runs the group on rows of a file or of rows_after(). `place` is the number of its first step.
  void run_group(StripedBackend& bands, const Picture& rows, Group group, std::size_t place);

  /// A reader of rows: a group, or a last step that counts.
  struct Reader {
    PhaseTimes::StepPlace step;
    int halo_rows = 0;
    bool counts_first = false;  ///< reads all rows to count them, then reads them again
    std::size_t row_bytes = 1;
  };
  static Reader reader_of(Group group, std::size_t place);

  /// A reader that reads a file's rows and runs the groups on them. The groups' strips share the memory of `bands` with
  /// the strips that `last` reads.
  std::shared_ptr<codecs::RowReader> rows_after(StripedBackend& bands, std::shared_ptr<codecs::RowReader> rows,
                                                std::span<const Group> groups, const Reader& last);

  /// Runs the work on bands. Uses the CPU if the backend lacks a step, or if the device has no memory for bands and
  /// `auto` allows the CPU. Returns false if work() does, or if the CPU lacks a step too.
  bool in_bands(Backend& on, OperationInput& input, const RunNeeds& needs, const PlacedWork& work);

  /// The CPU's backend, for an image whose strips do not fit in the device's memory; prints a note.
  Backend& cpu_for_strips();

  /// Downloads a Picture: strips and other backends take their input from host memory.
  void bring_to_host(Backend& from, OperationInput& input);

  using Compute = std::function<void(Backend& backend, const AttemptInput& input)>;

  /// Runs compute(backend, input); retries it in another placement if device memory runs out.
  void computed(Backend& on, OperationInput input, const RunNeeds& needs, const Compute& compute);

  /// Returns compute(backend, input); with --verify, compares the result with another backend's.
  template <class ComputeResult>
  auto verified(OperationInput input, const RunNeeds& needs, const ComputeResult& compute) {
    return parts_.backends.guarded([&] { return verified_by(std::move(input), needs, compute); });
  }

  template <class ComputeResult>
  auto verified_by(OperationInput input, const RunNeeds& needs, const ComputeResult& compute) {
    using Result = std::invoke_result_t<ComputeResult, Backend&, const AttemptInput&>;
    const auto result_on = [&](Backend& on, OperationInput given) {
      Result result;
      computed(on, std::move(given), needs,
               [&](Backend& backend, const AttemptInput& pixels) { result = compute(backend, pixels); });
      return result;
    };
    Backend& first = backend();
    if (!options().verify) {
      return result_on(first, std::move(input));
    }
    OperationInput again = input.clone();  // with --verify, the loader leaves the pixels on the host
    Backend& second = parts_.backends.other();
    Result result = result_on(first, std::move(input));
    const Result expected = result_on(second, std::move(again));
    reject_difference(first_difference(result, first.name(), expected, second.name()));
    parts_.report.detail("verify: both backends computed the same bytes");
    return result;
  }

  Parts parts_;
};

}  // namespace gpuimg
