// gpuimg version: the version of gpuimg and its libraries.
#include <fmt/format.h>
#include <isa-l.h>
#include <jconfig.h>
#include <png.h>

#include <string>

#include "backends/backends.hpp"
#include "cli/version.hpp"
#if GPUIMG_HAS_HEIF
#include "codecs/formats.hpp"
#endif
#include "commands/commands.hpp"
#include "io/output_file.hpp"
#include "io/tar.hpp"

namespace gpuimg::commands::version {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg version";

std::string dotted(int major, int minor, int patch) { return fmt::format("{}.{}.{}", major, minor, patch); }

std::string library_versions() {
  constexpr int kJpeg = LIBJPEG_TURBO_VERSION_NUMBER;
  return fmt::format("stb_image {}, libpng {}, libjpeg-turbo {}, {}, {}, ISA-L {}, CLI11 {}, fmt {}, {}, {}",
                     GPUIMG_STB_IMAGE_VERSION, png_get_libpng_ver(nullptr),
                     dotted(kJpeg / 1000000, kJpeg / 1000 % 1000, kJpeg % 1000), GPUIMG_TIFF_LIBRARY,
                     GPUIMG_WEBP_LIBRARY, dotted(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION),
                     cli11_version(), dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
                     tar_library().empty() ? "without libarchive" : tar_library(), heif_reader());
}

RunCommand declare(CommandParser& /*parser*/) {
  return [](const GlobalOptions&) {
    write_text(version_text() + "\n");
    return ExitCode::ok;
  };
}

}  // namespace
}  // namespace gpuimg::commands::version

namespace gpuimg {

std::string heif_reader() {
#if GPUIMG_HAS_HEIF
  const std::string library = codecs::heif::heif_library();
  return library.empty() ? "libheif is not installed" : library;
#else
  return "no libheif";
#endif
}

std::string version_text() {
  std::string text = fmt::format("gpuimg {}\ncompiler {}\n", version_number(), GPUIMG_COMPILER);
  for (const BackendEntry& entry : backends()) {
    if (entry.device_facts != nullptr) {
      text += entry.device_facts->build_text() + "\n";
    }
  }
  return text + commands::version::library_versions();
}

Command version_command() {
  return {"version", "print the version, and what is built in", commands::version::kExamples,
          commands::version::declare};
}

}  // namespace gpuimg
