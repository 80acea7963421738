// What most jobs share.
#include "engine/image_job.hpp"

namespace gpuimg {

// Those that gpuimg cannot read are listed too: such a file fails by its name rather than being overlooked.
std::vector<std::string> ImageJob::input_endings() const {
  return {"png", "apng", "jpg",  "jpeg", "jpe",  "jfif", "bmp",  "dib", "tga", "gif", "psd", "pnm", "pgm", "ppm", "pbm",
          "pam", "tif",  "tiff", "webp", "heic", "heif", "avif", "jxl", "jp2", "jpx", "exr", "hdr", "ico", "qoi"};
}

}  // namespace gpuimg
