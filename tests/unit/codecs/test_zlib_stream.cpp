// Small zlib streams: sizes around each growth of the buffer, the size limit, headers, and damage.
#include <gtest/gtest.h>

#include <zlib.h>

#include <cstddef>
#include <optional>

#include "codecs/deflate/zlib_stream.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test_zlib_stream {
using namespace codecs;
using namespace codecs::deflate;

namespace {

using namespace test;

constexpr std::size_t kNoLimit = std::size_t{1} << 24;

/// Data that can be compressed, but not to almost nothing.
FileBytes text_of(std::size_t size) {
  FileBytes text(size);
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = static_cast<std::byte>('a' + i * i / 1000 % 26);
  }
  return text;
}

FileBytes compressed(const FileBytes& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  FileBytes stream(size);
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(stream.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                     static_cast<uLong>(text.size())),
            Z_OK);
  stream.resize(size);
  return stream;
}

TEST(ZlibStream, InflatesEverySize) {
  constexpr std::size_t kGuess = 65536;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kGuess - 1, kGuess, kGuess + 1, kGuess + 2,
                                 kGuess + 300, kGuess + 512, kGuess + 513, 16 * kGuess, 16 * kGuess + 1}) {
    const FileBytes text = text_of(size);
    const FileBytes stream = compressed(text);
    EXPECT_EQ(inflated_zlib(stream, kNoLimit), std::optional(text)) << size;
    EXPECT_EQ(inflated_zlib(stream, size), std::optional(text)) << size;
    if (size > 0) {
      EXPECT_EQ(inflated_zlib(stream, size - 1), std::nullopt) << size;
    }
  }
}

TEST(ZlibStream, RejectsDamage) {
  const FileBytes sound = compressed(text_of(1000));
  for (std::size_t size = 0; size < sound.size(); ++size) {
    EXPECT_EQ(inflated_zlib(std::span(sound).first(size), kNoLimit), std::nullopt) << size;
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, sound.size() / 2, sound.size() - 1}) {
    FileBytes damaged = sound;
    damaged[at] ^= std::byte{0x21};
    EXPECT_EQ(inflated_zlib(damaged, kNoLimit), std::nullopt) << at;
  }
}

TEST(ZlibStream, IgnoresDataAfterTheChecksum) {
  FileBytes stream = compressed(text_of(1000));
  stream.resize(stream.size() + 9);
  EXPECT_EQ(inflated_zlib(stream, kNoLimit), std::optional(text_of(1000)));
}

}  // namespace
}  // namespace gpuimg::test_zlib_stream
