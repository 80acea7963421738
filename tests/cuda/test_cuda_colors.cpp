// Every operation on color, for all 2²⁴ 8-bit colors and for the extremes of 16 bits.
#include <gtest/gtest.h>

#include "backends.hpp"
#include "support/batteries.hpp"

namespace gpuimg::test {
namespace {

class CudaColors : public CudaTest {};

TEST_F(CudaColors, EveryColorHistograms) {
  const Pair pair(gpu(), cpu(), all_colors());
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

TEST_F(CudaColors, EveryColorEqualized) {
  Random random;
  SCOPED_TRACE(random.trace());
  Pair(gpu(), cpu(), all_colors()).equalizations(random);
}

TEST_F(CudaColors, EveryColorToHslAndBack) {
  Random random;
  SCOPED_TRACE(random.trace());
  Pair(gpu(), cpu(), all_colors()).hsl(random);
}

TEST_F(CudaColors, EdgesOf16Bits) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Pair pair(gpu(), cpu(), edge_colors_16(random));
  pair.equalizations(random);
  pair.hsl(random);
}

/// HSL values that no conversion produces: any float including NaN and infinities, and any byte.
TEST_F(CudaColors, ArbitraryStoredHsl) {
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
        const Picture a = gpu().from_hsl(gpu().upload(std::as_const(image).view()), encoding, sample);
        const Picture b = cpu().from_hsl(cpu().upload(std::as_const(image).view()), encoding, sample);
        EXPECT_TRUE(same_pixels(gpu().download(a).view(), cpu().download(b).view()))
            << "encoding " << static_cast<int>(encoding) << ", " << channels << " channels";
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg::test
