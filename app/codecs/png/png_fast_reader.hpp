// The pixels of a plain PNG: inflated, in parts where that pays, and unfiltered at the same time, without libpng.
#pragma once

#include <optional>
#include <string>

#include "codecs/image_reader.hpp"
#include "codecs/png/png_parts.hpp"
#include "codecs/png/simple_png.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

/// What libpng would make of the file, or nothing for a file that libpng would refuse: it knows best why. On as many
/// threads as the options allow. Beside the image it holds about 1 MB, or three rows where they are longer than 256 KB;
/// read in parts, up to 13 MB a thread and once more. Throws Error{decode} for an index beyond the palette,
/// Error{out_of_memory}. `name` is printable.
std::optional<Image> read_plain_png(const PlainPng& png, const std::string& name, const ReadOptions& options);

/// The same in parts that are given, whether it pays or not.
std::optional<Image> read_plain_png(const PlainPng& png, const std::string& name, const ReadOptions& options,
                                    const PngParts& parts);

}  // namespace gpuimg
