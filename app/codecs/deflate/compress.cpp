// A strip as blocks: app/codecs/deflate/compress.hpp.
#include "codecs/deflate/compress.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "codecs/deflate/bit_writer.hpp"
#include "codecs/deflate/compress_block.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kBlockBytes = 2 * std::size_t{65535};  // two stored blocks, should nothing be smaller

constexpr std::array<RepeatSearch, 3> kSearches = {{
    {.table_bits = 13, .least_length = 16, .patience_bits = 2, .looks_further = false},
    {.table_bits = 13, .least_length = 12, .patience_bits = 3, .looks_further = false},
    {.table_bits = 15, .least_length = 10, .patience_bits = 8, .looks_further = true},
}};

}  // namespace

StripDeflater::StripDeflater(int level) : finder_(kSearches.at(static_cast<std::size_t>(level))) {}

std::size_t StripDeflater::deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last) {
  if (strip.size() > kMaxStripBytes || out.size() < deflate_bound(strip.size())) {
    throw std::logic_error("a strip to deflate is too long, or has too little room");
  }
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(strip.data()), strip.size());
  BitWriter writer(out.data());
  finder_.restart();
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(bytes.size(), begin + kBlockBytes);
    finder_.find(bytes, begin, end, steps_);
    write_deflate_block(bytes.subspan(begin, end - begin), steps_, is_last && end == bytes.size(), writer);
    begin = end;
  } while (begin < bytes.size());
  if (is_last) {
    writer.fill_last_byte();
  } else {
    write_sync_marker(writer);
  }
  return writer.whole_bytes();
}

}  // namespace gpuimg
