// Answers questions about a list of steps by asking each step. The result of a step is the input of the next one.
#include "engine/image_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/image_job.hpp"
#include "engine/worker.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void reject_reading_files(const ImageStep& step) {
  throw Error(ErrorKind::usage, fmt::format("{}: it reads files that no other step writes, so it can only be the first "
                                            "step",
                                            step.name()));
}

double pixels_of(const ImageShape& shape) {
  return std::max(static_cast<double>(shape.width) * static_cast<double>(shape.height), 1.0);
}

std::uint64_t bytes_above(double bytes, double least) {
  return static_cast<std::uint64_t>(std::ceil(std::max(bytes - least, 0.0)));
}

}  // namespace

void ImageJob::run_after(const std::vector<EarlierStep>& earlier) {
  if (earlier.empty()) {
    return;
  }
  steps_.reject_reading_files();
  ImageSteps steps;
  for (const EarlierStep& one : earlier) {
    if (one.step != nullptr) {
      steps.add(one.step);
    }
    if (&one != &earlier.front() && one.step != nullptr && one.step->reads_files()) {
      reject_reading_files(*one.step);
    }
  }
  steps_.add_before(steps);
}

void ImageSteps::reject_reading_files() const {
  if (reads_files()) {
    gpuimg::reject_reading_files(*steps_.front());
  }
}

void ImageSteps::note_options(Verbosity verbosity) const {
  for (const auto& step : steps_) {
    step->note_options(verbosity);
  }
}

std::vector<std::string> ImageSteps::side_files() const {
  std::vector<std::string> files;
  for (const auto& step : steps_) {
    const std::vector<std::string> more = step->side_files();
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

bool ImageSteps::can_be_watched() const {
  return steps_.size() == 1 && steps_.front()->can_be_watched();  // the progress of one step says little about all
}

RowsWhen ImageSteps::rows_when() const {
  const bool never =
      std::any_of(steps_.begin(), steps_.end(), [](const auto& step) { return step->rows_when() == RowsWhen::never; });
  return steps_.size() == 1 ? steps_.front()->rows_when() : never ? RowsWhen::never : RowsWhen::too_large;
}

bool ImageSteps::is_bilevel() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const auto& step) { return step->is_bilevel(); });
}

std::vector<std::string> ImageSteps::input_extensions() const {
  return steps_.empty() ? codecs::input_extensions() : steps_.front()->input_extensions();
}

bool ImageSteps::takes_bands() const {
  const std::vector<OperationTraits> all = traits({});
  return !reads_files() && rows_when() != RowsWhen::never &&
         std::none_of(all.begin(), all.end(),
                      [](const OperationTraits& one) { return one.moves_rows && one.reads_all_first; });
}

void ImageSteps::prepare(Worker& worker) const {
  for (const auto& step : steps_) {
    step->prepare(worker);
  }
}

void ImageSteps::check_shapes(ImageShape input, const std::string& path, const Worker& worker) const {
  for (const auto& step : steps_) {
    step->check_shape(input, path, worker);
    input = step->traits(input).result;
  }
}

std::vector<OperationTraits> ImageSteps::traits(ImageShape input) const {
  std::vector<OperationTraits> all;
  for (const auto& step : steps_) {
    all.push_back(step->traits(input));
    input = all.back().result;
  }
  return all;
}

ImageSteps::OfImage ImageSteps::for_image(const codecs::DecodedImage& decoded, const std::string& path,
                                          Worker& worker) const {
  OfImage made{{}, {decoded.width(), decoded.height(), decoded.format()}, {}};
  for (const auto& step : steps_) {
    StepOfImage of_image = step->for_image({made.result, decoded, path}, worker);
    const bool has_traits = !of_image.step.traits.what.empty();
    const OperationTraits traits = has_traits ? of_image.step.traits : step->traits(made.result);
    made.add(step->name(), std::move(of_image.step), traits);
    if (of_image.save_more) {
      made.save_more.push_back(std::move(of_image.save_more));
    }
  }
  return made;
}

ImageShape largest_shape(const codecs::DeclaredImage& declared) {
  const auto side = [](std::uint64_t pixels) {
    return static_cast<int>(std::min<std::uint64_t>(pixels, std::numeric_limits<int>::max()));
  };
  PixelFormat format = declared.decoded;
  const std::uint64_t sample = sample_bytes(format.sample);
  format.channels = static_cast<int>((declared.bytes_per_pixel + sample - 1) / sample);
  return {side(declared.width), side(declared.height), format};
}

namespace {

/// Bytes of the halo rows that an operation reads, with their results and the sums of windows.
std::uint64_t bytes_of_halo(const OperationTraits& traits, const ImageShape& read) {
  constexpr std::uint64_t kSums = 3 * sizeof(std::uint64_t);
  const auto rows = static_cast<std::uint64_t>(std::min(traits.halo_rows, read.height));
  const std::uint64_t pixel =
      read.format.bytes_per_pixel() + static_cast<std::uint64_t>(traits.result_bytes + traits.other_bytes) + kSums;
  return rows * static_cast<std::uint64_t>(read.width) * pixel;
}

}  // namespace

ExtraBytes held_by(const std::vector<OperationTraits>& operations, const ImageShape& input) {
  ExtraBytes held;
  held.operations = std::max<std::uint64_t>(operations.size(), 1);
  const double all_pixels = pixels_of(input);
  const auto first = static_cast<double>(input.format.bytes_per_pixel());
  double part = 1.0;  // pixels after the operations so far, relative to the input's
  double before = first;
  ImageShape read = input;
  for (const OperationTraits& traits : operations) {
    held.halo += bytes_of_halo(traits, read);
    read = traits.result;
    const double pixels = before + part * static_cast<double>(traits.result_bytes);
    held.result = std::max(held.result, bytes_above(pixels, first));
    held.others = std::max(held.others, bytes_above(part * static_cast<double>(traits.other_bytes), 0.0));
    held.tables = std::max(held.tables, traits.table_bytes);
    part = pixels_of(traits.result) / all_pixels;
    before = part * static_cast<double>(traits.result.format.bytes_per_pixel());
  }
  return held;
}

}  // namespace gpuimg
