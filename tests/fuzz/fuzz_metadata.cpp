// Fuzzes the metadata parsers directly, without PNG's checksums and JPEG's markers around the data: XMP packets,
// Photoshop resources, raw profiles, EXIF directories, and PNG's text chunks.
#include <algorithm>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/png/png_chunks.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::codecs;
using namespace gpuimg::codecs::png;
using fuzz::demand;
using Bytes = std::vector<std::byte>;

void take_xmp(ByteSpan bytes) {
  if (!is_xmp(bytes)) {
    return;
  }
  Bytes packet(bytes.begin(), bytes.end());
  if (reset_xmp_orientation(packet)) {
    Bytes again = packet;
    demand(reset_xmp_orientation(again) && again == packet, "the first reset missed an orientation");
  }
  demand(is_xmp(packet), "not a packet after its orientation was reset");
  const std::size_t guid = xmp_extension_guid(packet).size();
  demand(guid == 0 || guid == 32, "a GUID of the wrong length");
  blank_xmp_extension(packet);
  demand(packet.size() == bytes.size() && xmp_extension_guid(packet).empty(), "the extension is still named");
}

void take_iptc(ByteSpan bytes) {
  for (const ByteSpan found : {bytes, photoshop_resources(bytes).iptc}) {
    if (is_iptc(found)) {
      const Bytes iptc(found.begin(), found.end());
      demand(iptc_in_text(iptc_text(found)) == iptc, "the IPTC data differs after a round trip through text");
      const ByteSpan bare = iptc_without_padding(found);
      demand(is_iptc(bare) && found.size() - bare.size() < 4, "more than padding is cut off");
    }
  }
  const Bytes from_text = iptc_in_text(bytes);
  demand(from_text.empty() || is_iptc(from_text), "a text gave data that is not IPTC");
}

void take_exif(ByteSpan bytes) {
  constexpr std::size_t kSurelyRead = 1'000'000;
  const auto found = read_exif_directories(in_memory(bytes));
  const Bytes data = found ? exif_data(*found, 6) : Bytes();
  if (!found || data.size() > kSurelyRead) {
    return;
  }
  demand(is_exif(data) && exif_orientation(data) == 6, "the orientation is lost");
  const auto again = read_exif_directories(in_memory(data));
  demand(again && exif_data(*again, 6) == data, "the EXIF directories differ after a round trip");
}

void take_chunk(std::uint32_t type, ByteSpan payload) {
  constexpr std::size_t kMaxSize = 100000;
  const auto text = png_text(type, payload, kMaxSize);
  demand(!text || text->size() <= kMaxSize, "a text exceeds the limit");
  demand(png_keyword(payload).size() < std::max<std::size_t>(payload.size(), 1), "a keyword has no end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  take_xmp(bytes);
  take_iptc(bytes);
  take_exif(bytes);
  for (const std::uint32_t type : {png_chunk_type("tEXt"), png_chunk_type("zTXt"), png_chunk_type("iTXt")}) {
    take_chunk(type, bytes);
  }
  return 0;
}
