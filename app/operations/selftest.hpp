// What `doctor` checks of each backend: known answers, and agreement with the CPU. Also what the self-tests of codecs
// and `bench` share with it: the result and the test image.
#pragma once

#include <string>
#include <vector>

#include "gpuimg/backend.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

struct SelfTestResult {
  int checks = 0;
  std::vector<std::string> failures;  ///< one line each
};

/// Checks known results on a small image.
SelfTestResult test_known_answers(Backend& backend);

/// Runs every operation with every option on small images of every format, and compares the bytes of both backends.
SelfTestResult test_agreement(Backend& backend, Backend& reference);

/// An image with smooth shading, edges, noise, saturated colors and, with alpha, transparent pixels. The same seed
/// gives the same pixels everywhere. width, height ≥ 1; format photographic.
Image selftest_image(int width, int height, PixelFormat format, unsigned seed);

}  // namespace gpuimg
