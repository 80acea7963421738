// Fuzzes the operations: for any small image and any options, the result equals the oracle's, with one thread, with
// several threads, and with each instruction set of the processor.
#include <hwy/targets.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "fuzz/finding.hpp"
#include "fuzz/scene.hpp"
#include "gpuimg/backend.hpp"
#include "operations/operations.hpp"
#include "support/oracle_clahe.hpp"
#include "support/oracle_integral.hpp"
#include "support/oracle_resize.hpp"
#include "support/test_images.hpp"

namespace {

using namespace gpuimg;
using fuzz::demand;
using fuzz::FuzzInput;
using fuzz::Scene;
using fuzz::scene_from;

constexpr int kThreads = 3;

Backend& one_thread() {
  static const std::unique_ptr<Backend> backend = make_cpu_backend(1);
  return *backend;
}

Backend& several_threads() {
  static const tbb::global_control leave(tbb::global_control::max_allowed_parallelism, kThreads);
  static const std::unique_ptr<Backend> backend = make_cpu_backend(kThreads);
  return *backend;
}

/// Limits the instruction sets. Highway then uses the best allowed set that was compiled.
void choose_instructions(FuzzInput& input) {
  static const std::int64_t all = hwy::SupportedTargets();
  const std::uint32_t which = input.below(static_cast<std::uint32_t>(std::popcount(static_cast<std::uint64_t>(all))));
  std::int64_t left = all;
  for (std::uint32_t i = 0; i < which; ++i) {
    left &= left - 1;
  }
  hwy::SetSupportedTargetsForTest(left & -left);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Runs operation(backend, picture, mask) on both backends, demands equal results, and returns the result.
Image agreed(const Scene& scene, const std::function<Picture(Backend&, Picture, const Picture*)>& operation) {
  std::array<Image, 2> results;
  const std::array<Backend*, 2> backends = {&one_thread(), &several_threads()};
  for (std::size_t i = 0; i < 2; ++i) {
    Backend& backend = *backends[i];
    const Picture mask = backend.upload(scene.mask.empty() ? scene.image.view() : scene.mask.view());
    results[i] =
        backend.download(operation(backend, backend.upload(scene.image.view()), scene.mask.empty() ? nullptr : &mask));
  }
  demand(fuzz::same_image(results[0].view(), results[1].view()), "several threads differ from one");
  return std::move(results[0]);
}

void demand_same(const Image& actual, const Image& expected, const std::string& what) {
  if (const auto same = test::same_pixels(actual.view(), expected.view()); !same) {
    fuzz::report(what + same.message());
  }
}

void demand_histogram(FuzzInput& input) {
  HistogramOptions options;
  options.luma = static_cast<Luma>(input.below(4));
  options.hsl_bins = input.between(2, 400);
  std::vector<std::uint32_t> drawn(1 + input.below(3));
  std::generate(drawn.begin(), drawn.end(), [&] { return input.below(8); });
  const Scene scene = scene_from(input);
  const PixelFormat format = scene.image.format();
  options.channels.clear();
  for (const std::uint32_t number : drawn) {
    const auto channel = static_cast<Channel>(number);
    options.channels.push_back(channel == Channel::alpha && !format.has_alpha() ? Channel::luma : channel);
  }
  for (Backend* backend : {&one_thread(), &several_threads()}) {
    const Picture mask = backend->upload(scene.mask.empty() ? scene.image.view() : scene.mask.view());
    options.selection = scene.selection;
    options.selection.mask = scene.mask.empty() ? nullptr : &mask;
    const Histogram histogram = backend->histogram(backend->upload(scene.image.view()), options);
    for (std::size_t i = 0; i < options.channels.size(); ++i) {
      const auto& counts = histogram.channels[i].counts;
      const auto level = oracle::level_of_channel(options.channels[i], options, format);
      demand(counts == oracle::count(scene.image.view(), scene.choice(), counts.size(), level), "other counts");
    }
  }
}

void demand_equalized(FuzzInput& input) {
  constexpr std::array<double, 4> kStrengths = {1.0, 1.0, 0.5, 0.0};
  EqualizeOptions options;
  options.formula = static_cast<EqualizeFormula>(input.below(4));
  if (options.formula.kind == EqualizeFormula::stretch && input.flip()) {
    const std::uint32_t low = input.below(kHundredPercent);
    options.formula.range = {low, low + 1 + input.below(kHundredPercent - low)};
  }
  options.color = static_cast<EqualizeColor>(input.below(5));
  options.luma = static_cast<Luma>(input.below(4));
  const std::uint32_t strength = input.byte();
  options.strength = strength < 4 ? kStrengths[strength] : strength / 255.0;
  const bool in_place = input.flip();
  const Scene scene = scene_from(input);
  options.selection = scene.selection;
  const Image actual = agreed(scene, [&](Backend& backend, Picture picture, const Picture* mask) {
    EqualizeOptions masked = options;
    masked.selection.mask = mask;
    return in_place ? backend.equalize(std::move(picture), masked) : backend.equalize(std::as_const(picture), masked);
  });
  const Image expected = oracle::equalized(scene.image.view(), options, scene.choice().mask);
  demand_same(actual, expected, "equalized to other pixels: ");
}

void demand_clahe(FuzzInput& input) {
  constexpr std::array<EqualizeColor, 4> kColors = {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::ycbcr,
                                                    EqualizeColor::hsl};
  ClaheOptions options;
  options.color = kColors[input.below(4)];
  options.luma = static_cast<Luma>(input.below(4));
  options.tiles_x = input.between(1, 64);
  options.tiles_y = input.between(1, 64);
  options.clip = input.between(-1, 4000) / 100.0;
  options.strength = input.flip() ? 1.0 : input.byte() / 255.0;
  const Scene scene = scene_from(input);
  if (scene.image.format().sample == Sample::u16) {  // the oracle's histograms take 512 KiB per tile
    options.tiles_x = 1 + options.tiles_x % 3;
    options.tiles_y = 1 + options.tiles_y % 3;
  }
  options.selection = scene.selection;
  const Image actual = agreed(scene, [&](Backend& backend, Picture picture, const Picture* mask) {
    ClaheOptions masked = options;
    masked.selection.mask = mask;
    return backend.apply(picture, masked);
  });
  demand_same(actual, oracle::clahe(scene.image.view(), options, scene.choice().mask), "CLAHE made other pixels: ");
}

template <class Entry>
void demand_sums(ConstView table, ConstView pixels, const IntegralOptions& options) {
  const oracle::Sums sums = oracle::padded_sums(pixels, options);
  const int border = options.layout == TableLayout::padded ? 1 : 0;
  demand(table.width == pixels.width + border && table.height == pixels.height + border, "a table of another size");
  for (int y = 0; y < table.height; ++y) {
    for (int x = 0; x < table.width; ++x) {
      const auto at = static_cast<std::size_t>(y + 1 - border) * static_cast<std::size_t>(pixels.width + 1) +
                      static_cast<std::size_t>(x + 1 - border);
      demand(table.row<Entry>(y)[x] == static_cast<Entry>(sums[at]), "another sum");
    }
  }
}

void demand_integral(FuzzInput& input) {
  constexpr std::array<Sample, 4> kTypes = {Sample::u32, Sample::u64, Sample::f32, Sample::f64};
  IntegralOptions options;
  options.layout = static_cast<TableLayout>(input.below(2));
  options.square = input.flip();
  options.luma = static_cast<Luma>(input.below(4));
  options.allow_wrap = true;
  options.channel = static_cast<Channel>(input.below(5));
  const std::uint32_t type = input.below(5);
  options.type = type < 4 ? std::optional(kTypes[type]) : std::nullopt;
  const Scene scene = scene_from(input);
  if (options.channel == Channel::alpha && !scene.image.format().has_alpha()) {
    options.channel = Channel::luma;
  }
  const Image table = agreed(
      scene, [&](Backend& backend, Picture picture, const Picture*) { return backend.integral(picture, options); });
  demand(!options.type || table.format().sample == *options.type, "a table of another type");
  switch (table.format().sample) {
    case Sample::u32: return demand_sums<std::uint32_t>(table.view(), scene.image.view(), options);
    case Sample::u64: return demand_sums<std::uint64_t>(table.view(), scene.image.view(), options);
    case Sample::f32: return demand_sums<float>(table.view(), scene.image.view(), options);
    default: return demand_sums<double>(table.view(), scene.image.view(), options);
  }
}

bool is_oracles_hsl(ConstView hsl, int x, int y, const oracle::Pixel& p, std::uint32_t v_max, HslEncoding encoding) {
  const auto at = static_cast<std::size_t>(x) * static_cast<std::size_t>(hsl.format.channels);
  switch (encoding) {
    case HslEncoding::f32: {
      const auto expected = oracle::hsl_float(p, v_max);
      return std::memcmp(hsl.row<float>(y) + at, expected.data(), sizeof expected) == 0;
    }
    case HslEncoding::u16: {
      const auto expected = oracle::hsl_u16(p, v_max);
      return std::equal(expected.begin(), expected.end(), hsl.row<std::uint16_t>(y) + at);
    }
    default: {
      const std::uint64_t hue_range = encoding == HslEncoding::opencv ? 180 : 256;
      const auto distance = oracle::hls_distance(p, v_max, hsl.row<std::uint8_t>(y) + at, hue_range);
      // A float32 result can round a tie either way.
      return *std::max_element(distance.begin(), distance.end()) <= 0.5001;
    }
  }
}

void demand_hsl(FuzzInput& input) {
  const auto encoding = static_cast<HslEncoding>(input.below(4));
  const HslAdjustment by{static_cast<float>(input.between(-35999, 29536)) * 0.01F,
                         static_cast<float>(input.below(300)) * 0.01F, static_cast<float>(input.below(300)) * 0.01F};
  const Scene scene = scene_from(input);
  const ConstView pixels = scene.image.view();
  const std::uint32_t v_max = pixels.format.max_value();
  const Image hsl = agreed(
      scene, [&](Backend& backend, Picture picture, const Picture*) { return backend.to_hsl(picture, encoding); });
  const Image adjusted =
      agreed(scene, [&](Backend& backend, Picture picture, const Picture*) { return backend.adjust_hsl(picture, by); });
  const Scene there{hsl.clone(), {}, {}};
  const Image back = agreed(there, [&](Backend& backend, Picture picture, const Picture*) {
    return backend.from_hsl(picture, encoding, pixels.format.sample);
  });
  demand(back.width() == pixels.width && back.format().sample == pixels.format.sample, "back to another size");
  Image expected = scene.image.clone();
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const oracle::Pixel p = oracle::pixel_at(pixels, x, y);
      demand(is_oracles_hsl(hsl.view(), x, y, p, v_max, encoding), "other HSL");
      const oracle::Pixel to = oracle::adjusted(p, v_max, by.hue_degrees, by.saturation, by.lightness);
      const std::array<std::uint32_t, 3> levels = {to.r, to.g, to.b};
      for (int c = 0; c < pixels.format.color_channels(); ++c) {
        test::set_sample(expected.view(), x, y, c, levels[static_cast<std::size_t>(c)]);
      }
    }
  }
  demand_same(adjusted, expected, "adjusted to other pixels: ");
}

void demand_resized(FuzzInput& input) {
  ResizeOptions options;
  options.width = input.between(1, 40);
  options.height = input.between(1, 40);
  options.fit = ResizeFit::stretch;
  options.filter = static_cast<ResizeFilter>(input.below(6));
  const double left = input.below(100) * 0.009;
  const double top = input.below(100) * 0.009;
  const bool has_box = input.flip();
  const Scene scene = scene_from(input);
  const ConstView pixels = scene.image.view();
  if (has_box) {
    options.box = ResizeBox{left * pixels.width, top * pixels.height, 0.1 * pixels.width, 0.1 * pixels.height};
  }
  const ResizePlan plan = resize_plan(pixels.width, pixels.height, options);
  const Image result =
      agreed(scene, [&](Backend& backend, Picture picture, const Picture*) { return backend.apply(picture, options); });
  demand_same(
      result,
      oracle::resampled(pixels, plan.width, plan.height, options.filter, plan.left, plan.top, plan.right, plan.bottom),
      "resized to other pixels: ");
}

/// A random trial from the list of operations: several threads must give the same result as one thread.
void demand_trial(FuzzInput& input) {
  const std::uint32_t drawn = input.byte();
  const Scene scene = scene_from(input);
  const std::vector<Trial> trials = trials_on(BackendKind::cpu, scene.image.format());
  const Trial& trial = trials[drawn % trials.size()];
  const Picture one = one_thread().upload(scene.image.view());
  const Picture several = several_threads().upload(scene.image.view());
  demand(difference(trial, one_thread(), one, several_threads(), several).empty(), "several threads differ from one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  choose_instructions(input);
  switch (input.below(7)) {
    case 0: demand_histogram(input); break;
    case 1: demand_equalized(input); break;
    case 2: demand_integral(input); break;
    case 3: demand_hsl(input); break;
    case 4: demand_clahe(input); break;
    case 5: demand_resized(input); break;
    default: demand_trial(input);
  }
  return 0;
}
