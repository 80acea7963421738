// Pixels in host memory: sizes, ownership, views with a pitch, and sizes that exceed any memory.
#include "gpuimg/image.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/test_images.hpp"

namespace gpuimg::test_image {
namespace {

static_assert(!std::is_copy_constructible_v<Image> && !std::is_copy_assignable_v<Image>);
static_assert(std::is_nothrow_move_constructible_v<Image> && std::is_nothrow_move_assignable_v<Image>);
static_assert(std::is_convertible_v<View, ConstView> && !std::is_convertible_v<ConstView, View>);

TEST(PixelFormat, HasPropertiesOfItsChannelsAndSamples) {
  for (const PixelFormat format : test::photographic_formats()) {
    SCOPED_TRACE(test::name_of(format));
    EXPECT_TRUE(format.is_photographic());
    EXPECT_EQ(format.has_alpha(), format.channels == 2 || format.channels == 4);
    EXPECT_EQ(format.color_channels(), format.channels < 3 ? 1 : 3);
    EXPECT_EQ(format.max_value(), format.sample == Sample::u8 ? 255U : 65535U);
  }
  for (const Sample sample : {Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
    EXPECT_FALSE((PixelFormat{sample, 1}).is_photographic());
  }
  EXPECT_FALSE((PixelFormat{Sample::u8, 0}).is_photographic());
  EXPECT_FALSE((PixelFormat{Sample::u8, 5}).is_photographic());
}

TEST(PixelFormat, HasItsNumberOfBytesPerPixel) {
  EXPECT_EQ((PixelFormat{Sample::u8, 3}).bytes_per_pixel(), 3U);
  EXPECT_EQ((PixelFormat{Sample::u16, 4}).bytes_per_pixel(), 8U);
  EXPECT_EQ((PixelFormat{Sample::f32, 3}).bytes_per_pixel(), 12U);
  EXPECT_EQ((PixelFormat{Sample::u32, 1}).bytes_per_pixel(), 4U);
  EXPECT_EQ((PixelFormat{Sample::u64, 1}).bytes_per_pixel(), 8U);
  EXPECT_EQ((PixelFormat{Sample::f64, 1}).bytes_per_pixel(), 8U);
}

TEST(Image, ReportsItsSize) {
  const Image image(5, 3, PixelFormat{Sample::u16, 3});
  EXPECT_EQ(image.width(), 5);
  EXPECT_EQ(image.height(), 3);
  EXPECT_EQ(image.pitch_bytes(), 30U);
  EXPECT_EQ(image.size_bytes(), 90U);
  EXPECT_EQ(image.view().pixel_count(), 15U);
  EXPECT_EQ(image.view().tight_pitch_bytes(), image.view().pitch_bytes);
  EXPECT_FALSE(image.empty());
  EXPECT_TRUE(Image().empty());
}

TEST(Image, CloneIsIndependent) {
  Image image = test::constant_image(4, 4, PixelFormat{Sample::u8, 2}, 7);
  const Image copy = image.clone();
  ASSERT_TRUE(test::same_pixels(copy.view(), image.view()));
  test::set_sample(image.view(), 3, 2, 1, 8);
  EXPECT_FALSE(test::same_pixels(copy.view(), image.view()));
  EXPECT_EQ(test::sample_at(copy.view(), 3, 2, 1), 7U);
}

TEST(Image, MoveTakesThePixels) {
  Image image = test::constant_image(4, 4, PixelFormat{Sample::u8, 1}, 9);
  const std::byte* pixels = image.view().data;
  const Image moved = std::move(image);
  EXPECT_EQ(moved.view().data, pixels);
}

TEST(Image, ReleasesMemoryWithTheGivenFunction) {
  static int released = 0;
  released = 0;
  {
    PixelMemory memory(new std::byte[6], PixelMemoryDeleter{[](std::byte* p) {
                         ++released;
                         delete[] p;
                       }});
    const Image image(3, 2, PixelFormat{Sample::u8, 1}, std::move(memory));
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(Image, HugeSizesThrowOutOfMemory) {
  constexpr int kHuge = std::numeric_limits<int>::max();
  // The last two sizes need at least 2⁶⁴ bytes; a product that wraps around would look small.
  const std::vector<Rect> sizes = {{0, 0, kHuge, kHuge}, {0, 0, 1 << 30, 1 << 29}, {0, 0, 1 << 30, 1 << 30}};
  for (const Rect& size : sizes) {
    try {
      const Image image(size.width, size.height, PixelFormat{Sample::f64, 4});
      ADD_FAILURE() << size.width << "x" << size.height << " was allocated";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    }
  }
}

TEST(View, CopyDropsThePadding) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    SCOPED_TRACE(test::name_of(format));
    const Image image = test::random_image(random, 7, 5, format);
    const std::size_t pitch = image.pitch_bytes() + 13;
    std::vector<std::byte> bytes(pitch * 5);
    for (std::size_t y = 0; y < 5; ++y) {
      std::memcpy(&bytes[y * pitch], image.view().row_bytes(static_cast<int>(y)), image.pitch_bytes());
    }
    const Image copy = copy_of(ConstView{bytes.data(), 7, 5, pitch, format});
    EXPECT_EQ(copy.pitch_bytes(), copy.view().tight_pitch_bytes());
    EXPECT_TRUE(test::same_pixels(copy.view(), image.view()));
  }
}

TEST(SamePixels, CanFail) {
  const PixelFormat format{Sample::u8, 3};
  Image image = test::constant_image(3, 3, format, 1);
  const Image other = test::constant_image(3, 3, format, 1);
  EXPECT_TRUE(test::same_pixels(image.view(), other.view()));
  test::set_sample(image.view(), 2, 1, 1, 5);
  const auto result = test::same_pixels(image.view(), other.view());
  EXPECT_FALSE(result);
  EXPECT_STREQ(result.message(), "first difference at x=2 y=1 channel 1: 1 for 1, 5 for 1, 1 for 1");
  EXPECT_FALSE(test::same_pixels(test::constant_image(9, 1, format, 1).view(), other.view()));
}

}  // namespace
}  // namespace gpuimg::test_image
