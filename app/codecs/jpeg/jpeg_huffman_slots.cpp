// Checks sizes and slots. Whether the codes are possible is for their users.
#include "codecs/jpeg/jpeg_huffman_slots.hpp"

#include <cstring>

namespace gpuimg::codecs {

bool JpegHuffmanSlots::read(ByteSpan segment) {
  while (!segment.empty()) {
    JpegHuffmanTable table;
    const std::size_t head = 1 + table.codes_of_length.size();
    if (segment.size() < head || u8_at(segment, 0) >> 4 > 1 || (u8_at(segment, 0) & 15) >= kCount) {
      return false;
    }
    std::size_t symbols = 0;
    for (std::size_t i = 0; i < table.codes_of_length.size(); ++i) {
      table.codes_of_length[i] = static_cast<std::uint8_t>(u8_at(segment, 1 + i));
      symbols += table.codes_of_length[i];
    }
    if (symbols > table.symbols.size() || segment.size() < head + symbols) {
      return false;
    }
    std::memcpy(table.symbols.data(), segment.data() + head, symbols);
    (u8_at(segment, 0) >> 4 == 0 ? dc : ac)[u8_at(segment, 0) & 15] = table;
    segment = segment.subspan(head + symbols);
  }
  return true;
}

}  // namespace gpuimg::codecs
