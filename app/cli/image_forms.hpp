// The image formats that gpuimg writes, by the names that --format and extensions of OUT use.
#pragma once

#include <string>

#include "cli/output_forms.hpp"
#include "codecs/codec.hpp"

namespace gpuimg {

extern const OutputForms<codecs::FileFormat> kImageForms;

/// The format of an image output: `asked` (--format) if it is not empty, else what the ending of `path` names; "-" is
/// PNG. Throws Error{usage} that lists the formats.
codecs::FileFormat image_format(const std::string& path, const std::string& asked = "");

/// For --help: the usual name of each format, "png, jpg, bmp or tga", with `before_each` in front of each.
std::string listed_image_forms(const std::string& before_each = "");

}  // namespace gpuimg
