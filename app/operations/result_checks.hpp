// Checks that the results of two backends are identical. Also the checks of `doctor` for each backend (known answers
// and agreement with the CPU), and the result type and test image that self-tests of codecs and `bench` share.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "gpuimg/backend.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

/// Empty if equal; otherwise the first difference: "pixel 12,7 channel 1: cpu 118, cuda 119".
std::string first_difference(const Image& a, const std::string& a_name, const Image& b, const std::string& b_name);
std::string first_difference(const Histogram& a, const std::string& a_name, const Histogram& b,
                             const std::string& b_name);
std::string first_difference(const std::variant<Histogram, Image>& a, const std::string& a_name,
                             const std::variant<Histogram, Image>& b, const std::string& b_name);

/// For --verify: throws Error{mismatch} unless `difference` is empty.
void reject_difference(const std::string& difference);

struct SelfTestResult {
  int checks = 0;
  std::vector<std::string> failures;  ///< one line each
};

/// Checks known results on a small image.
SelfTestResult test_known_answers(Backend& backend);

/// Runs every operation with every option on small images of every format, and compares the bytes of both backends.
SelfTestResult test_agreement(Backend& backend, Backend& reference);

/// An image with smooth shading, edges, noise, saturated colors and, with alpha, transparent pixels. The same seed
/// gives the same pixels everywhere. `width` and `height` must be at least 1, and `format` must be photographic.
Image selftest_image(int width, int height, PixelFormat format, unsigned seed);

}  // namespace gpuimg
