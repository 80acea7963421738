// Converts colors in fixed-point arithmetic, so that the results are the same on every machine.
#include "codecs/tiff/tiff_colors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "codecs/rejections.hpp"

namespace gpuimg::codecs::tiff {
namespace {

constexpr int kFractionBits = 24;
constexpr std::int64_t kOne = std::int64_t{1} << kFractionBits;

/// a / b, rounded to nearest, halves up.
constexpr std::int64_t divided(std::int64_t a, std::int64_t b) {
  const std::int64_t number = 2 * (b < 0 ? -a : a) + (b < 0 ? -b : b);
  const std::int64_t by = 2 * (b < 0 ? -b : b);
  return number / by - (number % by < 0 ? 1 : 0);
}

/// Converts a number in units of 2⁻²⁴ to a level of T.
template <class T>
T level_of(std::int64_t value) {
  return static_cast<T>(std::clamp<std::int64_t>((value + kOne / 2) >> kFractionBits, 0, kMaxOf<T>));
}

[[noreturn]] void reject_coefficients(const TiffFile& file) {
  reject_damaged(file.name(), "its YCbCr coefficients are invalid");
}

/// The stored levels of black and white for Y, Cb and Cr, from tag 532 or by default, for 16 bits.
std::array<std::int64_t, 6> levels_of_16_bits(const TiffFile& file) {
  std::array<std::int64_t, 6> levels = {0, 65535, 32768, 65535, 32768, 65535};
  const float* stored = nullptr;
  if (TIFFGetField(file.tiff(), TIFFTAG_REFERENCEBLACKWHITE, &stored) == 1 && stored != nullptr) {
    constexpr float kMax = 131072;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (!(std::fabs(stored[i]) <= kMax)) {
        reject_coefficients(file);
      }
      levels[i] = std::lround(stored[i]);
    }
  }
  if (levels[0] == levels[1] || levels[2] == levels[3] || levels[4] == levels[5]) {
    reject_coefficients(file);
  }
  return levels;
}

/// CIELab's inverse function f⁻¹(t), rounded: 108 (t − 4/29) / 841 for t up to 6/29, otherwise t³. In units of 2⁻²⁴.
std::int64_t light_of(std::int64_t t) {
  if (29 * t <= 6 * kOne) {
    return divided(108 * (29 * t - 4 * kOne), 841 * 29);
  }
  const std::int64_t square = (t * t + kOne / 2) >> kFractionBits;
  return (square * t + kOne / 2) >> kFractionBits;
}

/// The matrix that converts X, Y and Z relative to D50 to linear sRGB, with Bradford's adaptation, in millionths. Each
/// row adds up to a million, so that grays stay gray.
constexpr std::int64_t kMillion = 1'000'000;
constexpr std::array<std::array<std::int64_t, 3>, 3> kRgbOfXyz = {
    {{3'021'727, -1'616'867, -404'860}, {-943'748, 1'916'142, 27'606}, {69'371, -228'991, 1'159'620}}};

/// The linear light of a level of sRGB, IEC 61966-2-1.
double linear_light(double level) { return level <= 0.04045 ? level / 12.92 : std::pow((level + 0.055) / 1.055, 2.4); }

}  // namespace

// --- YCbCr ----------------------------------------------------------------------------------------------------------

YcbcrConverter::YcbcrConverter(const TiffFile& file, int bits, bool is_planar) {
  read_sampling(file, is_planar);
  bits == 8 ? make_libtiff_tables(file) : make_fixed_tables(file);
}

/// Planes have full size unless the directory states otherwise. libtiff reads only planes of full size.
void YcbcrConverter::read_sampling(const TiffFile& file, bool is_planar) {
  std::uint16_t horizontal = is_planar ? 1 : 2;
  std::uint16_t vertical = horizontal;
  is_planar ? TIFFGetField(file.tiff(), TIFFTAG_YCBCRSUBSAMPLING, &horizontal, &vertical)
            : TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_YCBCRSUBSAMPLING, &horizontal, &vertical);
  const auto is_known = [](std::uint16_t factor) { return factor == 1 || factor == 2 || factor == 4; };
  if (!is_known(horizontal) || !is_known(vertical)) {
    reject_damaged(file.name(), "its chroma has an invalid size");
  }
  if (is_planar && horizontal * vertical != 1) {
    reject_unsupported(file.name(), "YCbCr TIFF in planes with subsampled chroma", "convert in.tif out.png");
  }
  horizontal_ = horizontal;
  vertical_ = vertical;
}

void YcbcrConverter::make_libtiff_tables(const TiffFile& file) {
  float* luma = nullptr;
  float* reference = nullptr;
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_YCBCRCOEFFICIENTS, &luma);
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_REFERENCEBLACKWHITE, &reference);
  // The tables follow the structure in memory. Each has 256 entries.
  constexpr std::size_t kTables = 256 * (4 * sizeof(TIFFRGBValue) + 2 * sizeof(int) + 3 * sizeof(std::int32_t));
  constexpr std::size_t kWords = (sizeof(TIFFYCbCrToRGB) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  memory_.resize(kWords + kTables / sizeof(std::uint64_t) + 1);
  tables_ = reinterpret_cast<TIFFYCbCrToRGB*>(memory_.data());
  if (luma == nullptr || reference == nullptr || luma[1] == 0 || TIFFYCbCrToRGBInit(tables_, luma, reference) < 0) {
    reject_coefficients(file);
  }
}

void YcbcrConverter::make_fixed_tables(const TiffFile& file) {
  const float* stored = nullptr;
  TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_YCBCRCOEFFICIENTS, &stored);
  std::array<std::int64_t, 3> share{};  // share of red, green and blue in the luma
  for (std::size_t c = 0; c < share.size(); ++c) {
    if (stored == nullptr || !(stored[c] > 0 && stored[c] < 1)) {
      reject_coefficients(file);
    }
    share[c] = std::llround(stored[c] * static_cast<float>(kOne));
  }
  const std::int64_t red = 2 * (kOne - share[0]);
  const std::int64_t blue = 2 * (kOne - share[2]);
  const auto of_green = [&](std::int64_t part, std::int64_t factor) {
    return -divided(part * factor, std::max<std::int64_t>(share[1], 1));
  };
  const std::int64_t green_of_cb = of_green(share[2], blue);
  const std::int64_t green_of_cr = of_green(share[0], red);
  constexpr std::int64_t kMaxFactor = 8 * kOne;
  if (-green_of_cb > kMaxFactor || -green_of_cr > kMaxFactor) {
    reject_coefficients(file);
  }
  const std::array<std::int64_t, 6> levels = levels_of_16_bits(file);
  const auto fill = [&](std::vector<std::int64_t>& table, std::size_t at, std::int64_t factor) {
    for (std::int64_t code = 0; code < 65536; ++code) {
      table.push_back(divided((code - levels[at]) * factor, levels[at + 1] - levels[at]));
    }
  };
  constexpr std::int64_t kMaxChroma = 32767;
  fill(fixed_.luma, 0, 65535 * kOne);
  fill(fixed_.red_of_cr, 4, kMaxChroma * red);
  fill(fixed_.green_of_cb, 2, kMaxChroma * green_of_cb);
  fill(fixed_.green_of_cr, 4, kMaxChroma * green_of_cr);
  fill(fixed_.blue_of_cb, 2, kMaxChroma * blue);
}

void YcbcrConverter::convert_pixel(const std::uint16_t* ycbcr, std::uint8_t* rgb) const {
  std::array<std::uint32_t, 3> color{};
  TIFFYCbCrtoRGB(tables_, ycbcr[0], ycbcr[1], ycbcr[2], &color[0], &color[1], &color[2]);
  std::transform(color.begin(), color.end(), rgb, [](std::uint32_t level) { return static_cast<std::uint8_t>(level); });
}

void YcbcrConverter::convert_pixel(const std::uint16_t* ycbcr, std::uint16_t* rgb) const {
  const std::int64_t luma = fixed_.luma[ycbcr[0]];
  rgb[0] = level_of<std::uint16_t>(luma + fixed_.red_of_cr[ycbcr[2]]);
  rgb[1] = level_of<std::uint16_t>(luma + fixed_.green_of_cb[ycbcr[1]] + fixed_.green_of_cr[ycbcr[2]]);
  rgb[2] = level_of<std::uint16_t>(luma + fixed_.blue_of_cb[ycbcr[1]]);
}

template <class T>
void YcbcrConverter::convert(const std::byte* clumps, std::uint32_t first, View to) const {
  const std::size_t lumas = std::size_t{horizontal_} * vertical_;
  const auto sample = [&](std::size_t at) {
    T value;
    std::memcpy(&value, clumps + at * sizeof(T), sizeof(T));
    return value;
  };
  for (int y = 0; y < to.height; ++y) {
    const std::size_t row = std::size_t{first + static_cast<std::uint32_t>(y)} * horizontal_;
    T* pixel = to.row<T>(y);
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(to.width); ++x, pixel += 3) {
      const std::size_t clump = x / horizontal_ * (lumas + 2);
      const std::array<std::uint16_t, 3> ycbcr = {sample(clump + row + x % horizontal_), sample(clump + lumas),
                                                  sample(clump + lumas + 1)};
      convert_pixel(ycbcr.data(), pixel);
    }
  }
}

template void YcbcrConverter::convert<std::uint8_t>(const std::byte* clumps, std::uint32_t first, View to) const;
template void YcbcrConverter::convert<std::uint16_t>(const std::byte* clumps, std::uint32_t first, View to) const;

// --- CIELab ---------------------------------------------------------------------------------------------------------

LabConverter::LabConverter(int bits) {
  const int max = (1 << bits) - 1;
  for (int level = 1; level <= max; ++level) {
    const double light = linear_light((level - 0.5) / max);
    thresholds_.push_back(static_cast<std::int32_t>(std::ceil(light * static_cast<double>(kOne))));
  }
}

void LabConverter::convert_pixel(const std::uint16_t* lab, std::uint8_t* rgb) const {
  const auto chroma = [](std::uint16_t sample) { return 256 * std::int64_t{static_cast<std::int8_t>(sample)}; };
  convert(257 * std::int64_t{lab[0]}, chroma(lab[1]), chroma(lab[2]), rgb);
}

void LabConverter::convert_pixel(const std::uint16_t* lab, std::uint16_t* rgb) const {
  convert<std::uint16_t>(lab[0], static_cast<std::int16_t>(lab[1]), static_cast<std::int16_t>(lab[2]), rgb);
}

/// L* = 100 · lightness / 65535, a* = a / 256 and b* = b / 256.
template <class T>
void LabConverter::convert(std::int64_t lightness, std::int64_t a, std::int64_t b, T* rgb) const {
  const std::int64_t y = divided((100 * lightness + 16 * 65535) * kOne, std::int64_t{116} * 65535);
  const std::int64_t x = y + divided(a * kOne, 256 * 500);
  const std::int64_t z = y - divided(b * kOne, 256 * 200);
  const std::array<std::int64_t, 3> light = {light_of(x), light_of(y), light_of(z)};
  for (std::size_t c = 0; c < 3; ++c) {
    const std::int64_t sum = kRgbOfXyz[c][0] * light[0] + kRgbOfXyz[c][1] * light[1] + kRgbOfXyz[c][2] * light[2];
    const auto linear = static_cast<std::int32_t>(std::clamp<std::int64_t>(divided(sum, kMillion), 0, kOne));
    rgb[c] = static_cast<T>(std::upper_bound(thresholds_.begin(), thresholds_.end(), linear) - thresholds_.begin());
  }
}

}  // namespace gpuimg::codecs::tiff
