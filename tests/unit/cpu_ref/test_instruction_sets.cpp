// Runs the operations with each instruction set that Highway was compiled for and the processor supports. All return
// the same bytes. Without this test, a run covers only the best set.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <string>
#include <vector>

#include "gpuimg/backend.hpp"
#include "support/oracle_of_options.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

/// Restricts Highway to one instruction set during its lifetime.
class OnlySet {
 public:
  explicit OnlySet(std::int64_t set) { choose(set); }
  OnlySet(const OnlySet&) = delete;
  OnlySet& operator=(const OnlySet&) = delete;
  ~OnlySet() { choose(0); }  // 0 = all supported sets

 private:
  static void choose(std::int64_t sets) {
    hwy::SetSupportedTargetsForTest(sets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    sets.push_back(left & -left);
  }
  return sets;
}

/// All results for one image, one after the other.
std::vector<Image> results_of(Backend& backend, const Image& image) {
  const Picture picture = backend.upload(image.view());
  std::vector<Image> results;
  for (const EqualizeColor color : {EqualizeColor::luma, EqualizeColor::rgb, EqualizeColor::ycbcr}) {
    EqualizeOptions options;
    options.color = color;
    results.push_back(backend.download(backend.equalize(picture, options)));
  }
  for (const HslEncoding encoding : {HslEncoding::f32, HslEncoding::u16, HslEncoding::opencv}) {
    results.push_back(backend.download(backend.to_hsl(picture, encoding)));
  }
  results.push_back(backend.download(backend.adjust_hsl(picture, {30.0F, 1.2F, 0.9F})));
  results.push_back(backend.download(backend.integral(picture, {})));
  return results;
}

TEST(InstructionSets, AllGiveTheSameBytes) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::any_image(random, random.between(100, 200), 7, format);
    const std::vector<Image> expected = results_of(*backend, image);
    const auto counts = backend->histogram(backend->upload(image.view()), {}).channels.front().counts;
    for (const std::int64_t set : instruction_sets()) {
      SCOPED_TRACE(test::name_of(format) + " by " + hwy::TargetName(set));
      const OnlySet only(set);
      const std::vector<Image> results = results_of(*backend, image);
      for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_TRUE(test::same_pixels(results[i].view(), expected[i].view())) << "result " << i;
      }
      EXPECT_EQ(backend->histogram(backend->upload(image.view()), {}).channels.front().counts, counts);
    }
  }
}

TEST(InstructionSets, GrayLookUpsAreCorrect) {
  // 256 levels in a row: tests the look-up in tables of sixteen, where indices of other tables must yield 0.
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  const Image image = test::random_image(random, 256, 9, PixelFormat{Sample::u8, 1});
  const Image expected = oracle::equalized(image.view(), EqualizeOptions{});
  for (const std::int64_t set : instruction_sets()) {
    const OnlySet only(set);
    const Image actual = backend->download(backend->equalize(backend->upload(image.view()), {}));
    EXPECT_TRUE(test::same_pixels(actual.view(), expected.view())) << hwy::TargetName(set);
  }
}

}  // namespace
}  // namespace gpuimg
