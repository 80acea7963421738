// The table of image types.
#include "cli/image_forms.hpp"

namespace gpuimg {

const OutputForms<ImageFileType> kImageForms = {"an image",
                                                {
                                                    {"png", ImageFileType::png, "lossless, 8 or 16 bits"},
                                                    {"jpg", ImageFileType::jpeg, "lossy, 8 bits, no alpha"},
                                                    {"jpeg", ImageFileType::jpeg, "the same as jpg"},
                                                    {"bmp", ImageFileType::bmp, "uncompressed, 8 bits"},
                                                    {"tga", ImageFileType::tga, "run-length coded, 8 bits"},
                                                },
                                                ImageFileType::png};

ImageFileType image_file_type(const std::string& path, const std::string& asked) {
  return output_form(kImageForms, asked, path);
}

}  // namespace gpuimg
