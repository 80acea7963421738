// Summed-area tables: results computed by hand, comparisons with plain sums, differences that reproduce the image, and
// white images whose sums exceed smaller types.
#include "gpuimg/ops/integral.hpp"

#include <gtest/gtest.h>

#include "gpuimg/backend.hpp"
#include "support/oracle_integral.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_integral {
namespace {

/// Expects the exact sums. For entries of floating point, the compiler converts the integers.
template <class Entry>
void expect_table(const Image& table, ConstView pixels, const IntegralOptions& options) {
  const oracle::Sums sums = oracle::padded_sums(pixels, options);
  const int border = options.layout == TableLayout::padded ? 1 : 0;
  ASSERT_EQ(table.width(), pixels.width + border);
  ASSERT_EQ(table.height(), pixels.height + border);
  const auto stride = static_cast<std::size_t>(pixels.width) + 1;
  for (int y = 0; y < table.height(); ++y) {
    const auto* row = table.view().row<Entry>(y);
    const auto* expected = sums.data() + static_cast<std::size_t>(y + 1 - border) * stride;
    for (int x = 0; x < table.width(); ++x) {
      ASSERT_EQ(row[x], static_cast<Entry>(expected[x + 1 - border])) << "x=" << x << " y=" << y;
    }
  }
}

void expect_oracle_table(Backend& backend, const Image& image, const IntegralOptions& options) {
  const Image table = backend.download(backend.integral(backend.upload(image.view()), options));
  ASSERT_EQ(table.format().channels, 1);
  if (options.type) {
    ASSERT_EQ(table.format().sample, *options.type);
  }
  switch (table.format().sample) {
    case Sample::u32: return expect_table<std::uint32_t>(table, image.view(), options);
    case Sample::u64: return expect_table<std::uint64_t>(table, image.view(), options);
    case Sample::f32: return expect_table<float>(table, image.view(), options);
    case Sample::f64: return expect_table<double>(table, image.view(), options);
    default: FAIL() << "sample type of the table";
  }
}

TEST(Integral, MatchesHandComputedSums) {
  const auto backend = make_cpu_backend(1);
  Image image(3, 2, PixelFormat{Sample::u8, 1});
  const std::uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
  std::memcpy(image.view().data, pixels, sizeof pixels);
  const Picture picture = backend->upload(image.view());
  IntegralOptions options;
  const Image padded = backend->download(backend->integral(picture, options));
  const std::uint32_t expected[] = {0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 21};
  ASSERT_EQ(padded.format(), (PixelFormat{Sample::u32, 1}));
  ASSERT_EQ(padded.size_bytes(), sizeof expected);
  EXPECT_EQ(std::memcmp(padded.view().data, expected, sizeof expected), 0);
  options.layout = TableLayout::inclusive;
  options.square = true;
  const Image squares = backend->download(backend->integral(picture, options));
  const std::uint32_t expected_squares[] = {1, 5, 14, 17, 46, 91};
  ASSERT_EQ(squares.size_bytes(), sizeof expected_squares);
  EXPECT_EQ(std::memcmp(squares.view().data, expected_squares, sizeof expected_squares), 0);
}

TEST(Integral, MatchesPlainSumsForWidthsHeightsFormatsAndOptions) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  constexpr Sample kTypes[] = {Sample::u32, Sample::u64, Sample::f32, Sample::f64};
  for (const int width : {1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 1023, 1024, 1025}) {
    for (const int height : {1, 2, 3, 65, 130}) {
      for (const PixelFormat format : test::photographic_formats()) {
        IntegralOptions options;
        options.layout = static_cast<TableLayout>(random.below(2));
        options.square = random.below(2) == 0;
        options.channel = static_cast<Channel>(random.below(format.has_alpha() ? 5 : 4));
        options.luma = static_cast<Luma>(random.below(4));
        options.allow_wrap = true;
        if (random.below(5) != 0) {
          options.type = kTypes[random.below(4)];
        }
        SCOPED_TRACE(test::name_of(format) + ", " + std::to_string(width) + "x" + std::to_string(height) +
                     ", channel " + std::to_string(static_cast<int>(options.channel)) +
                     (options.square ? ", square" : ""));
        expect_oracle_table(*backend, test::any_image(random, width, height, format), options);
      }
    }
  }
}

TEST(Integral, MatchesPlainSumsForOneRowAndOneColumn) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  for (const TableLayout layout : {TableLayout::padded, TableLayout::inclusive}) {
    IntegralOptions options;
    options.layout = layout;
    expect_oracle_table(*backend, test::random_image(random, 1'000'003, 1, PixelFormat{Sample::u8, 3}), options);
    expect_oracle_table(*backend, test::random_image(random, 1, 1'000'003, PixelFormat{Sample::u8, 3}), options);
  }
}

TEST(Integral, DifferencesReproduceTheImage) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(2);
  // 32-bit sums of 16-bit levels wrap around many times; the differences must be correct nevertheless.
  const Image image = test::random_image(random, 517, 391, PixelFormat{Sample::u16, 1});
  IntegralOptions options;
  options.type = Sample::u32;
  options.allow_wrap = true;
  const Image table = backend->download(backend->integral(backend->upload(image.view()), options));
  for (int y = 0; y < image.height(); ++y) {
    const auto* above = table.view().row<std::uint32_t>(y);
    const auto* below = table.view().row<std::uint32_t>(y + 1);
    for (int x = 0; x < image.width(); ++x) {
      ASSERT_EQ(below[x + 1] - below[x] - above[x + 1] + above[x], test::sample_at(image.view(), x, y, 0));
    }
  }
}

template <class Entry>
void expect_white_sums(const Image& table) {
  for (int y = 0; y < table.height(); ++y) {
    const auto* row = table.view().row<Entry>(y);
    for (int x = 0; x < table.width(); ++x) {
      ASSERT_EQ(row[x],
                static_cast<Entry>(std::uint64_t{255} * static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y)));
    }
  }
}

TEST(Integral, White2902SquaredFitsUnsigned32Bits) {
  // 2902² · 255 = 2147509020 exceeds a signed 32-bit sum, but not an unsigned one.
  const auto backend = make_cpu_backend(0);
  const Image white = test::constant_image(2902, 2902, PixelFormat{Sample::u8, 1}, 255);
  const Image table = backend->download(backend->integral(backend->upload(white.view()), {}));
  ASSERT_EQ(table.format().sample, Sample::u32);
  EXPECT_EQ(table.view().row<std::uint32_t>(2902)[2902], 2147509020U);
  expect_white_sums<std::uint32_t>(table);
}

TEST(Integral, White4200SquaredNeeds64Bits) {
  const auto backend = make_cpu_backend(0);
  const Picture white = backend->upload(test::constant_image(4200, 4200, PixelFormat{Sample::u8, 1}, 255));
  IntegralOptions options;
  const Image table = backend->download(backend->integral(white, options));
  ASSERT_EQ(table.format().sample, Sample::u64);
  EXPECT_EQ(table.view().row<std::uint64_t>(4200)[4200], 4498200000U);
  expect_white_sums<std::uint64_t>(table);

  options.type = Sample::u32;
  try {
    (void)backend->integral(white, options);
    FAIL() << "a table that wraps was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("4498200000"), std::string::npos) << error.what();
  }
  options.allow_wrap = true;
  const Image wrapped = backend->download(backend->integral(white, options));
  ASSERT_EQ(wrapped.format().sample, Sample::u32);
  EXPECT_EQ(wrapped.view().row<std::uint32_t>(4200)[4200], 203232704U);  // 4498200000 − 2³²
  expect_white_sums<std::uint32_t>(wrapped);

  options = {};
  options.type = Sample::f32;
  const Image rounded = backend->download(backend->integral(white, options));
  EXPECT_EQ(rounded.view().row<float>(4200)[4200], 4498200064.0F);  // the nearest multiple of 512
  expect_white_sums<float>(rounded);
}

TEST(TableSample, IsTheNarrowestTypeThatFits) {
  const PixelFormat gray8{Sample::u8, 1};
  const PixelFormat gray16{Sample::u16, 3};
  const auto chosen = [](int width, int height, PixelFormat format, bool square) {
    IntegralOptions options;
    options.square = square;
    return table_sample(width, height, format, options);
  };
  // 2³² − 1 = 255 · 16843009 = 65535 · 65537
  EXPECT_EQ(chosen(16843009, 1, gray8, false), Sample::u32);
  EXPECT_EQ(chosen(16843010, 1, gray8, false), Sample::u64);
  EXPECT_EQ(chosen(1, 65537, gray16, false), Sample::u32);
  EXPECT_EQ(chosen(1, 65538, gray16, false), Sample::u64);
  EXPECT_EQ(chosen(66051, 1, gray8, true), Sample::u32);
  EXPECT_EQ(chosen(66052, 1, gray8, true), Sample::u64);
  EXPECT_EQ(chosen(1, 1, gray16, true), Sample::u32);
  EXPECT_EQ(chosen(2, 1, gray16, true), Sample::u64);
  EXPECT_EQ(chosen(1 << 28, 1 << 28, gray8, false), Sample::u64);
}

TEST(TableSample, RejectsTypesThatCouldWrap) {
  constexpr int kMax = 0x7FFFFFFF;
  const PixelFormat gray16{Sample::u16, 1};
  IntegralOptions options;
  options.square = true;
  EXPECT_THROW((void)table_sample(kMax, kMax, gray16, options), Error);  // the sum exceeds 64 bits
  options.allow_wrap = true;
  EXPECT_EQ(table_sample(kMax, kMax, gray16, options), Sample::u64);
  options = {};
  options.type = Sample::u32;
  EXPECT_THROW((void)table_sample(65538, 1, gray16, options), Error);
  EXPECT_EQ(table_sample(65537, 1, gray16, options), Sample::u32);
  options.type = Sample::f32;
  EXPECT_EQ(table_sample(100000, 100000, gray16, options), Sample::f32);
}

TEST(Integral, FloatsAreExactSumsRoundedOnce) {
  // The sum 2²⁴ + 1 is a tie that rounds to even. Adding floats one by one would stop at 2²⁴.
  const auto backend = make_cpu_backend(1);
  Image image = test::constant_image(65794, 1, PixelFormat{Sample::u8, 1}, 255);
  test::set_sample(image.view(), 65793, 0, 0, 2);  // 65793 · 255 + 2 = 2²⁴ + 1
  IntegralOptions options;
  options.type = Sample::f32;
  options.layout = TableLayout::inclusive;
  const Image table = backend->download(backend->integral(backend->upload(image.view()), options));
  EXPECT_EQ(table.view().row<float>(0)[65793], 16777216.0F);
  test::set_sample(image.view(), 65793, 0, 0, 4);
  const Image above = backend->download(backend->integral(backend->upload(image.view()), options));
  EXPECT_EQ(above.view().row<float>(0)[65793], 16777220.0F);
}

}  // namespace
}  // namespace gpuimg::test_integral
