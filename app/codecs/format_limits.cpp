// Refuses images that a file format cannot hold.
#include "codecs/format_limits.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>

#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr int kMaxTgaSide = 65535;

[[noreturn]] void refuse(const std::string& name, const std::string& fact, std::string_view remedy) {
  throw Error(ErrorKind::usage, fmt::format("{}: {}; {}write .png", printable_name(name), fact, remedy));
}

std::string_view name_of(ImageFileType type) {
  switch (type) {
    case ImageFileType::png: return "PNG";
    case ImageFileType::jpeg: return "JPEG";
    case ImageFileType::bmp: return "BMP";
    case ImageFileType::tga: return "TGA";
  }
  return {};
}

void check_side(int max_side, int width, int height, std::string_view type, const std::string& name) {
  if (width > max_side || height > max_side) {
    refuse(name, fmt::format("{} holds at most {} pixels per side, not {}x{}", type, max_side, width, height), "");
  }
}

/// stb computes in int: rows of up to four bytes per pixel, padding and headers must fit.
void check_stb_size(int width, int height, std::string_view type, const std::string& name) {
  constexpr std::int64_t kMaxInt = std::numeric_limits<int>::max();
  constexpr std::int64_t kHeaders = 256;
  const std::int64_t row_bytes = std::int64_t{4} * width + 4;
  if (row_bytes > (kMaxInt - kHeaders) / height) {
    refuse(name, fmt::format("{}x{} pixels are too many for {}", width, height, type), "");
  }
}

bool has_unfit_alpha(ImageFileType type, PixelFormat format) {
  return type == ImageFileType::jpeg ? format.has_alpha() : type == ImageFileType::bmp && format.channels == 2;
}

void check_format(ImageFileType type, PixelFormat format, const std::string& name) {
  const bool has_alpha = has_unfit_alpha(type, format);
  const bool is_deep = format.sample != Sample::u8;
  const std::string_view alpha = type == ImageFileType::bmp ? "does not hold gray with alpha" : "has no alpha channel";
  constexpr std::string_view kDepth = "holds 8 bits per channel";
  if (has_alpha && is_deep) {
    refuse(name, fmt::format("{} {}, and {}", name_of(type), alpha, kDepth),
           "use --background COLOR and --depth 8, or ");
  }
  if (has_alpha) {
    refuse(name, fmt::format("{} {}", name_of(type), alpha), "use --background COLOR to flatten, or ");
  }
  if (is_deep) {
    refuse(name, fmt::format("{} {}", name_of(type), kDepth), "use --depth 8, or ");
  }
}

}  // namespace

void check_holds(ImageFileType type, int width, int height, PixelFormat format, const std::string& name) {
  if (type == ImageFileType::png) {
    return;
  }
  if (type == ImageFileType::jpeg) {
    check_side(kMaxJpegSide, width, height, name_of(type), name);
  } else {
    if (type == ImageFileType::tga) {
      check_side(kMaxTgaSide, width, height, name_of(type), name);
    }
    check_stb_size(width, height, name_of(type), name);
  }
  check_format(type, format, name);
}

}  // namespace gpuimg::codecs
