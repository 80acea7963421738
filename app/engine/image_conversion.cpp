// Alpha and bit depth conversions in exact integer arithmetic. docs/operations.md, "Conversions".
#include "engine/image_conversion.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gpuimg {
namespace {

/// From 8 to 16 bits: 255 becomes 65535.
constexpr std::uint32_t kLevelScale = 257;

/// The sum stays below 2³², even for 16 bits.
template <class T>
T blended(std::uint32_t color, std::uint32_t alpha, std::uint32_t background) {
  constexpr std::uint32_t kMax = std::numeric_limits<T>::max();
  return static_cast<T>((color * alpha + background * (kMax - alpha) + kMax / 2) / kMax);
}

/// `Colors` and `Results`: color channels of the input and of the output, 1 or 3.
template <class T, int Colors, int Results>
void flatten_rows(ConstView from, View to, const RgbColor& background) {
  std::array<std::uint32_t, 3> behind{};
  std::transform(background.channels.begin(), background.channels.end(), behind.begin(),
                 [](std::uint32_t level) { return sizeof(T) == 1 ? level : level * kLevelScale; });
  for (int y = 0; y < from.height; ++y) {
    const T* pixel = from.row<T>(y);
    T* result = to.row<T>(y);
    for (int x = 0; x < from.width; ++x, pixel += Colors + 1, result += Results) {
      for (int c = 0; c < Results; ++c) {
        result[c] = blended<T>(pixel[Colors == 1 ? 0 : c], pixel[Colors], behind[static_cast<std::size_t>(c)]);
      }
    }
  }
}

template <class T>
void flatten(ConstView from, View to, const RgbColor& background) {
  if (from.format.color_channels() == 3) {
    flatten_rows<T, 3, 3>(from, to, background);
  } else if (to.format.channels == 3) {
    flatten_rows<T, 1, 3>(from, to, background);
  } else {
    flatten_rows<T, 1, 1>(from, to, background);
  }
}

/// Applies `level_of` to each sample of an image.
template <class From, class To, class LevelOf>
void map_samples(ConstView from, View to, const LevelOf& level_of) {
  const int samples = from.width * from.format.channels;
  for (int y = 0; y < from.height; ++y) {
    std::transform(from.row<From>(y), from.row<From>(y) + samples, to.row<To>(y), level_of);
  }
}

void change_depth(ConstView from, View to) {
  if (to.format.sample == Sample::u8) {
    map_samples<std::uint16_t, std::uint8_t>(from, to, [](std::uint32_t level) {
      return static_cast<std::uint8_t>((level + kLevelScale / 2) / kLevelScale);
    });
  } else {
    map_samples<std::uint8_t, std::uint16_t>(
        from, to, [](std::uint32_t level) { return static_cast<std::uint16_t>(level * kLevelScale); });
  }
}

PixelFormat flattened_format(PixelFormat format, const ImageConversion& conversion) {
  if (conversion.background && format.has_alpha()) {
    format.channels = format.color_channels() == 3 || !conversion.background->is_gray() ? 3 : 1;
  }
  return format;
}

}  // namespace

PixelFormat converted_format(PixelFormat format, const ImageConversion& conversion) {
  format = flattened_format(format, conversion);
  format.sample = conversion.depth.value_or(format.sample);
  return format;
}

std::uint64_t converted_bytes(std::uint64_t input_bytes, const ImageConversion& conversion) {
  std::uint64_t most = 0;
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const PixelFormat format{sample, channels};
      const PixelFormat flat = flattened_format(format, conversion);
      const PixelFormat converted = converted_format(format, conversion);
      if (format.bytes_per_pixel() == input_bytes) {
        most = std::max({most, flat != format ? std::uint64_t{flat.bytes_per_pixel()} : 0,
                         converted != flat ? std::uint64_t{converted.bytes_per_pixel()} : 0});
      }
    }
  }
  return most;
}

Image convert(Image image, const ImageConversion& conversion) {
  if (const PixelFormat flat = flattened_format(image.format(), conversion); flat != image.format()) {
    Image flattened(image.width(), image.height(), flat);
    flat.sample == Sample::u8 ? flatten<std::uint8_t>(image.view(), flattened.view(), *conversion.background)
                              : flatten<std::uint16_t>(image.view(), flattened.view(), *conversion.background);
    image = std::move(flattened);
  }
  if (const PixelFormat format = converted_format(image.format(), conversion); format != image.format()) {
    Image other(image.width(), image.height(), format);
    change_depth(image.view(), other.view());
    image = std::move(other);
  }
  return image;
}

}  // namespace gpuimg
