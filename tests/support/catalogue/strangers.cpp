// Files that are not images, and images in unsupported formats, which the error message names.
#include <array>
#include <string_view>

#include "support/catalogue/catalogue.hpp"

namespace gpuimg::test {
namespace {

using namespace std::string_view_literals;

struct Stranger {
  const char* name;
  std::string_view content;
  const char* words;
};

constexpr const char* kConvertVideo = "ffmpeg -i in.mp4 -frames:v 1 out.png";

/// The expected words include the command that converts the file.
constexpr std::array kForeign = {
#if !GPUIMG_HAS_TIFF
    Stranger{"tiff.tif", "II*\0\x08\0\0\0\0\0"sv,
             "TIFF is not supported; convert it, for example with: convert in.tif"},
    Stranger{"bigtiff.tif", "MM\0+\0\x08\0\0"sv, "TIFF is not supported; convert it, for example with: convert in.tif"},
#endif
#if !GPUIMG_HAS_WEBP
    Stranger{"webp.webp", "RIFF\x1A\0\0\0WEBPVP8L"sv,
             "WebP is not supported; convert it, for example with: dwebp in.webp"},
#endif
#if !GPUIMG_HAS_HEIF
    Stranger{"avif.avif",
             "\0\0\0\x1C"
             "ftypavif\0\0\0\0"sv,
             "AVIF is not supported; convert it, for example with: heif-convert in.avif out.png"},
    Stranger{"heic.heic",
             "\0\0\0\x1C"
             "ftypheic\0\0\0\0"sv,
             "HEIC is not supported; convert it, for example with: heif-convert in.heic out.png"},
#endif
    Stranger{"jpeg2000.jp2", "\0\0\0\x0CjP  \r\n\x87\n"sv,
             "JPEG 2000 is not supported; convert it, for example with: opj_decompress -i in.jp2"},
    Stranger{"jpeg2000_codestream.jp2", "\xFF\x4F\xFF\x51\0\x2F"sv, "JPEG 2000"},
    Stranger{"jpegxl.jxl", "\0\0\0\x0CJXL \r\n\x87\n"sv,
             "JPEG XL is not supported; convert it, for example with: djxl in.jxl out.png"},
    Stranger{"jpegxl_codestream.jxl", "\xFF\x0A\x7F\0"sv, "JPEG XL"},
    Stranger{"openexr.exr", "\x76\x2F\x31\x01\x02\0\0\0"sv,
             "OpenEXR is not supported; convert it, for example with: convert in.exr out.png"},
    Stranger{"radiance.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\1\1\1\1"sv,
             "convert it, for example with: convert in.hdr out.png"},
    Stranger{"qoi.png", "qoif\0\0\0\1\0\0\0\1\3\0"sv,
             "QOI is not supported; convert it, for example with: ffmpeg -i in.qoi out.png"},
    Stranger{"pdf.png", "%PDF-1.7\n"sv, "PDF is not supported; convert it, for example with: pdftoppm -png"},
    Stranger{"svg.png", "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>"sv,
             "SVG is not supported; convert it, for example with: rsvg-convert -o out.png in.svg"},
    Stranger{"icon.png", "\0\0\1\0\1\0\x10\x10"sv,
             "an icon (ICO) is not supported; convert it, for example with: convert in.ico[0] out.png"},
    Stranger{"pfm.png", "Pf\n1 1\n-1\n\0\0\0\0"sv, "convert in.pfm out.png"},
    Stranger{"pcx.png", "\x0A\5\1\x08"sv, "PCX is not supported; convert it, for example with: convert in.pcx out.png"},
    Stranger{"sgi.png", "\x01\xDA\1\1\0\2"sv,
             "SGI is not supported; convert it, for example with: convert in.sgi out.png"},
    Stranger{"cursor.png", "\0\0\2\0\1\0\x10\x10"sv,
             "a cursor (CUR) is not supported; convert it, for example with: convert in.cur[0]"},
    Stranger{"icns.png", "icns\0\0\0\x08"sv,
             "an icon of macOS (ICNS) is not supported; convert it, for example with: icns2png -x in.icns"},
    Stranger{"xbm.png", "#define a_width 8\n#define a_height 1\nstatic char a_bits[] = {0};\n"sv,
             "XBM is not supported; convert it, for example with: convert in.xbm out.png"},
    Stranger{"xpm.png", "/* XPM */\nstatic char* a[] = {};\n"sv, "convert in.xpm out.png"},
    Stranger{"cr2.png", "II*\0\x10\0\0\0CR\2\0"sv,
             "(CR2) is not supported; convert it, for example with: darktable-cli in.raw out.png"},
    Stranger{"orf.png", "IIRO\x08\0\0\0"sv, "(ORF) is not supported; convert it, for example with: darktable-cli"},
    Stranger{"orf_big_endian.png", "MMOR\0\0\0\x08"sv,
             "(ORF) is not supported; convert it, for example with: darktable-cli"},
    Stranger{"rw2.png", "IIU\0\x18\0\0\0"sv, "(RW2) is not supported; convert it, for example with: darktable-cli"},
    Stranger{"raf.png", "FUJIFILMCCD-RAW 0201"sv,
             "(RAF) is not supported; convert it, for example with: darktable-cli"},
    Stranger{"cr3.png",
             "\0\0\0\x18"
             "ftypcrx \0\0\0\1"sv,
             "(CR3) is not supported; convert it, for example with: darktable-cli"},
    Stranger{"x3f.png", "FOVb\0\0\3\0"sv, "(X3F) is not supported; convert it, for example with: darktable-cli"},
    Stranger{"mrw.png", "\0MRM\0\0\1\0"sv, "(MRW) is not supported; convert it, for example with: darktable-cli"},
    Stranger{"dds.png", "DDS \x7C\0\0\0"sv,
             "DDS is not supported; convert it, for example with: convert in.dds out.png"},
    Stranger{"mp4.png",
             "\0\0\0\x18"
             "ftypisom\0\0\2\0"sv,
             kConvertVideo},
    Stranger{"quicktime.png", "\0\0\x10\0moov\0\0\0\x6C"sv, kConvertVideo},
    Stranger{"webm.png", "\x1A\x45\xDF\xA3\x01"sv, kConvertVideo},
    Stranger{"avi.png", "RIFF\x10\0\0\0AVI LIST"sv, kConvertVideo},
    Stranger{"mpeg.png", "\0\0\1\xBA\x44\0"sv, kConvertVideo},
    Stranger{"wmv.png", "\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9"sv, kConvertVideo},
    Stranger{"flv.png", "FLV\1\5\0\0\0\x09"sv, kConvertVideo},
    Stranger{"ogg.png", "OggS\0\2\0\0"sv, kConvertVideo},
    Stranger{"mng.png", "\x8AMNG\r\n\x1A\n"sv, "MNG"},
    Stranger{"gzip.png", "\x1F\x8B\x08\0"sv, "a gzip archive is not supported; unpack it, for example with: gunzip"},
    Stranger{"zip.png", "PK\x03\x04\x14\0"sv, "a zip archive is not supported; unpack it, for example with: unzip"},
    Stranger{"xz.png", "\3757zXZ\0\0\4"sv, "an xz archive is not supported; unpack it, for example with: unxz in.xz"},
    Stranger{"rar.png", "Rar!\x1A\7\1\0"sv, "a RAR archive is not supported; unpack it, for example with: unrar"},
    Stranger{"7z.png", "7z\xBC\xAF\x27\x1C\0\4"sv, "a 7z archive is not supported; unpack it, for example with: 7z x"},
    Stranger{"apple_double.png", "\0\5\x16\7\0\2\0\0Mac OS X"sv, "an AppleDouble file"},
};

constexpr std::array kNoImages = {
    Stranger{"empty.png", ""sv, "file is empty"},
    Stranger{"empty_tga.tga", ""sv, "file is empty"},
    Stranger{"text.jpg", "hello, world\n"sv, "is text, not an image"},
    Stranger{"web_page.jpg", "<!DOCTYPE html><html>404</html>"sv, "is a web page"},
    Stranger{"four_bytes.png", "\x01\x02\x03\x04"sv, "not in a known image format"},
    Stranger{"zeros.png", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv, "not in a known image format"},
};

}  // namespace

void add_strangers(Catalogue& to) {
  for (const Stranger& foreign : kForeign) {
    to.add_unsupported(std::string("foreign_") + foreign.name, bytes_of(foreign.content), foreign.words);
  }
  to.add_unsupported("foreign_svg_after_a_license.png",
                     bytes_of("<!-- " + std::string(1500, 'x') + " -->\n<svg width='1'/>"), "SVG");
  to.add_unsupported("foreign_tar.png", bytes_of(std::string(257, 'x') + "ustar"),
                     "a tar archive is not supported; unpack");
  for (const Stranger& stranger : kNoImages) {
    to.add_damaged(std::string("no_image_") + stranger.name, bytes_of(stranger.content), stranger.words);
  }
}

}  // namespace gpuimg::test
