// Processing an image in strips returns the same bytes as processing it whole. The CPU backend represents one with
// little memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/striped_backend.hpp"
#include "gpuimg/backend.hpp"
#include "operations/operations.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

class StripedBackendTest : public ::testing::Test {
 protected:
  /// Calls compare(striped, whole, image) for every format, several sizes, and strips of one, some and all rows.
  template <class Compare>
  void each(const Compare& compare) {
    test::Random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 40}, {63, 33}, {257, 19}}) {
      for (const PixelFormat format : test::photographic_formats()) {
        const Image image = test::any_image(random, width, height, format);
        const std::size_t row = static_cast<std::size_t>(width) * format.bytes_per_pixel();
        for (const std::size_t most_bytes : {std::size_t{1}, 7 * row, 100 * row + 5, std::size_t{1} << 40}) {
          SCOPED_TRACE(test::name_of(format) + " " + std::to_string(width) + "x" + std::to_string(height) + " in " +
                       std::to_string(most_bytes) + " bytes");
          StripedBackend striped(*inner_, most_bytes);
          compare(random, striped, image);
        }
      }
    }
  }

  /// A mask and a region, each in half of the cases.
  struct Selected {
    std::optional<Image> mask;
    std::optional<Rect> region;
    bool count_transparent = false;

    Selected(test::Random& random, const Image& image) : count_transparent(random.below(2) == 0) {
      if (random.below(2) == 0) {
        mask = test::random_mask(random, image.width(), image.height());
      }
      if (random.below(2) == 0) {
        const int x = random.between(0, image.width() - 1);
        const int y = random.between(0, image.height() - 1);
        region = Rect{x, y, random.between(1, image.width() - x), random.between(1, image.height() - y)};
      }
    }
  };

  /// Runs operation(backend, picture, selection) on `backend`.
  template <class Operation>
  static auto run(Backend& backend, const Image& image, const Selected& selected, const Operation& operation) {
    const Picture picture = backend.upload(image.view());
    std::optional<Picture> mask;
    if (selected.mask) {
      mask.emplace(backend.upload(selected.mask->view()));
    }
    return operation(backend, picture, Selection{selected.region, mask ? &*mask : nullptr, selected.count_transparent});
  }

  std::unique_ptr<Backend> inner_ = make_cpu_backend(2);
};

TEST_F(StripedBackendTest, Histograms) {
  each([&](test::Random& random, Backend& striped, const Image& image) {
    const Selected selected(random, image);
    const auto count = [](Backend& backend, const Picture& picture, const Selection& selection) {
      HistogramOptions options;
      options.channels = {Channel::luma, Channel::red, Channel::hue};
      options.hsl_bins = 37;
      options.selection = selection;
      return backend.histogram(picture, options);
    };
    const Histogram tested = run(striped, image, selected, count);
    const Histogram expected = run(*inner_, image, selected, count);
    EXPECT_EQ(tested.counted, expected.counted);
    for (std::size_t c = 0; c < expected.channels.size(); ++c) {
      EXPECT_EQ(tested.channels[c].channel, expected.channels[c].channel);
      EXPECT_EQ(tested.channels[c].counts, expected.channels[c].counts);
    }
  });
}

TEST_F(StripedBackendTest, Equalization) {
  each([&](test::Random& random, Backend& striped, const Image& image) {
    const Selected selected(random, image);
    EqualizeOptions options;
    options.formula = static_cast<EqualizeFormula>(random.below(4));
    options.color = static_cast<EqualizeColor>(random.below(5));
    options.strength = random.below(2) == 0 ? 1.0 : 0.375;
    LevelTables tables[2];
    const auto equalize = [&](LevelTables& used) {
      return [&](Backend& backend, const Picture& picture, const Selection& selection) {
        options.selection = selection;
        return backend.download(backend.equalize(picture, options, &used));
      };
    };
    const Image tested = run(striped, image, selected, equalize(tables[0]));
    const Image expected = run(*inner_, image, selected, equalize(tables[1]));
    EXPECT_TRUE(test::same_pixels(tested.view(), expected.view()));
    EXPECT_EQ(tables[0].maps, tables[1].maps);
  });
}

TEST_F(StripedBackendTest, SummedAreaTables) {
  each([&](test::Random& random, Backend& striped, const Image& image) {
    IntegralOptions options;
    options.layout = static_cast<TableLayout>(random.below(2));
    options.square = random.below(2) == 0;
    options.allow_wrap = true;
    for (const std::optional<Sample> type :
         {std::optional<Sample>(), std::optional(Sample::u32), std::optional(Sample::u64), std::optional(Sample::f32),
          std::optional(Sample::f64)}) {
      options.type = type;
      const auto sum = [&](Backend& backend) {
        return backend.download(backend.integral(backend.upload(image.view()), options));
      };
      EXPECT_TRUE(test::same_pixels(sum(striped).view(), sum(*inner_).view()));
    }
  });
}

TEST_F(StripedBackendTest, Hsl) {
  each([&](test::Random& random, Backend& striped, const Image& image) {
    const auto encoding = static_cast<HslEncoding>(random.below(4));
    const HslAdjustment by{static_cast<float>(random.between(-400, 400)), 1.25F, 0.75F};
    const auto there = [&](Backend& backend) {
      return backend.download(backend.to_hsl(backend.upload(image.view()), encoding));
    };
    const Image hsl = there(*inner_);
    EXPECT_TRUE(test::same_pixels(there(striped).view(), hsl.view()));
    const auto back = [&](Backend& backend) {
      return backend.download(backend.from_hsl(backend.upload(hsl.view()), encoding, Sample::u16));
    };
    EXPECT_TRUE(test::same_pixels(back(striped).view(), back(*inner_).view()));
    const auto adjusted = [&](Backend& backend) {
      return backend.download(backend.adjust_hsl(backend.upload(image.view()), by));
    };
    EXPECT_TRUE(test::same_pixels(adjusted(striped).view(), adjusted(*inner_).view()));
  });
}

TEST_F(StripedBackendTest, EveryOperationOfTheList) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::any_image(random, 63, 33, format);
    StripedBackend striped(*inner_, 7 * image.pitch_bytes());
    const Picture in_strips = striped.upload(image.view());
    const Picture whole = inner_->upload(image.view());
    for (const Trial& trial : trials_on(inner_->kind(), format)) {
      EXPECT_EQ(difference(trial, striped, in_strips, *inner_, whole), "") << trial.name;
    }
  }
}

TEST_F(StripedBackendTest, DenoisingTellsHowFarTheWholeImageIs) {
  test::Random random;
  const Image image = test::smooth_image(random, 40, 30, {Sample::u8, 1});
  DenoiseOptions options;
  options.patch = 3;
  options.search = 3;
  std::vector<double> parts;
  options.on_progress = [&](double part) { parts.push_back(part); };
  StripedBackend striped(*inner_, 14 * 3 * image.pitch_bytes());  // 10 rows and the halo; with planes and result
  (void)striped.apply(striped.upload(image.view()), options);
  EXPECT_EQ(parts, (std::vector<double>{10.0 / 30, 20.0 / 30, 1.0}));
}

/// Sums each sample with those up to two rows away, in a column; rows beyond the image count as 0.
Picture column_sums(Backend& backend, const Picture& picture) {
  const Image from = backend.download(picture);
  Image to(from.width(), from.height(), {Sample::u32, from.format().channels});
  for (int y = 0; y < to.height(); ++y) {
    auto* sums = to.view().row<std::uint32_t>(y);
    std::fill_n(sums, to.width() * to.format().channels, 0U);
    for (int row = std::max(0, y - 2); row <= std::min(y + 2, to.height() - 1); ++row) {
      for (int x = 0; x < from.width(); ++x) {
        for (int c = 0; c < from.format().channels; ++c) {
          sums[x * from.format().channels + c] += test::sample_at(from.view(), x, row, c);
        }
      }
    }
  }
  return backend.upload(std::move(to));
}

TEST_F(StripedBackendTest, HaloRows) {
  each([&](test::Random&, StripedBackend& striped, const Image& image) {
    const auto sums = [&](const Picture& picture) { return column_sums(*inner_, picture); };
    const Picture tested =
        striped.by_rows(striped.upload(image.view()), {Sample::u32, image.format().channels}, 2, sums);
    const Image expected = inner_->download(sums(inner_->upload(image.view())));
    EXPECT_TRUE(test::same_pixels(striped.download(tested).view(), expected.view()));
  });
}

TEST_F(StripedBackendTest, ThrowsTheSameErrorsAsTheInnerBackend) {
  test::Random random;
  StripedBackend striped(*inner_, 100);
  const Picture picture = striped.upload(test::random_image(random, 20, 30, {Sample::u8, 3}).view());
  HistogramOptions alpha;
  alpha.channels = {Channel::alpha};
  EXPECT_THROW((void)striped.histogram(picture, alpha), Error);
  EqualizeOptions outside;
  outside.selection.region = Rect{10, 10, 11, 1};
  EXPECT_THROW((void)striped.equalize(picture, outside), Error);
  IntegralOptions narrow;
  narrow.type = Sample::u32;
  narrow.square = true;
  EXPECT_NO_THROW((void)striped.integral(picture, narrow));  // 600 · 255² fits, so each strip may too
}

}  // namespace
}  // namespace gpuimg
