// Images of more than 2³¹ pixels or bytes. If a second table would not fit in memory, tests compute the expected values
// on the fly. Needs about 11 GB of host memory.
#include <gtest/gtest.h>

#include <numeric>

#include "backends.hpp"
#include "ops/equalize.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

class CudaHuge : public CudaTest {
 protected:
  static constexpr int kSide = 46349;  // kSide² = 2148229801 > 2³¹

  static Image noise(Random& random) {
    Image image(kSide, kSide, {Sample::u8, 1});
    std::byte* data = image.view().data;
    std::uint64_t state = random.bits() | 1;
    std::size_t i = 0;
    for (; i + 8 <= image.size_bytes(); i += 8) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      const std::uint64_t darker = state & 0x7F3F7FFF3F7F1F7FU;
      std::memcpy(data + i, &darker, 8);
    }
    std::fill(data + i, data + image.size_bytes(), std::byte{200});
    return image;
  }

  static std::vector<std::uint64_t> counts_of(const Image& image) {
    std::vector<std::uint64_t> counts(4 * 256);
    const auto* values = image.view().row<std::uint8_t>(0);
    for (std::size_t i = 0; i < image.size_bytes(); ++i) {
      ++counts[i % 4 * 256 + values[i]];
    }
    for (std::size_t i = 256; i < counts.size(); ++i) {
      counts[i % 256] += counts[i];
    }
    counts.resize(256);
    return counts;
  }
};

TEST_F(CudaHuge, HistogramAndEqualization) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = noise(random);
  const std::vector<std::uint64_t> counts = counts_of(image);
  const Picture picture = gpu().upload(image.view());
  EXPECT_TRUE(gpu().histogram(picture, {}).channels.front().counts == counts);
  const Image equalized = gpu().download(gpu().equalize(picture, {}));
  const std::vector<std::uint16_t> map = level_map(EqualizeFormula::opencv, counts);
  const auto* in = image.view().row<std::uint8_t>(0);
  const auto* out = equalized.view().row<std::uint8_t>(0);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < image.size_bytes(); ++i) {
    wrong += out[i] != map[in[i]] ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST_F(CudaHuge, Clahe) {
  Random random;
  SCOPED_TRACE(random.trace());
  Image image = noise(random);
  const Image ours = gpu().download(gpu().apply(gpu().upload(image.view()), ClaheOptions{}));
  const Image theirs = cpu().download(cpu().apply(cpu().upload(std::move(image)), ClaheOptions{}));
  EXPECT_TRUE(same_pixels(ours.view(), theirs.view()));
}

TEST_F(CudaHuge, IntegralModulo32Bits) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = noise(random);
  IntegralOptions options;
  options.type = Sample::u32;
  options.allow_wrap = true;
  const Image table = gpu().download(gpu().integral(gpu().upload(image.view()), options));
  ASSERT_EQ(table.width(), kSide + 1);
  std::vector<std::uint32_t> above(kSide + 1, 0);
  std::size_t wrong = 0;
  for (int y = 0; y <= kSide; ++y) {
    const auto* row = table.view().row<std::uint32_t>(y);
    if (y > 0) {
      const auto* values = image.view().row<std::uint8_t>(y - 1);
      std::uint32_t sum = 0;
      for (std::size_t x = 1; x < above.size(); ++x) {
        sum += values[x - 1];
        above[x] += sum;
      }
    }
    for (std::size_t x = 0; x < above.size(); ++x) {
      wrong += row[x] != above[x] ? 1 : 0;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

TEST_F(CudaHuge, LumaAndMappingOfColor) {
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr int kRows = 15450;  // 46349 · 15450 · 3 > 2³¹ bytes
  Image image(kSide, kRows, {Sample::u8, 3});
  const Image tile = smooth_image(random, kSide, 3, {Sample::u8, 3});
  for (int y = 0; y < kRows; ++y) {
    std::memcpy(image.view().row_bytes(y), tile.view().row_bytes(y % 3), tile.pitch_bytes());
  }
  const Picture ours = gpu().upload(std::as_const(image).view());
  const Picture theirs = cpu().upload(std::as_const(image).view());
  EXPECT_TRUE(gpu().histogram(ours, {}).channels.front().counts == cpu().histogram(theirs, {}).channels.front().counts);
  EXPECT_TRUE(
      same_pixels(gpu().download(gpu().equalize(ours, {})).view(), cpu().download(cpu().equalize(theirs, {})).view()));
}

TEST_F(CudaHuge, Geometry) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image small = any_image(random, 301, 203, {Sample::u8, 1});
  ResizeOptions resize;
  resize.width = resize.height = kSide;
  resize.fit = ResizeFit::stretch;
  ResizeOptions back = resize;
  back.width = 1001;
  back.height = 999;
  const auto turned = [&](Backend& backend) {
    return backend.apply(backend.apply(backend.upload(small.view()), resize), TurnOptions{Turn::rotate90});
  };
  const Picture ours = turned(gpu());
  const Picture theirs = turned(cpu());
  EXPECT_TRUE(
      same_pixels(gpu().download(gpu().apply(ours, back)).view(), cpu().download(cpu().apply(theirs, back)).view()));
  EXPECT_TRUE(same_pixels(gpu().download(ours).view(), cpu().download(theirs).view()));
}

}  // namespace
}  // namespace gpuimg::test
