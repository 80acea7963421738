// Signature, chunks and checksums.
#include "codecs/png/png_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/joined_bytes.hpp"
#include "codecs/packed_bits.hpp"
#include "codecs/png/png_metadata.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::array<unsigned char, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

std::vector<std::byte> header_chunk(int width, int height, PixelFormat format, bool one_bit) {
  constexpr std::array<std::byte, 5> kColorTypes = {std::byte{0}, std::byte{0}, std::byte{4}, std::byte{2},
                                                    std::byte{6}};
  std::vector<std::byte> chunk;
  chunk.reserve(17);
  const auto add = [&](std::span<const std::byte> part) { chunk.insert(chunk.end(), part.begin(), part.end()); };
  add(std::as_bytes(std::span("IHDR", 4)));
  add(u32be(static_cast<std::uint32_t>(width)));
  add(u32be(static_cast<std::uint32_t>(height)));
  chunk.push_back(static_cast<std::byte>(one_bit ? 1 : sample_bytes(format.sample) * 8));
  chunk.push_back(kColorTypes.at(static_cast<std::size_t>(format.channels)));
  chunk.resize(chunk.size() + 3);  // deflate, the five filters, not interlaced
  return chunk;
}

bool is_keyword(std::string_view keyword) {
  const auto is_printable = [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code >= 32 && code <= 126) || code >= 161;
  };
  return !keyword.empty() && keyword.size() <= 79 && std::all_of(keyword.begin(), keyword.end(), is_printable) &&
         keyword.front() != ' ' && keyword.back() != ' ' && keyword.find("  ") == std::string_view::npos;
}

std::vector<std::byte> text_chunk(const TextEntry& entry, const std::string& name) {
  constexpr std::size_t kMaxTextBytes = 0x7FFFFF00;
  if (!is_keyword(entry.keyword) || entry.text.find('\0') != std::string::npos || entry.text.size() > kMaxTextBytes) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: cannot write: '{}' is not a valid PNG text entry; use a keyword of 1 to 79 printable Latin-1 "
                    "characters and a text without NUL",
                    printable_name(name), printable_name(entry.keyword)));
  }
  const std::string content = "tEXt" + entry.keyword + '\0' + entry.text;
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

void PngOutput::begin(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options) {
  std::vector<std::vector<std::byte>> chunks = {
      header_chunk(width, height, format, options.one_bit && can_pack_bits(format))};
  for (std::vector<std::byte>& chunk : png_metadata_chunks(options.metadata)) {
    chunks.push_back(std::move(chunk));
  }
  for (const TextEntry& entry : options.text) {
    chunks.push_back(text_chunk(entry, name));
  }
  append(std::as_bytes(std::span(kSignature)));
  for (const auto& chunk : chunks) {
    append_chunk(chunk);
  }
}

void PngOutput::append(std::span<const std::byte> bytes) {
  if (bytes.size() > kBufferBytes - size_) {
    flush();
  }
  if (bytes.size() > kBufferBytes) {
    sink_(bytes);
  } else {
    std::memcpy(buffer_.get() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
}

void PngOutput::append_strip(PackedStrip& strip, bool is_last) {
  adler_ = adler32_combined(adler_, strip.adler, strip.filtered_size);
  if (is_last) {
    const auto trailer = u32be(adler_);
    strip.chunk.insert(strip.chunk.end(), trailer.begin(), trailer.end());
    strip.crc = crc32_of(trailer, strip.crc);
  }
  append(u32be(static_cast<std::uint32_t>(strip.chunk.size() - 4)));
  append(strip.chunk);
  append(u32be(strip.crc));
}

void PngOutput::finish() {
  append_chunk(std::as_bytes(std::span("IEND", 4)));
  flush();
}

/// `content` is type and data.
void PngOutput::append_chunk(std::span<const std::byte> content) {
  append(u32be(static_cast<std::uint32_t>(content.size() - 4)));
  append(content);
  append(u32be(crc32_of(content)));
}

void PngOutput::flush() {
  if (size_ > 0) {
    sink_({buffer_.get(), size_});
    size_ = 0;
  }
}

}  // namespace gpuimg::codecs
