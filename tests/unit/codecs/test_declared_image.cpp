// The facts that a file declares before its pixels are read. A batch plans its memory with them; `gpuimg info` prints
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "codecs/file_header.hpp"
#include "gpuimg/error.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/jpeg_maker.hpp"
#include "support/metadata_maker.hpp"
#include "support/npy_maker.hpp"
#include "support/png_maker.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_declared_image {
using namespace codecs;

namespace {

TEST(DeclaredImage, ReadsTheSizeOfEveryFormat) {
  const std::vector<std::uint32_t> values(6 * 3, 1);
  const auto pixels = [](const test::FileBytes& bytes, const std::string& name = "x") {
    return declared_image(std::as_bytes(std::span(bytes)), name).pixels();
  };
  test::BmpChoices bmp;
  bmp.top_down = true;
  EXPECT_EQ(pixels(test::make_bmp(3, 2, 24, values, bmp)), 6U);
  bmp.top_down = false;
  for (const int header : {12, 40, 124}) {
    bmp.header_bytes = header;
    EXPECT_EQ(pixels(test::make_bmp(3, 2, 24, values, bmp)), 6U) << header;
  }
  test::GifFrame frame;
  frame.indices = {0};
  EXPECT_EQ(pixels(test::make_tga(2, 3, 2, 24, values), "x.tga"), 6U);
  EXPECT_EQ(pixels(test::make_gif(3, 2, {0, 1}, {frame})), 6U);
  EXPECT_EQ(pixels(test::make_psd(3, 2, 3, 8, values)), 6U);
  EXPECT_EQ(pixels(test::make_pnm("P6\n# a comment\n3 # another\n2\n255\n", values, 1)), 6U);
  EXPECT_EQ(pixels(test::make_pnm("P5\v3\f2#\r255 ", values, 1)), 6U);
  EXPECT_EQ(pixels(test::make_pnm("P6\n3", {}, 1)), 0U);
  EXPECT_EQ(pixels(test::make_tga(3, 1, 1, 8, {1}), "x.tga"), 1U);  // shorter than the headers of other formats
  EXPECT_EQ(declared_image({}, "x").pixels(), 0U);
  EXPECT_EQ(declared_image_in("/dev/null").pixels(), 0U);
  EXPECT_EQ(declared_image_in("/nowhere").pixels(), 0U);
}

/// While the decoder reads a JPEG with several scans, it keeps all coefficients in memory.
TEST(DeclaredImage, CountsCoefficientsThatJpegKeeps) {
  const Image color = test::constant_image(20, 10, {Sample::u8, 3}, 77);
  const Image gray = test::constant_image(20, 10, {Sample::u8, 1}, 77);
  const auto kept = [](const Image& image, const test::JpegChoices& choices) {
    return declared_image(test::make_jpeg(image.view(), choices), "x").decoder_bytes_per_pixel;
  };
  EXPECT_EQ(kept(color, {}), 0U);
  EXPECT_EQ(kept(gray, {}), 0U);
  EXPECT_EQ(kept(color, {.progressive = true}), 3U);
  EXPECT_EQ(kept(color, {.separate_scans = true}), 3U);
  EXPECT_EQ(kept(color, {.progressive = true, .vertical_sampling = 1}), 4U);
  EXPECT_EQ(kept(color, {.progressive = true, .horizontal_sampling = 1, .vertical_sampling = 1}), 6U);
}

TEST(DeclaredImage, FindsTheSizeAfterLongMetadata) {
  const test::TemporaryFolder folder;
  const test::FileBytes jpeg = test::make_jpeg(test::constant_image(20, 10, {Sample::u8, 3}, 77).view());
  for (const int segments : {0, 1, 10, 70, 200}) {
    test::FileBytes file(jpeg.begin(), jpeg.begin() + 2);
    for (int i = 0; i < segments; ++i) {
      test::add_be(file, 0xFFEFFFFF, 4);
      file.resize(file.size() + 65533);
    }
    test::add_bytes(file, std::span(jpeg).subspan(2));
    test::put_text(folder / "in", std::string(reinterpret_cast<const char*>(file.data()), file.size()));
    EXPECT_EQ(declared_image_in(folder / "in").pixels(), 200U) << segments;
  }
  const std::string comment = "P5\n#" + std::string(std::size_t{6} << 20, 'x') + "\n3 2\n255\n123456";
  test::put_text(folder / "in", comment);
  EXPECT_EQ(declared_image_in(folder / "in").pixels(), 6U);
}

/// The value of a fact as text, with numbers in decimal. Nullopt if the image lacks the fact.
std::optional<std::string> fact(const DeclaredImage& image, std::string_view key) {
  for (const HeaderFact& one : image.facts) {
    if (one.key == key) {
      const auto* text = std::get_if<std::string>(&one.value);
      const auto* number = std::get_if<std::uint64_t>(&one.value);
      return text != nullptr     ? *text
             : number != nullptr ? std::to_string(*number)
                                 : std::string(std::get<bool>(one.value) ? "true" : "false");
    }
  }
  return std::nullopt;
}

DeclaredImage declared_of(const Image& image, const test::JpegChoices& choices) {
  return declared_image(test::make_jpeg(image.view(), choices), "x");
}

/// A prefix of a file declares the same facts as the whole file, or none.
TEST(DeclaredImage, PrefixesDeclareTheSameOrNothing) {
  constexpr std::size_t kMaxPrefix = 600;
  std::size_t prefixes = 0;
  const test::Catalogue catalogue = test::make_catalogue();
  for (const test::CatalogueFile& file : catalogue.files()) {
    const DeclaredImage whole = declared_image(file.bytes, file.name);
    for (std::size_t size = 0; size < std::min(file.bytes.size(), kMaxPrefix); ++size, ++prefixes) {
      const DeclaredImage part = declared_image(std::span(file.bytes).first(size), file.name);
      const bool is_same = part.width == whole.width && part.height == whole.height && part.decoded == whole.decoded;
      EXPECT_TRUE(part.pixels() == 0 || is_same) << file.name << " of " << size << " bytes";
    }
  }
  EXPECT_GT(prefixes, 50000U);
}

/// Sparse files of a terabyte; reading more than the header would take too long.
TEST(DeclaredImage, ReadsNoMoreThanTheHeader) {
  const test::TemporaryFolder folder;
  const auto sized = [&](const std::string& name, std::span<const std::byte> bytes) {
    test::put_bytes(folder / name, bytes);
    std::filesystem::resize_file(folder / name, std::uintmax_t{1} << 40);
    return read_file_header(folder / name);
  };
  const Image image = test::constant_image(20, 10, {Sample::u8, 3}, 77);
  const test::FileBytes jpeg = test::make_jpeg(image.view());
  EXPECT_EQ(sized("a.jpg", jpeg).image.pixels(), 200U);
  EXPECT_EQ(sized("a.png", test::written(image, FileFormat::png, {})).image.pixels(), 200U);
  EXPECT_EQ(sized("a.pgm", test::make_pnm("P5\n3 2\n255\n", {1, 2}, 1)).image.pixels(), 6U);
  EXPECT_EQ(sized("a.psd", test::make_psd(3, 2, 3, 8, std::vector<std::uint32_t>(18, 1))).image.pixels(), 6U);
  EXPECT_EQ(sized("a.npy", test::npy_of(image.view())).image.pixels(), 200U);
  EXPECT_EQ(declared_image_in(folder / "a.jpg").pixels(), 200U);
  EXPECT_EQ(sized("a.jpg", jpeg).file_bytes, std::uint64_t{1} << 40);
  EXPECT_THROW((void)sized("a.tif", test::bytes_of(std::string_view("II*\0", 4))), Error);
}

TEST(DeclaredImage, FindsTheFooterOfATgaOfAnyName) {
  const test::TemporaryFolder folder;
  const std::vector<std::uint32_t> values(200 * 200 * 3, 1);  // the file exceeds the first read
  test::FileBytes tga = test::make_tga(2, 200, 200, 24, values);
  EXPECT_GT(tga.size(), std::size_t{64} << 10);
  test::put_bytes(folder / "a.bin", tga);
  EXPECT_THROW((void)read_file_header(folder / "a.bin"), Error);
  test::add_bytes(tga, test::bytes_of(std::string_view("\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0", 26)));
  test::put_bytes(folder / "a.bin", tga);
  EXPECT_EQ(read_file_header(folder / "a.bin").format, "TGA");
  EXPECT_EQ(declared_image_in(folder / "a.bin").pixels(), 40000U);
}

TEST(DeclaredImage, ReportsTheKindOfAJpeg) {
  const Image color = test::constant_image(32, 32, {Sample::u8, 3}, 77);
  const Image gray = test::constant_image(32, 32, {Sample::u8, 1}, 77);
  const Image inks = test::constant_image(32, 32, {Sample::u8, 4}, 77);
  EXPECT_EQ(fact(declared_of(color, {}), "process"), "baseline");
  EXPECT_EQ(fact(declared_of(color, {}), "arithmetic"), "false");
  EXPECT_EQ(fact(declared_of(color, {.progressive = true}), "process"), "progressive");
  const DeclaredImage arithmetic = declared_of(color, {.progressive = true, .arithmetic = true});
  EXPECT_EQ(fact(arithmetic, "process"), "progressive");
  EXPECT_EQ(fact(arithmetic, "arithmetic"), "true");
  EXPECT_EQ(fact(declared_of(color, {.restart_interval = 3}), "restart_interval"), "3");
  EXPECT_EQ(declared_of(gray, {}).color, "gray");
  EXPECT_EQ(fact(declared_of(gray, {}), "sampling"), std::nullopt);
  EXPECT_EQ(declared_of(color, {}).color, "YCbCr");
  EXPECT_EQ(declared_of(color, {.as_rgb = true}).color, "RGB");
  EXPECT_EQ(declared_of(inks, {.as_cmyk = true}).color, "CMYK");
  EXPECT_EQ(declared_of(inks, {.as_ycck = true}).color, "YCCK");
  EXPECT_EQ(declared_of(inks, {.as_cmyk = true}).decoded, (PixelFormat{Sample::u8, 3}));
}

TEST(DeclaredImage, ReportsTheSamplingOfAJpeg) {
  const Image color = test::constant_image(32, 32, {Sample::u8, 3}, 77);
  const auto sampling = [&](int width, int height) {
    return fact(declared_of(color, {.horizontal_sampling = width, .vertical_sampling = height}), "sampling");
  };
  EXPECT_EQ(sampling(1, 1), "4:4:4");
  EXPECT_EQ(sampling(2, 1), "4:2:2");
  EXPECT_EQ(sampling(1, 2), "4:4:0");
  EXPECT_EQ(sampling(2, 2), "4:2:0");
  EXPECT_EQ(sampling(4, 1), "4:1:1");
  EXPECT_EQ(sampling(4, 2), "4:1:0");
  EXPECT_EQ(sampling(1, 4), "1x4 1x1 1x1");
}

TEST(DeclaredImage, FindsEveryQualityThatLibjpegWrites) {
  const Image color = test::constant_image(8, 8, {Sample::u8, 3}, 77);
  const Image gray = test::constant_image(8, 8, {Sample::u8, 1}, 77);
  for (int quality = 1; quality <= 100; ++quality) {
    EXPECT_EQ(fact(declared_of(color, {.quality = quality}), "quality"), std::to_string(quality));
    EXPECT_EQ(fact(declared_of(gray, {.quality = quality}), "quality"), std::to_string(quality));
  }
  test::FileBytes other = test::make_jpeg(color.view());
  const std::array table = {std::byte{0xFF}, std::byte{0xDB}};
  const auto found = std::search(other.begin(), other.end(), table.begin(), table.end());
  found[5] ^= std::byte{1};  // changes the first quantization step
  EXPECT_EQ(fact(declared_image(other, "x"), "quality"), std::nullopt);
  EXPECT_EQ(declared_image(other, "x").pixels(), 64U);
}

TEST(DeclaredImage, ReportsTheKindOfAPng) {
  test::PngPicture picture;
  picture.kind = {3, 4};
  picture.interlaced = true;
  picture.samples = {1};
  picture.palette = test::FileBytes(3 * 11, std::byte{9});
  const DeclaredImage palette = declared_image(test::make_png(picture), "x");
  EXPECT_EQ(palette.color, "palette");
  EXPECT_EQ(palette.palette_colors, 11);
  EXPECT_EQ(palette.bits, 4);
  EXPECT_EQ(palette.decoded, (PixelFormat{Sample::u8, 3}));
  EXPECT_EQ(fact(palette, "interlaced"), "true");
  picture.transparency = {std::byte{0}};
  EXPECT_EQ(declared_image(test::make_png(picture), "x").decoded.channels, 4);
  std::vector<test::PngChunk> chunks = test::png_chunks(picture);
  chunks.insert(chunks.begin() + 1, {"tEXt", test::bytes_of(std::string_view("a\0b", 3))});
  EXPECT_EQ(fact(declared_image(test::assemble_png(chunks), "x"), "texts"), "1");
}

TEST(FileHeader, HoldsTheMetadata) {
  const test::TemporaryFolder folder;
  const Image image = test::constant_image(20, 10, {Sample::u8, 3}, 77);
  const Metadata metadata = test::full_metadata(image.format(), 200000);  // the header exceeds the first read
  for (const FileFormat format : {FileFormat::png, FileFormat::jpeg}) {
    test::put_bytes(folder / "in", test::written(image, format, metadata));
    const FileHeader header = read_file_header(folder / "in");
    EXPECT_EQ(header.format, codec_of(format).name);
    EXPECT_EQ(header.metadata.icc, metadata.icc);
    EXPECT_EQ(header.metadata.exif, metadata.exif);
    EXPECT_EQ(header.metadata.xmp, metadata.xmp);
    EXPECT_EQ(header.metadata.iptc, metadata.iptc);
    EXPECT_TRUE(header.metadata.density);
    EXPECT_TRUE(header.details.empty());
    EXPECT_EQ(header.file_bytes, std::filesystem::file_size(folder / "in"));
  }
}

/// `gpuimg info` and the decoder call one function, so they find the same metadata.
TEST(FileHeader, HoldsTheMetadataAfterTheImageDataOfAPng) {
  const test::TemporaryFolder folder;
  test::PngPicture picture;
  picture.kind = {2, 8};
  picture.samples = {1, 2, 3};
  std::vector<test::PngChunk> chunks = test::png_chunks(picture);
  chunks.insert(chunks.end() - 1, {"eXIf", test::exif_with(6, false)});
  const test::FileBytes file = test::assemble_png(chunks);
  test::put_bytes(folder / "in", file);
  EXPECT_EQ(read_file_header(folder / "in").metadata, test::decode(file, "in", {.auto_orient = false}).metadata);
  EXPECT_EQ(read_file_header(folder / "in").metadata.exif, test::exif_with(6, false));
  test::put_bytes(folder / "in", std::span(file).first(file.size() - 15));  // truncated within the chunk
  EXPECT_TRUE(read_file_header(folder / "in").metadata.exif.empty());
  EXPECT_EQ(read_file_header(folder / "in").image.pixels(), 1U);
}

TEST(FileHeader, ReportsTypeAndShapeOfATable) {
  const test::TemporaryFolder folder;
  test::put_bytes(folder / "t.npy", test::npy_of(test::constant_image(5, 4, {Sample::f64, 3}, 1).view()));
  const FileHeader header = read_file_header(folder / "t.npy");
  EXPECT_EQ(header.format, "NPY");
  EXPECT_EQ(header.image.decoded, (PixelFormat{Sample::f64, 3}));
  EXPECT_EQ(fact(header.image, "dtype"), "<f8");
  EXPECT_EQ(fact(header.image, "shape"), "(4,5,3)");
  EXPECT_EQ(header.image.decoding_bytes(), 480U);
}

TEST(FileHeader, RejectsHeadersThatDecodingRejects) {
  const test::TemporaryFolder folder;
  const auto kind_of = [&](const std::string& bytes) {
    test::put_text(folder / "in", bytes);
    try {
      (void)read_file_header(folder / "in");
    } catch (const Error& error) {
      return std::optional(error.kind());
    }
    return std::optional<ErrorKind>();
  };
  EXPECT_EQ(kind_of(""), ErrorKind::decode);
  EXPECT_EQ(kind_of("hello"), ErrorKind::decode);
  EXPECT_EQ(kind_of("\x89PNG"), ErrorKind::decode);
  EXPECT_EQ(kind_of("P5 0 2 255 "), ErrorKind::decode);
  EXPECT_EQ(kind_of("P5 2 2 65536 "), ErrorKind::decode);
  EXPECT_EQ(kind_of("qoif"), ErrorKind::unsupported);
  EXPECT_EQ(kind_of("\x93NUMPY\2"), ErrorKind::decode);
  EXPECT_THROW((void)read_file_header(folder / "nowhere"), Error);
  EXPECT_THROW((void)read_file_header(folder / ""), Error);
}

}  // namespace
}  // namespace gpuimg::test_declared_image
