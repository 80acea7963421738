// Sums of windows from summed-area tables, which the CUDA backend uses: the same code on the host, against sums in
// plain loops. Tables wrap where a sum fits.
#include "window/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gpuimg/backend.hpp"
#include "support/oracle_window.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_window_table {
namespace {

template <class Sum>
void expect_sums(Backend& backend, const Image& image, int size, Border border) {
  IntegralOptions options;
  options.type = sizeof(Sum) == 4 ? Sample::u32 : Sample::u64;
  options.allow_wrap = true;
  const Image entries = backend.download(backend.integral(backend.upload(image.view()), options));
  const PaddedTable<Sum> table{entries.view().row<Sum>(0), static_cast<std::size_t>(entries.width()), image.width(),
                               image.height()};
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const auto samples = oracle::window_samples(image.view(), x, y, size, border);
      const std::uint64_t sum = std::accumulate(samples.begin(), samples.end(), std::uint64_t{0});
      ASSERT_EQ(window_sum(table, x, y, size / 2, border), static_cast<Sum>(sum))
          << image.width() << "x" << image.height() << " at " << x << "," << y << ", window " << size << ", border "
          << static_cast<int>(border);
    }
  }
}

TEST(WindowTable, EveryWindowOfSmallImages) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (const int width : {1, 2, 3, 5, 8}) {
    for (const int height : {1, 2, 3, 7}) {
      const Image image = test::random_image(random, width, height, {Sample::u16, 1});
      for (int size = 1; size < 2 * std::max(width, height); size += 2) {
        for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
          expect_sums<std::uint32_t>(*backend, image, size, border);
          expect_sums<std::uint64_t>(*backend, image, size, border);
          if (HasFatalFailure()) {
            return;
          }
        }
      }
    }
  }
}

/// Its table exceeds 2³², but no window does.
TEST(WindowTable, TablesThatWrap) {
  const auto backend = make_cpu_backend(2);
  const Image white = test::constant_image(400, 300, {Sample::u16, 1}, 65535);
  for (const Border border : {Border::reflect101, Border::replicate, Border::cut}) {
    expect_sums<std::uint32_t>(*backend, white, 5, border);
  }
}

}  // namespace
}  // namespace gpuimg::test_window_table
