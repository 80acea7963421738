// Defaults that most jobs share.
#include "engine/image_job.hpp"

namespace gpuimg {

// Includes formats that gpuimg cannot read: such a file fails by name instead of being overlooked.
std::vector<std::string> ImageJob::input_endings() const {
  return {"png", "apng", "jpg",  "jpeg", "jpe",  "jfif", "bmp",  "dib", "tga", "gif", "psd", "pnm", "pgm", "ppm", "pbm",
          "pam", "tif",  "tiff", "webp", "heic", "heif", "avif", "jxl", "jp2", "jpx", "exr", "hdr", "ico", "qoi"};
}

}  // namespace gpuimg
