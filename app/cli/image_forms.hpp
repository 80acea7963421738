// The image types that gpuimg writes, by the names that --format and extensions of OUT use.
#pragma once

#include <string>

#include "cli/output_forms.hpp"
#include "codecs/image_writer.hpp"

namespace gpuimg {

extern const OutputForms<codecs::ImageFileType> kImageForms;

/// The image type of an output: `asked` (--format) if it is not empty, else what the ending of `path` names; "-" is
/// PNG. Throws Error{usage} that lists the types.
codecs::ImageFileType image_file_type(const std::string& path, const std::string& asked = "");

}  // namespace gpuimg
