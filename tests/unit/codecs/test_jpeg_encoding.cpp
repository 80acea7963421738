// `--quality keep`: an output JPEG gets the quantization tables and sampling of the input. The tests compare bytes of
// the files' segments.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "codecs/image_writer.hpp"
#include "codecs/jpeg/jpeg_encoding.hpp"
#include "support/jpeg_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_jpeg_encoding {
using namespace codecs;

namespace {

using namespace test;

struct Component {
  int horizontal = 0;
  int vertical = 0;
  FileBytes table;  ///< as stored in DQT: 64 steps of 8 bits, in zigzag order

  bool operator==(const Component&) const = default;
};

std::size_t number_at(const FileBytes& file, std::size_t offset, std::size_t bytes) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8 | std::to_integer<std::size_t>(file.at(offset + i));
  }
  return value;
}

/// Reads the components of a file from the segments before its first scan. `frame` receives the offset of the frame's
/// marker.
std::vector<Component> components_of(const FileBytes& file, std::size_t* frame = nullptr) {
  std::map<std::size_t, FileBytes> tables;
  std::vector<Component> components;
  std::vector<std::size_t> table_numbers;
  for (std::size_t at = 2; number_at(file, at, 2) != 0xFFDA; at += 2 + number_at(file, at + 2, 2)) {
    const std::size_t marker = number_at(file, at, 2);
    const std::size_t end = at + 2 + number_at(file, at + 2, 2);
    if (marker == 0xFFDB) {
      for (std::size_t table = at + 4; table < end; table += 65) {
        const auto first = file.begin() + static_cast<std::ptrdiff_t>(table) + 1;
        tables[number_at(file, table, 1)] = FileBytes(first, first + 64);
      }
    } else if (marker >= 0xFFC0 && marker <= 0xFFCF && marker != 0xFFC4 && marker != 0xFFC8 && marker != 0xFFCC) {
      for (std::size_t i = 0; i < number_at(file, at + 9, 1); ++i) {
        const std::size_t sampling = number_at(file, at + 11 + 3 * i, 1);
        components.push_back({static_cast<int>(sampling >> 4), static_cast<int>(sampling & 15), {}});
        table_numbers.push_back(number_at(file, at + 12 + 3 * i, 1));
      }
      if (frame != nullptr) {
        *frame = marker;
      }
    }
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    components[i].table = tables.at(table_numbers[i]);
  }
  return components;
}

std::vector<JpegComponent> components_in(const std::shared_ptr<const SourceEncoding>& encoding) {
  return dynamic_cast<const JpegEncoding&>(*encoding).components;
}

FileBytes encoded_alike(const DecodedImage& decoded, std::optional<ChromaSubsampling> subsampling = {}) {
  WriteOptions options;
  options.source_encoding = decoded.source_encoding;
  options.jpeg_subsampling = subsampling;
  return encode_image(decoded.image.view(), FileFormat::jpeg, "t", options);
}

FileBytes encoded_alike(const FileBytes& file) { return encoded_alike(decode(file)); }

/// Replaces every quantization step.
FileBytes with_random_tables(FileBytes file, Random& random) {
  for (std::size_t at = 2; number_at(file, at, 2) != 0xFFDA; at += 2 + number_at(file, at + 2, 2)) {
    if (number_at(file, at, 2) == 0xFFDB) {
      for (std::size_t i = 5; i < 69; ++i) {
        file[at + i] = static_cast<std::byte>(random.between(1, 255));
      }
    }
  }
  return file;
}

double mean_difference(ConstView a, ConstView b) {
  double sum = 0;
  for (int y = 0; y < a.height; ++y) {
    for (std::size_t i = 0; i < a.tight_pitch_bytes(); ++i) {
      sum += std::abs(int{a.row<std::uint8_t>(y)[i]} - int{b.row<std::uint8_t>(y)[i]});
    }
  }
  return sum / static_cast<double>(a.tight_pitch_bytes() * static_cast<std::size_t>(a.height));
}

TEST(JpegEncoding, TablesAndSamplingMatchTheInput) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int quality : {1, 35, 75, 95, 100}) {
    for (const int channels : {1, 3}) {
      for (const auto& [horizontal, vertical] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(2, 2)}) {
        const Image image = smooth_image(random, 61, 45, {Sample::u8, channels});
        const FileBytes file = make_jpeg(image.view(), {.quality = quality,
                                                        .progressive = random.below(2) == 1,
                                                        .horizontal_sampling = horizontal,
                                                        .vertical_sampling = vertical});
        std::size_t frame = 0;
        EXPECT_EQ(components_of(encoded_alike(file), &frame), components_of(file))
            << quality << " " << channels << " channels " << horizontal << "x" << vertical;
        EXPECT_EQ(frame, 0xFFC0U) << "baseline for any input";
      }
    }
  }
}

TEST(JpegEncoding, IsReadFromEveryProcess) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 50, 70, {Sample::u8, 3});
  for (const JpegChoices& choices :
       {JpegChoices{.quality = 60, .progressive = true}, JpegChoices{.quality = 60, .arithmetic = true},
        JpegChoices{.quality = 60, .separate_scans = true}, JpegChoices{.quality = 60, .horizontal_sampling = 4},
        JpegChoices{.quality = 60, .chroma_vertical_sampling = 2}}) {
    const FileBytes file = with_random_tables(make_jpeg(image.view(), choices), random);
    EXPECT_EQ(components_of(encoded_alike(file)), components_of(file));
  }
}

/// Noise that avoids black and white, so that clipping does not change the coefficients.
Image mild_noise(int channels) {
  return image_of_pixels(128, 128, {Sample::u8, channels}, [&](std::size_t i) {
    std::vector<std::uint32_t> pixel;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
      pixel.push_back(96 + (static_cast<std::uint32_t>(3 * i + c) * 2654435761U >> 26));
    }
    return pixel;
  });
}

TEST(JpegEncoding, SecondGenerationLosesLittle) {
  for (const int channels : {1, 3}) {
    for (const int quality : {35, 75, 95}) {
      const DecodedImage first = decode(make_jpeg(
          mild_noise(channels).view(), {.quality = quality, .horizontal_sampling = 1, .vertical_sampling = 1}));
      const DecodedImage alike = decode(encoded_alike(first));
      const DecodedImage other = decode(encode_image(first.image.view(), FileFormat::jpeg, "t", {}));
      const double loss = mean_difference(alike.image.view(), first.image.view());
      EXPECT_LT(loss, mean_difference(other.image.view(), first.image.view())) << quality;
      EXPECT_LT(loss, 0.2) << quality << ", " << channels << " channels";
    }
  }
}

TEST(JpegEncoding, SubsamplingOptionOverridesTheInput) {
  Random random;
  const FileBytes file =
      make_jpeg(smooth_image(random, 40, 40, {Sample::u8, 3}).view(), {.quality = 35, .chroma_vertical_sampling = 2});
  const std::vector<Component> before = components_of(file);
  const std::vector<Component> after = components_of(encoded_alike(decode(file), ChromaSubsampling::s422));
  ASSERT_EQ(after.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after[i].table, before[i].table);
    EXPECT_EQ(after[i].horizontal, i == 0 ? 2 : 1);
    EXPECT_EQ(after[i].vertical, 1);
  }
}

TEST(JpegEncoding, IsTransposedWithTheImage) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Image image = smooth_image(random, 40, 30, {Sample::u8, 3});
  const FileBytes file = with_random_tables(make_jpeg(image.view(), {.vertical_sampling = 1}), random);
  const std::vector<JpegComponent> stored = components_in(decode(file).source_encoding);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::vector<JpegComponent> seen =
        components_in(decode(with_exif(file, exif_with(orientation, true))).source_encoding);
    for (std::size_t i = 0; i < 3; ++i) {
      const bool is_turned = orientation >= 5;
      EXPECT_EQ(seen[i].horizontal_sampling, is_turned ? stored[i].vertical_sampling : stored[i].horizontal_sampling);
      for (std::size_t row = 0; row < 8; ++row) {
        for (std::size_t column = 0; column < 8; ++column) {
          ASSERT_EQ(seen[i].steps[8 * row + column], stored[i].steps[is_turned ? 8 * column + row : 8 * row + column]);
        }
      }
    }
  }
}

TEST(JpegEncoding, IsAbsentIfItCannotBeWritten) {
  Random random;
  const Image color = smooth_image(random, 20, 20, {Sample::u8, 3});
  const Image inks = smooth_image(random, 20, 20, {Sample::u8, 4});
  EXPECT_FALSE(decode(make_jpeg(color.view(), {.as_rgb = true})).source_encoding);
  EXPECT_FALSE(decode(make_jpeg(inks.view(), {.as_cmyk = true})).source_encoding);
  EXPECT_FALSE(decode(make_jpeg(inks.view(), {.as_ycck = true})).source_encoding);
  const auto scans = JpegChoices{.horizontal_sampling = 4, .vertical_sampling = 4, .separate_scans = true};
  EXPECT_FALSE(decode(make_jpeg(color.view(), scans)).source_encoding) << "18 blocks are too many for one scan";
}

/// Baseline JPEG has 8-bit steps; a hostile file can contain any 16-bit value.
TEST(JpegEncoding, StepsAreClampedToBaseline) {
  Random random;
  const Image image = smooth_image(random, 20, 20, {Sample::u8, 1});
  DecodedImage decoded = decode(make_jpeg(image.view()));
  for (const auto& [step, written] :
       {std::pair(0, 1), std::pair(256, 255), std::pair(8192, 255), std::pair(65535, 255)}) {
    JpegEncoding encoding;
    encoding.components.emplace_back().steps.fill(static_cast<std::uint16_t>(step));
    decoded.source_encoding = std::make_shared<JpegEncoding>(encoding);
    std::size_t frame = 0;
    const FileBytes file = encoded_alike(decoded);
    EXPECT_EQ(components_of(file, &frame).front().table, FileBytes(64, static_cast<std::byte>(written)));
    EXPECT_EQ(frame, 0xFFC0U);
  }
}

TEST(JpegEncoding, EveryAcceptedSamplingIsWritten) {
  Random random;
  const Image image = smooth_image(random, 19, 13, {Sample::u8, 3});
  int written = 0;
  for (int code = 0; code < 4096; ++code) {
    JpegEncoding encoding;
    encoding.components.resize(3);
    for (int i = 0; i < 3; ++i) {
      JpegComponent& component = encoding.components[static_cast<std::size_t>(i)];
      component.steps.fill(4);
      component.horizontal_sampling = 1 + (code >> (4 * i) & 3);
      component.vertical_sampling = 1 + (code >> (4 * i + 2) & 3);
    }
    if (is_writable_sampling(encoding)) {
      WriteOptions options;
      options.source_encoding = std::make_shared<JpegEncoding>(encoding);
      const FileBytes file = encode_image(image.view(), FileFormat::jpeg, "t", options);
      EXPECT_EQ(components_in(decode(file).source_encoding), encoding.components) << code;
      ++written;
    }
  }
  EXPECT_GT(written, 50);
}

}  // namespace
}  // namespace gpuimg::test_jpeg_encoding
