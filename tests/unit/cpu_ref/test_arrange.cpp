// Crop, rotate and flip compared with plain loops, and the host twin of the device's kernels.
#include "ops/arrange.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/oracle_resize.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_arrange {
namespace {

constexpr std::array kTurns = {Turn::rotate90, Turn::rotate180, Turn::rotate270, Turn::flip_horizontal,
                               Turn::flip_vertical};

template <class T, int channels, class Options>
Image moved(ConstView image, const Options& options) {
  const Size size = result_size(image.width, image.height, options);
  Image out(size.width, size.height, image.format);
  const MovedPixels<T, channels> pixel{image.row<T>(0), out.view().row<T>(0), size.width,
                                       walk_of(image.width, image.height, options)};
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      pixel(x, y);
    }
  }
  return out;
}

template <class Options>
Image on_device(ConstView image, const Options& options) {
  const auto of = [&]<class T>() {
    switch (image.format.channels) {
      case 1: return moved<T, 1>(image, options);
      case 2: return moved<T, 2>(image, options);
      case 3: return moved<T, 3>(image, options);
      default: return moved<T, 4>(image, options);
    }
  };
  return image.format.sample == Sample::u8 ? of.template operator()<std::uint8_t>()
                                           : of.template operator()<std::uint16_t>();
}

class Arrange : public ::testing::Test {
 protected:
  template <class Options>
  void compare(ConstView image, const Options& options, ConstView expected) {
    const Image on_cpu = cpu_->download(cpu_->apply(cpu_->upload(image), options));
    EXPECT_TRUE(test::same_pixels(on_cpu.view(), expected));
    EXPECT_TRUE(test::same_pixels(on_device(image, options).view(), expected)) << "as a device computes";
  }

  std::unique_ptr<Backend> cpu_ = make_cpu_backend(2);
};

TEST_F(Arrange, TurnsMatchPlainLoops) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 65}, {63, 64}, {130, 67}, {500, 3}}) {
      const Image image = test::random_image(random, width, height, format);
      for (const Turn turn : kTurns) {
        SCOPED_TRACE(test::name_of(format) + ", turn " + std::to_string(static_cast<int>(turn)));
        compare(image.view(), TurnOptions{turn}, oracle::turned(image.view(), turn).view());
      }
    }
  }
}

TEST_F(Arrange, CropsMatchPlainLoops) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::random_image(random, 37, 300, format);
    for (int turn = 0; turn < 10; ++turn) {
      const int x = random.between(0, 36);
      const int y = random.between(0, 299);
      const Rect box{x, y, random.between(1, 37 - x), random.between(1, 300 - y)};
      ConstView part = image.view();
      part.data = part.row_bytes(y) + static_cast<std::size_t>(x) * format.bytes_per_pixel();
      part.width = box.width;
      part.height = box.height;
      compare(image.view(), CropOptions{box}, part);
    }
  }
}

/// Half of an odd difference is rounded down: 10 − 7 leaves 1 column at the left, 8 − 3 leaves 2 rows at the top.
TEST(CropBox, FollowsGravity) {
  const auto corner = [](Gravity gravity) {
    CropOptions options;
    options.width = 7;
    options.height = 3;
    options.gravity = gravity;
    const Rect box = crop_box(10, 8, options);
    EXPECT_EQ((Size{box.width, box.height}), (Size{7, 3}));
    return std::array{box.x, box.y};
  };
  EXPECT_EQ(corner(Gravity::northwest), (std::array{0, 0}));
  EXPECT_EQ(corner(Gravity::north), (std::array{1, 0}));
  EXPECT_EQ(corner(Gravity::northeast), (std::array{3, 0}));
  EXPECT_EQ(corner(Gravity::west), (std::array{0, 2}));
  EXPECT_EQ(corner(Gravity::center), (std::array{1, 2}));
  EXPECT_EQ(corner(Gravity::east), (std::array{3, 2}));
  EXPECT_EQ(corner(Gravity::southwest), (std::array{0, 5}));
  EXPECT_EQ(corner(Gravity::south), (std::array{1, 5}));
  EXPECT_EQ(corner(Gravity::southeast), (std::array{3, 5}));
}

TEST(CropBox, RejectsInvalidOptions) {
  const auto rejected = [](const CropOptions& options) {
    EXPECT_THROW(
        {
          validate(options);
          (void)crop_box(10, 8, options);
        },
        Error);
  };
  rejected({});
  rejected({Rect{0, 0, 0, 1}});
  rejected({Rect{0, 0, 11, 1}});
  rejected({Rect{9, 0, 2, 1}});
  rejected({Rect{0, -1, 2, 1}});
  rejected({Rect{0x7FFFFFFF, 0, 2, 1}});
  rejected({{}, 10, 9, Gravity::south});
}

}  // namespace
}  // namespace gpuimg::test_arrange
