// Samples of fewer bits than their type are scaled to its full range, rounded to nearest; indices are not.
#include "codecs/tiff/tiff_samples.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/stored_samples.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

namespace {

template <class T>
bool are_pixels(const TiffKind& kind) {
  const bool is_direct = kind.color == TiffKind::Color::gray || kind.color == TiffKind::Color::rgb;
  return is_direct && kind.alpha != TiffKind::Alpha::premultiplied && !kind.is_planar &&
         kind.bits == 8 * static_cast<int>(sizeof(T)) && kind.samples == kind.format().channels;
}

}  // namespace

template <class T>
TiffRowConverter<T>::TiffRowConverter(const TiffKind& kind, const TiffPalette& palette, std::size_t width)
    : kind_(kind), palette_(palette), are_pixels_(are_pixels<T>(kind)) {
  const auto planes = static_cast<std::size_t>(kind.is_planar ? kind.used_samples() : 1);
  const auto samples = static_cast<std::size_t>(kind.is_planar ? 1 : kind.samples);
  unpacked_.assign(planes, std::vector<T>(width * samples));
}

template <class T>
void TiffRowConverter<T>::convert(std::span<const std::byte* const> planes, std::size_t width, T* to) {
  const auto samples = static_cast<std::size_t>(kind_.is_planar ? 1 : kind_.samples);
  if (are_pixels_) {
    std::memcpy(to, planes[0], width * samples * sizeof(T));
    return;
  }
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    unpack(planes[plane], width * samples, unpacked_[plane].data());
  }
  join(width, to);
}

/// libtiff has put samples of 16 bits into the machine's byte order; those of 12 bits are packed, high bits first.
template <class T>
void TiffRowConverter<T>::unpack(const std::byte* from, std::size_t count, T* to) const {
  const auto bits = static_cast<std::size_t>(kind_.bits);
  if (bits == 8 * sizeof(T)) {
    std::memcpy(to, from, count * sizeof(T));
    return;
  }
  const std::uint32_t max = (1U << bits) - 1;
  const bool is_index = kind_.color == TiffKind::Color::palette;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * bits;
    std::uint32_t window = std::to_integer<std::uint32_t>(from[first / 8]) << 8;
    const bool needs_next = first % 8 + bits > 8;
    window |= needs_next ? std::to_integer<std::uint32_t>(from[first / 8 + 1]) : 0;
    const std::uint32_t value = window >> (16 - bits - first % 8) & max;
    to[i] = static_cast<T>(is_index ? value : (value * kMaxOf<T> + max / 2) / max);
  }
}

template <class T>
void TiffRowConverter<T>::join(std::size_t width, T* to) {
  const auto channels = static_cast<std::size_t>(kind_.format().channels);
  const auto used = static_cast<std::size_t>(kind_.used_samples());
  std::array<T, 5> samples{};
  for (std::size_t x = 0; x < width; ++x, to += channels) {
    for (std::size_t s = 0; s < used; ++s) {
      samples[s] = kind_.is_planar ? unpacked_[s][x] : unpacked_[0][x * static_cast<std::size_t>(kind_.samples) + s];
    }
    convert_color(samples.data(), to);
    if (kind_.alpha == TiffKind::Alpha::none) {
      continue;
    }
    const std::uint64_t alpha = samples[used - 1];
    to[channels - 1] = static_cast<T>(alpha);
    for (std::size_t c = 0; c + 1 < channels && kind_.alpha == TiffKind::Alpha::premultiplied; ++c) {
      const std::uint64_t divided = alpha == 0 ? 0 : (std::uint64_t{to[c]} * kMaxOf<T> + alpha / 2) / alpha;
      to[c] = static_cast<T>(std::min<std::uint64_t>(divided, kMaxOf<T>));
    }
  }
}

template <class T>
void TiffRowConverter<T>::convert_color(const T* samples, T* to) const {
  switch (kind_.color) {
    case TiffKind::Color::gray: to[0] = samples[0]; break;
    case TiffKind::Color::inverted_gray: to[0] = static_cast<T>(kMaxOf<T> - samples[0]); break;
    case TiffKind::Color::palette: std::copy_n(palette_[samples[0]].begin(), 3, to); break;
    case TiffKind::Color::rgb:
    case TiffKind::Color::ycbcr: std::copy_n(samples, 3, to); break;
    case TiffKind::Color::cmyk: {
      std::array<T, 4> light{};
      std::transform(samples, samples + 4, light.begin(), [](T ink) { return static_cast<T>(kMaxOf<T> - ink); });
      cmyk_to_rgb<T>(light.data(), to, 1);
      break;
    }
  }
}

template class TiffRowConverter<std::uint8_t>;
template class TiffRowConverter<std::uint16_t>;

}  // namespace gpuimg::codecs
