// Runs the steps of an image on one backend, wherever there is the memory for it; compares two backends with --verify.
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

/// u8, 1 channel. All images of a run share it, so nothing may change it. Null: there is none.
using SharedMask = std::shared_ptr<const Image>;

/// What the first step computes with: pixels on the host, on the backend that decoded them, or in a file. An attempt to
/// compute only reads it, unless no other attempt can follow.
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

/// The input of one attempt to compute. What is given as const is needed again if the attempt fails.
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

/// The Picture that a step gets: the attempt's own, whose memory the result may take, or one that another attempt may
/// need.
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

/// Throws what a backend throws for an image of this size and format, and for a mask: of neither the pixels are there.
using CheckFit = std::function<void(const Picture& image, const Picture* mask)>;

/// That of an operation with these options.
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

/// A step from an image to an image. `run` may run several times, after a failure: it must not use up what it holds.
/// The mask that it gets is `mask` on the backend, or nullptr.
struct Step {
  std::function<Picture(Backend& backend, const AttemptPicture& picture, const Picture* mask)> run;
  SharedMask mask = nullptr;
  std::string_view name = {};    ///< in the times of several steps
  OperationTraits traits = {};   ///< for the image that it gets, if there are several steps; else all backends have it
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

/// In the order in which they run. Without any, the pixels are the result. A step that the run's backend lacks runs on
/// the CPU: the pixels go there, and back for the next step that the backend has.
using Steps = std::vector<Step>;

/// A last step that counts.
struct CountStep {
  std::function<Histogram(Backend& backend, const Picture& picture, const Picture* mask)> run;
  SharedMask mask = nullptr;
  std::string_view name = {};
  CheckFit check_fit = nullptr;
  std::span<const BackendKind> only_on = {};  ///< the backends that have it; empty = all of them
};

/// What placement asks of the steps of a run.
struct RunNeeds {
  explicit RunNeeds(const Steps& steps, const CountStep* last = nullptr);

  /// True if the backend has all steps.
  [[nodiscard]] bool are_met_by(BackendKind kind) const {
    return std::ranges::all_of(only_on, [kind](const auto& backends) { return is_on(kind, backends); });
  }

  std::size_t mask_bytes = 0;  ///< of the largest mask: one is on the device at a time
  std::vector<std::span<const BackendKind>> only_on;
};

/// What steps have made for an image file: pixels on the host, or the coded bytes that a backend made of them.
struct ProcessedImage {
  int width = 0;
  int height = 0;
  PixelFormat format;
  std::optional<Encoded> encoded;
  Image image;             ///< empty if `encoded` is there, except with --verify
  std::string encoded_by;  ///< the backend of `encoded`
};

/// Compares the pixels of both, which must be there.
inline std::string first_difference(const ProcessedImage& a, const std::string& a_name, const ProcessedImage& b,
                                    const std::string& b_name) {
  return first_difference(a.image, a_name, b.image, b_name);
}

/// Begins a file of rows, and lets produce(writer) write them; the phase is that of all that is not written. Returns
/// false, and leaves nothing, if no such file can be begun, or if produce returns false.
using StageRows = std::function<bool(Phase phase, const std::function<bool(codecs::RowWriter& to)>& produce)>;

class Executor {
 public:
  /// What an executor works with; all of it outlives the executor.
  struct Parts {
    const GlobalOptions& options;
    ItemReport& report;
    BackendSource& backends;
    DeviceMemory& device_memory;
    CodecAdmission& admission;
    Loader& loader;  ///< reads a file again whose bands are void
  };
  explicit Executor(const Parts& parts) : parts_(parts) {}

  /// Runs the steps and downloads the result. With --verify, runs them on both backends and throws Error{mismatch} at
  /// the first difference. Releases the input before it returns.
  Image process(OperationInput input, const Steps& steps);

  /// The same for a result that is written as an image file. If its backend can encode it `as` asked, its pixels are
  /// not downloaded, except with --verify.
  ProcessedImage process_for_file(OperationInput input, const std::optional<Encoding>& as, const Steps& steps);

  /// The same for steps that end with a count.
  Histogram count(OperationInput input, const Steps& steps, const CountStep& last);

  /// For rows that were left in their file: runs the steps on bands of them, and passes the rows of the result on as
  /// they come, so that no image is ever held. Several steps run on each band, which has the halo rows of all of them.
  /// What comes before a step that counts all rows first is computed again for its second pass, unless there is memory
  /// to keep it. Returns false if the result must be held.
  bool write_bands(OperationInput& input, const Steps& steps, const StageRows& stage);

  /// Runs the steps on an image that is held, and passes the rows of the result on as they come from a device.
  void write_rows(OperationInput input, const Steps& steps, const StageRows& stage);

 private:
  [[nodiscard]] const GlobalOptions& options() const { return parts_.options; }
  PhaseTimes& times() { return parts_.report.times(); }
  Backend& backend();

  /// Of the host's pixels, which only the last attempt may give away.
  Picture uploaded(Backend& backend, const AttemptInput& input);
  Picture upload(Backend& backend, ConstView pixels);
  Picture uploaded_mask(Backend& backend, const Image& mask);
  Image downloaded(Backend& backend, const AttemptPicture& picture);

  /// Tests the backend's own encoder before its first use; returns whether it may be used.
  bool admit_encoder(Backend& on, const Encoding& as);
  ProcessedImage encoded_or_downloaded(Backend& on, const AttemptPicture& picture, const std::optional<Encoding>& as);

  /// Runs one step and waits for it. Its time is noted as that of step `place`, as PhaseTimes::StepPlace has it.
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

  /// Uploads the input to where the first step runs, unless it was decoded on `on`. If it is rows, and only counted
  /// after the steps, the steps are computed as it is read, and none is left.
  StepPixels begin_steps(Backend& on, const AttemptInput& input, std::span<const Step>& left, const CountStep* last);

  /// Where a step of a run on `on` runs that these backends have: there or on the CPU.
  Backend& place_of_step(Backend& on, std::span<const BackendKind> only_on);

  /// Moves the pixels there, unless they are.
  void move(StepPixels& pixels, Backend& there);

  /// Runs the first of these steps, or the first few that can run together. `place` is the place of the first step,
  /// from 1, or 0 if it is the only one. Returns how many steps have run.
  std::size_t run_some(Backend& on, Phase phase, StepPixels& pixels, std::span<const Step> steps, std::size_t place);

  /// Runs the steps from where the input is, and returns use(pixels of the result), which runs `last`.
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

  /// The first of these steps, if several can run on each strip of `on` one after another; else none.
  static std::span<const Step> steps_for_strips(Backend& on, std::span<const Step> steps);

  /// Runs the steps on each strip, which has the halo rows of all of them. `on` is a StripedBackend, and `first_place`
  /// that of the first step.
  Picture run_on_strips(Backend& on, const Picture& picture, std::span<const Step> steps, std::size_t first_place);

  /// Returns whether the work came to its end: not if bands of a file turned out to be void.
  using PlacedWork = std::function<bool(Backend& backend, const Placement& placement)>;

  /// Runs the work as `placement` says, and after each lack of device memory as placement_after() says. Throws the
  /// last Error{out_of_memory} if nothing is left.
  bool run_placed(Backend& on, Placement placement, OperationInput& input, MemoryShare& share, const PlacedWork& work);

  /// Waits for the memory of the placement that follows another one.
  void prepare(Placement& next, Backend& on, OperationInput& input, MemoryShare& share);

  /// Writes the rows as they are. Returns false if the bands are void.
  bool copy_bands(codecs::RowReader& rows, codecs::RowWriter& to);

  /// Runs the steps on bands of the input's rows. Returns false if they are void.
  bool run_on_bands(StripedBackend& bands, const OperationInput& input, const Steps& steps);

  /// Steps that run on bands one after another, or one that cuts the bands itself.
  using Group = std::span<const Step>;

  /// Runs the group on rows of a file or of rows_after(). `place` is that of its first step.
  void run_group(StripedBackend& bands, const Picture& rows, Group group, std::size_t place);

  /// What reads rows: a group, or a last step that counts.
  struct Reader {
    PhaseTimes::StepPlace step;
    int halo_rows = 0;
    bool counts_first = false;  ///< so that it reads them again
    std::size_t row_bytes = 1;
  };
  static Reader reader_of(Group group, std::size_t place);

  /// The rows that the groups make of those of a file, computed as they are read. Their strips and those of `bands`,
  /// which `last` has, share the memory of `bands`.
  std::shared_ptr<codecs::RowReader> rows_after(StripedBackend& bands, std::shared_ptr<codecs::RowReader> rows,
                                                std::span<const Group> groups, const Reader& last);

  /// Runs the work on bands, on the CPU if the backend lacks a step, or if a device has no memory for bands and `auto`
  /// allows it. Returns false, too, if the CPU lacks another step.
  bool in_bands(Backend& on, OperationInput& input, const RunNeeds& needs, const PlacedWork& work);

  /// The CPU's backend for an image whose strips the device has no memory for; says so.
  Backend& cpu_for_strips();

  /// Downloads a Picture: strips and other backends take their input from host memory.
  void bring_to_host(Backend& from, OperationInput& input);

  using Compute = std::function<void(Backend& backend, const AttemptInput& input)>;

  /// Runs compute(backend, input), again if need be.
  void computed(Backend& on, OperationInput input, const RunNeeds& needs, const Compute& compute);

  /// Returns compute(backend, input); with --verify, compares it with that of another backend.
  template <class ComputeResult>
  auto verified(OperationInput input, const RunNeeds& needs, const ComputeResult& compute) {
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
    OperationInput again = input.clone();  // on the host, as the loader leaves it
    Backend& second = parts_.backends.other();
    Result result = result_on(first, std::move(input));
    const Result expected = result_on(second, std::move(again));
    refuse_difference(first_difference(result, first.name(), expected, second.name()));
    parts_.report.detail("verify: both backends computed the same bytes");
    return result;
  }

  Parts parts_;
};

}  // namespace gpuimg
