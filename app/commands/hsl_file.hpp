// HSL pixels in files: the text entries of a PNG that describe them, and planes as separate files.
// docs/operations.md, "HSL".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "codecs/image_reader.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/ops/hsl.hpp"

namespace gpuimg {

struct HslFileFacts {
  std::optional<HslEncoding> encoding;
  std::optional<Sample> rgb_sample;  ///< u8 or u16: the type of the RGB image before the conversion
};

/// The entries gpuimg:hsl and gpuimg:hsl-depth.
std::vector<codecs::TextEntry> hsl_text_entries(HslEncoding encoding, Sample rgb_sample);

/// What the entries of a file say; unknown values are left out.
HslFileFacts hsl_facts(const std::vector<codecs::TextEntry>& text);

/// The files for the three planes of `output`: "a.png" gives a_h.png, a_s.png and a_l.png, in this order.
std::array<std::string, 3> plane_names(const std::string& output);

/// Hue, saturation and lightness as three gray images, in this order for every encoding.
std::array<Image, 3> split_planes(ConstView hsl, HslEncoding encoding);

}  // namespace gpuimg
