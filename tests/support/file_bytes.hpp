// Builds files byte by byte, and checks how the readers treat them.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/image_reader.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::test {

using FileBytes = std::vector<std::byte>;

void add_le(FileBytes& to, std::uint64_t value, int bytes);
void add_be(FileBytes& to, std::uint64_t value, int bytes);
void add_text(FileBytes& to, std::string_view text);
void add_bytes(FileBytes& to, std::span<const std::byte> bytes);
FileBytes bytes_of(std::string_view text);

/// Decodes from a buffer of the exact size, so that a sanitizer detects every read past the end.
inline codecs::DecodedImage decode(std::span<const std::byte> bytes, const std::string& name = "test.bin",
                                   const codecs::ReadOptions& options = {}) {
  const FileBytes exact(bytes.begin(), bytes.end());
  return codecs::decode_image(exact, name, options);
}

/// Checks that the message starts with the file name, contains `part` and has one line.
inline ::testing::AssertionResult rejects(std::span<const std::byte> bytes, ErrorKind kind, std::string_view part = "",
                                          const std::string& name = "test.bin",
                                          const codecs::ReadOptions& options = {}) {
  try {
    decode(bytes, name, options);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (error.kind() != kind) {
      return ::testing::AssertionFailure()
             << "rejected with kind " << static_cast<int>(error.kind()) << ": " << message;
    }
    const bool is_one_line = message.find('\n') == std::string::npos && message.find("; ") != std::string::npos;
    if (!message.starts_with(name + ": ") || !is_one_line || message.find(part) == std::string::npos) {
      return ::testing::AssertionFailure() << "rejected with: " << message;
    }
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "was read";
}

/// Checks every prefix from 0 to size − 1 bytes. A prefix of at least `complete_from` bytes contains the whole image.
inline void expect_prefixes_rejected(const FileBytes& file, std::size_t complete_from, const std::string& name) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto prefix = std::span(file).first(size);
    if (size >= complete_from) {
      EXPECT_NO_THROW(decode(prefix, name)) << size << " of " << file.size() << " bytes";
    } else {
      EXPECT_TRUE(rejects(prefix, ErrorKind::decode, "", name)) << size << " of " << file.size() << " bytes";
    }
  }
}

/// Decodes while new memory is filled with the byte `fill`. Returns the pixels or the message of the Error. Checks
/// that the Error is of a kind that an input can cause.
inline std::string outcome_on_memory_of(int fill, const FileBytes& file, const std::string& name,
                                        const codecs::ReadOptions& options) {
  ::mallopt(M_PERTURB, ~fill & 0xFF);
  std::string outcome;
  try {
    const codecs::DecodedImage decoded = decode(file, name, options);
    outcome.assign(reinterpret_cast<const char*>(decoded.image.view().data), decoded.image.size_bytes());
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::decode || error.kind() == ErrorKind::unsupported) << error.what();
    outcome = error.what();
  }
  ::mallopt(M_PERTURB, 0);
  return outcome;
}

/// Changes random bytes. Each result must be an image or an error that an input can cause, and must not depend on the
/// previous contents of memory.
template <class Random>
void expect_sane_when_mutated(const FileBytes& file, const std::string& name, Random& random, int rounds,
                              const codecs::ReadOptions& options = {.max_pixels = std::uint64_t{1} << 20}) {
  for (int round = 0; round < rounds; ++round) {
    FileBytes mutant = file;
    const int changes = random.between(1, 4);
    for (int i = 0; i < changes; ++i) {
      mutant[random.below(static_cast<std::uint32_t>(mutant.size()))] = static_cast<std::byte>(random.below(256));
    }
    ASSERT_EQ(outcome_on_memory_of(0x00, mutant, name, options), outcome_on_memory_of(0xA5, mutant, name, options));
  }
}

}  // namespace gpuimg::test
