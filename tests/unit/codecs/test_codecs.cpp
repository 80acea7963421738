// The list of formats: each format is recognized, read, written and tested.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "codecs/file_header.hpp"
#if GPUIMG_HAS_HEIF
#include "codecs/formats.hpp"
#endif
#include "codecs/image_writer.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_codecs {
using namespace codecs;

namespace {

using namespace test;

/// True if the decoders that the catalogue's HEIF files need are installed.
bool has_heif_decoders() {
#if GPUIMG_HAS_HEIF
  return heif::heif_library().find("HEVC, AV1") != std::string::npos;
#else
  return false;
#endif
}

bool has_extension(const Codec& codec, std::string_view file) {
  return std::any_of(codec.extensions.begin(), codec.extensions.end(),
                     [&](std::string_view extension) { return file.ends_with(fmt::format(".{}", extension)); });
}

TEST(Codecs, EachHasAnEntryAndGoodFilesInTheCatalogue) {
  const Catalogue catalogue = make_catalogue();
  for (const Codec& codec : codecs::codecs()) {
    EXPECT_EQ(&codec_of(codec.format), &codec) << codec.name;
    const auto& files = catalogue.files();
    if (codec.name == "HEIF" && !has_heif_decoders()) {
      continue;  // the test HeifReader.HasItsDecoders reports this
    }
    EXPECT_GT(std::count_if(files.begin(), files.end(),
                            [&](const CatalogueFile& file) {
                              return file.verdict == Verdict::good && has_extension(codec, file.name);
                            }),
              5)
        << codec.name;
  }
}

TEST(Codecs, DetectAndDeclareEveryGoodFileOfTheCatalogue) {
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    if (file.verdict == Verdict::good) {
      ReadOptions options;
      options.auto_orient = false;
      const DecodedImage decoded = decode(file.bytes, file.name, options);
      const DeclaredImage declared = declared_image(file.bytes, file.name);
      const bool has_any_name = file.name.ends_with(".img");
      EXPECT_TRUE(has_any_name || has_extension(codec_of(decoded.file_format), file.name)) << file.name;
      EXPECT_EQ(declared.width, static_cast<std::uint64_t>(decoded.image.width())) << file.name;
      EXPECT_EQ(declared.height, static_cast<std::uint64_t>(decoded.image.height())) << file.name;
      const PixelFormat format = decoded.image.format();
      EXPECT_EQ(declared.decoded.sample, format.sample) << file.name;
      EXPECT_TRUE(declared.decoded.channels == format.channels ||
                  (declared.may_add_alpha && declared.decoded.channels + 1 == format.channels))
          << file.name << ": " << declared.decoded.channels << " channels declared, " << format.channels << " decoded";
      EXPECT_GE(declared.bytes_per_pixel, format.bytes_per_pixel()) << file.name;
      EXPECT_TRUE(declared.palette_colors > 0 || declared.bits <= 8 * static_cast<int>(sample_bytes(format.sample)))
          << file.name << ": " << declared.bits;
      EXPECT_FALSE(declared.color.empty()) << file.name;
    }
  }
}

TEST(Codecs, NamesAndExtensionsAreUnique) {
  std::set<std::string_view> names;
  for (const Codec& codec : codecs::codecs()) {
    EXPECT_TRUE(names.insert(codec.name).second) << codec.name;
  }
  for (const ForeignFormat& foreign : foreign_formats()) {
    EXPECT_TRUE(names.insert(foreign.name).second) << foreign.name;
  }
  const std::vector<std::string> extensions = input_extensions();
  EXPECT_EQ(std::set<std::string>(extensions.begin(), extensions.end()).size(), extensions.size());
}

TEST(Codecs, EachForeignFormatIsNamedByItsSignatures) {
  for (const ForeignFormat& foreign : foreign_formats()) {
    for (const Signature& signature : foreign.signatures) {
      FileBytes file = bytes_of(std::string(signature.offset, '\1') + std::string(signature.bytes));
      file.resize(file.size() + 64, std::byte{1});
      EXPECT_TRUE(rejects(file, ErrorKind::unsupported, foreign.name)) << foreign.name;
      EXPECT_TRUE(rejects(file, ErrorKind::unsupported, foreign.advice)) << foreign.name;
    }
  }
}

/// The formats for which the documentation promises a conversion command.
TEST(Codecs, CommandsConvertForeignFormats) {
  const std::vector<std::string> promised = {"PCX", "SGI", "ICO", "CUR",     "ICNS",      "XBM",     "CR2", "ORF",
                                             "RW2", "RAF", "CR3", "JPEG XL", "JPEG 2000", "OpenEXR", "HDR", "QOI",
                                             "DDS", "SVG", "PDF", "MP4",     "Matroska",  "AVI",     "MPEG"};
  for (const std::string& name : promised) {
    const auto formats = foreign_formats();
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const ForeignFormat& foreign) {
      return foreign.name.find(name) != std::string_view::npos;
    });
    ASSERT_NE(found, formats.end()) << name;
    EXPECT_NE(found->advice.find("in."), std::string_view::npos) << name;
  }
}

TEST(Codecs, WrittenFilesAreReadBackAsTheirFormat) {
  const Image image = constant_image(9, 5, {Sample::u8, 3}, 77);
  for (const Codec& codec : codecs::codecs()) {
    EXPECT_EQ(codec.is_written(), codec.written.size() > 0) << codec.name;
    if (codec.is_written()) {
      for (const WrittenName& written : codec.written) {
        EXPECT_TRUE(has_extension(codec, "t." + std::string(written.name))) << written.name;
        EXPECT_TRUE(is_written_extension(written.name)) << written.name;
      }
      const std::string name = "t." + std::string(codec.written.begin()->name);
      const DecodedImage back = decode(encode_image(image.view(), codec.format, name, {}), name);
      EXPECT_EQ(codec_of(back.file_format).name, codec.name);
      EXPECT_TRUE(back.image.width() == 9 && back.image.height() == 5) << name;
    } else {
      EXPECT_THROW((void)encode_image(image.view(), codec.format, "t", {}), std::logic_error) << codec.name;
    }
  }
  EXPECT_FALSE(is_written_extension("gif"));
}

#if GPUIMG_HAS_HEIF
TEST(HeifReader, HasItsDecoders) {
  if (!has_heif_decoders()) {
    GTEST_SKIP() << "files are not read: "
                 << (heif::heif_library().empty() ? "libheif is not installed" : heif::heif_library());
  }
  EXPECT_TRUE(heif::heif_library().starts_with("libheif 1."));
}
#endif

}  // namespace
}  // namespace gpuimg::test_codecs
