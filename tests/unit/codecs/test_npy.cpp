// .npy: every sample type survives a round trip, the header matches NumPy's, and malformed headers are rejected.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "codecs/npy/npy.hpp"
#include "support/npy_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_npy {
using namespace codecs;
using namespace codecs::npy;

namespace {

using test::Random;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A version 1.0 file with exactly this header, and `data_bytes` zeros.
std::string npy_file(const std::string& header, std::size_t data_bytes) {
  std::string file = "\x93NUMPY";
  file += {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return file + header + std::string(data_bytes, '\0');
}

std::string header_of(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

Image decode(const std::string& file) { return decode_npy(std::as_bytes(std::span(file)), "a\nb.npy"); }

void expect_rejected(ErrorKind kind, const std::string& file) {
  SCOPED_TRACE(file.substr(0, 120));
  try {
    decode(file);
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

TEST(Npy, RoundTripsEverySampleAndChannelCount) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Sample sample : {Sample::u8, Sample::u16, Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
    for (int channels = 1; channels <= 4; ++channels) {
      for (const auto& [width, height] : {std::pair(1, 1), std::pair(17, 3), std::pair(1, 33), std::pair(1025, 2)}) {
        Image image(width, height, {sample, channels});
        std::generate_n(image.view().data, image.size_bytes(), [&] { return std::byte(random.below(256)); });
        const auto file = test::npy_of(image.view());
        ASSERT_TRUE(is_npy(file));
        EXPECT_TRUE(test::same_pixels(decode_npy(file, "a.npy").view(), image.view()));
        EXPECT_EQ((file.size() - image.size_bytes()) % 64, 0U);
      }
    }
  }
}

TEST(Npy, HeaderMatchesNumPy) {
  const auto header = [](int width, int height, PixelFormat format) {
    return text_of(test::npy_of(Image(width, height, format).view())).substr(0, 128);
  };
  const auto expected = [](const std::string& dictionary) {
    return std::string("\x93NUMPY\1\0\x76\0", 10) + dictionary + std::string(117 - dictionary.size(), ' ') + '\n';
  };
  EXPECT_EQ(header(640, 480, {Sample::u8, 1}),
            expected("{'descr': '|u1', 'fortran_order': False, 'shape': (480, 640), }"));
  EXPECT_EQ(header(3, 2, {Sample::f32, 3}), expected("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 3), }"));
}

TEST(Npy, OmitsRowPadding) {
  std::vector<std::uint16_t> memory = {1, 2, 99, 3, 4, 99};
  const ConstView view{reinterpret_cast<const std::byte*>(memory.data()), 2, 2, 6, {Sample::u16, 1}};
  const Image image = decode(text_of(test::npy_of(view)));
  EXPECT_EQ(image.view().row<std::uint16_t>(0)[1], 2);
  EXPECT_EQ(image.view().row<std::uint16_t>(1)[0], 3);
}

TEST(Npy, ReadsOtherSpellingsOfTheSameHeader) {
  EXPECT_EQ(decode(npy_file("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<u2\"}", 12)).width(), 3);
  EXPECT_EQ(decode(npy_file(header_of("'|u1'", "False", "(2, 3, 1)"), 6)).format().channels, 1);
  EXPECT_EQ(
      decode(npy_file("  { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 1 , 2 , 4 ) }  ", 64)).height(), 1);
}

TEST(Npy, ReadsBothByteOrders) {
  const std::string data = npy_file(header_of("'>u2'", "False", "(1, 2)"), 0) + std::string("\1\2\3\4", 4);
  EXPECT_EQ(decode(data).view().row<std::uint16_t>(0)[1], 0x0304);
  EXPECT_EQ(decode(npy_file(header_of("'<u1'", "False", "(1, 2)"), 2)).format().sample, Sample::u8);
}

TEST(Npy, ImagesUseTheProvidedMemory) {
  ReadOptions options;
  bool is_asked = false;
  options.new_image = [&](int width, int height, PixelFormat format) {
    is_asked = true;
    return Image(width, height, format);
  };
  const Image image = test::constant_image(3, 2, {Sample::u16, 3}, 7);
  const DecodedImage read = read_npy(test::npy_of(image.view()), "a.npy", options);
  EXPECT_TRUE(is_asked);
  EXPECT_TRUE(test::same_pixels(read.image.view(), image.view()));
}

TEST(Npy, ImagesMustHaveTheDeclaredLength) {
  std::string file = text_of(test::npy_of(test::constant_image(3, 2, {Sample::u8, 3}, 7).view()));
  const auto read = [&] { return read_npy(std::as_bytes(std::span(file)), "a.npy", {}); };
  EXPECT_NO_THROW((void)read());
  file += '\0';
  EXPECT_THROW((void)read(), Error);
  file.resize(file.size() - 2);
  EXPECT_THROW((void)read(), Error);
}

TEST(Npy, TablesAreNotReadAsImages) {
  for (const Sample sample : {Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
    const auto file = test::npy_of(Image(3, 2, {sample, 1}).view());
    EXPECT_NO_THROW((void)decode_npy(file, "a.npy"));
    EXPECT_THROW((void)read_npy(file, "a.npy", {}), Error);
  }
}

TEST(Npy, RejectsEveryPrefix) {
  const std::string file = text_of(test::npy_of(test::constant_image(3, 2, {Sample::u16, 3}, 7).view()));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(decode(file.substr(0, size)), Error) << size;
  }
  expect_rejected(ErrorKind::decode, file + '\0');
  EXPECT_FALSE(is_npy(std::as_bytes(std::span("\x93NUMP", 5))));
}

TEST(Npy, RejectsUnsupportedFiles) {
  for (const char* descr : {"'>u4'", "'<i4'", "'|b1'", "'<f2'", "'<c8'", "'O'", "'|u1\x1b[31m'", "''"}) {
    expect_rejected(ErrorKind::unsupported, npy_file(header_of(descr, "False", "(2, 3)"), 6));
  }
  expect_rejected(ErrorKind::unsupported, npy_file(header_of("'|u1'", "True", "(2, 3)"), 6));
  for (const char* shape : {"()", "(6,)", "(0, 3)", "(3, 0)", "(1, 2, 0)", "(1, 2, 5)", "(1, 1, 1, 6)",
                            "(2147483648, 1)", "(1, 4294967297)", "(18446744073709551615, 18446744073709551615)"}) {
    expect_rejected(ErrorKind::unsupported, npy_file(header_of("'|u1'", "False", shape), 6));
  }
  std::string later = npy_file(header_of("'|u1'", "False", "(2, 3)"), 6);
  later[6] = '\2';
  expect_rejected(ErrorKind::unsupported, later);
}

TEST(Npy, RejectsDamagedHeadersAndWrongLengths) {
  for (const char* shape : {"(2147483647, 2147483647, 4)", "(2, 4)", "(1, 5)", "(65536, 65536)"}) {
    expect_rejected(ErrorKind::decode, npy_file(header_of("'<u8'", "False", shape), 48));
  }
  const std::string ok = "'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)";
  const std::vector<std::string> headers = {"",
                                            "{",
                                            "}",
                                            "{}",
                                            "{'descr': '|u1' 'fortran_order': False, 'shape': (2, 3)}",
                                            "{" + ok,
                                            ok + "}",
                                            "{" + ok + "} x",
                                            "{" + ok + ", 'shape': (2, 3)}",
                                            "{" + ok + ", 'more': 1}",
                                            "{" + ok + ",,}",
                                            "{," + ok + "}",
                                            header_of("|u1", "False", "(2, 3)"),
                                            header_of("'|u1", "False", "(2, 3)"),
                                            header_of("'|u1'", "0", "(2, 3)"),
                                            header_of("'|u1'", "Falsehood", "(2, 3)"),
                                            header_of("'|u1'", "False", "(2, 3"),
                                            header_of("'|u1'", "False", "[2, 3]"),
                                            header_of("'|u1'", "False", "(-2, 3)"),
                                            header_of("'|u1'", "False", "(2.0, 3)"),
                                            header_of("'|u1'", "False", "(2 3)"),
                                            header_of("'|u1'", "False", "(18446744073709551616, 3)"),
                                            header_of("'|u1'", "False", "(0x2, 3)"),
                                            header_of("[('a', '|u1')]", "False", "(2, 3)"),
                                            "{'descr': '|u1', 'fortran_order': False, }",
                                            std::string(60000, '('),
                                            std::string(60000, ' '),
                                            "{'shape': (" + std::string(60000, ',') + ")}"};
  for (const std::string& header : headers) {
    expect_rejected(ErrorKind::decode, npy_file(header, 6));
  }
}

TEST(Npy, DamagedBytesCauseOnlyErrors) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::string file = text_of(test::npy_of(test::constant_image(3, 2, {Sample::u8, 3}, 7).view()));
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = file;
    for (int i = 0; i <= round % 3; ++i) {
      damaged[random.below(static_cast<std::uint32_t>(damaged.size()))] = static_cast<char>(random.below(256));
    }
    try {
      const Image image = decode(damaged);
      ASSERT_LE(image.size_bytes(), damaged.size());
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_npy
