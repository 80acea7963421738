// What a JPEG declares before its first scan, for plans and for `gpuimg info`. ITU-T T.81, annex B; libjpeg's rules for
// color spaces.
#include "codecs/jpeg/jpeg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codecs/jpeg/jpeg_description.hpp"
#include "codecs/jpeg/jpeg_metadata.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

/// Quantization steps in the order of the file: zigzag.
using JpegSteps = std::array<std::uint16_t, 64>;

constexpr std::size_t kSteps = 64;

// In row order, as printed.
constexpr std::array<std::uint8_t, kSteps> kLuma = {16, 11, 10, 16, 24,  40,  51,  61,   //
                                                    12, 12, 14, 19, 26,  58,  60,  55,   //
                                                    14, 13, 16, 24, 40,  57,  69,  56,   //
                                                    14, 17, 22, 29, 51,  87,  80,  62,   //
                                                    18, 22, 37, 56, 68,  109, 103, 77,   //
                                                    24, 35, 55, 64, 81,  104, 113, 92,   //
                                                    49, 64, 78, 87, 103, 121, 120, 101,  //
                                                    72, 92, 95, 98, 112, 100, 103, 99};
constexpr std::array<std::uint8_t, kSteps> kChroma = {17, 18, 24, 47, 99, 99, 99, 99,  //
                                                      18, 21, 26, 66, 99, 99, 99, 99,  //
                                                      24, 26, 56, 99, 99, 99, 99, 99,  //
                                                      47, 66, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99,  //
                                                      99, 99, 99, 99, 99, 99, 99, 99};

/// libjpeg's jpeg_quality_scaling and jpeg_add_quant_table, for baseline tables.
int scaled(int step, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return std::clamp((step * percent + 50) / 100, 1, 255);
}

bool is_scaled(const JpegSteps& steps, const std::array<std::uint8_t, kSteps>& example, int quality) {
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (steps[i] != scaled(example[kJpegZigzag[i]], quality)) {
      return false;
    }
  }
  return true;
}

/// The quality 1 … 100 at which libjpeg writes exactly these tables; nullopt if there is none. Null `chroma`: gray.
std::optional<int> jpeg_quality(const JpegSteps& luma, const JpegSteps* chroma) {
  for (int quality = 100; quality >= 1; --quality) {
    if (is_scaled(luma, kLuma, quality) && (chroma == nullptr || is_scaled(*chroma, kChroma, quality))) {
      return quality;
    }
  }
  return std::nullopt;
}

struct Component {
  std::uint32_t id = 0;
  std::uint32_t horizontal = 1;
  std::uint32_t vertical = 1;
  std::uint32_t table = 0;
};

std::vector<Component> components_of(const JpegHeader& header, const std::string& name) {
  constexpr std::size_t kFixedBytes = 6;
  constexpr std::size_t kComponentBytes = 3;
  if (header.frame.size() < kFixedBytes + kComponentBytes * header.components) {
    refuse_damaged(name, "its frame header is too short");
  }
  std::vector<Component> components;
  for (std::uint32_t i = 0; i < header.components; ++i) {
    const ByteSpan field = header.frame.subspan(kFixedBytes + kComponentBytes * i);
    const Component component{u8_at(field, 0), u8_at(field, 1) >> 4U, u8_at(field, 1) & 15U, u8_at(field, 2)};
    const bool is_valid = std::min(component.horizontal, component.vertical) >= 1 &&
                          std::max(component.horizontal, component.vertical) <= 4 && component.table <= 3;
    if (!is_valid) {
      refuse_damaged(name, "a component has an impossible sampling or table");
    }
    components.push_back(component);
  }
  return components;
}

/// The transform byte of Adobe's APP14; nullopt if there is none.
std::optional<std::uint32_t> adobe_transform(const JpegHeader& header) {
  constexpr std::size_t kTransformAt = 6;
  return header.adobe.size() > kTransformAt ? std::optional(u8_at(header.adobe, kTransformAt)) : std::nullopt;
}

std::string_view color_of(const JpegHeader& header, const std::vector<Component>& components) {
  const std::optional<std::uint32_t> transform = adobe_transform(header);
  if (components.size() == 1) {
    return "gray";
  }
  if (components.size() == 4) {
    return transform == 2U ? "YCCK" : "CMYK";
  }
  if (!header.jfif.empty()) {
    return "YCbCr";
  }
  const bool is_named_rgb = components[0].id == 'R' && components[1].id == 'G' && components[2].id == 'B';
  return (transform ? *transform == 0 : is_named_rgb) ? "RGB" : "YCbCr";
}

/// 4:2:0 and so on where the second and third component are sampled alike, else all factors: "2x2 1x2 1x1".
std::string sampling_of(const std::vector<Component>& components) {
  struct Name {
    std::uint32_t width;
    std::uint32_t height;
    std::string_view name;
  };
  constexpr std::array<Name, 6> kNames = {
      {{1, 1, "4:4:4"}, {2, 1, "4:2:2"}, {1, 2, "4:4:0"}, {2, 2, "4:2:0"}, {4, 1, "4:1:1"}, {4, 2, "4:1:0"}}};
  const Component& luma = components[0];
  const Component& chroma = components[1];
  const bool is_alike = chroma.horizontal == components[2].horizontal && chroma.vertical == components[2].vertical;
  const auto* known = std::find_if(kNames.begin(), kNames.end(), [&](const Name& one) {
    return chroma.horizontal * one.width == luma.horizontal && chroma.vertical * one.height == luma.vertical;
  });
  if (is_alike && known != kNames.end()) {
    return std::string(known->name);
  }
  std::string all;
  for (const Component& component : components) {
    all += fmt::format("{}{}x{}", all.empty() ? "" : " ", component.horizontal, component.vertical);
  }
  return all;
}

/// The steps of a table in zigzag order; nullopt if the file has not defined it before its first scan.
std::optional<JpegSteps> steps_of(const JpegHeader& header, std::uint32_t table) {
  const ByteSpan from = header.quantization.at(table);
  JpegSteps steps{};
  if (from.size() < steps.size()) {
    return std::nullopt;
  }
  const bool is_wide = from.size() >= 2 * steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = static_cast<std::uint16_t>(is_wide ? u16be_at(from, 2 * i) : u8_at(from, i));
  }
  return steps;
}

std::optional<int> quality_of(const JpegHeader& header, const std::vector<Component>& components) {
  const std::optional<JpegSteps> luma = steps_of(header, components[0].table);
  if (!luma || components.size() == 1) {
    return luma ? jpeg_quality(*luma, nullptr) : std::nullopt;
  }
  const std::optional<JpegSteps> chroma = steps_of(header, components[1].table);
  const bool is_usual = chroma && components[2].table == components[1].table;
  return is_usual ? jpeg_quality(*luma, &*chroma) : std::nullopt;
}

/// Per pixel, of 16-bit coefficients, rounded up.
std::uint64_t coefficient_bytes(const std::vector<Component>& components) {
  std::uint64_t horizontal = 1;
  std::uint64_t vertical = 1;
  std::uint64_t coefficients = 0;
  for (const Component& component : components) {
    horizontal = std::max<std::uint64_t>(horizontal, component.horizontal);
    vertical = std::max<std::uint64_t>(vertical, component.vertical);
    coefficients += std::uint64_t{component.horizontal} * component.vertical;
  }
  const std::uint64_t whole = horizontal * vertical;
  return (sizeof(std::int16_t) * coefficients + whole - 1) / whole;
}

}  // namespace

DeclaredImage declared_jpeg(ByteSpan beginning, const std::string& name) {
  const JpegHeader header = read_jpeg_header(beginning, name);
  const std::vector<Component> components = components_of(header, name);
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = color_of(header, components);
  declared.decoded = {Sample::u8, components.size() == 1 ? 1 : 3};
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  // With several scans, all coefficients are in memory before the first row is complete.
  declared.decoder_bytes_per_pixel = header.keeps_coefficients ? coefficient_bytes(components) : 0;
  declared.suits_backends = describe_jpeg(beginning).has_value();
  declared.facts = {
      {"process", header.is_progressive ? std::string("progressive")
                                        : std::string(header.is_baseline ? "baseline" : "extended sequential")},
      {"arithmetic", header.is_arithmetic}};
  if (components.size() > 1) {
    declared.facts.push_back({"sampling", sampling_of(components)});
  }
  if (const std::optional<int> quality = quality_of(header, components)) {
    declared.facts.push_back({"quality", static_cast<std::uint64_t>(*quality)});
  }
  declared.facts.push_back({"restart_interval", std::uint64_t{header.restart_interval}});
  return declared;
}

Metadata jpeg_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_jpeg_metadata(read_jpeg_header(beginning, name), details);
}

}  // namespace gpuimg::codecs
