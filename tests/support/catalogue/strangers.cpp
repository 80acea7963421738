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

constexpr std::array kForeign = {
#if !GPUIMG_HAS_HEIF
    Stranger{"avif.avif",
             "\0\0\0\x1C"
             "ftypavif\0\0\0\0"sv,
             "AVIF"},
    Stranger{"heic.heic",
             "\0\0\0\x1C"
             "ftypheic\0\0\0\0"sv,
             "HEIC is not supported; convert it, for example with: heif-convert in.heic out.png"},
#endif
    Stranger{"jpeg2000.jp2", "\0\0\0\x0CjP  \r\n\x87\n"sv, "JPEG 2000"},
    Stranger{"jpegxl.jxl", "\0\0\0\x0CJXL \r\n\x87\n"sv, "JPEG XL"},
    Stranger{"openexr.exr", "\x76\x2F\x31\x01\x02\0\0\0"sv, "OpenEXR"},
    Stranger{"radiance.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\1\1\1\1"sv, "Radiance HDR"},
    Stranger{"qoi.png", "qoif\0\0\0\1\0\0\0\1\3\0"sv, "QOI"},
    Stranger{"pdf.png", "%PDF-1.7\n"sv, "PDF"},
    Stranger{"svg.png", "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>"sv, "SVG"},
    Stranger{"icon.png", "\0\0\1\0\1\0\x10\x10"sv, "ICO"},
    Stranger{"pfm.png", "Pf\n1 1\n-1\n\0\0\0\0"sv, "PFM"},
    Stranger{"pcx.png", "\x0A\5\1\x08"sv, "PCX is not supported; convert it, for example with: convert in.pcx"},
    Stranger{"sgi.png", "\x01\xDA\1\1\0\2"sv, "SGI"},
    Stranger{"cursor.png", "\0\0\2\0\1\0\x10\x10"sv, "CUR"},
    Stranger{"icns.png", "icns\0\0\0\x08"sv, "ICNS"},
    Stranger{"xbm.png", "#define a_width 8\n#define a_height 1\nstatic char a_bits[] = {0};\n"sv, "XBM"},
    Stranger{"xpm.png", "/* XPM */\nstatic char* a[] = {};\n"sv, "XPM"},
    Stranger{"cr2.png", "II*\0\x10\0\0\0CR\2\0"sv, "CR2"},
    Stranger{"orf.png", "IIRO\x08\0\0\0"sv, "ORF"},
    Stranger{"rw2.png", "IIU\0\x18\0\0\0"sv, "RW2"},
    Stranger{"raf.png", "FUJIFILMCCD-RAW 0201"sv, "RAF"},
    Stranger{"cr3.png",
             "\0\0\0\x18"
             "ftypcrx \0\0\0\1"sv,
             "CR3"},
    Stranger{"dds.png", "DDS \x7C\0\0\0"sv, "DDS"},
    Stranger{"mp4.png",
             "\0\0\0\x18"
             "ftypisom\0\0\2\0"sv,
             "ffmpeg -i in.mp4"},
    Stranger{"webm.png", "\x1A\x45\xDF\xA3\x01"sv, "Matroska"},
    Stranger{"avi.png", "RIFF\x10\0\0\0AVI LIST"sv, "AVI"},
    Stranger{"mng.png", "\x8AMNG\r\n\x1A\n"sv, "MNG"},
    Stranger{"gzip.png", "\x1F\x8B\x08\0"sv, "gzip"},
    Stranger{"zip.png", "PK\x03\x04\x14\0"sv, "zip"},
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
  for (const Stranger& stranger : kNoImages) {
    to.add_damaged(std::string("no_image_") + stranger.name, bytes_of(stranger.content), stranger.words);
  }
}

}  // namespace gpuimg::test
