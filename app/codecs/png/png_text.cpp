// Parses text chunks. The data may be hostile.
#include "codecs/png/png_text.hpp"

#include <algorithm>

#include "codecs/deflate/zlib_stream.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::uint32_t kPlain = png_chunk_type("tEXt");
constexpr std::uint32_t kCompressed = png_chunk_type("zTXt");
constexpr std::uint32_t kInternational = png_chunk_type("iTXt");

/// What follows the first NUL; nullopt if there is none.
std::optional<ByteSpan> after_nul(ByteSpan bytes) {
  const auto nul = std::find(bytes.begin(), bytes.end(), std::byte{0});
  return nul == bytes.end() ? std::nullopt
                            : std::optional(bytes.subspan(static_cast<std::size_t>(nul - bytes.begin()) + 1));
}

std::optional<std::vector<std::byte>> copied(ByteSpan text, std::size_t max_size) {
  return text.size() <= max_size ? std::optional(std::vector<std::byte>(text.begin(), text.end())) : std::nullopt;
}

/// `after_keyword` holds compression flag and method, language, translated keyword and text.
std::optional<std::vector<std::byte>> international_text(ByteSpan after_keyword, std::size_t max_size) {
  if (after_keyword.size() < 2 || u8_at(after_keyword, 0) > 1 || u8_at(after_keyword, 1) != 0) {
    return std::nullopt;
  }
  const bool is_compressed = u8_at(after_keyword, 0) == 1;
  const std::optional<ByteSpan> translated = after_nul(after_keyword.subspan(2));
  const std::optional<ByteSpan> text = translated ? after_nul(*translated) : std::nullopt;
  if (!text) {
    return std::nullopt;
  }
  return is_compressed ? inflated_zlib(*text, max_size) : copied(*text, max_size);
}

}  // namespace

bool is_png_text(std::uint32_t chunk_type) {
  return chunk_type == kPlain || chunk_type == kCompressed || chunk_type == kInternational;
}

std::string_view png_keyword(ByteSpan payload) {
  const auto nul = std::find(payload.begin(), payload.end(), std::byte{0});
  const auto length = nul == payload.end() ? 0 : static_cast<std::size_t>(nul - payload.begin());
  return {reinterpret_cast<const char*>(payload.data()), length};
}

std::optional<std::vector<std::byte>> png_text(std::uint32_t chunk_type, ByteSpan payload, std::size_t max_size) {
  const std::optional<ByteSpan> after_keyword = after_nul(payload);
  if (!after_keyword) {
    return std::nullopt;
  }
  switch (chunk_type) {
    case kPlain: return copied(*after_keyword, max_size);
    case kCompressed:
      return !after_keyword->empty() && u8_at(*after_keyword, 0) == 0
                 ? inflated_zlib(after_keyword->subspan(1), max_size)
                 : std::nullopt;
    case kInternational: return international_text(*after_keyword, max_size);
    default: return std::nullopt;
  }
}

}  // namespace gpuimg::codecs
