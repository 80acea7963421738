// The image types that gpuimg writes, by the names that --format and extensions of OUT use.
#pragma once

#include <string>

#include "cli/output_forms.hpp"
#include "codecs/image_writer.hpp"

namespace gpuimg {

extern const OutputForms<ImageFileType> kImageForms;

/// The image type of an output: `asked` (--format) if not empty, else by the extension of `path`; "-" is PNG. Throws
/// Error{usage} that lists the types.
ImageFileType image_file_type(const std::string& path, const std::string& asked = "");

}  // namespace gpuimg
