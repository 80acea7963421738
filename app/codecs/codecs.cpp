// THE list of file formats: one entry each, of functions in the format's folder. Then the formats that are only named.
// NPY is not in it: it holds tables instead of images, and the commands that write tables call it (npy/npy.hpp).
#include <algorithm>
#include <iterator>

#include "codecs/codec.hpp"
#include "codecs/gif/gif_reader.hpp"
#include "codecs/jpeg/declared_jpeg.hpp"
#include "codecs/jpeg/jpeg_metadata.hpp"
#include "codecs/jpeg/jpeg_reader.hpp"
#include "codecs/jpeg/jpeg_scan_format.hpp"
#include "codecs/jpeg/jpeg_writer.hpp"
#include "codecs/png/png_header.hpp"
#include "codecs/png/png_metadata.hpp"
#include "codecs/png/png_reader.hpp"
#include "codecs/png/png_writer.hpp"
#include "codecs/stb/stb_reader.hpp"
#include "codecs/stb/stb_writer.hpp"

namespace gpuimg::codecs {
namespace {

using namespace std::string_view_literals;

constexpr Codec kCodecs[] = {
    {
        .format = FileFormat::png,
        .name = "PNG",
        .signatures = {{"\x89PNG\r\n\x1A\n"}},
        .endings = {"png", "apng"},
        .declared = declared_png,
        .metadata = png_header_metadata,
        .decode = read_png,
        .written = {{"png", "lossless, 8 or 16 bits"}},
        .fit_metadata = fit_png_metadata,
        .encode = encode_png,
    },
    {
        .format = FileFormat::jpeg,
        .name = "JPEG",
        .signatures = {{"\xFF\xD8\xFF"}},
        .endings = {"jpg", "jpeg", "jpe", "jfif"},
        .declared = declared_jpeg,
        .metadata = jpeg_header_metadata,
        .decode = read_jpeg,
        .written = {{"jpg", "lossy, 8 bits, no alpha"}, {"jpeg", "the same as jpg"}},
        .limits =
            {.max_side = kMaxJpegSide, .holds_16_bits = false, .holds_gray_alpha = false, .holds_color_alpha = false},
        .fit_metadata = fit_jpeg_metadata,
        .encode = encode_jpeg,
        .backend_encoding = jpeg_scan_format,
        .write_encoded = write_encoded_jpeg,
    },
    {
        .format = FileFormat::bmp,
        .name = "BMP",
        .signatures = {{"BM"}},
        .endings = {"bmp", "dib"},
        .declared = declared_bmp,
        .decode = read_bmp,
        .written = {{"bmp", "uncompressed, 8 bits"}},
        .limits = {.max_bytes = kMaxStbBytes, .holds_16_bits = false, .holds_gray_alpha = false},
        .encode = encode_bmp,
    },
    {
        .format = FileFormat::tga,
        .name = "TGA",
        .recognizes = looks_like_tga,
        .endings = {"tga"},
        .declared = declared_tga,
        .decode = read_tga,
        .written = {{"tga", "run-length coded, 8 bits"}},
        .limits = {.max_side = 65535, .max_bytes = kMaxStbBytes, .holds_16_bits = false},
        .encode = encode_tga,
    },
    {
        .format = FileFormat::gif,
        .name = "GIF",
        .signatures = {{"GIF87a"}, {"GIF89a"}},
        .endings = {"gif"},
        .declared = declared_gif,
        .decode = read_gif,
    },
    {
        .format = FileFormat::psd,
        .name = "PSD",
        .signatures = {{"8BPS"}},
        .endings = {"psd"},
        .declared = declared_psd,
        .decode = read_psd,
    },
    {
        .format = FileFormat::pnm,
        .name = "PNM",
        .signatures = {{"P5"}, {"P6"}},
        .endings = {"pnm", "pgm", "ppm"},
        .declared = declared_pnm,
        .decode = read_pnm,
    },
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(kCodecs); ++i) {
    if (kCodecs[i].format != static_cast<FileFormat>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(is_in_order(), "codec_of takes the value of a FileFormat as an index");

/// The first that fits names the file.
constexpr ForeignFormat kForeignFormats[] = {
    {"TIFF", {{"II*\0"sv}, {"MM\0*"sv}, {"II+\0"sv}, {"MM\0+"sv}}, {"tif", "tiff"}},
    {"WebP", {{"WEBP", 8}}, {"webp"}},
    {"AVIF", {{"ftypavif", 4}, {"ftypavis", 4}}, {"avif"}},
    {"HEIC", {{"ftyphei", 4}, {"ftyphev", 4}}, {"heic"}},
    {"HEIF", {{"ftypmif1", 4}, {"ftypmsf1", 4}}, {"heif"}},
    {"video (MP4 or QuickTime)", {{"ftyp", 4}}},
    {"JPEG 2000", {{"\0\0\0\x0CjP  \r\n"sv}, {"\xFF\x4F\xFF\x51"}}, {"jp2", "jpx"}},
    {"JPEG XL", {{"\0\0\0\x0CJXL "sv}, {"\xFF\x0A"}}, {"jxl"}},
    {"OpenEXR", {{"\x76\x2F\x31\x01"}}, {"exr"}},
    {"Radiance HDR (32-bit float)", {{"#?RADIANCE"}, {"#?RGBE"}}, {"hdr"}},
    {"Softimage PIC", {{"\x53\x80\xF6\x34"}}},
    {"QOI", {{"qoif"}}, {"qoi"}},
    {"an icon (ICO)", {{"\0\0\1\0"sv}}, {"ico"}},
    {"PBM (1-bit PNM)", {{"P1"}, {"P4"}}, {"pbm"}},
    {"PNM written as text (P2)", {{"P2"}}},
    {"PNM written as text (P3)", {{"P3"}}},
    {"PAM (P7)", {{"P7\n"}}, {"pam"}},
    {"PFM (32-bit float)", {{"PF\n"}, {"Pf\n"}}},
    {"MNG", {{"\x8AMNG"}}},
    {"JNG", {{"\x8BJNG"}}},
    {"DDS", {{"DDS "}}},
    {"GIMP's XCF", {{"gimp xcf"}}},
    {"DjVu", {{"AT&TFORM"}}},
    {"BPG", {{"BPG\xFB"}}},
    {"FLIF", {{"FLIF"}}},
    {"DICOM", {{"DICM", 128}}},
    {"FITS", {{"SIMPLE  ="}}},
    {"a NumPy array instead of an image", {{"\x93NUMPY"}}},
    {"PDF", {{"%PDF"}}},
    {"PostScript", {{"%!PS"}}},
    {"a gzip archive", {{"\x1F\x8B"}}},
    {"a zip archive", {{"PK\x03\x04"}}},
    {"a bzip2 archive", {{"BZh"}}},
    {"an xz archive", {{"\3757zXZ"}}},
    {"a Zstandard archive", {{"\x28\xB5\x2F\xFD"}}},
    {"a program (ELF)", {{"\177ELF"}}},
    {"RIFF (audio or video)", {{"RIFF"}}},
};

}  // namespace

std::span<const Codec> codecs() { return kCodecs; }

std::span<const ForeignFormat> foreign_formats() { return kForeignFormats; }

const Codec& codec_of(FileFormat format) { return kCodecs[static_cast<std::size_t>(format)]; }

std::vector<std::string> readable_endings() {
  std::vector<std::string> endings;
  for (const Codec& codec : kCodecs) {
    endings.insert(endings.end(), codec.endings.begin(), codec.endings.end());
  }
  return endings;
}

std::vector<std::string> input_endings() {
  std::vector<std::string> endings = readable_endings();
  for (const ForeignFormat& foreign : kForeignFormats) {
    endings.insert(endings.end(), foreign.endings.begin(), foreign.endings.end());
  }
  return endings;
}

bool is_written_ending(std::string_view ending) {
  return std::any_of(std::begin(kCodecs), std::end(kCodecs), [&](const Codec& codec) {
    return std::any_of(codec.written.begin(), codec.written.end(),
                       [&](const WrittenName& written) { return written.name == ending; });
  });
}

}  // namespace gpuimg::codecs
