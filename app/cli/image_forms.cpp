// The table of image types.
#include "cli/image_forms.hpp"

namespace gpuimg {

const OutputForms<codecs::ImageFileType> kImageForms = {
    "an image",
    {
        {"png", codecs::ImageFileType::png, "lossless, 8 or 16 bits"},
        {"jpg", codecs::ImageFileType::jpeg, "lossy, 8 bits, no alpha"},
        {"jpeg", codecs::ImageFileType::jpeg, "the same as jpg"},
        {"bmp", codecs::ImageFileType::bmp, "uncompressed, 8 bits"},
        {"tga", codecs::ImageFileType::tga, "run-length coded, 8 bits"},
    },
    codecs::ImageFileType::png};

codecs::ImageFileType image_file_type(const std::string& path, const std::string& asked) {
  return output_form(kImageForms, asked, path);
}

}  // namespace gpuimg
