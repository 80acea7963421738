// The pixels of a plain PNG: inflated and unfiltered at the same time, without libpng.
#pragma once

#include <optional>
#include <string>

#include "files/image_reader.hpp"
#include "files/plain_png.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg {

/// What libpng would make of the file, or nothing for a file that libpng would refuse: it knows best why. On two
/// threads unless options.threads is 1. Beside the image it holds about 1 MB, or three
/// rows where they are longer than 256 KB. Throws Error{decode} for an index beyond the palette, Error{out_of_memory}.
/// `name` is printable.
std::optional<Image> read_plain_png(const PlainPng& png, const std::string& name, const ReadOptions& options);

}  // namespace gpuimg
