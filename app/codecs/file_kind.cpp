// Two tables of file signatures: formats that gpuimg reads, and formats that it names when it refuses a file.
#include "codecs/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codecs/byte_fields.hpp"
#include "gpuimg/error.hpp"
#include "text/refusals.hpp"

namespace gpuimg::codecs {

namespace {

using namespace std::string_view_literals;

struct KnownSignature {
  std::string_view bytes;
  FileKind kind;
};

constexpr std::array kReadSignatures = {
    KnownSignature{"\x89PNG\r\n\x1A\n"sv, FileKind::png},
    KnownSignature{"\xFF\xD8\xFF"sv, FileKind::jpeg},
    KnownSignature{"BM"sv, FileKind::bmp},
    KnownSignature{"GIF87a"sv, FileKind::gif},
    KnownSignature{"GIF89a"sv, FileKind::gif},
    KnownSignature{"8BPS"sv, FileKind::psd},
    KnownSignature{"P5"sv, FileKind::pnm},
    KnownSignature{"P6"sv, FileKind::pnm},
};

struct ForeignSignature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
};

constexpr std::array kForeignSignatures = {
    ForeignSignature{0, "II*\0"sv, "TIFF"},
    ForeignSignature{0, "MM\0*"sv, "TIFF"},
    ForeignSignature{0, "II+\0"sv, "TIFF"},
    ForeignSignature{0, "MM\0+"sv, "TIFF"},
    ForeignSignature{8, "WEBP"sv, "WebP"},
    ForeignSignature{4, "ftypavif"sv, "AVIF"},
    ForeignSignature{4, "ftypavis"sv, "AVIF"},
    ForeignSignature{4, "ftyphei"sv, "HEIC"},
    ForeignSignature{4, "ftyphev"sv, "HEIC"},
    ForeignSignature{4, "ftypmif1"sv, "HEIF"},
    ForeignSignature{4, "ftypmsf1"sv, "HEIF"},
    ForeignSignature{4, "ftyp"sv, "video (MP4 or QuickTime)"},
    ForeignSignature{0, "\0\0\0\x0CjP  \r\n"sv, "JPEG 2000"},
    ForeignSignature{0, "\xFF\x4F\xFF\x51"sv, "JPEG 2000"},
    ForeignSignature{0, "\0\0\0\x0CJXL "sv, "JPEG XL"},
    ForeignSignature{0, "\xFF\x0A"sv, "JPEG XL"},
    ForeignSignature{0, "\x76\x2F\x31\x01"sv, "OpenEXR"},
    ForeignSignature{0, "#?RADIANCE"sv, "Radiance HDR (32-bit float)"},
    ForeignSignature{0, "#?RGBE"sv, "Radiance HDR (32-bit float)"},
    ForeignSignature{0, "\x53\x80\xF6\x34"sv, "Softimage PIC"},
    ForeignSignature{0, "qoif"sv, "QOI"},
    ForeignSignature{0, "\0\0\1\0"sv, "an icon (ICO)"},
    ForeignSignature{0, "P1"sv, "PBM (1-bit PNM)"},
    ForeignSignature{0, "P4"sv, "PBM (1-bit PNM)"},
    ForeignSignature{0, "P2"sv, "PNM written as text (P2)"},
    ForeignSignature{0, "P3"sv, "PNM written as text (P3)"},
    ForeignSignature{0, "P7\n"sv, "PAM (P7)"},
    ForeignSignature{0, "PF\n"sv, "PFM (32-bit float)"},
    ForeignSignature{0, "Pf\n"sv, "PFM (32-bit float)"},
    ForeignSignature{0, "\x8AMNG"sv, "MNG"},
    ForeignSignature{0, "\x8BJNG"sv, "JNG"},
    ForeignSignature{0, "DDS "sv, "DDS"},
    ForeignSignature{0, "gimp xcf"sv, "GIMP's XCF"},
    ForeignSignature{0, "AT&TFORM"sv, "DjVu"},
    ForeignSignature{0, "BPG\xFB"sv, "BPG"},
    ForeignSignature{0, "FLIF"sv, "FLIF"},
    ForeignSignature{128, "DICM"sv, "DICOM"},
    ForeignSignature{0, "SIMPLE  ="sv, "FITS"},
    ForeignSignature{0, "\x93NUMPY"sv, "a NumPy array instead of an image"},
    ForeignSignature{0, "%PDF"sv, "PDF"},
    ForeignSignature{0, "%!PS"sv, "PostScript"},
    ForeignSignature{0, "\x1F\x8B"sv, "a gzip archive"},
    ForeignSignature{0, "PK\x03\x04"sv, "a zip archive"},
    ForeignSignature{0, "BZh"sv, "a bzip2 archive"},
    ForeignSignature{0,
                     "\xFD"
                     "7zXZ"sv,
                     "an xz archive"},
    ForeignSignature{0, "\x28\xB5\x2F\xFD"sv, "a Zstandard archive"},
    ForeignSignature{0,
                     "\x7F"
                     "ELF"sv,
                     "a program (ELF)"},
    ForeignSignature{0, "RIFF"sv, "RIFF (audio or video)"},
};

std::string_view text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool has_at(std::string_view text, std::size_t offset, std::string_view signature) {
  return text.size() >= offset && text.substr(offset).starts_with(signature);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool contains_ignoring_case(std::string_view text, std::string_view lowercase) {
  const auto same = [](char a, char b) { return lower(a) == b; };
  return std::search(text.begin(), text.end(), lowercase.begin(), lowercase.end(), same) != text.end();
}

bool may_be_tga(ByteSpan bytes, std::string_view name) {
  constexpr std::size_t kHeaderBytes = 18;
  constexpr auto kFooter = "TRUEVISION-XFILE.\0"sv;
  const bool named = name.size() >= 4 && contains_ignoring_case(name.substr(name.size() - 4), ".tga");
  if (!named && !(bytes.size() >= kHeaderBytes && text_of(bytes).ends_with(kFooter))) {
    return false;
  }
  if (bytes.size() < kHeaderBytes) {
    return named;
  }
  const std::uint32_t map_kind = u8_at(bytes, 1);
  const std::uint32_t image_kind = u8_at(bytes, 2) & ~8U;
  const std::uint32_t bits = u8_at(bytes, 16);
  return map_kind <= 1 && image_kind >= 1 && image_kind <= 3 &&
         (bits == 8 || bits == 15 || bits == 16 || bits == 24 || bits == 32);
}

/// True without control characters other than white space and escape, if at least three quarters are ASCII.
bool is_text(std::string_view sample) {
  const auto is_control = [](char c) {
    const auto value = static_cast<unsigned char>(c);
    return (value < 0x20 && !(value >= '\t' && value <= '\r') && value != 0x1B) || value == 0x7F;
  };
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const auto ascii = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), is_ascii));
  return std::none_of(sample.begin(), sample.end(), is_control) && ascii * 4 >= sample.size() * 3;
}

[[noreturn]] void refuse_text(std::string_view sample, std::string_view name) {
  if (contains_ignoring_case(sample, "<svg")) {
    refuse_unsupported(name, "SVG");
  }
  const bool is_page = contains_ignoring_case(sample, "<html") || contains_ignoring_case(sample, "<!doctype html");
  throw Error(ErrorKind::decode, fmt::format("{}: file is {}, not an image; {}", name, is_page ? "a web page" : "text",
                                             is_page ? "download the image itself" : kReadableKinds));
}

}  // namespace

FileKind tell_file_kind(std::span<const std::byte> bytes, std::string_view name) {
  if (bytes.empty()) {
    throw Error(ErrorKind::decode, fmt::format("{}: file is empty; download or copy it again", name));
  }
  const std::string_view text = text_of(bytes);
  for (const KnownSignature& known : kReadSignatures) {
    if (text.starts_with(known.bytes)) {
      return known.kind;
    }
  }
  if (may_be_tga(bytes, name)) {
    return FileKind::tga;
  }
  for (const ForeignSignature& foreign : kForeignSignatures) {
    if (has_at(text, foreign.offset, foreign.bytes)) {
      refuse_unsupported(name, foreign.what);
    }
  }
  const bool starts_known = std::any_of(kReadSignatures.begin(), kReadSignatures.end(),
                                        [&](const KnownSignature& known) { return known.bytes.starts_with(text); });
  if (starts_known) {
    refuse_truncated(name);
  }
  constexpr std::size_t kSampleBytes = 1024;
  const std::string_view sample = text.substr(0, kSampleBytes);
  if (is_text(sample)) {
    refuse_text(sample, name);
  }
  throw Error(ErrorKind::decode, fmt::format("{}: file is not in a known image format; {}", name, kReadableKinds));
}

}  // namespace gpuimg::codecs
