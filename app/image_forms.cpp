// The table of image types.
#include "image_forms.hpp"

namespace gpuimg {

const OutputForms<ImageFileType> kImageForms = {"an image",
                                                {
                                                    {"png", ImageFileType::png, "lossless, 8 and 16 bits"},
                                                    {"jpg", ImageFileType::jpeg, "8 bits, lossy, no alpha"},
                                                    {"jpeg", ImageFileType::jpeg, "the same"},
                                                    {"bmp", ImageFileType::bmp, "8 bits"},
                                                    {"tga", ImageFileType::tga, "8 bits"},
                                                },
                                                ImageFileType::png};

ImageFileType image_file_type(const std::string& path, const std::string& asked) {
  return output_form(kImageForms, asked, path);
}

}  // namespace gpuimg
