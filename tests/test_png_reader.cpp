// PNG in: all kinds to the pixels that the specification says, and every broken form refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "support/oracle_png.hpp"
#include "support/png_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg {
namespace {

using namespace test;

PngPicture random_picture(Random& random, PngKind kind, std::uint32_t width, std::uint32_t height) {
  PngPicture picture;
  picture.kind = kind;
  picture.width = width;
  picture.height = height;
  const std::uint32_t levels = 1U << kind.bit_depth;
  picture.samples.resize(std::size_t{width} * height * static_cast<std::size_t>(kind.channels()));
  for (std::uint32_t& sample : picture.samples) {
    sample = random.below(levels);
  }
  if (kind.color_type == 3) {
    for (std::uint32_t i = 0; i < 3 * levels; ++i) {
      add_le(picture.palette, random.below(256), 1);
    }
  }
  return picture;
}

/// tRNS: a color that occurs in the picture, or opacities for a part of the palette.
void add_transparency(Random& random, PngPicture& picture) {
  if (picture.kind.color_type == 3) {
    const std::uint32_t count = 1 + random.below(1U << picture.kind.bit_depth);
    for (std::uint32_t i = 0; i < count; ++i) {
      add_le(picture.transparency, random.below(256), 1);
    }
    return;
  }
  const auto channels = static_cast<std::size_t>(picture.kind.channels());
  const std::size_t pixel = random.below(static_cast<std::uint32_t>(picture.samples.size() / channels));
  for (std::size_t c = 0; c < channels; ++c) {
    add_be(picture.transparency, picture.samples[pixel * channels + c], 2);
  }
}

class PngKinds : public ::testing::TestWithParam<std::tuple<std::size_t, bool, int>> {};

TEST_P(PngKinds, AreReadToThePixelsOfTheSpecification) {
  const auto [kind_number, interlaced, filter] = GetParam();
  Random random;
  SCOPED_TRACE(random.trace());
  const PngKind kind = png_kinds()[kind_number];
  for (const bool transparent : {false, true}) {
    if (transparent && kind.color_type >= 4) {
      continue;
    }
    for (int round = 0; round < 6; ++round) {
      PngPicture picture = random_picture(random, kind, 1 + random.below(20), 1 + random.below(20));
      picture.interlaced = interlaced;
      picture.filter = filter;
      if (transparent) {
        add_transparency(random, picture);
      }
      const DecodedImage decoded = decode(make_png(picture), "all.png");
      EXPECT_EQ(decoded.file_type, "PNG");
      EXPECT_TRUE(same_pixels(decoded.image.view(), expected_image(picture).view()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PngKinds,
                         ::testing::Combine(::testing::Range(std::size_t{0}, std::size_t{15}), ::testing::Bool(),
                                            ::testing::Range(0, 6)));

PngPicture small_picture(PngKind kind = {2, 8}) {
  Random random;
  return random_picture(random, kind, 5, 4);
}

TEST(PngReader, RefusesEveryPrefix) {
  for (const PngKind kind : {PngKind{2, 8}, PngKind{3, 4}, PngKind{0, 16}}) {
    PngPicture picture = small_picture(kind);
    expect_prefixes_refused(make_png(picture), ~std::size_t{0}, "prefix.png");
    picture.interlaced = true;
    expect_prefixes_refused(make_png(picture), ~std::size_t{0}, "prefix.png");
  }
}

TEST(PngReader, IgnoresWhatFollowsItsEnd) {
  const PngPicture picture = small_picture();
  FileBytes file = make_png(picture);
  add_text(file, "anything");
  EXPECT_TRUE(same_pixels(decode(file).image.view(), expected_image(picture).view()));
}

TEST(PngReader, RefusesEachChecksumOfACriticalChunk) {
  for (const PngKind kind : {PngKind{2, 8}, PngKind{3, 8}}) {
    const std::vector<PngChunk> sound = png_chunks(small_picture(kind));
    for (std::size_t i = 0; i < sound.size(); ++i) {
      for (const std::uint32_t error : {1U, 0x80000000U, 0xFFFFFFFFU}) {
        std::vector<PngChunk> chunks = sound;
        chunks[i].crc_error = error;
        EXPECT_TRUE(refuses(assemble_png(chunks), ErrorKind::decode, "checksum")) << chunks[i].name;
      }
    }
  }
}

/// Sound chunks of one small picture, changed by `change`.
template <class Change>
FileBytes broken(Change change, PngKind kind = {2, 8}) {
  std::vector<PngChunk> chunks = png_chunks(small_picture(kind));
  change(chunks);
  return assemble_png(chunks);
}

void set_header_byte(std::vector<PngChunk>& chunks, std::size_t offset, std::uint32_t value) {
  chunks[0].data[offset] = static_cast<std::byte>(value);
}

TEST(PngReader, RefusesImpossibleHeaders) {
  using Chunks = std::vector<PngChunk>;
  for (std::uint32_t color_type = 0; color_type < 9; ++color_type) {
    for (std::uint32_t depth = 0; depth < 33; ++depth) {
      const bool allowed = std::any_of(png_kinds().begin(), png_kinds().end(), [&](PngKind kind) {
        return kind.color_type == static_cast<int>(color_type) && kind.bit_depth == static_cast<int>(depth);
      });
      if (!allowed) {
        EXPECT_TRUE(refuses(broken([&](Chunks& c) {
                              set_header_byte(c, 8, depth);
                              set_header_byte(c, 9, color_type);
                            }),
                            ErrorKind::decode))
            << color_type << " with depth " << depth;
      }
    }
  }
  EXPECT_TRUE(refuses(broken([](Chunks& c) { set_header_byte(c, 10, 1); }), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { set_header_byte(c, 11, 1); }), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { set_header_byte(c, 12, 2); }), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { set_header_byte(c, 3, 0); }), ErrorKind::decode, "0x4 pixels"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { set_header_byte(c, 7, 0); }), ErrorKind::decode, "5x0 pixels"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { set_header_byte(c, 0, 0x80); }), ErrorKind::unsupported, "a side"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c[0].data.pop_back(); }), ErrorKind::decode, "IHDR"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c[0].data.push_back(std::byte{0}); }), ErrorKind::decode, "IHDR"));
}

TEST(PngReader, RefusesChunksThatAreMissingOrOutOfPlace) {
  using Chunks = std::vector<PngChunk>;
  const PngKind indexed{3, 8};
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.erase(c.begin() + 1); }, indexed), ErrorKind::decode, "palette"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { std::swap(c[1], c[2]); }, indexed), ErrorKind::decode, "palette"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { std::swap(c[0], c[1]); }), ErrorKind::decode, "IHDR"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.erase(c.begin()); }), ErrorKind::decode, "IHDR"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.erase(c.begin() + 1); }), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.pop_back(); }), ErrorKind::decode, "truncated"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.insert(c.begin(), c[0]); }), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.insert(c.begin() + 1, c[1]); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c[1].data.push_back(std::byte{1}); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c[1].data.clear(); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c[1].data.resize(3 * 257); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.insert(c.begin() + 1, {"QUIT", {}}); }), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) { c.insert(c.begin() + 1, {"a\x01\x02z", {}}); }), ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) {
                        c.insert(c.begin(), {"CgBI", FileBytes(4)});
                      }),
                      ErrorKind::unsupported, "Apple"));
}

TEST(PngReader, RefusesDamagedImageData) {
  using Chunks = std::vector<PngChunk>;
  const auto with_data = [](auto change) { return broken([&](Chunks& c) { change(c[1].data); }); };
  const auto with_raw = [](auto change) {
    return broken([&](Chunks& c) {
      FileBytes raw = png_raw(small_picture());
      change(raw);
      c[1].data = zlib_stored(raw);
    });
  };
  EXPECT_TRUE(refuses(with_data([](FileBytes& d) { d.back() ^= std::byte{1}; }), ErrorKind::decode, "checksum"));
  EXPECT_TRUE(refuses(with_data([](FileBytes& d) { d[0] = std::byte{0x79}; }), ErrorKind::decode));
  EXPECT_TRUE(refuses(with_data([](FileBytes& d) { d[1] ^= std::byte{1}; }), ErrorKind::decode));
  EXPECT_TRUE(refuses(with_data([](FileBytes& d) { d[2] = std::byte{7}; }), ErrorKind::decode));
  EXPECT_TRUE(refuses(with_data([](FileBytes& d) { d[5] ^= std::byte{1}; }), ErrorKind::decode));
  EXPECT_TRUE(refuses(with_data([](FileBytes& d) { d.clear(); }), ErrorKind::decode));
  for (std::size_t cut = 1; cut < 20; ++cut) {
    EXPECT_TRUE(refuses(with_data([&](FileBytes& d) { d.resize(d.size() - cut); }), ErrorKind::decode)) << cut;
  }
  for (std::size_t cut : {1, 15, 16, 17, 63}) {
    EXPECT_TRUE(refuses(with_raw([&](FileBytes& r) { r.resize(r.size() - cut); }), ErrorKind::decode, "less")) << cut;
  }
  for (std::size_t more : {1, 16, 100000}) {
    EXPECT_TRUE(refuses(with_raw([&](FileBytes& r) { r.resize(r.size() + more); }), ErrorKind::decode, "more")) << more;
  }
  EXPECT_TRUE(refuses(with_data([](FileBytes& d) { d.resize(d.size() + 1); }), ErrorKind::decode, "more"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) {
                        c.insert(c.begin() + 2, {"IDAT", FileBytes(5)});
                      }),
                      ErrorKind::decode, "more image data"));
  EXPECT_TRUE(refuses(broken([](Chunks& c) {
                        c.insert(c.begin() + 2, {"IDAT", FileBytes(5)});
                        c.insert(c.begin() + 2, {"prIv", {}});
                      }),
                      ErrorKind::decode));
  EXPECT_TRUE(refuses(broken([](Chunks& c) {
                        c.insert(c.begin() + 2, {"IDAT", {}});
                        c.insert(c.begin() + 3, {"IDAT", FileBytes(5)});
                      }),
                      ErrorKind::decode));
  for (const std::uint32_t filter : {5U, 6U, 255U}) {
    EXPECT_TRUE(
        refuses(with_raw([&](FileBytes& r) { r[16] = static_cast<std::byte>(filter); }), ErrorKind::decode, "filter"));
  }
}

TEST(PngReader, ReadsImageDataInManyPieces) {
  const PngPicture picture = small_picture();
  std::vector<PngChunk> chunks = png_chunks(picture);
  const FileBytes data = chunks[1].data;
  chunks.erase(chunks.begin() + 1);
  for (std::size_t i = data.size(); i-- > 0;) {
    chunks.insert(chunks.begin() + 1, {"IDAT", {data[i]}});
    chunks.insert(chunks.begin() + 1, {"IDAT", {}});
  }
  EXPECT_TRUE(same_pixels(decode(assemble_png(chunks)).image.view(), expected_image(picture).view()));
}

TEST(PngReader, ChecksTheEndOfTheDataHoweverItIsCut) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 12; ++round) {
    const PngPicture picture = random_picture(random, {2, 8}, 300, 300 + random.below(40));
    std::vector<PngChunk> chunks = png_chunks(picture);
    const FileBytes data = chunks[1].data;
    const auto in_pieces = [&](const FileBytes& bytes, std::size_t last_bytes) {
      const auto cut = bytes.end() - static_cast<std::ptrdiff_t>(last_bytes);
      std::vector<PngChunk> pieces = chunks;
      pieces[1].data.assign(bytes.begin(), cut);
      pieces.insert(pieces.begin() + 2, {"IDAT", FileBytes(cut, bytes.end())});
      return assemble_png(pieces);
    };
    FileBytes wrong = data;
    wrong[data.size() - 1 - random.below(4)] ^= std::byte{0x10};
    FileBytes longer = data;
    longer.resize(data.size() + 1 + random.below(100000));
    for (std::size_t last_bytes = 0; last_bytes < 7; ++last_bytes) {
      EXPECT_TRUE(same_pixels(decode(in_pieces(data, last_bytes)).image.view(), expected_image(picture).view()));
      EXPECT_TRUE(refuses(in_pieces(wrong, last_bytes), ErrorKind::decode, "checksum")) << last_bytes;
      EXPECT_TRUE(refuses(in_pieces(longer, last_bytes), ErrorKind::decode, "more image data")) << last_bytes;
    }
  }
}

TEST(PngReader, RefusesAnIndexBeyondThePalette) {
  for (const int depth : {1, 2, 4, 8}) {
    for (const bool interlaced : {false, true}) {
      PngPicture picture = small_picture({3, depth});
      picture.interlaced = interlaced;
      const std::uint32_t last = (1U << depth) - 1;
      std::replace(picture.samples.begin(), picture.samples.end(), last, 0U);
      picture.palette.resize(std::size_t{3} * last);
      EXPECT_TRUE(same_pixels(decode(make_png(picture)).image.view(), expected_image(picture).view()));
      picture.samples[7] = last;
      EXPECT_TRUE(refuses(make_png(picture), ErrorKind::decode, "palette of"));
    }
  }
}

TEST(PngReader, SkipsDamagedAncillaryChunks) {
  const PngPicture picture = small_picture();
  for (const char* name :
       {"gAMA", "iCCP", "tEXt", "zTXt", "iTXt", "sRGB", "bKGD", "pHYs", "tIME", "eXIf", "sPLT", "prIv"}) {
    for (const std::uint32_t crc_error : {0U, 5U}) {
      std::vector<PngChunk> chunks = png_chunks(picture);
      chunks.insert(chunks.begin() + 1, {name, FileBytes(3, std::byte{0x41}), crc_error});
      EXPECT_TRUE(same_pixels(decode(assemble_png(chunks)).image.view(), expected_image(picture).view())) << name;
    }
  }
}

TEST(PngReader, ReturnsTextInFileOrder) {
  std::vector<PngChunk> chunks = png_chunks(small_picture());
  FileBytes first = bytes_of("gpuimg:hsl");
  add_le(first, 0, 1);
  add_text(first, "u16");
  FileBytes second = bytes_of("Title");
  add_le(second, 0, 1);
  chunks.insert(chunks.begin() + 1, {"tEXt", first});
  chunks.insert(chunks.begin() + 3, {"tEXt", second});
  const DecodedImage decoded = decode(assemble_png(chunks));
  ASSERT_EQ(decoded.text.size(), 2U);
  EXPECT_EQ(decoded.text[0].keyword, "gpuimg:hsl");
  EXPECT_EQ(decoded.text[0].text, "u16");
  EXPECT_EQ(decoded.text[1].keyword, "Title");
  EXPECT_EQ(decoded.text[1].text, "");
}

TEST(PngReader, ReadsOneRowAndOneColumnOfManyPixels) {
  for (const bool tall : {false, true}) {
    PngPicture picture;
    picture.width = tall ? 1 : 1000000;
    picture.height = tall ? 1000000 : 1;
    picture.samples.assign(1000000, 7);
    const Image image = decode(make_png(picture)).image;
    EXPECT_EQ(image.width(), static_cast<int>(picture.width));
    EXPECT_EQ(sample_at(image.view(), image.width() - 1, image.height() - 1, 0), 7U);
  }
}

TEST(PngReader, IsSaneOnMutants) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const PngKind kind : png_kinds()) {
    PngPicture picture = random_picture(random, kind, 6, 5);
    picture.interlaced = random.below(2) == 1;
    expect_sane_when_mutated(make_png(picture), "mutant.png", random, 150);
    // With the checksum of the image data put right, so that more of it reaches the decoder.
    std::vector<PngChunk> chunks = png_chunks(picture);
    for (int round = 0; round < 50; ++round) {
      FileBytes& data = chunks[chunks.size() - 2].data;
      data[random.below(static_cast<std::uint32_t>(data.size()))] ^= static_cast<std::byte>(1 + random.below(255));
      expect_sane_when_mutated(assemble_png(chunks), "mutant.png", random, 1);
    }
  }
}

}  // namespace
}  // namespace gpuimg
