// Tests backends with known answers, and compares two backends.
#include "selftest/selftest.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "operations/operations.hpp"
#include "selftest/selftest_image.hpp"

namespace gpuimg {
namespace {

void expect(SelfTestResult& result, bool good, const std::string& what) {
  ++result.checks;
  if (!good) {
    result.failures.push_back(what);
  }
}

}  // namespace

SelfTestResult test_known_answers(Backend& backend) {
  SelfTestResult result;
  for (const Operation& operation : operations()) {
    if (operation.is_on(backend.kind())) {
      expect(result, operation.known_answer(backend), std::string(operation.name));
    }
  }
  return result;
}

SelfTestResult test_agreement(Backend& backend, Backend& reference) {
  constexpr std::array<std::pair<int, int>, 4> kSizes = {{{1, 1}, {33, 7}, {257, 31}, {640, 67}}};
  SelfTestResult result;
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const PixelFormat format{sample, channels};
      for (const auto& [width, height] : kSizes) {
        const Image image = selftest_image(width, height, format, static_cast<unsigned>(width + channels));
        const Picture here = backend.upload(image.view());
        const Picture there = reference.upload(image.view());
        for (const Trial& trial : trials_on(backend.kind(), format)) {
          const std::string differs = difference(trial, backend, here, reference, there);
          expect(result, differs.empty(),
                 fmt::format("{} of {}x{}, {} channels of {} bits: {}", trial.name, width, height, channels,
                             8 * sample_bytes(sample), differs));
        }
      }
    }
  }
  return result;
}

}  // namespace gpuimg
