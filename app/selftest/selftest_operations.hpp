// The operations that `doctor` tests and `bench` times: each can be run, and compared between two backends.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct TrialOperation {
  std::string name;  ///< "equalize luma": subcommand, then what is asked of it
  /// Runs it, waits, and drops the result.
  std::function<void(Backend&, const Picture&)> run;
  /// Runs it on two backends that hold the same pixels; empty if the results are equal, else the first difference.
  std::function<std::string(Backend&, const Picture&, Backend&, const Picture&)> difference;
  /// Fewest bytes that must be read and written for a pixel of this format.
  std::function<double(PixelFormat)> bytes_per_pixel;
};

/// A few of each subcommand, for timing. RGB images have them all; gray ones those that make sense.
std::vector<TrialOperation> timed_operations();

/// Every operation with every option, for a self-test on small images of `format`.
std::vector<TrialOperation> tested_operations(PixelFormat format);

/// A picture with smooth shading, edges, noise, saturated colours and, with alpha, transparent pixels. The same seed
/// gives the same pixels everywhere. width, height ≥ 1; format photographic.
Image trial_image(int width, int height, PixelFormat format, unsigned seed);

}  // namespace gpuimg
