// Runs the operations with each instruction set that Highway was compiled for and the processor supports. All sets must
// return the same bytes.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "gpuimg/backend.hpp"
#include "operations/operations.hpp"
#include "operations/result_checks.hpp"
#include "support/instruction_sets.hpp"
#include "support/oracle_of_options.hpp"
#include "support/oracle_resize.hpp"
#include "support/sanitizers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_instruction_sets {
namespace {

/// Runs every operation with every option.
std::vector<HostResult> results_of(Backend& backend, const Image& image) {
  const Picture picture = backend.upload(image.view());
  std::vector<HostResult> results;
  for (const Trial& trial : trials_on(BackendKind::cpu, image.format())) {
    results.push_back(host_result(trial, backend, picture));
  }
  return results;
}

TEST(InstructionSets, AllGiveTheSameBytes) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (const PixelFormat format : test::photographic_formats()) {
    if (test::kHasSanitizer && random.below(3) != 0) {
      continue;  // all formats would take a minute
    }
    const Image image = test::any_image(random, random.between(100, 200), 7, format);
    const std::vector<HostResult> expected = results_of(*backend, image);
    for (const std::int64_t set : test::instruction_sets()) {
      SCOPED_TRACE(test::name_of(format) + " by " + hwy::TargetName(set));
      const test::OnlySet only(set);
      const std::vector<HostResult> results = results_of(*backend, image);
      for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(first_difference(results[i], "this set", expected[i], "the best set"), "") << "result " << i;
      }
    }
  }
}

TEST(InstructionSets, GrayLookUpsAreCorrect) {
  // All levels are looked up in tables of sixteen entries; a table must yield 0 for indices of the other tables.
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  const Image image = test::random_image(random, 256, 9, PixelFormat{Sample::u8, 1});
  const Image expected = oracle::equalized(image.view(), EqualizeOptions{});
  for (const std::int64_t set : test::instruction_sets()) {
    const test::OnlySet only(set);
    const Image actual = backend->download(backend->equalize(backend->upload(image.view()), {}));
    EXPECT_TRUE(test::same_pixels(actual.view(), expected.view())) << hwy::TargetName(set);
  }
}

/// The sets divide an image differently into blocks of 16 rows, vectors of four channels, and remainders.
TEST(InstructionSets, ResizesMatchTheOracle) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (const PixelFormat format : test::photographic_formats()) {
    for (const ResizeFilter filter :
         {ResizeFilter::nearest, ResizeFilter::box, ResizeFilter::bicubic, ResizeFilter::lanczos}) {
      const Image image = test::any_image(random, random.between(1, 150), random.between(1, 80), format);
      ResizeOptions options;
      options.width = random.between(1, 170);
      options.height = random.between(1, 90);
      options.fit = ResizeFit::stretch;
      options.filter = filter;
      const ResizePlan plan = resize_plan(image.width(), image.height(), options);
      const Image expected = oracle::resampled(image.view(), plan.width, plan.height, filter, plan.left, plan.top,
                                               plan.right, plan.bottom);
      const Picture picture = backend->upload(image.view());
      for (const std::int64_t set : test::instruction_sets()) {
        const test::OnlySet only(set);
        EXPECT_TRUE(test::same_pixels(backend->download(backend->apply(picture, options)).view(), expected.view()))
            << test::name_of(format) << " by " << hwy::TargetName(set) << ", filter " << static_cast<int>(filter)
            << ", " << image.width() << "x" << image.height() << " to " << plan.width << "x" << plan.height;
      }
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_instruction_sets
