// All 2²⁴ 8-bit colors, and the extremes of 16 bits, through every operation on color.
#include <gtest/gtest.h>

#include "backends.hpp"
#include "support/batteries.hpp"

namespace gpuimg::test {
namespace {

class OpenclColors : public OpenclTest {};

TEST_F(OpenclColors, EveryColorHistograms) {
  const Pair pair(device(), cpu(), all_colors());
  for (const auto luma : {Luma::bt601, Luma::bt601_trunc, Luma::opencv, Luma::bt709}) {
    HistogramOptions options;
    options.luma = luma;
    pair.histogram(options);
  }
  HistogramOptions hsl;
  hsl.channels = {Channel::hue, Channel::saturation, Channel::lightness};
  for (const int bins : {7, 256, 360, 65536}) {
    hsl.hsl_bins = bins;
    pair.histogram(hsl);
  }
}

// OpenclParity.Equalizations covers the other options.
TEST_F(OpenclColors, EveryColorEqualized) {
  const Pair pair(device(), cpu(), all_colors());
  for (const auto color :
       {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::joint, EqualizeColor::ycbcr, EqualizeColor::hsl}) {
    EqualizeOptions options;
    options.color = color;
    pair.equalization(options);
    options.strength = 0.37;
    pair.equalization(options);
  }
}

TEST_F(OpenclColors, EveryColorToHslAndBack) {
  Random random;
  SCOPED_TRACE(random.trace());
  Pair(device(), cpu(), all_colors()).hsl(random);
}

TEST_F(OpenclColors, EdgesOf16Bits) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Pair pair(device(), cpu(), edge_colors_16(random));
  pair.equalizations(random);
  pair.hsl(random);
}

/// Stored values that no conversion produces: any float including NaN and infinities, and any byte.
TEST_F(OpenclColors, ArbitraryStoredHsl) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto encoding : {HslEncoding::f32, HslEncoding::u16, HslEncoding::opencv, HslEncoding::opencv_full}) {
    for (const int channels : {3, 4}) {
      Image image(611, 307, {sample_of(encoding), channels});
      std::byte* data = image.view().data;
      for (std::size_t i = 0; i < image.size_bytes(); ++i) {
        data[i] = static_cast<std::byte>(random.below(256));
      }
      for (const auto sample : {Sample::u8, Sample::u16}) {
        const Picture a = device().from_hsl(device().upload(std::as_const(image).view()), encoding, sample);
        const Picture b = cpu().from_hsl(cpu().upload(std::as_const(image).view()), encoding, sample);
        EXPECT_TRUE(same_pixels(device().download(a).view(), cpu().download(b).view()))
            << "encoding " << static_cast<int>(encoding) << ", " << channels << " channels";
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg::test
