// TIFF in bands of rows; bands end within strips, tiles and blocks of subsampled chroma.
#include <gtest/gtest.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <memory>

#include "support/file_bytes.hpp"
#include "support/row_paths.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test::test_tiff_rows {
using namespace codecs;

namespace {

constexpr std::uint32_t kWidth = 43;
constexpr std::uint32_t kHeight = 101;

struct Samples {
  const char* name;
  int photometric;
  int bits;
  int samples;
  int extra;            ///< kind of the additional samples after the colors; −1 for none
  int subsampling = 1;  ///< YCbCr subsampling, horizontally and vertically
};

constexpr std::array kSamples = {
    Samples{"gray1", PHOTOMETRIC_MINISBLACK, 1, 1, -1},
    Samples{"white4", PHOTOMETRIC_MINISWHITE, 4, 1, -1},
    Samples{"gray12", PHOTOMETRIC_MINISBLACK, 12, 1, -1},
    Samples{"gray16_alpha", PHOTOMETRIC_MINISBLACK, 16, 2, EXTRASAMPLE_UNASSALPHA},
    Samples{"palette8", PHOTOMETRIC_PALETTE, 8, 1, -1},
    Samples{"rgb8", PHOTOMETRIC_RGB, 8, 3, -1},
    Samples{"rgb16_premultiplied", PHOTOMETRIC_RGB, 16, 4, EXTRASAMPLE_ASSOCALPHA},
    Samples{"rgb8_unspecified", PHOTOMETRIC_RGB, 8, 5, EXTRASAMPLE_UNSPECIFIED},
    Samples{"cmyk8", PHOTOMETRIC_SEPARATED, 8, 4, -1},
    Samples{"ycbcr", PHOTOMETRIC_YCBCR, 8, 3, -1},
    Samples{"ycbcr_420", PHOTOMETRIC_YCBCR, 8, 3, -1, 2},
    Samples{"ycbcr_410", PHOTOMETRIC_YCBCR, 8, 3, -1, 4},
    Samples{"gray10", PHOTOMETRIC_MINISBLACK, 10, 1, -1},
    Samples{"rgb5_alpha", PHOTOMETRIC_RGB, 5, 4, EXTRASAMPLE_UNASSALPHA},
    Samples{"ycbcr16", PHOTOMETRIC_YCBCR, 16, 3, -1},
    Samples{"ycbcr16_420", PHOTOMETRIC_YCBCR, 16, 3, -1, 2},
    Samples{"lab8", PHOTOMETRIC_CIELAB, 8, 3, -1},
    Samples{"lab16_alpha", PHOTOMETRIC_CIELAB, 16, 4, EXTRASAMPLE_UNASSALPHA},
};

struct Division {
  std::uint32_t rows = 1;  ///< rows per strip or tile
  std::uint32_t tile_width = 0;
  bool is_planar = false;
};

constexpr std::array kDivisions = {
    Division{4}, Division{8, 0, true}, Division{52}, Division{kHeight}, Division{16, 16}, Division{32, 48, true},
};

void set_tags(TIFF* tiff, const Samples& samples, const Division& division, int compression, Random& random) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, kWidth);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, kHeight);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, samples.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples.samples);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, samples.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, division.is_planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
  if (samples.extra >= 0) {
    std::array<std::uint16_t, 2> kinds = {static_cast<std::uint16_t>(samples.extra), EXTRASAMPLE_UNSPECIFIED};
    const bool is_color = samples.photometric == PHOTOMETRIC_RGB || samples.photometric == PHOTOMETRIC_CIELAB;
    const int colors = is_color ? 3 : 1;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, samples.samples - colors, kinds.data());
  }
  if (samples.photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, samples.subsampling, samples.subsampling);
  }
  if (samples.photometric == PHOTOMETRIC_PALETTE) {
    std::vector<std::uint16_t> levels(256);
    std::generate(levels.begin(), levels.end(), [&] { return static_cast<std::uint16_t>(random.below(65536)); });
    TIFFSetField(tiff, TIFFTAG_COLORMAP, levels.data(), levels.data(), levels.data());
  }
  if (division.tile_width > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, division.tile_width);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, division.rows);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, division.rows);
  }
}

/// A file of random samples.
FileBytes tiff_file(const Samples& samples, const Division& division, int compression, Random& random) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.tif";
  {
    const std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(TIFFOpen(path.c_str(), "wl"), TIFFClose);
    set_tags(tiff.get(), samples, division, compression, random);
    const bool is_tiled = division.tile_width > 0;
    const std::uint32_t count = is_tiled ? TIFFNumberOfTiles(tiff.get()) : TIFFNumberOfStrips(tiff.get());
    const std::uint32_t strips = (kHeight - 1) / division.rows + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t rows = std::min(division.rows, kHeight - i % strips * division.rows);
      FileBytes block(static_cast<std::size_t>(is_tiled ? TIFFTileSize(tiff.get()) : TIFFVStripSize(tiff.get(), rows)));
      std::generate(block.begin(), block.end(), [&] { return static_cast<std::byte>(random.below(256)); });
      const auto size = static_cast<tmsize_t>(block.size());
      EXPECT_GT(is_tiled ? TIFFWriteEncodedTile(tiff.get(), i, block.data(), size)
                         : TIFFWriteEncodedStrip(tiff.get(), i, block.data(), size),
                0);
    }
  }
  return bytes_of(text_in(path));
}

TEST(TiffRows, MatchTheWholeImageForAnyBandHeight) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Samples& samples : kSamples) {
    for (const Division& division : kDivisions) {
      const int compression = random.below(2) == 0 ? COMPRESSION_NONE : COMPRESSION_LZW;
      if (samples.subsampling > 1 && division.is_planar) {
        continue;
      }
      SCOPED_TRACE(std::string(samples.name) + " in blocks of " + std::to_string(division.tile_width) + " by " +
                   std::to_string(division.rows) + " rows, compression " + std::to_string(compression));
      const FileBytes file = tiff_file(samples, division, compression, random);
      const RowPaths paths = compare_row_paths(file, "t.tif", {}, {1, 3, 7, 16, 64, 1 << 20});
      EXPECT_EQ(paths.difference, "");
      EXPECT_EQ(paths.read, 12);
    }
  }
}

TEST(TiffRows, AreVoidOrMatchTheWholeImageIfDamaged) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS, COMPRESSION_JPEG}) {
    if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0) {
      continue;
    }
    for (const Division& division : {Division{16}, Division{16, 16}}) {
      const FileBytes sound = tiff_file(kSamples[5], division, compression, random);
      EXPECT_EQ(compare_row_paths(sound, "t.tif", {}, {7}).read, 2) << compression;
      for (int round = 0; round < 100; ++round) {
        FileBytes file = sound;
        const std::uint32_t at = random.below(static_cast<std::uint32_t>(file.size()));
        random.below(4) == 0 ? file.resize(at) : void(file[at] ^= static_cast<std::byte>(1U << random.below(8)));
        ASSERT_EQ(compare_row_paths(file, "t.tif", {}, {7}).difference, "") << compression << ", byte " << at;
      }
    }
  }
}

TEST(TiffRows, DoNotHoldTilesThatLieMostlyOutsideTheImage) {
  Random random;
  SCOPED_TRACE(random.trace());
  // A row of tiles takes 4.7 MB.
  const FileBytes file = tiff_file(kSamples[5], {std::uint32_t{1} << 15, 16}, COMPRESSION_LZW, random);
  EXPECT_TRUE(opened_rows(file, "t.tif", {}) == std::nullopt);
  EXPECT_EQ(decode(file, "t.tif").image.height(), static_cast<int>(kHeight));
}

}  // namespace
}  // namespace gpuimg::test::test_tiff_rows
