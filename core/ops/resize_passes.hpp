// The passes of a resize on a device, as functions that compute one or a few pixels. With 8-bit samples, one
// instruction computes four products. The kernels are in cuda/resize.cu; tests run these functions on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "host_device.hpp"
#include "ops/resize.hpp"

namespace gpuimg {

// --- For both sample types -------------------------------------------------------------------------------------------

/// An AxisWeights in device memory.
template <class T>
struct DeviceAxis {
  const std::int32_t* first = nullptr;
  const std::uint32_t* starts = nullptr;
  const WeightOf<T>* weights = nullptr;
};

/// One pass: pixel (x, y) of the result is a weighted sum of pixels of a row (if is_across) or of a column. Offsets
/// count pixels of `channels` samples; rows have no padding.
template <class T, int channels, bool is_across>
struct ResizePass {
  static constexpr bool kHasAlpha = channels == 2 || channels == 4;
  const T* in = nullptr;
  std::size_t in_width = 0;
  T* out = nullptr;
  std::size_t out_width = 0;
  std::size_t out_first = 0;  ///< index in `out` of pixel (0, 0)
  DeviceAxis<T> axis;
  bool premultiplies = false;  ///< in the first pass of an image with alpha
  bool unmultiplies = false;   ///< in the last pass of an image with alpha

  GPUIMG_HD void operator()(int x, int y) const {
    const int i = is_across ? x : y;
    const std::size_t step = is_across ? 1 : in_width;
    const auto position = static_cast<std::size_t>(axis.first[i]);
    const T* from = in + channels * (is_across ? static_cast<std::size_t>(y) * in_width + position
                                               : position * in_width + static_cast<std::size_t>(x));
    WeightOf<T> sums[channels];
    for (int c = 0; c < channels; ++c) {
      sums[c] = WeightOf<T>{1} << (kWeightBits<T> - 1);
    }
    for (std::uint32_t k = axis.starts[i]; k < axis.starts[i + 1]; ++k, from += step * channels) {
      add(sums, from, axis.weights[k]);
    }
    T levels[channels];
    for (int c = 0; c < channels; ++c) {
      levels[c] = resampled<T>(sums[c]);
    }
    T* to = out + channels * (out_first + static_cast<std::size_t>(y) * out_width + static_cast<std::size_t>(x));
    for (int c = 0; c < channels; ++c) {
      const bool is_multiplied = kHasAlpha && unmultiplies && c < channels - 1;
      to[c] = is_multiplied ? unmultiplied<T>(levels[c], levels[channels - 1]) : levels[c];
    }
  }

 private:
  GPUIMG_HD void add(WeightOf<T> (&sums)[channels], const T* pixel, WeightOf<T> weight) const {
    if (kHasAlpha && premultiplies) {
      for (int c = 0; c < channels - 1; ++c) {
        sums[c] += weight * static_cast<WeightOf<T>>(premultiplied<T>(pixel[c], pixel[channels - 1]));
      }
      sums[channels - 1] += weight * static_cast<WeightOf<T>>(pixel[channels - 1]);
    } else {
      for (int c = 0; c < channels; ++c) {
        sums[c] += weight * static_cast<WeightOf<T>>(pixel[c]);
      }
    }
  }
};

/// Pixel (x, y) of the result is the pixel at columns[x], rows[y].
template <class T, int channels>
struct NearestPixels {
  const T* in = nullptr;
  std::size_t in_width = 0;
  T* out = nullptr;
  std::size_t out_width = 0;
  std::size_t out_first = 0;
  const std::int32_t* columns = nullptr;
  const std::int32_t* rows = nullptr;

  GPUIMG_HD void operator()(int x, int y) const {
    const T* from =
        in + channels * (static_cast<std::size_t>(rows[y]) * in_width + static_cast<std::size_t>(columns[x]));
    T* to = out + channels * (out_first + static_cast<std::size_t>(y) * out_width + static_cast<std::size_t>(x));
    for (int c = 0; c < channels; ++c) {
      to[c] = from[c];
    }
  }
};

/// Fills a rectangle with one color.
template <class T, int channels>
struct FillPixels {
  T* out = nullptr;
  std::size_t width = 0;
  std::uint16_t pixel[4] = {};

  GPUIMG_HD void operator()(int x, int y) const {
    T* to = out + channels * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
    for (int c = 0; c < channels; ++c) {
      to[c] = static_cast<T>(pixel[c]);
    }
  }
};

// --- 8 bits ----------------------------------------------------------------------------------------------------------

/// sum + the dot product of the four bytes of `levels` and `digits`, all unsigned.
GPUIMG_HD inline std::uint32_t dot_of_bytes(std::uint32_t levels, std::uint32_t digits, std::uint32_t sum) {
#if defined(__CUDA_ARCH__)
  return __dp4a(levels, digits, sum);
#else
  for (int i = 0; i < 32; i += 8) {
    sum += (levels >> i & 0xFFU) * (digits >> i & 0xFFU);
  }
  return sum;
#endif
}

/// Like dot_of_bytes(), but with signed digits; the result is modulo 2³².
GPUIMG_HD inline std::uint32_t dot_of_signed_digits(std::uint32_t levels, std::uint32_t digits, std::uint32_t sum) {
#if defined(__CUDA_ARCH__)
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(levels), "r"(digits));
#else
  for (int i = 0; i < 32; i += 8) {
    sum += (levels >> i & 0xFFU) * static_cast<std::uint32_t>(static_cast<std::int8_t>(digits >> i & 0xFFU));
  }
#endif
  return sum;
}

/// Selects four of the eight bytes of `low` (0 … 3) and `high` (4 … 7), one per hexadecimal digit of `choice`.
GPUIMG_HD inline std::uint32_t chosen_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t choice) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, choice);
#else
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i) {
    bytes |= static_cast<std::uint32_t>(both >> 8 * (choice >> 4 * i & 7U) & 0xFFU) << 8 * i;
  }
  return bytes;
#endif
}

/// Transposes the 4 × 4 bytes of four words: byte j of result i is byte i of words[j].
GPUIMG_HD inline void transpose_bytes(std::uint32_t (&words)[4]) {
  const std::uint32_t low01 = chosen_bytes(words[0], words[1], 0x5140);
  const std::uint32_t low23 = chosen_bytes(words[2], words[3], 0x5140);
  const std::uint32_t high01 = chosen_bytes(words[0], words[1], 0x7362);
  const std::uint32_t high23 = chosen_bytes(words[2], words[3], 0x7362);
  words[0] = chosen_bytes(low01, low23, 0x5410);
  words[1] = chosen_bytes(low01, low23, 0x7632);
  words[2] = chosen_bytes(high01, high23, 0x5410);
  words[3] = chosen_bytes(high01, high23, 0x7632);
}

/// Converts the bytes of four pixels to one word per channel, which holds the four levels of that channel.
template <int channels>
GPUIMG_HD void planes_of_pixels(std::uint32_t (&words)[channels]) {
  if constexpr (channels == 2) {
    const std::uint32_t first = chosen_bytes(words[0], words[1], 0x6420);
    words[1] = chosen_bytes(words[0], words[1], 0x7531);
    words[0] = first;
  } else if constexpr (channels == 3) {
    const std::uint32_t first = chosen_bytes(words[0], words[1], 0x0630);
    const std::uint32_t second = chosen_bytes(words[0], words[1], 0x0741);
    const std::uint32_t third = chosen_bytes(words[0], words[1], 0x0052);
    const std::uint32_t last = words[2];
    words[0] = chosen_bytes(first, last, 0x5210);
    words[1] = chosen_bytes(second, last, 0x6210);
    words[2] = chosen_bytes(third, last, 0x7410);
  } else if constexpr (channels == 4) {
    transpose_bytes(words);
  }
}

/// The weights of an axis in base 256, packed for four input positions at once. A weight for 8-bit samples lies between
/// −2²³ and 2²³, so it has two unsigned digits and a third, signed digit.
struct AxisDigits {
  static constexpr int kDigits = 3;
  int groups = 0;                     ///< number of groups of four input positions per output position
  std::vector<std::int32_t> first;    ///< by output position: its first input position, divided by `alignment`
  std::vector<std::uint32_t> digits;  ///< by group, digit and output position: one digit of four weights

  /// Windows begin at multiples of `alignment`. The number of output positions is rounded up to a multiple of
  /// `multiple`. The added output positions, and input positions outside a window, get the weight 0.
  AxisDigits(const AxisWeights<std::int32_t>& axis, int alignment, int multiple) {
    for (int i = 0; i < axis.size(); ++i) {
      first.push_back(axis.first[static_cast<std::size_t>(i)] / alignment);
      groups = std::max(groups, (axis.end(i) - first.back() * alignment + 3) / 4);
    }
    first.resize((first.size() + static_cast<std::size_t>(multiple) - 1) / static_cast<std::size_t>(multiple) *
                     static_cast<std::size_t>(multiple),
                 first.back());
    digits.resize(first.size() * static_cast<std::size_t>(groups * kDigits));
    for (int i = 0; i < axis.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int before = axis.first[at] - first[at] * alignment;
      for (int k = 0; k < axis.count(i); ++k) {
        add(before + k, i, axis.weights[axis.starts[at] + static_cast<std::size_t>(k)]);
      }
    }
  }

  /// The largest number of groups that `length` consecutive output positions span, if the run begins at a multiple of
  /// `length`.
  [[nodiscard]] int groups_of_run(int length) const {
    int most = 0;
    const auto run = static_cast<std::size_t>(length);
    for (std::size_t i = 0; i < first.size(); i += run) {
      most = std::max(most, first[std::min(i + run, first.size()) - 1] + groups - first[i]);
    }
    return most;
  }

 private:
  void add(int position, int i, std::int32_t weight) {
    for (int digit = 0; digit < kDigits; ++digit) {
      const auto at = static_cast<std::size_t>(position / 4 * kDigits + digit) * first.size();
      digits[at + static_cast<std::size_t>(i)] |= (static_cast<std::uint32_t>(weight) >> 8 * digit & 0xFFU)
                                                  << 8 * (position % 4);
    }
  }
};

/// An AxisDigits in device memory.
struct DeviceDigits {
  const std::int32_t* first = nullptr;
  const std::uint32_t* digits = nullptr;
  int groups = 0;
  int positions = 0;

  /// The digits of one group for output position i.
  GPUIMG_HD std::uint32_t operator()(int group, int digit, int i) const {
    return digits[static_cast<std::size_t>(group * AxisDigits::kDigits + digit) * static_cast<std::size_t>(positions) +
                  static_cast<std::size_t>(i)];
  }
};

/// A weighted sum of bytes, accumulated separately for each digit of the weights.
struct DigitSums {
  std::uint32_t of[AxisDigits::kDigits] = {};

  GPUIMG_HD void add(std::uint32_t levels, const std::uint32_t (&digits)[AxisDigits::kDigits]) {
    of[0] = dot_of_bytes(levels, digits[0], of[0]);
    of[1] = dot_of_bytes(levels, digits[1], of[1]);
    of[2] = dot_of_signed_digits(levels, digits[2], of[2]);
  }
  /// Combines the digits. The sum fits in 31 bits, so it is exact.
  [[nodiscard]] GPUIMG_HD std::uint8_t level() const {
    const std::uint32_t sum = (1U << (kWeightBits<std::uint8_t> - 1)) + of[0] + (of[1] << 8) + (of[2] << 16);
    return resampled<std::uint8_t>(static_cast<std::int32_t>(sum));
  }
};

/// Writes a pixel. If `unmultiplies`, its colors are divided by alpha.
template <int channels>
GPUIMG_HD void write_pixel(std::uint8_t* to, const std::uint8_t (&levels)[channels], bool unmultiplies) {
  for (int c = 0; c < channels; ++c) {
    const bool is_multiplied = channels % 2 == 0 && unmultiplies && c < channels - 1;
    to[c] = is_multiplied ? unmultiplied<std::uint8_t>(levels[c], levels[channels - 1]) : levels[c];
  }
}

/// The horizontal pass. make_planes() turns some rows into words that each hold four levels of one channel.
/// write_pixels() then computes weighted sums of these words. Rows have no padding.
template <int channels>
struct AcrossPass {
  static constexpr int kRows = 4;  ///< rows per thread
  const std::uint8_t* in = nullptr;
  std::size_t in_width = 0;
  std::uint8_t* out = nullptr;
  std::size_t out_width = 0;
  std::size_t out_first = 0;  ///< index in `out` of pixel (0, 0)
  DeviceDigits axis;
  bool premultiplies = false;  ///< for an image with alpha
  bool unmultiplies = false;   ///< if this is the only pass of an image with alpha

  /// Reads pixels 4·group … 4·group + 3 of kRows rows from y on, into one word per channel; pixels outside the image
  /// are 0. Row end − 1 replaces rows from `end` on. All loads are issued before any of the words is used.
  GPUIMG_HD void make_planes(int y, int end, int group, std::uint32_t (&planes)[kRows][channels]) const {
    const auto x = static_cast<std::size_t>(group) * 4;
    const bool is_inside = x + 8 <= in_width;
    for (int row = 0; row < kRows; ++row) {
      const auto at = static_cast<std::size_t>(y + row < end ? y + row : end - 1);
      const std::uint8_t* from = in + (at * in_width + x) * channels;
      if (is_inside) {
        load_words(from, planes[row]);
      } else {
        gather(from, x, planes[row]);
      }
    }
    for (int row = 0; row < kRows; ++row) {
      if (is_inside) {
        planes_of_pixels<channels>(planes[row]);
      }
      if (channels % 2 == 0 && premultiplies) {
        premultiply(planes[row]);
      }
    }
  }

  /// Writes pixel x of rows y … y + 3, except rows from `end` on. For each row and, within a row, for each channel,
  /// `planes` holds `stride` words, beginning with group `first_group`.
  GPUIMG_HD void write_pixels(int x, int y, int end, const std::uint32_t* planes, int stride, int first_group) const {
    DigitSums sums[kRows][channels];
    const std::uint32_t* window = planes + (axis.first[x] - first_group);
    for (int k = 0; k < axis.groups; ++k) {
      const std::uint32_t digits[AxisDigits::kDigits] = {axis(k, 0, x), axis(k, 1, x), axis(k, 2, x)};
      for (int row = 0; row < kRows; ++row) {
        for (int c = 0; c < channels; ++c) {
          sums[row][c].add(window[(row * channels + c) * stride + k], digits);
        }
      }
    }
    for (int row = 0; row < kRows; ++row) {
      std::uint8_t levels[channels];
      for (int c = 0; c < channels; ++c) {
        levels[c] = sums[row][c].level();
      }
      if (y + row < end) {
        write_pixel<channels>(
            out + channels * (out_first + static_cast<std::size_t>(y + row) * out_width + static_cast<std::size_t>(x)),
            levels, unmultiplies);
      }
    }
  }

 private:
  /// Loads bytes from an unaligned address. May read up to three bytes beyond them.
  GPUIMG_HD static void load_words(const std::uint8_t* from, std::uint32_t (&words)[channels]) {
#if defined(__CUDA_ARCH__)
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const auto* aligned = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
    const auto shift = static_cast<std::uint32_t>(address & 3U) * 8;
    std::uint32_t word = aligned[0];
    for (int i = 0; i < channels; ++i) {
      const std::uint32_t next = i + 1 < channels || shift != 0 ? aligned[i + 1] : 0U;
      words[i] = __funnelshift_r(word, next, shift);
      word = next;
    }
#else
    std::memcpy(words, from, sizeof(words));
#endif
  }
  GPUIMG_HD void gather(const std::uint8_t* from, std::size_t x, std::uint32_t (&planes)[channels]) const {
    for (int c = 0; c < channels; ++c) {
      planes[c] = 0;
      for (std::size_t i = 0; i < 4 && x + i < in_width; ++i) {
        planes[c] |= std::uint32_t{from[i * channels + static_cast<std::size_t>(c)]} << 8 * i;
      }
    }
  }
  GPUIMG_HD static void premultiply(std::uint32_t (&planes)[channels]) {
    for (int c = 0; c < channels - 1; ++c) {
      std::uint32_t colors = 0;
      for (int i = 0; i < 32; i += 8) {
        const std::uint32_t alpha = planes[channels - 1] >> i & 0xFFU;
        colors |= std::uint32_t{premultiplied<std::uint8_t>(planes[c] >> i & 0xFFU, alpha)} << i;
      }
      planes[c] = colors;
    }
  }
};

/// The vertical pass after a horizontal pass; processes four bytes of a row at once. Rows of `in` consist of whole
/// words.
template <int channels>
struct DownPass {
  const std::uint32_t* in = nullptr;
  std::size_t in_words = 0;  ///< words per row
  int in_rows = 0;
  std::uint8_t* out = nullptr;
  std::size_t out_width = 0;
  std::size_t out_first = 0;  ///< index in `out` of pixel (0, 0)
  std::size_t row_bytes = 0;  ///< bytes to write per row
  DeviceDigits axis;
  bool unmultiplies = false;

  GPUIMG_HD void operator()(int word, int y) const {
    DigitSums sums[4];
    const int first = axis.first[y];
    for (int k = 0; k < axis.groups; ++k) {
      const std::uint32_t digits[AxisDigits::kDigits] = {axis(k, 0, y), axis(k, 1, y), axis(k, 2, y)};
      std::uint32_t words[4];
      for (int i = 0; i < 4; ++i) {
        const int row = first + 4 * k + i;
        words[i] =
            in[static_cast<std::size_t>(row < in_rows ? row : in_rows - 1) * in_words + static_cast<std::size_t>(word)];
      }
      transpose_bytes(words);
      for (int i = 0; i < 4; ++i) {
        sums[i].add(words[i], digits);
      }
    }
    std::uint8_t levels[4];
    for (int i = 0; i < 4; ++i) {
      levels[i] = sums[i].level();
    }
    write(word, y, levels);
  }

 private:
  GPUIMG_HD void write(int word, int y, std::uint8_t (&levels)[4]) const {
    if constexpr (channels % 2 == 0) {
      for (int i = 0; unmultiplies && i < 4; ++i) {
        if (i % channels != channels - 1) {
          levels[i] = unmultiplied<std::uint8_t>(levels[i], levels[i / channels * channels + channels - 1]);
        }
      }
    }
    const auto at = static_cast<std::size_t>(word) * 4;
    std::uint8_t* to = out + channels * (out_first + static_cast<std::size_t>(y) * out_width) + at;
    for (int i = 0; i < 4; ++i) {
      if (at + static_cast<std::size_t>(i) < row_bytes) {
        to[i] = levels[i];
      }
    }
  }
};

}  // namespace gpuimg
