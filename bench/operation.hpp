// The timed operations: their inputs, the numbers of bytes that they read and write, and their targets
// (docs/performance.md, "GPU: the current table").
#pragma once

#include <array>
#include <string_view>

#include "gpuimg/image.hpp"

namespace gpuimg::bench {

enum class Operation {
  hist_gray8,
  luma_rgb8,
  luma_rgba8,
  hist_rgb8,
  hist_gray16,
  equalize_gray8,
  equalize_rgb8,
  clahe_gray8,
  integral_u32,
  hsl_f32,
  hsl_u16,
  mean_63,
  mean_401,
  mean_4099,
  mean_8191,
  mean_16383,
  mean_32767,
  otsu,
  bradley_63,
  bradley,
  bradley_8191,
  bradley_32767,
};

/// The content of a picture, which affects the speed of histograms.
enum class Distribution { noise, constant, photo, posterized };

inline constexpr std::array kDistributions = {Distribution::noise, Distribution::constant, Distribution::photo,
                                              Distribution::posterized};

constexpr std::string_view name_of(Distribution distribution) {
  constexpr std::array<std::string_view, 4> kNames = {"noise", "constant", "photo", "posterized"};
  return kNames[static_cast<std::size_t>(distribution)];
}

/// The plain stream that an operation is compared with. It reads and writes in the ratio `reads` : `writes`,
/// `bytes_per_pixel` in total.
struct Stream {
  int reads = 1;
  int writes = 0;
  int bytes_per_pixel = 1;

  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

enum class Library { cub, npp, textbook };
inline constexpr std::array<std::string_view, 3> kLibraryNames = {"CUB", "NPP", "textbook"};

inline constexpr double kSmallImageTargetMs = 0.012;  ///< for most operations on 1280×1024 pixels

/// Performance targets. 0 = no target.
struct Target {
  std::array<double, 4> share = {};     ///< required fraction of the stream's rate, by Distribution
  std::array<double, 3> speed_up = {};  ///< required speed-up, by Library
  double worst_over_best = 0.0;         ///< highest allowed time of the slowest distribution ÷ time of the fastest
  double small_image_ms = kSmallImageTargetMs;
};

struct OperationFacts {
  Operation operation;
  std::string_view name;
  PixelFormat format;  ///< of the input
  Stream stream;
  Target target;
};

inline constexpr std::size_t kOperations = 22;

inline constexpr std::array<OperationFacts, kOperations> kOperationFacts = {{
    {Operation::hist_gray8, "hist gray8", {Sample::u8, 1}, {1, 0, 1}, {{.92, .92, .92, .92}, {1.15, 0, 0}, 1.05}},
    {Operation::luma_rgb8, "hist luma rgb8", {Sample::u8, 3}, {1, 0, 3}, {{.92, .92, .92, .92}, {1.15, 0, 0}, 1.05}},
    {Operation::luma_rgba8, "hist luma rgba8", {Sample::u8, 4}, {1, 0, 4}, {{.92, .92, .92, .92}, {1.15, 0, 0}, 1.05}},
    {Operation::hist_rgb8, "hist r,g,b rgb8", {Sample::u8, 3}, {1, 0, 3}, {{.85, .85, .85, .85}, {2.5, 0, 0}, 0}},
    {Operation::hist_gray16, "hist gray16", {Sample::u16, 1}, {1, 0, 2}, {{.50, 0, .80, 0}, {3, 0, 0}, 0}},
    {Operation::equalize_gray8, "equalize gray8", {Sample::u8, 1}, {1, 1, 3}, {{.93, .93, .93, .93}, {0, 0, 5}, 0}},
    {Operation::equalize_rgb8, "equalize rgb8", {Sample::u8, 3}, {2, 1, 9}, {{.85, .85, .85, .85}, {}, 0}},
    {Operation::clahe_gray8, "clahe gray8", {Sample::u8, 1}, {1, 1, 3}, {{.55, .55, .55, .55}, {0, 0, 1}, 0}},
    {Operation::integral_u32, "integral u8>u32", {Sample::u8, 1}, {1, 4, 5}, {{.85, .85, .85, .85}, {0, 20, 14}, 0}},
    {Operation::hsl_f32, "hsl rgb8>f32", {Sample::u8, 3}, {1, 4, 15}, {{.90, .90, .90, .90}, {0, 0, 5}, 0}},
    {Operation::hsl_u16, "hsl rgb8>u16", {Sample::u8, 3}, {1, 2, 9}, {{.80, .80, .80, .80}, {0, 0, 5}, 0}},
    {Operation::mean_63, "mean 63 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.60, .60, .60, .60}, {0, 2, 0}, 0, 0}},
    {Operation::mean_401, "mean 401 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
    {Operation::mean_4099, "mean 4099 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
    {Operation::mean_8191, "mean 8191 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
    {Operation::mean_16383, "mean 16383 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
    {Operation::mean_32767, "mean 32767 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
    {Operation::otsu, "otsu gray8", {Sample::u8, 1}, {1, 1, 3}, {{}, {}, 0, 0}},
    {Operation::bradley_63, "bradley 63 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.60, .60, .60, .60}, {}, 0, 0}},
    {Operation::bradley, "bradley gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
    {Operation::bradley_8191, "bradley 8191 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
    {Operation::bradley_32767, "bradley 32767 gray8", {Sample::u8, 1}, {1, 1, 2}, {{.13, .13, .13, .13}, {}, 0, 0}},
}};

constexpr const OperationFacts& facts_of(Operation operation) {
  return kOperationFacts[static_cast<std::size_t>(operation)];
}

constexpr bool is_mean(Operation operation) {
  return operation >= Operation::mean_63 && operation <= Operation::mean_32767;
}

/// The side of the window. 0 for the default window, and for operations without windows.
constexpr int window_of(Operation operation) {
  switch (operation) {
    case Operation::mean_63:
    case Operation::bradley_63: return 63;
    case Operation::mean_401: return 401;
    case Operation::mean_4099: return 4099;
    case Operation::mean_8191:
    case Operation::bradley_8191: return 8191;
    case Operation::mean_16383: return 16383;
    case Operation::mean_32767:
    case Operation::bradley_32767: return 32767;
    default: return 0;
  }
}

/// The smallest number of pixels that the larger side of an image must have, so that the window fits.
constexpr int least_side(Operation operation) { return window_of(operation) / 2 + 1; }

constexpr bool is_histogram(Operation operation) { return operation <= Operation::hist_gray16; }
constexpr bool is_equalization(Operation operation) {
  return operation == Operation::equalize_gray8 || operation == Operation::equalize_rgb8;
}
/// True if a pixel of the result depends on more than a few pixels of the input.
constexpr bool is_local(Operation operation) {
  return operation == Operation::clahe_gray8 || operation >= Operation::mean_63;
}

}  // namespace gpuimg::bench
