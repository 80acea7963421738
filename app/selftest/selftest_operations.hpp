// The operations that `doctor` tests and `bench` times: each can be run, and compared between two backends.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct SelftestOperation {
  std::string name;  ///< "equalize luma": the subcommand, then its options
  /// Runs the operation, waits for it, and discards the result.
  std::function<void(Backend&, const Picture&)> run;
  /// Runs it on two backends that hold the same pixels. Returns the first difference; empty if the results are equal.
  std::function<std::string(Backend&, const Picture&, Backend&, const Picture&)> difference;
  /// Minimum number of bytes that must be read and written per pixel of this format.
  std::function<double(PixelFormat)> bytes_per_pixel;
};

/// A few of each subcommand, for timing. RGB images have all of them; gray images those that apply.
std::vector<SelftestOperation> timed_operations();

/// Every operation with every option, for a self-test on small images of `format`.
std::vector<SelftestOperation> tested_operations(PixelFormat format);

/// An image with smooth shading, edges, noise, saturated colors and, with alpha, transparent pixels. The same seed
/// gives the same pixels everywhere. width, height ≥ 1; format photographic.
Image selftest_image(int width, int height, PixelFormat format, unsigned seed);

}  // namespace gpuimg
