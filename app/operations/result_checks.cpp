// Compares the results of two backends, tests backends with known answers, and generates the test image.
#include "operations/result_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "operations/operations.hpp"
#include "text/channel_names.hpp"

namespace gpuimg {
namespace {

std::string sample_text(const std::byte* at, Sample sample) {
  const auto as = [at]<class T>() {
    T value;
    std::memcpy(&value, at, sizeof value);
    return fmt::format("{}", value);
  };
  switch (sample) {
    case Sample::u8: return as.operator()<std::uint8_t>();
    case Sample::u16: return as.operator()<std::uint16_t>();
    case Sample::u32: return as.operator()<std::uint32_t>();
    case Sample::u64: return as.operator()<std::uint64_t>();
    case Sample::f32: return as.operator()<float>();
    case Sample::f64: return as.operator()<double>();
  }
  return {};
}

}  // namespace

std::string first_difference(const Image& a, const std::string& a_name, const Image& b, const std::string& b_name) {
  if (a.width() != b.width() || a.height() != b.height() || a.format() != b.format()) {
    return "the results differ in size or format";
  }
  const std::size_t sample = sample_bytes(a.format().sample);
  for (int y = 0; y < a.height(); ++y) {
    const std::byte* row_a = a.view().row_bytes(y);
    const std::byte* row_b = b.view().row_bytes(y);
    if (std::memcmp(row_a, row_b, a.pitch_bytes()) == 0) {
      continue;
    }
    std::size_t i = 0;
    while (std::memcmp(row_a + i * sample, row_b + i * sample, sample) == 0) {
      ++i;
    }
    const auto channels = static_cast<std::size_t>(a.format().channels);
    return fmt::format("pixel {},{} channel {}: {} {}, {} {}", i / channels, y, i % channels, a_name,
                       sample_text(row_a + i * sample, a.format().sample), b_name,
                       sample_text(row_b + i * sample, a.format().sample));
  }
  return {};
}

std::string first_difference(const Histogram& a, const std::string& a_name, const Histogram& b,
                             const std::string& b_name) {
  if (a.channels.size() != b.channels.size()) {
    return "the results differ in channels";
  }
  for (std::size_t c = 0; c < a.channels.size(); ++c) {
    const auto& counts_a = a.channels[c].counts;
    const auto& counts_b = b.channels[c].counts;
    if (counts_a.size() != counts_b.size()) {
      return "the results differ in bins";
    }
    for (std::size_t bin = 0; bin < counts_a.size(); ++bin) {
      if (counts_a[bin] != counts_b[bin]) {
        return fmt::format("channel {} bin {}: {} {}, {} {}", channel_name(a.channels[c].channel), bin, a_name,
                           counts_a[bin], b_name, counts_b[bin]);
      }
    }
  }
  return {};
}

std::string first_difference(const std::variant<Histogram, Image>& a, const std::string& a_name,
                             const std::variant<Histogram, Image>& b, const std::string& b_name) {
  if (a.index() != b.index()) {
    return "the results differ in kind";
  }
  if (const auto* histogram = std::get_if<Histogram>(&a)) {
    return first_difference(*histogram, a_name, std::get<Histogram>(b), b_name);
  }
  return first_difference(std::get<Image>(a), a_name, std::get<Image>(b), b_name);
}

void reject_difference(const std::string& difference) {
  if (!difference.empty()) {
    throw Error(ErrorKind::mismatch, "verify: the backends disagree: " + difference +
                                         "; nothing was written; please report it with the input");
  }
}

namespace {

/// 32-bit hash with good diffusion (multiply and xor-shift).
std::uint32_t scrambled(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

/// A level from 0 to 65535: a gradient (vertical in channel 1, otherwise horizontal), soft noise, and a disc of pure
/// color in the middle.
std::uint32_t level_at(int x, int y, int channel, int width, int height, unsigned seed) {
  const auto along = static_cast<std::uint64_t>(channel == 1 ? y : x) * 40000U;
  const auto length = static_cast<std::uint64_t>(std::max(1, channel == 1 ? height : width));
  const auto slope = static_cast<std::uint32_t>(along / length);
  const std::uint32_t noise =
      scrambled(static_cast<std::uint32_t>(x) * 3U + scrambled(static_cast<std::uint32_t>(y) + seed) +
                static_cast<std::uint32_t>(channel)) %
      16000U;
  const std::int64_t dx = 2 * static_cast<std::int64_t>(x) - width;
  const std::int64_t dy = 2 * static_cast<std::int64_t>(y) - height;
  const std::int64_t reach = std::min(width, height) / 2;
  if (dx * dx + dy * dy < reach * reach) {
    return channel == static_cast<int>(seed % 3U) ? 65535U : noise / 2U;
  }
  return std::min(65535U, slope + noise + 4000U * static_cast<std::uint32_t>(channel));
}

template <class T>
void fill(View image, unsigned seed) {
  const int colors = image.format.color_channels();
  constexpr int kShift = sizeof(T) == 1 ? 8 : 0;
  for (int y = 0; y < image.height; ++y) {
    T* to = image.row<T>(y);
    for (int x = 0; x < image.width; ++x) {
      for (int channel = 0; channel < colors; ++channel) {
        *to++ = static_cast<T>(level_at(x, y, channel, image.width, image.height, seed) >> kShift);
      }
      if (image.format.has_alpha()) {
        const std::uint32_t alpha = (x / 8 + y / 8) % 5 == 0 ? 0U : level_at(y, x, 2, image.height, image.width, seed);
        *to++ = static_cast<T>(alpha >> kShift);
      }
    }
  }
}

void expect(SelfTestResult& result, bool good, const std::string& what) {
  ++result.checks;
  if (!good) {
    result.failures.push_back(what);
  }
}

}  // namespace

Image selftest_image(int width, int height, PixelFormat format, unsigned seed) {
  Image image(width, height, format);
  if (format.sample == Sample::u8) {
    fill<std::uint8_t>(image.view(), seed);
  } else {
    fill<std::uint16_t>(image.view(), seed);
  }
  return image;
}

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
