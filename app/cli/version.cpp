// What this gpuimg is made of.
#include "cli/version.hpp"

#include <fmt/format.h>
#include <isa-l.h>
#include <jconfig.h>
#include <png.h>

#include <CLI/Version.hpp>

#include "engine/cuda_info.hpp"

namespace gpuimg {
namespace {

std::string dotted(int major, int minor, int patch) { return fmt::format("{}.{}.{}", major, minor, patch); }

std::string library_versions() {
  constexpr int kJpeg = LIBJPEG_TURBO_VERSION_NUMBER;
  return fmt::format("stb_image {}, libpng {}, libjpeg-turbo {}, ISA-L {}, CLI11 {}, fmt {}", GPUIMG_STB_IMAGE_VERSION,
                     png_get_libpng_ver(nullptr), dotted(kJpeg / 1000000, kJpeg / 1000 % 1000, kJpeg % 1000),
                     dotted(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION), CLI11_VERSION,
                     dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
}

}  // namespace

std::string version_number() { return fmt::format("{} ({})", GPUIMG_VERSION, GPUIMG_COMMIT); }

std::string version_text() {
  return fmt::format(
      "gpuimg {} ({})\n"
      "compiler {}\n"
      "{}\n"
      "{}",
      GPUIMG_VERSION, GPUIMG_COMMIT, GPUIMG_COMPILER, cuda_build_text(), library_versions());
}

}  // namespace gpuimg
