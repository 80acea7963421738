// Writes each kind of metadata chunk.
#include <array>
#include <string_view>

#include "codecs/joined_bytes.hpp"
#include "codecs/metadata/compressed_icc.hpp"
#include "codecs/metadata/iptc.hpp"
#include "codecs/png/png_metadata.hpp"

namespace gpuimg::codecs {

std::vector<std::vector<std::byte>> png_metadata_chunks(const Metadata& metadata) {
  std::vector<std::vector<std::byte>> chunks;
  if (metadata.cicp) {
    chunks.push_back(joined({letters("cICP"), *metadata.cicp}));
  }
  if (!metadata.icc.empty()) {
    constexpr std::string_view kTypeNameAndMethod("iCCPICC profile\0\0", 17);
    chunks.push_back(joined({letters(kTypeNameAndMethod), compressed_icc(metadata.icc)}));
  }
  if (metadata.srgb) {
    chunks.push_back(joined({letters("sRGB"), std::array{std::byte{*metadata.srgb}}}));
  }
  if (metadata.gama) {
    chunks.push_back(joined({letters("gAMA"), u32be(*metadata.gama)}));
  }
  if (metadata.chrm) {
    const auto& [wx, wy, rx, ry, gx, gy, bx, by] = *metadata.chrm;
    chunks.push_back(joined(
        {letters("cHRM"), u32be(wx), u32be(wy), u32be(rx), u32be(ry), u32be(gx), u32be(gy), u32be(bx), u32be(by)}));
  }
  if (metadata.density) {
    const PixelDensity density = density_for_png(*metadata.density);
    const std::array unit = {std::byte{density.unit == DensityUnit::meter ? std::uint8_t{1} : std::uint8_t{0}}};
    chunks.push_back(joined({letters("pHYs"), u32be(density.x), u32be(density.y), unit}));
  }
  if (!metadata.exif.empty()) {
    chunks.push_back(joined({letters("eXIf"), metadata.exif}));
  }
  if (!metadata.xmp.empty()) {
    constexpr std::string_view kUncompressed("iTXtXML:com.adobe.xmp\0\0\0\0\0", 26);  // no language, no translation
    chunks.push_back(joined({letters(kUncompressed), metadata.xmp}));
  }
  if (!metadata.iptc.empty()) {
    constexpr std::string_view kTypeAndKeyword("tEXtRaw profile type iptc\0", 26);
    chunks.push_back(joined({letters(kTypeAndKeyword), iptc_text(metadata.iptc)}));
  }
  return chunks;
}

}  // namespace gpuimg::codecs
