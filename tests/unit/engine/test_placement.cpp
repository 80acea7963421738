// The backend chosen for an image, and the memory that the image needs while steps run.
#include "engine/placement.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "engine/image_step.hpp"
#include "operations/operation_traits.hpp"

namespace gpuimg::test_placement {
namespace {

using Kind = Placement::Kind;

TEST(Placement, ADeviceFallsBackToStrips) {
  for (const bool may_use_cpu : {false, true}) {
    const std::optional<Placement> next = placement_after({Kind::whole, true}, may_use_cpu);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->kind, Kind::strips);
    EXPECT_TRUE(next->on_device);
  }
}

TEST(Placement, StripsAndBandsFallBackToTheCpuIfAllowed) {
  EXPECT_FALSE(placement_after({Kind::strips, true}, false));
  EXPECT_FALSE(placement_after({Kind::bands, true}, false));
  const std::optional<Placement> after_strips = placement_after({Kind::strips, true}, true);
  ASSERT_TRUE(after_strips);
  EXPECT_EQ(after_strips->kind, Kind::whole);
  EXPECT_FALSE(after_strips->on_device);
  const std::optional<Placement> after_bands = placement_after({Kind::bands, true}, true);
  ASSERT_TRUE(after_bands);
  EXPECT_EQ(after_bands->kind, Kind::bands);
  EXPECT_FALSE(after_bands->on_device);
}

TEST(Placement, TheHostHasNoFallback) {
  for (const Kind kind : {Kind::whole, Kind::strips, Kind::bands}) {
    EXPECT_FALSE(placement_after({kind, false}, true));
  }
}

constexpr ImageShape kRgb{40, 30, {Sample::u8, 3}};

/// The memory for a step's halo rows. Each pixel needs a byte for each channel, result_bytes, other_bytes, and three
/// sums of 8 bytes.
std::uint64_t halo_of(const OperationTraits& traits, int width, int channels = 3) {
  return static_cast<std::uint64_t>(traits.halo_rows) * static_cast<std::uint64_t>(width) *
         static_cast<std::uint64_t>(channels + static_cast<int>(traits.result_bytes + traits.other_bytes) + 24);
}

TEST(ExtraBytes, EqualThoseOfASingleStep) {
  const DenoiseOptions denoise;
  const ExtraBytes held = held_by({traits_of(denoise, kRgb)}, kRgb);
  EXPECT_EQ(held.result, 3U);
  EXPECT_EQ(held.others, 3U);
  EXPECT_EQ(held.halo, halo_of(traits_of(denoise, kRgb), 40));
  EXPECT_EQ(held.halo, static_cast<std::uint64_t>(halo_rows(denoise)) * 40 * (3 + 3 + 3 + 24));
  EXPECT_EQ(held_by({traits_of(EqualizeOptions(), kRgb)}, kRgb).result, 0U) << "it is computed in place";
}

TEST(ExtraBytes, AreTheMaximumOfStepsAndTheSumOfHalos) {
  WindowOptions mean;
  mean.size = 5;
  ThresholdOptions sauvola;
  sauvola.method = ThresholdMethod::sauvola;
  sauvola.window = 7;
  const ExtraBytes held =
      held_by({traits_of(EqualizeOptions(), kRgb), traits_of(mean, kRgb), traits_of(sauvola, kRgb)}, kRgb);
  EXPECT_EQ(held.result, 3U);
  EXPECT_EQ(held.others, 2U);
  EXPECT_EQ(held.halo, halo_of(traits_of(mean, kRgb), 40) + halo_of(traits_of(sauvola, kRgb), 40));
}

TEST(ExtraBytes, HalosAreAsWideAsTheInputOfTheirStep) {
  ResizeOptions wider;
  wider.width = 400;
  wider.height = 30;
  wider.fit = ResizeFit::stretch;
  wider.enlarges = true;
  WindowOptions mean;
  mean.size = 5;
  const OperationTraits resize = traits_of(wider, kRgb);
  const OperationTraits window = traits_of(mean, resize.result);
  EXPECT_EQ(held_by({resize, window}, kRgb).halo, halo_of(resize, 40) + halo_of(window, 400));
}

TEST(LargestShape, HasTheDeclaredNumberOfBytes) {
  codecs::DeclaredImage declared;
  declared.width = 12;
  declared.height = std::uint64_t{1} << 32;
  declared.decoded = {Sample::u16, 3};
  declared.bytes_per_pixel = 8;
  declared.may_add_alpha = true;
  const ImageShape shape = largest_shape(declared);
  EXPECT_EQ(shape.width, 12);
  EXPECT_EQ(shape.height, std::numeric_limits<int>::max());
  EXPECT_EQ(shape.format, (PixelFormat{Sample::u16, 4}));
}

}  // namespace
}  // namespace gpuimg::test_placement
