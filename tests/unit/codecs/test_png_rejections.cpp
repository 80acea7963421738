// Rejecting broken PNG: every prefix, wrong checksums, impossible headers, misplaced chunks and damaged data.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/oracle_png.hpp"
#include "support/random_png.hpp"

namespace gpuimg::test_png_rejections {
namespace {

using namespace test;

TEST(PngReader, RejectsEveryPrefix) {
  for (const PngKind kind : {PngKind{2, 8}, PngKind{3, 4}, PngKind{0, 16}}) {
    PngPicture picture = small_picture(kind);
    expect_prefixes_rejected(make_png(picture), ~std::size_t{0}, "prefix.png");
    picture.interlaced = true;
    expect_prefixes_rejected(make_png(picture), ~std::size_t{0}, "prefix.png");
  }
}

TEST(PngReader, RejectsWrongChecksumsOfCriticalChunks) {
  for (const PngKind kind : {PngKind{2, 8}, PngKind{3, 8}}) {
    const std::vector<PngChunk> sound = png_chunks(small_picture(kind));
    for (std::size_t i = 0; i < sound.size(); ++i) {
      for (const std::uint32_t error : {1U, 0x80000000U, 0xFFFFFFFFU}) {
        std::vector<PngChunk> chunks = sound;
        chunks[i].crc_error = error;
        EXPECT_TRUE(rejects(assemble_png(chunks), ErrorKind::decode, "checksum")) << chunks[i].name;
      }
    }
  }
}

/// A small valid picture, modified by `change`.
template <class Change>
FileBytes broken(Change change, PngKind kind = {2, 8}) {
  std::vector<PngChunk> chunks = png_chunks(small_picture(kind));
  change(chunks);
  return assemble_png(chunks);
}

void set_header_byte(std::vector<PngChunk>& chunks, std::size_t offset, std::uint32_t value) {
  chunks[0].data[offset] = static_cast<std::byte>(value);
}

TEST(PngReader, RejectsImpossibleHeaders) {
  using Chunks = std::vector<PngChunk>;
  for (std::uint32_t color_type = 0; color_type < 9; ++color_type) {
    for (std::uint32_t depth = 0; depth < 33; ++depth) {
      const bool allowed = std::any_of(png_kinds().begin(), png_kinds().end(), [&](PngKind kind) {
        return kind.color_type == static_cast<int>(color_type) && kind.bit_depth == static_cast<int>(depth);
      });
      if (!allowed) {
        EXPECT_TRUE(rejects(broken([&](Chunks& c) {
                              set_header_byte(c, 8, depth);
                              set_header_byte(c, 9, color_type);
                            }),
                            ErrorKind::decode))
            << color_type << " with depth " << depth;
      }
    }
  }
  EXPECT_TRUE(rejects(broken([](Chunks& c) { set_header_byte(c, 10, 1); }), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { set_header_byte(c, 11, 1); }), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { set_header_byte(c, 12, 2); }), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { set_header_byte(c, 3, 0); }), ErrorKind::decode, "0x4 pixels"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { set_header_byte(c, 7, 0); }), ErrorKind::decode, "5x0 pixels"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { set_header_byte(c, 0, 0x80); }), ErrorKind::unsupported, "a side"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c[0].data.pop_back(); }), ErrorKind::decode, "IHDR"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c[0].data.push_back(std::byte{0}); }), ErrorKind::decode, "IHDR"));
}

TEST(PngReader, RejectsMissingAndMisplacedChunks) {
  using Chunks = std::vector<PngChunk>;
  const PngKind indexed{3, 8};
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.erase(c.begin() + 1); }, indexed), ErrorKind::decode, "palette"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { std::swap(c[1], c[2]); }, indexed), ErrorKind::decode, "palette"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { std::swap(c[0], c[1]); }), ErrorKind::decode, "IHDR"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.erase(c.begin()); }), ErrorKind::decode, "IHDR"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.erase(c.begin() + 1); }), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.pop_back(); }), ErrorKind::decode, "truncated"));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.insert(c.begin(), c[0]); }), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.insert(c.begin() + 1, c[1]); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c[1].data.push_back(std::byte{1}); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c[1].data.clear(); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c[1].data.resize(3 * 257); }, indexed), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.insert(c.begin() + 1, {"QUIT", {}}); }), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) { c.insert(c.begin() + 1, {"a\x01\x02z", {}}); }), ErrorKind::decode));
  EXPECT_TRUE(rejects(broken([](Chunks& c) {
                        c.insert(c.begin(), {"CgBI", FileBytes(4)});
                      }),
                      ErrorKind::unsupported, "Apple"));
}

TEST(PngReader, RejectsDamagedImageData) {
  using Chunks = std::vector<PngChunk>;
  const auto with_data = [](auto change) { return broken([&](Chunks& c) { change(c[1].data); }); };
  const auto with_raw = [](auto change) {
    return broken([&](Chunks& c) {
      FileBytes raw = png_raw(small_picture());
      change(raw);
      c[1].data = zlib_stored(raw);
    });
  };
  EXPECT_TRUE(rejects(with_data([](FileBytes& d) { d.back() ^= std::byte{1}; }), ErrorKind::decode, "checksum"));
  EXPECT_TRUE(rejects(with_data([](FileBytes& d) { d[0] = std::byte{0x79}; }), ErrorKind::decode));
  EXPECT_TRUE(rejects(with_data([](FileBytes& d) { d[1] ^= std::byte{1}; }), ErrorKind::decode));
  EXPECT_TRUE(rejects(with_data([](FileBytes& d) { d[2] = std::byte{7}; }), ErrorKind::decode));
  EXPECT_TRUE(rejects(with_data([](FileBytes& d) { d[5] ^= std::byte{1}; }), ErrorKind::decode));
  EXPECT_TRUE(rejects(with_data([](FileBytes& d) { d.clear(); }), ErrorKind::decode));
  for (std::size_t cut = 1; cut < 20; ++cut) {
    EXPECT_TRUE(rejects(with_data([&](FileBytes& d) { d.resize(d.size() - cut); }), ErrorKind::decode)) << cut;
  }
  for (std::size_t cut : {1, 15, 16, 17, 63}) {
    EXPECT_TRUE(rejects(with_raw([&](FileBytes& r) { r.resize(r.size() - cut); }), ErrorKind::decode, "less")) << cut;
  }
  for (std::size_t more : {1, 16, 100000}) {
    EXPECT_TRUE(rejects(with_raw([&](FileBytes& r) { r.resize(r.size() + more); }), ErrorKind::decode, "more")) << more;
  }
  for (std::size_t more : {1, 16, 100000}) {  // bytes after the stream must not hide the wrong contents
    const auto with_both = [&](FileBytes& d) {
      FileBytes raw = png_raw(small_picture());
      raw.resize(raw.size() + more);
      d = zlib_stored(raw);
      d.push_back(std::byte{7});
    };
    EXPECT_TRUE(rejects(with_data(with_both), ErrorKind::decode, "more image data")) << more;
  }
  EXPECT_TRUE(rejects(broken([](Chunks& c) {
                        c.insert(c.begin() + 2, {"IDAT", FileBytes(5)});
                        c.insert(c.begin() + 2, {"prIv", {}});
                      }),
                      ErrorKind::decode));
  for (const std::uint32_t filter : {5U, 6U, 255U}) {
    EXPECT_TRUE(
        rejects(with_raw([&](FileBytes& r) { r[16] = static_cast<std::byte>(filter); }), ErrorKind::decode, "filter"));
  }
}

TEST(PngReader, RejectsAnIndexOutsideThePalette) {
  for (const int depth : {1, 2, 4, 8}) {
    for (const bool interlaced : {false, true}) {
      PngPicture picture = small_picture({3, depth});
      picture.interlaced = interlaced;
      const std::uint32_t last = (1U << depth) - 1;
      std::replace(picture.samples.begin(), picture.samples.end(), last, 0U);
      picture.palette.resize(std::size_t{3} * last);
      EXPECT_TRUE(same_pixels(decode(make_png(picture)).image.view(), expected_image(picture).view()));
      picture.samples[7] = last;
      EXPECT_TRUE(rejects(make_png(picture), ErrorKind::decode, "palette has size"));
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_png_rejections
