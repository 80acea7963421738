// Generates the images and compares them.
#include "support/test_images.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "support/sanitizers.hpp"

namespace gpuimg::test {
namespace {

std::uint64_t chosen_seed() {
  const char* given = std::getenv("GPUIMG_TEST_SEED");
  if (given != nullptr) {
    return std::strtoull(given, nullptr, 10);
  }
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

/// value_of(x, y, channel) returns the color channels; alpha is random, often 0 or V.
template <class ValueOf>
Image image_from(Random& random, int width, int height, PixelFormat format, const ValueOf& value_of) {
  Image image(width, height, format);
  const View view = image.view();
  const std::uint32_t v_max = format.max_value();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < format.channels; ++c) {
        if (format.has_alpha() && c == format.channels - 1) {
          const std::array<std::uint32_t, 4> alphas = {0, v_max, random.below(v_max + 1), random.below(v_max + 1)};
          set_sample(view, x, y, c, alphas[random.below(4)]);
        } else {
          set_sample(view, x, y, c, value_of(x, y, c));
        }
      }
    }
  }
  return image;
}

}  // namespace

Random::Random() : seed_(chosen_seed()), engine_(seed_) {}

const std::vector<PixelFormat>& photographic_formats() {
  static const std::vector<PixelFormat> formats = {{Sample::u8, 1},  {Sample::u8, 2},  {Sample::u8, 3},
                                                   {Sample::u8, 4},  {Sample::u16, 1}, {Sample::u16, 2},
                                                   {Sample::u16, 3}, {Sample::u16, 4}};
  return formats;
}

std::string name_of(PixelFormat format) {
  return std::to_string(8 * sample_bytes(format.sample)) + " bit x " + std::to_string(format.channels);
}

Image constant_image(int width, int height, PixelFormat format, std::uint32_t value) {
  Image image(width, height, format);
  const View view = image.view();
  if (format.sample == Sample::u8) {
    std::fill_n(view.data, image.size_bytes(), std::byte{static_cast<std::uint8_t>(value)});
  } else {
    std::fill_n(view.row<std::uint16_t>(0), image.size_bytes() / 2, static_cast<std::uint16_t>(value));
  }
  return image;
}

Image image_of_pixels(int width, int height, PixelFormat format,
                      const std::function<std::vector<std::uint32_t>(std::size_t)>& channels_of) {
  Image image(width, height, format);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      const std::vector<std::uint32_t> pixel = channels_of(i);
      for (int c = 0; c < format.channels; ++c) {
        set_sample(image.view(), x, y, c, pixel.at(static_cast<std::size_t>(c)));
      }
    }
  }
  return image;
}

Image random_image(Random& random, int width, int height, PixelFormat format) {
  const std::uint32_t levels = format.max_value() + 1;
  return image_from(random, width, height, format, [&](int, int, int) { return random.below(levels); });
}

Image smooth_image(Random& random, int width, int height, PixelFormat format) {
  const double v_max = format.max_value();
  const double low = v_max * 0.01 * random.between(0, 60);
  const double span = (v_max - low) * 0.01 * random.between(1, 100);
  const double turn = random.between(0, 628) * 0.01;
  const double period = 3.0 + random.between(0, 40);
  return image_from(random, width, height, format, [&](int x, int y, int c) {
    const double wave = 0.5 + 0.5 * std::sin(turn + (x + 0.7 * y) / period + c);
    const double noise = 0.02 * v_max * (random.below(1000) * 0.001 - 0.5);
    return static_cast<std::uint32_t>(std::clamp(low + span * wave + noise, 0.0, v_max));
  });
}

Image posterized_image(Random& random, int width, int height, PixelFormat format) {
  const std::uint32_t rest = random.below(32);
  const std::uint32_t steps = 1 + random.below((format.max_value() + 1) / 32);
  return image_from(random, width, height, format, [&](int, int, int) { return rest + 32 * random.below(steps); });
}

Image black_and_white_image(Random& random, int width, int height, PixelFormat format) {
  return image_from(random, width, height, format,
                    [&](int, int, int) { return random.below(2) == 0 ? 0U : format.max_value(); });
}

Image any_image(Random& random, int width, int height, PixelFormat format) {
  switch (random.below(8)) {
    case 0: return constant_image(width, height, format, random.below(format.max_value() + 1));
    case 1:
    case 2: return random_image(random, width, height, format);
    case 3:
    case 4:
    case 5: return smooth_image(random, width, height, format);
    default: return posterized_image(random, width, height, format);
  }
}

Image levels_by_alphas(PixelFormat format) {
  const std::uint32_t scale = format.sample == Sample::u8 ? 1 : 257;
  return image_of_pixels(256, 256, format, [&](std::size_t i) {
    std::vector<std::uint32_t> pixel;
    for (int c = 0; c < format.color_channels(); ++c) {
      pixel.push_back((static_cast<std::uint32_t>(i) + 85U * static_cast<std::uint32_t>(c)) % 256 * scale);
    }
    pixel.push_back(static_cast<std::uint32_t>(i / 256) * scale);
    return pixel;
  });
}

void make_area_opaque(Random& random, View pixels) {
  const int left = random.between(0, pixels.width - 1);
  const int top = random.between(0, pixels.height - 1);
  const int right = random.between(left, pixels.width - 1);
  const int bottom = random.between(top, pixels.height - 1);
  for (int y = top; pixels.format.has_alpha() && y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      set_sample(pixels, x, y, pixels.format.channels - 1, pixels.format.max_value());
    }
  }
}

int rounds(int by_default) {
  const char* times = std::getenv("GPUIMG_TEST_TIMES");
  const int all = by_default * (times != nullptr ? std::max(1, std::atoi(times)) : 1);
  return kHasSanitizer ? std::max(1, all / 3) : all;
}

Image random_mask(Random& random, int width, int height) {
  return image_from(random, width, height, PixelFormat{Sample::u8, 1},
                    [&](int, int, int) { return random.below(2) * (1 + random.below(255)); });
}

Image all_colors() {
  Image image(4096, 4096, PixelFormat{Sample::u8, 3});
  auto* out = image.view().row<std::uint8_t>(0);
  for (std::uint32_t i = 0; i < (1U << 24); ++i, out += 3) {
    out[0] = static_cast<std::uint8_t>(i >> 16);
    out[1] = static_cast<std::uint8_t>(i >> 8);
    out[2] = static_cast<std::uint8_t>(i);
  }
  return image;
}

Image edge_colors_16(Random& random) {
  std::vector<std::uint32_t> values = {0,     1,     2,     3,     4,     127,   128,   255,   256,   257,
                                       4095,  10922, 10923, 21845, 32766, 32767, 32768, 32769, 43690, 54613,
                                       65279, 65280, 65407, 65408, 65530, 65531, 65532, 65533, 65534, 65535};
  while (values.size() < 96) {
    values.push_back(random.below(65536));
  }
  const int n = static_cast<int>(values.size());
  Image image(n * n, n, PixelFormat{Sample::u16, 3});
  for (int r = 0; r < n; ++r) {
    auto* out = image.view().row<std::uint16_t>(r);
    for (const std::uint32_t g : values) {
      for (const std::uint32_t b : values) {
        *out++ = static_cast<std::uint16_t>(values[static_cast<std::size_t>(r)]);
        *out++ = static_cast<std::uint16_t>(g);
        *out++ = static_cast<std::uint16_t>(b);
      }
    }
  }
  return image;
}

::testing::AssertionResult same_pixels(ConstView actual, ConstView expected) {
  if (actual.width != expected.width || actual.height != expected.height || actual.format != expected.format) {
    return ::testing::AssertionFailure() << "size or format differs: " << actual.width << "x" << actual.height << " of "
                                         << name_of(actual.format) << ", expected " << expected.width << "x"
                                         << expected.height << " of " << name_of(expected.format);
  }
  const std::size_t sample_size = sample_bytes(expected.format.sample);
  for (int y = 0; y < expected.height; ++y) {
    const std::byte* a = actual.row_bytes(y);
    const std::byte* e = expected.row_bytes(y);
    const auto [at, unused] = std::mismatch(a, a + expected.tight_pitch_bytes(), e);
    const auto i = static_cast<std::size_t>(at - a);
    if (i == expected.tight_pitch_bytes()) {
      continue;
    }
    auto failure = ::testing::AssertionFailure();
    failure << "first difference at x=" << i / expected.format.bytes_per_pixel() << " y=" << y << " channel "
            << i / sample_size % static_cast<std::size_t>(expected.format.channels);
    if (expected.format.is_photographic()) {
      const int x = static_cast<int>(i / expected.format.bytes_per_pixel());
      for (int c = 0; c < expected.format.channels; ++c) {
        failure << (c == 0 ? ": " : ", ") << sample_at(actual, x, y, c) << " for " << sample_at(expected, x, y, c);
      }
    }
    return failure;
  }
  return ::testing::AssertionSuccess();
}

std::uint64_t checksum(ConstView pixels) {
  std::uint64_t sum = 0;
  std::uint64_t state = 0;
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row = pixels.row<std::uint8_t>(y);
    for (std::size_t i = 0; i < pixels.tight_pitch_bytes(); ++i) {
      state += 0x9E3779B97F4A7C15U;
      std::uint64_t weight = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9U;
      weight = (weight ^ (weight >> 27)) * 0x94D049BB133111EBU;
      sum += row[i] * (weight ^ (weight >> 31));
    }
  }
  return sum;
}

}  // namespace gpuimg::test
