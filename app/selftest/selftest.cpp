// Tests backends with known answers, and compares two backends.
#include "selftest/selftest.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "selftest/selftest_operations.hpp"

namespace gpuimg {
namespace {

/// Four gray pixels 10, 20, 20, 250.
Image four_grays() {
  constexpr std::array<std::uint8_t, 4> kLevels = {10, 20, 20, 250};
  Image image(2, 2, PixelFormat{Sample::u8, 1});
  std::memcpy(image.view().data, kLevels.data(), kLevels.size());
  return image;
}

void expect(SelfTestResult& result, bool good, const std::string& what) {
  ++result.checks;
  if (!good) {
    result.failures.push_back(what);
  }
}

template <class T, std::size_t count>
bool holds(const Image& image, const std::array<T, count>& expected) {
  return image.size_bytes() == sizeof expected && std::memcmp(image.view().data, expected.data(), sizeof expected) == 0;
}

}  // namespace

SelfTestResult test_known_answers(Backend& backend) {
  SelfTestResult result;
  const Picture grays = backend.upload(four_grays());
  const Histogram histogram = backend.histogram(grays, {});
  const auto& counts = histogram.channels.front().counts;
  expect(result, histogram.counted == 4 && counts[10] == 1 && counts[20] == 2 && counts[250] == 1, "hist");
  expect(result, holds(backend.download(backend.equalize(grays, {})), std::array<std::uint8_t, 4>{0, 170, 170, 255}),
         "equalize");
  expect(result,
         holds(backend.download(backend.integral(grays, {})),
               std::array<std::uint32_t, 9>{0, 0, 0, 0, 10, 30, 0, 30, 300}),
         "integral");
  Image orange(1, 1, PixelFormat{Sample::u8, 3});
  constexpr std::array<std::uint8_t, 3> kOrange = {255, 128, 0};
  std::memcpy(orange.view().data, kOrange.data(), kOrange.size());
  const Picture pixel = backend.upload(std::move(orange));
  expect(result,
         holds(backend.download(backend.to_hsl(pixel, HslEncoding::u16)),
               std::array<std::uint16_t, 3>{5483, 65535, 32768}),
         "hsl");
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
        for (const SelftestOperation& operation : tested_operations(format)) {
          const std::string difference = operation.difference(backend, here, reference, there);
          expect(result, difference.empty(),
                 fmt::format("{} of {}x{}, {} channels of {} bits: {}", operation.name, width, height, channels,
                             8 * sample_bytes(sample), difference));
        }
      }
    }
  }
  return result;
}

}  // namespace gpuimg
