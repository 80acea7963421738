// Processing an image in strips returns the same bytes as processing it as a whole. The CPU backend represents a
// backend with little memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/striped_backend.hpp"
#include "gpuimg/backend.hpp"
#include "operations/operations.hpp"
#include "support/image_rows.hpp"
#include "support/sanitizers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_striped_backend {
namespace {

class StripedBackendTest : public ::testing::Test {
 protected:
  /// Calls compare(striped, whole, image) for every format, several sizes, and strips with one row, some rows and all
  /// rows.
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
          for (const bool is_file : {false, true}) {
            SCOPED_TRACE(is_file ? "from a file" : "from memory");
            is_file_ = is_file;
            compare(random, striped, image);
          }
        }
      }
    }
  }

  /// A mask and a region; each is present in half of the cases.
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

  /// A picture in the backend's memory or, if strips can read it, in a file.
  Picture input(Backend& backend, const Image& image) const {
    return is_file_ && &backend != inner_.get() ? picture_of(std::make_shared<test::ImageRows>(image.view()))
                                                : backend.upload(image.view());
  }

  /// Runs operation(backend, picture, selection) on `backend`.
  template <class Operation>
  auto run(Backend& backend, const Image& image, const Selected& selected, const Operation& operation) const {
    const Picture picture = input(backend, image);
    std::optional<Picture> mask;
    if (selected.mask) {
      mask.emplace(backend.upload(selected.mask->view()));
    }
    return operation(backend, picture, Selection{selected.region, mask ? &*mask : nullptr, selected.count_transparent});
  }

  std::unique_ptr<Backend> inner_ = make_cpu_backend(2);
  bool is_file_ = false;
};

TEST_F(StripedBackendTest, HistogramsMatchTheWholeImage) {
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

TEST_F(StripedBackendTest, EqualizationMatchesTheWholeImage) {
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

/// Includes strips whose windows contain rows of other strips, or no counted pixel.
TEST_F(StripedBackendTest, ThresholdsOfSelectedPixelsMatchTheWholeImage) {
  each([&](test::Random& random, Backend& striped, const Image& image) {
    const Selected selected(random, image);
    ThresholdOptions options;
    options.method = static_cast<ThresholdMethod>(random.below(7));
    const auto side = [&] {
      return 2 * random.between(0, std::min(9, std::max(image.width(), image.height()) - 1)) + 1;
    };
    options.window = WindowSize(side(), side());
    options.invert = random.below(2) == 0;
    options.classes = options.method == ThresholdMethod::otsu ? 2 + static_cast<int>(random.below(4)) : 2;
    ClassLevels levels[2] = {};
    const auto compare = [&](ClassLevels& used) {
      return [&](Backend& backend, const Picture& picture, const Selection& selection) {
        options.selection = selection;
        options.used_levels = &used;
        return backend.download(backend.apply(picture, options));
      };
    };
    const Image tested = run(striped, image, selected, compare(levels[0]));
    const Image expected = run(*inner_, image, selected, compare(levels[1]));
    EXPECT_TRUE(test::same_pixels(tested.view(), expected.view())) << "method " << static_cast<int>(options.method);
    EXPECT_EQ(levels[0], levels[1]);
  });
}

TEST_F(StripedBackendTest, SummedAreaTablesMatchTheWholeImage) {
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
        return backend.download(backend.integral(input(backend, image), options));
      };
      EXPECT_TRUE(test::same_pixels(sum(striped).view(), sum(*inner_).view()));
    }
  });
}

TEST_F(StripedBackendTest, HslMatchesTheWholeImage) {
  each([&](test::Random& random, Backend& striped, const Image& image) {
    const auto encoding = static_cast<HslEncoding>(random.below(4));
    const HslAdjustment by{static_cast<float>(random.between(-400, 400)), 1.25F, 0.75F};
    const auto there = [&](Backend& backend) {
      return backend.download(backend.to_hsl(input(backend, image), encoding));
    };
    const Image hsl = there(*inner_);
    EXPECT_TRUE(test::same_pixels(there(striped).view(), hsl.view()));
    const auto back = [&](Backend& backend) {
      return backend.download(backend.from_hsl(input(backend, hsl), encoding, Sample::u16));
    };
    EXPECT_TRUE(test::same_pixels(back(striped).view(), back(*inner_).view()));
    const auto adjusted = [&](Backend& backend) {
      return backend.download(backend.adjust_hsl(input(backend, image), by));
    };
    EXPECT_TRUE(test::same_pixels(adjusted(striped).view(), adjusted(*inner_).view()));
  });
}

TEST_F(StripedBackendTest, EveryOperationMatchesTheWholeImage) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::any_image(random, 63, 33, format);
    StripedBackend striped(*inner_, 7 * image.pitch_bytes());
    const Picture in_strips = striped.upload(image.view());
    const Picture in_file = picture_of(std::make_shared<test::ImageRows>(image.view()));
    const Picture whole = inner_->upload(image.view());
    for (const Trial& trial : trials_on(inner_->kind(), format)) {
      if (test::kHasSanitizer && random.below(3) != 0) {
        continue;  // all trials would take a minute and a half
      }
      EXPECT_EQ(difference(trial, striped, in_strips, *inner_, whole), "") << trial.name;
      EXPECT_EQ(difference(trial, striped, in_file, *inner_, whole), "") << trial.name << " from a file";
    }
  }
}

TEST_F(StripedBackendTest, RowsPassedToASinkMatchTheWholeImage) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (const PixelFormat format : test::photographic_formats()) {
    const Image image = test::any_image(random, 63, 33, format);
    for (const int rows : {1, 7, 64}) {
      std::vector<std::byte> taken;
      const std::size_t most_bytes = static_cast<std::size_t>(rows) * image.pitch_bytes() * 4;
      StripedBackend striped(*inner_, most_bytes, nullptr, [&](ConstView part) {
        for (int y = 0; y < part.height; ++y) {
          taken.insert(taken.end(), part.row_bytes(y), part.row_bytes(y) + part.tight_pitch_bytes());
        }
      });
      const auto check = [&](const auto& operation) {
        const Image expected = inner_->download(operation(*inner_, inner_->upload(image.view())));
        taken.clear();
        (void)operation(striped, picture_of(std::make_shared<test::ImageRows>(image.view())));
        ASSERT_EQ(taken.size(), expected.size_bytes());
        EXPECT_TRUE(std::equal(taken.begin(), taken.end(), expected.view().data));
      };
      check([](Backend& backend, const Picture& picture) { return backend.to_hsl(picture, HslEncoding::f32); });
      check([](Backend& backend, const Picture& picture) { return backend.equalize(picture, {}); });
      for (const TableLayout layout : {TableLayout::padded, TableLayout::inclusive}) {
        check([&](Backend& backend, const Picture& picture) {
          IntegralOptions options;
          options.layout = layout;
          return backend.integral(picture, options);
        });
      }
    }
  }
}

/// Returns counts without reading pixels: every pixel has level 200.
class AllOfOneLevel final : public Backend {
 public:
  [[nodiscard]] BackendKind kind() const override { return BackendKind::cpu; }
  [[nodiscard]] std::string name() const override { return "one level"; }
  [[nodiscard]] std::string description() const override { return name(); }
  [[nodiscard]] bool memory_is_host() const override { return true; }
  Image new_image(int width, int height, PixelFormat format) override {
    return {width, height, format, allocate_pixels(1)};
  }
  Picture upload(ConstView pixels) override { return {pixels.width, pixels.height, pixels.format, nullptr}; }
  Picture upload(Image pixels) override { return upload(std::as_const(pixels).view()); }
  Image download(const Picture& /*picture*/) override { return {}; }
  Image download(Picture&& /*picture*/) override { return {}; }
  Histogram histogram(const Picture& picture, const HistogramOptions& options) override {
    Histogram result;
    result.channels.push_back({options.channels.front(), std::vector<std::uint64_t>(256)});
    result.channels.front().counts[200] = picture.pixel_count();
    result.counted = picture.pixel_count();
    return result;
  }
  LevelCounts table_counts(const Picture& /*picture*/, const EqualizeOptions& /*options*/) override { return {}; }
  using Backend::equalize;
  Picture equalize(const Picture& picture, const EqualizeOptions& /*options*/, LevelTables* /*used*/) override {
    return {picture.width(), picture.height(), picture.format(), nullptr};
  }
  Picture apply(const Picture& picture, const PictureOperation& /*operation*/) override {
    return {picture.width(), picture.height(), picture.format(), nullptr};
  }
  void wait() override {}
  [[nodiscard]] std::size_t available_bytes() override { return 0; }
  double measure_copy_rate(std::size_t /*bytes*/) override { return 0; }
};

/// Passes on bands of the right size whose memory is never written.
class GeneratedRows final : public codecs::RowReader {
 public:
  using RowReader::RowReader;
  bool read(const codecs::BandOutput& to, Order /*order*/) override {
    codecs::BandCutter bands(to, 0, height());
    while (bands.next() < height()) {
      (void)bands.rows();
      bands.add(bands.left());
      bands.pass_on();
    }
    return true;
  }
};

TEST_F(StripedBackendTest, CountsATrillionPixels) {
  constexpr int kSide = 1 << 20;
  AllOfOneLevel inner;
  StripedBackend striped(inner, std::size_t{64} << 20);
  const Picture picture = picture_of(std::make_shared<GeneratedRows>(kSide, kSide, PixelFormat{Sample::u8, 1}));
  const Histogram histogram = striped.histogram(picture, {});
  EXPECT_EQ(histogram.counted, std::uint64_t{1} << 40);
  EXPECT_EQ(histogram.channels.front().counts[200], std::uint64_t{1} << 40);
  HistogramOptions part;
  part.selection.region = Rect{0, 3, kSide, kSide - 5};
  EXPECT_GT(striped.histogram(picture, part).counted, (std::uint64_t{1} << 40) - (std::uint64_t{100} << 20));
}

TEST_F(StripedBackendTest, VoidRowsGiveNoResult) {
  test::Random random;
  const Image image = test::random_image(random, 20, 30, {Sample::u8, 3});
  const Picture picture = picture_of(std::make_shared<test::ImageRows>(image.view(), true));
  ClaheOptions clahe;
  clahe.tiles_x = clahe.tiles_y = 2;
  WindowOptions mean;
  mean.size = 3;
  const std::vector<std::function<void(Backend&)>> operations = {
      [&](Backend& backend) { (void)backend.histogram(picture, {}); },
      [&](Backend& backend) { (void)backend.download(backend.equalize(picture, {})); },
      [&](Backend& backend) { (void)backend.download(backend.integral(picture, {})); },
      [&](Backend& backend) { (void)backend.download(backend.to_hsl(picture, HslEncoding::u16)); },
      [&](Backend& backend) { (void)backend.download(backend.apply(picture, clahe)); },
      [&](Backend& backend) { (void)backend.download(backend.apply(picture, mean)); },
      [&](Backend& backend) { (void)backend.download(backend.apply(picture, ThresholdOptions())); },
  };
  for (const auto& run : operations) {
    StripedBackend striped(*inner_, 7 * image.pitch_bytes());
    EXPECT_FALSE(striped.is_void());
    run(striped);
    EXPECT_TRUE(striped.is_void()) << "operation " << &run - operations.data();
  }
}

TEST_F(StripedBackendTest, DenoisingReportsTheProgressOfTheWholeImage) {
  test::Random random;
  const Image image = test::smooth_image(random, 40, 30, {Sample::u8, 1});
  DenoiseOptions options;
  options.patch = 3;
  options.search = 3;
  std::vector<double> parts;
  options.on_progress = [&](double part) { parts.push_back(part); };
  StripedBackend striped(*inner_, 14 * 3 * image.pitch_bytes());  // 10 rows and 4 of halo: image, planes, result
  (void)striped.apply(striped.upload(image.view()), options);
  EXPECT_EQ(parts, (std::vector<double>{10.0 / 30, 20.0 / 30, 1.0}));
}

/// Sums each sample with the samples up to two rows away in its column; rows outside the image count as 0.
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

TEST_F(StripedBackendTest, HaloRowsMatchTheWholeImage) {
  each([&](test::Random&, StripedBackend& striped, const Image& image) {
    const Picture tested =
        striped.by_rows(striped.upload(image.view()), {Sample::u32, image.format().channels}, 2, column_sums);
    const Image expected = inner_->download(column_sums(*inner_, inner_->upload(image.view())));
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
  // 600 · 255² fits in 32 bits, so the type is allowed for each strip as well.
  EXPECT_NO_THROW((void)striped.integral(picture, narrow));
}

}  // namespace
}  // namespace gpuimg::test_striped_backend
