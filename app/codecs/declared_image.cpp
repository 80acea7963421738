// Sizes from the headers of all formats that gpuimg reads.
#include "codecs/declared_image.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/file_kind.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/stb/pnm_header.hpp"
#include "gpuimg/error.hpp"
#include "io/descriptor.hpp"

namespace gpuimg::codecs {
namespace {

DeclaredImage declared_in_png(ByteSpan bytes) {
  constexpr std::uint64_t kChannelsOfColorType[8] = {1, 1, 3, 4, 2, 4, 4, 4};  // 3 is a palette, which may have alpha
  const std::uint64_t channels = kChannelsOfColorType[u8_at(bytes, 25) % 8];
  return {std::uint64_t{u32be_at(bytes, 16)} * u32be_at(bytes, 20), channels * (u8_at(bytes, 24) == 16 ? 2 : 1), 0};
}

DeclaredImage declared_in_jpeg(ByteSpan bytes) {
  const JpegHeader header = read_jpeg_header(bytes, "");
  // With several scans, all 16-bit coefficients are in memory before the first row is complete.
  const std::uint64_t kept = header.keeps_coefficients ? std::uint64_t{2} * header.components : 0;
  return {std::uint64_t{header.width} * header.height, header.components == 1 ? 1U : 3U, kept};
}

std::uint64_t magnitude(std::uint32_t value) {
  return value > 0x7FFFFFFFU ? std::uint64_t{0x100000000} - value : value;  // BMP: a negative height is top-down
}

DeclaredImage declared_in_bmp(ByteSpan bytes) {
  constexpr std::uint32_t kCoreHeader = 12;
  if (u32le_at(bytes, 14) == kCoreHeader) {
    return {std::uint64_t{u16le_at(bytes, 18)} * u16le_at(bytes, 20), 4, 0};
  }
  return {magnitude(u32le_at(bytes, 18)) * magnitude(u32le_at(bytes, 22)), 4, 0};
}

DeclaredImage declared_in_pnm(ByteSpan bytes, const std::string& name) {
  PnmHeader header(bytes, name);
  const std::uint64_t width = header.number();
  const std::uint64_t height = header.number();
  return {width * height, header.number() > 255 ? 6U : 3U, 0};  // each below 2³²
}

/// How many bytes of a header are used.
std::size_t header_bytes(FileKind kind) { return kind == FileKind::tga ? 18 : 26; }

DeclaredImage declared_of_kind(FileKind kind, ByteSpan bytes, const std::string& name) {
  if (kind == FileKind::jpeg) {
    return declared_in_jpeg(bytes);
  }
  if (kind == FileKind::pnm) {
    return declared_in_pnm(bytes, name);
  }
  if (bytes.size() < header_bytes(kind)) {
    return {};
  }
  switch (kind) {
    case FileKind::png: return declared_in_png(bytes);
    case FileKind::bmp: return declared_in_bmp(bytes);
    case FileKind::gif: return {std::uint64_t{u16le_at(bytes, 6)} * u16le_at(bytes, 8), 4, 1};
    case FileKind::tga: return {std::uint64_t{u16le_at(bytes, 12)} * u16le_at(bytes, 14), 4, 0};
    case FileKind::psd:
      return {std::uint64_t{u32be_at(bytes, 14)} * u32be_at(bytes, 18), u16be_at(bytes, 22) == 16 ? 8U : 4U, 0};
    default: return {};
  }
}

/// True for formats whose size may follow comments or metadata of any length.
bool has_long_headers(ByteSpan beginning, const std::string& name) {
  try {
    const FileKind kind = tell_file_kind(beginning, name);
    return kind == FileKind::jpeg || kind == FileKind::pnm;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name) {
  try {
    return declared_of_kind(tell_file_kind(bytes, name), bytes, name);
  } catch (const Error&) {
    return {};  // the decoder reports the error
  }
}

DeclaredImage declared_image_in(const std::string& path) {
  constexpr std::size_t kShortHeaders = 64 << 10;
  constexpr std::size_t kLongHeaders = 4 << 20;  // a JPEG's size follows its profile and its thumbnail
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) {
    return {};
  }
  struct stat found {};
  const bool is_known = ::fstat(file.number(), &found) == 0 && found.st_size > 0;
  const std::size_t size = is_known ? static_cast<std::size_t>(found.st_size) : kLongHeaders;
  DeclaredImage declared;
  std::vector<std::byte> bytes;
  for (const std::size_t limit : {kShortHeaders, kLongHeaders, size}) {
    bytes.resize(std::min(limit, size));
    const ssize_t count = ::pread(file.number(), bytes.data(), bytes.size(), 0);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    declared = declared_image(bytes, path);
    if (declared.pixels > 0 || bytes.size() == size || !has_long_headers(bytes, path)) {
      break;
    }
  }
  return declared;
}

}  // namespace gpuimg::codecs
