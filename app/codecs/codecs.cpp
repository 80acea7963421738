// The list of file formats that gpuimg reads and writes, one entry each. The functions of an entry are in the format's
// folder. A second list holds the formats that gpuimg only names in messages.
// NPY as an output format is not in the list, because it holds tables: the commands that write tables call npy/npy.hpp
// directly.
#include <algorithm>
#include <iterator>

#include "codecs/codec.hpp"
#include "codecs/formats.hpp"
#include "codecs/jpeg/jpeg.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/npy/npy.hpp"
#include "codecs/png/png.hpp"
#include "codecs/png/png_chunks.hpp"
#if GPUIMG_HAS_TIFF
#include "codecs/tiff/tiff_metadata.hpp"
#endif

namespace gpuimg::codecs {
namespace {

using namespace std::string_view_literals;

constexpr Codec kCodecs[] = {
    {
        .format = FileFormat::png,
        .name = "PNG",
        .signatures = {{"\x89PNG\r\n\x1A\n"}},
        .extensions = {"png", "apng"},
        .declared = png::declared_png,
        .file_metadata = png::read_png_metadata,
        .decode = png::read_png,
        .describe = png::describe_png_image,
        .open_rows = png::open_png_rows,
        .is_decoded_by_rows = true,
        .written = {{"png", "lossless, 8 or 16 bits"}},
        .fit_metadata = png::fit_png_metadata,
        .encode = png::encode_png,
        .open_writer = png::open_png_writer,
        .backend_encoding = png::png_data_format,
        .write_encoded = png::write_encoded_png,
    },
    {
        .format = FileFormat::jpeg,
        .name = "JPEG",
        .signatures = {{"\xFF\xD8\xFF"}},
        .extensions = {"jpg", "jpeg", "jpe", "jfif", "jfi", "jif", "pjpeg", "pjp"},
        .declared = jpeg::declared_jpeg,
        .metadata = jpeg::jpeg_header_metadata,
        .decode = jpeg::read_jpeg,
        .describe = jpeg::describe_jpeg_image,
        .open_rows = jpeg::open_jpeg_rows,
        .written = {{"jpg", "lossy, 8 bits, no alpha"},
                    {"jpeg", "the same as jpg; also jfif and jpe"},
                    {"jpe"},
                    {"jfif"},
                    {"jfi"},
                    {"jif"},
                    {"pjpeg"},
                    {"pjp"}},
        .limits = {.max_side = jpeg::kMaxJpegSide,
                   .holds_16_bits = false,
                   .holds_gray_alpha = false,
                   .holds_color_alpha = false},
        .fit_metadata = jpeg::fit_jpeg_metadata,
        .encode = jpeg::encode_jpeg,
        .open_writer = jpeg::open_jpeg_writer,
        .backend_encoding = jpeg::jpeg_scan_format,
        .write_encoded = jpeg::write_encoded_jpeg,
    },
    {
        .format = FileFormat::bmp,
        .name = "BMP",
        .signatures = {{"BM"}},
        .extensions = {"bmp", "dib"},
        .declared = bmp::declared_bmp,
        .metadata = bmp::bmp_header_metadata,
        .decode = bmp::read_bmp,
        .open_rows = bmp::open_bmp_rows,
        .written = {{"bmp", "uncompressed, 8 bits"}, {"dib"}},
        .limits = {.max_bytes = bmp::kMaxBmpBytes, .holds_16_bits = false, .holds_gray_alpha = false},
        .fit_metadata = bmp::fit_bmp_metadata,
        .encode = bmp::encode_bmp,
        .open_placing_writer = bmp::open_bmp_writer,
    },
    {
        .format = FileFormat::tga,
        .name = "TGA",
        .recognizes = tga::looks_like_tga,
        .extensions = {"tga"},
        .declared = tga::declared_tga,
        .decode = tga::read_tga,
        .open_rows = tga::open_tga_rows,
        .is_decoded_by_rows = true,
        .written = {{"tga", "run-length coded, 8 bits"}},
        .limits = {.max_side = 65535, .max_bytes = tga::kMaxTgaBytes, .holds_16_bits = false},
        .encode = tga::encode_tga,
    },
    {
        .format = FileFormat::gif,
        .name = "GIF",
        .signatures = {{"GIF87a"}, {"GIF89a"}},
        .extensions = {"gif"},
        .declared = gif::declared_gif,
        .decode = gif::read_gif,
    },
    {
        .format = FileFormat::psd,
        .name = "PSD",
        .signatures = {{"8BPS"}},
        .extensions = {"psd", "psb"},
        .declared = psd::declared_psd,
        .metadata = psd::psd_header_metadata,
        .decode = psd::read_psd,
    },
    {
        .format = FileFormat::pnm,
        .name = "PNM",
        .signatures = {{"P1"}, {"P2"}, {"P3"}, {"P4"}, {"P5"}, {"P6"}, {"P7\n"}},
        .extensions = {"pnm", "pbm", "pgm", "ppm", "pam"},
        .declared = pnm::declared_pnm,
        .decode = pnm::read_pnm,
        .open_rows = pnm::open_pnm_rows,
        .holds_measurements = true,
        .written = {{"pnm", "uncompressed, 8 or 16 bits"},
                    {"pgm", "the same as pnm"},
                    {"ppm", "the same as pnm"},
                    {"pam", "the same as pnm"},
                    {.name = "pbm", .meaning = "uncompressed, one bit", .is_one_bit = true}},
        .encode = pnm::encode_pnm,
        .open_writer = pnm::open_pnm_writer,
    },
    {
        .format = FileFormat::npy,
        .name = "NPY",
        .signatures = {{"\x93NUMPY"}},
        .extensions = {"npy"},
        .declared = npy::declared_npy,
        .decode = npy::read_npy,
    },
#if GPUIMG_HAS_TIFF
    {
        .format = FileFormat::tiff,
        .name = "TIFF",
        .recognizes = tiff::looks_like_tiff,
        .extensions = {"tif", "tiff"},
        .declared = tiff::declared_tiff,
        .metadata = tiff::tiff_header_metadata,
        .has_tags_of_exif = true,
        .decode = tiff::read_tiff,
        .open_rows = tiff::open_tiff_rows,
        .paged = &tiff::kPagedTiff,
        .holds_measurements = true,
        .written = {{"tif", "lossless, 8 or 16 bits"}, {"tiff", "the same as tif"}},
        .holds_places = true,
        .fit_metadata = tiff::fit_tiff_metadata,
        .encode = tiff::encode_tiff,
        .open_page_joiner = tiff::open_page_joiner,
        .encode_table = tiff::encode_tiff_table,
    },
#endif
#if GPUIMG_HAS_WEBP
    {
        .format = FileFormat::webp,
        .name = "WebP",
        .signatures = {{"WEBP", 8}},
        .recognizes = webp::looks_like_webp,
        .extensions = {"webp"},
        .declared = webp::declared_webp,
        .metadata = webp::webp_header_metadata,
        .decode = webp::read_webp,
        .written = {{"webp", "lossy or lossless, 8 bits"}},
        .limits = {.max_side = webp::kMaxWebpSide, .holds_16_bits = false},
        .fit_metadata = webp::fit_webp_metadata,
        .encode = webp::encode_webp,
    },
#endif
#if GPUIMG_HAS_HEIF
    {
        .format = FileFormat::heif,
        .name = "HEIF",
        .signatures = {{"ftypavi", 4}, {"ftyphei", 4}, {"ftyphev", 4}, {"ftypmif", 4}, {"ftypmsf", 4}},
        .recognizes = heif::looks_like_heif,
        .extensions = {"heic", "heif", "hif", "avif"},
        .declared = heif::declared_heif,
        .metadata = heif::heif_header_metadata,
        .decode = heif::read_heif,
    },
#endif
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

constexpr std::string_view kPhoto = "darktable-cli in.raw out.png";
constexpr std::string_view kVideo = "ffmpeg -i in.mp4 -frames:v 1 out.png";

/// The first entry that matches names the file's format. SVG and XBM are text: file_header.cpp recognizes them.
constexpr ForeignFormat kForeignFormats[] = {
    {"Canon's raw photo (CR2)", {{"CR\2"sv, 8}}, {}, kPhoto},
#if !GPUIMG_HAS_TIFF
    {"TIFF", {{"II*\0"sv}, {"MM\0*"sv}, {"II+\0"sv}, {"MM\0+"sv}}, {"tif", "tiff"}, "convert in.tif out.png"},
#endif
    {"Olympus' raw photo (ORF)", {{"IIRO"}, {"IIRS"}, {"MMOR"}}, {}, kPhoto},
    {"Panasonic's raw photo (RW2)", {{"IIU\0"sv}}, {}, kPhoto},
    {"Fujifilm's raw photo (RAF)", {{"FUJIFILMCCD-RAW"}}, {}, kPhoto},
    {"Canon's raw photo (CR3)", {{"ftypcrx ", 4}}, {}, kPhoto},
    {"Sigma's raw photo (X3F)", {{"FOVb"}}, {}, kPhoto},
    {"Minolta's raw photo (MRW)", {{"\0MRM"sv}}, {}, kPhoto},
#if !GPUIMG_HAS_WEBP
    {"WebP", {{"WEBP", 8}}, {"webp"}, "dwebp in.webp -o out.png"},
#endif
#if !GPUIMG_HAS_HEIF
    {"AVIF", {{"ftypavif", 4}, {"ftypavis", 4}}, {"avif"}, "heif-convert in.avif out.png"},
    {"HEIC", {{"ftyphei", 4}, {"ftyphev", 4}}, {"heic"}, "heif-convert in.heic out.png"},
    {"HEIF", {{"ftypmif", 4}, {"ftypmsf", 4}}, {"heif"}, "heif-convert in.heif out.png"},
#endif
    {"video (MP4 or QuickTime)", {{"ftyp", 4}, {"moov", 4}, {"mdat", 4}}, {}, kVideo},
    {"video (Matroska or WebM)", {{"\x1A\x45\xDF\xA3"}}, {}, kVideo},
    {"video (AVI)", {{"AVI ", 8}}, {}, kVideo},
    {"video (MPEG)", {{"\0\0\1\xBA"sv}, {"\0\0\1\xB3"sv}}, {}, kVideo},
    {"video (Windows Media)", {{"\x30\x26\xB2\x75\x8E\x66\xCF\x11"}}, {}, kVideo},
    {"video (Flash)", {{"FLV\1"}}, {}, kVideo},
    {"video or audio (Ogg)", {{"OggS"}}, {}, kVideo},
    {"JPEG 2000",
     {{"\0\0\0\x0CjP  \r\n"sv}, {"\xFF\x4F\xFF\x51"}},
     {"jp2", "jpx"},
     "opj_decompress -i in.jp2 -o out.png"},
    {"JPEG XL", {{"\0\0\0\x0CJXL "sv}, {"\xFF\x0A"}}, {"jxl"}, "djxl in.jxl out.png"},
    {"OpenEXR", {{"\x76\x2F\x31\x01"}}, {"exr"}, "convert in.exr out.png"},
    {"Radiance HDR (32-bit float)", {{"#?RADIANCE"}, {"#?RGBE"}}, {"hdr"}, "convert in.hdr out.png"},
    {"Softimage PIC", {{"\x53\x80\xF6\x34"}}, {}, {}},
    {"QOI", {{"qoif"}}, {"qoi"}, "ffmpeg -i in.qoi out.png"},
    {"an icon (ICO)", {{"\0\0\1\0"sv}}, {"ico"}, "convert in.ico[0] out.png"},
    {"a cursor (CUR)", {{"\0\0\2\0\1\0"sv}}, {}, "convert in.cur[0] out.png"},
    {"an icon of macOS (ICNS)", {{"icns"}}, {}, "icns2png -x in.icns"},
    {"PCX",
     {{"\x0A\x00\1"sv}, {"\x0A\x02\1"}, {"\x0A\x03\1"}, {"\x0A\x04\1"}, {"\x0A\x05\1"}},
     {},
     "convert in.pcx out.png"},
    {"SGI", {{"\x01\xDA\0"sv}, {"\x01\xDA\1"}}, {}, "convert in.sgi out.png"},
    {"XBM", {}, {}, "convert in.xbm out.png"},
    {"XPM", {{"/* XPM */"}}, {}, "convert in.xpm out.png"},
    {"PFM (32-bit float)", {{"PF\n"}, {"Pf\n"}}, {}, "convert in.pfm out.png"},
    {"MNG", {{"\x8AMNG"}}, {}, "convert in.mng[0] out.png"},
    {"JNG", {{"\x8BJNG"}}, {}, "convert in.jng out.png"},
    {"DDS", {{"DDS "}}, {}, "convert in.dds out.png"},
    {"GIMP's XCF", {{"gimp xcf"}}, {}, "convert in.xcf -flatten out.png"},
    {"DjVu", {{"AT&TFORM"}}, {}, "ddjvu -format=ppm in.djvu out.ppm"},
    {"BPG", {{"BPG\xFB"}}, {}, "bpgdec -o out.png in.bpg"},
    {"FLIF", {{"FLIF"}}, {}, "flif -d in.flif out.png"},
    {"DICOM", {{"DICM", 128}}, {}, "dcm2pnm --write-png in.dcm out.png"},
    {"FITS", {{"SIMPLE  ="}}, {}, "convert in.fits out.png"},
    {"PDF", {{"%PDF"}}, {}, "pdftoppm -png -r 150 in.pdf out"},
    {"PostScript", {{"%!PS"}}, {}, "gs -sDEVICE=png16m -o out.png in.ps"},
    {"SVG", {{"<svg"}}, {}, "rsvg-convert -o out.png in.svg"},
    {"a gzip archive", {{"\x1F\x8B"}}, {}, "gunzip in.gz", Packing::of_tar},
    {"a zip archive", {{"PK\x03\x04"}, {"PK\x05\x06"}, {"PK\x07\x08"}}, {}, "unzip in.zip", Packing::packed},
    {"a bzip2 archive", {{"BZh"}}, {}, "bunzip2 in.bz2", Packing::packed},
    {"an xz archive", {{"\3757zXZ"}}, {}, "unxz in.xz", Packing::packed},
    {"a Zstandard archive", {{"\x28\xB5\x2F\xFD"}}, {}, "unzstd in.zst", Packing::of_tar},
    {"an LZ4 archive", {{"\x04\x22\x4D\x18"}, {"\x02\x21\x4C\x18"}}, {}, "unlz4 in.lz4", Packing::packed},
    {"an lzip archive", {{"LZIP\1"}}, {}, "lzip -d in.lz", Packing::packed},
    {"an lzop archive", {{"\x89LZO"}}, {}, "lzop -d in.lzo", Packing::packed},
    {"an LZMA archive", {{"\x5D\0\0\x80\0"sv}, {"\x5D\0\0\x10\0"sv}}, {}, "unlzma in.lzma", Packing::packed},
    {"a compress archive", {{"\x1F\x9D"}}, {}, "uncompress in.Z", Packing::packed},
    {"a 7z archive", {{"7z\xBC\xAF\x27\x1C"}}, {}, "7z x in.7z", Packing::packed},
    {"a RAR archive", {{"Rar!\x1A\x07"}}, {}, "unrar x in.rar", Packing::packed},
    {"an AppleDouble file (macOS metadata of another file)",
     {{"\0\5\x16\7"sv}},
     {},
     "give the file of the same name without the leading ._"},
    {"a tar archive", {{"ustar", 257}}, {}, "unpack it, or give it to an operation with --tar"},
    {"a program (ELF)", {{"\177ELF"}}, {}, {}},
    {"RIFF (audio or video)", {{"RIFF"}}, {}, kVideo},
};

}  // namespace

std::span<const Codec> codecs() { return kCodecs; }

std::span<const ForeignFormat> foreign_formats() { return kForeignFormats; }

const Codec& codec_of(FileFormat format) { return kCodecs[static_cast<std::size_t>(format)]; }

const Codec* table_codec() {
  const auto* found = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                   [](const Codec& codec) { return codec.encode_table != nullptr; });
  return found == std::end(kCodecs) ? nullptr : found;
}

std::vector<std::string> readable_extensions() {
  std::vector<std::string> extensions;
  for (const Codec& codec : kCodecs) {
    extensions.insert(extensions.end(), codec.extensions.begin(), codec.extensions.end());
  }
  return extensions;
}

std::vector<std::string> input_extensions() {
  std::vector<std::string> extensions = readable_extensions();
  for (const ForeignFormat& foreign : kForeignFormats) {
    extensions.insert(extensions.end(), foreign.extensions.begin(), foreign.extensions.end());
  }
  return extensions;
}

const Codec* codec_written_as(std::string_view extension) {
  const auto* const found = std::find_if(std::begin(kCodecs), std::end(kCodecs), [&](const Codec& codec) {
    return std::any_of(codec.written.begin(), codec.written.end(),
                       [&](const WrittenName& written) { return written.name == extension; });
  });
  return found == std::end(kCodecs) ? nullptr : found;
}

}  // namespace gpuimg::codecs
