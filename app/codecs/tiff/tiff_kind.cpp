// Names everything that is not read.
#include "codecs/tiff/tiff_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {
namespace {

TiffKind::Color color_of(const TiffFile& file, std::uint16_t compression) {
  std::uint16_t photometric = 0;
  if (TIFFGetField(file.tiff(), TIFFTAG_PHOTOMETRIC, &photometric) != 1) {
    refuse_damaged(file.name(), "it does not say what its samples mean");
  }
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE: return TiffKind::Color::inverted_gray;
    case PHOTOMETRIC_MINISBLACK: return TiffKind::Color::gray;
    case PHOTOMETRIC_PALETTE: return TiffKind::Color::palette;
    case PHOTOMETRIC_RGB: return TiffKind::Color::rgb;
    case PHOTOMETRIC_SEPARATED:
      if (file.number<std::uint16_t>(TIFFTAG_INKSET, INKSET_CMYK) != INKSET_CMYK) {
        refuse_unsupported(file.name(), "TIFF with inks other than CMYK");
      }
      return TiffKind::Color::cmyk;
    case PHOTOMETRIC_YCBCR:
      if (compression != COMPRESSION_JPEG) {
        return TiffKind::Color::ycbcr;
      }
      TIFFSetField(file.tiff(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);  // libtiff converts
      return TiffKind::Color::rgb;
    default: refuse_unsupported(file.name(), fmt::format("TIFF of photometric interpretation {}", photometric));
  }
}

void check_samples(const TiffFile& file, const TiffKind& kind) {
  const auto format = file.number<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) {
    const std::string_view what = format == SAMPLEFORMAT_INT      ? "signed"
                                  : format == SAMPLEFORMAT_IEEEFP ? "float"
                                                                  : "complex";
    refuse_unsupported(file.name(), fmt::format("TIFF of {}-bit {} samples", kind.bits, what));
  }
  constexpr std::array kDepths = {1, 2, 4, 8, 12, 16};
  const bool is_palette = kind.color == TiffKind::Color::palette;
  const bool is_known = std::find(kDepths.begin(), kDepths.end(), kind.bits) != kDepths.end();
  if (!is_known || (is_palette && kind.bits > 8)) {
    refuse_unsupported(file.name(),
                       fmt::format("TIFF of {}-bit {}", kind.bits, is_palette ? "palette indices" : "samples"));
  }
  if (kind.color == TiffKind::Color::ycbcr && (kind.bits != 8 || kind.samples != 3)) {
    refuse_unsupported(file.name(), fmt::format("YCbCr TIFF of {} samples of {} bits", kind.samples, kind.bits));
  }
  if (kind.color == TiffKind::Color::ycbcr && kind.is_planar) {
    refuse_unsupported(file.name(), "YCbCr TIFF in planes");
  }
  if (kind.samples < kind.color_samples()) {
    refuse_damaged(file.name(), fmt::format("its pixels have {} samples", kind.samples));
  }
}

TiffKind::Alpha alpha_of(const TiffFile& file, const TiffKind& kind) {
  std::uint16_t count = 0;
  std::uint16_t* kinds = nullptr;
  if (kind.samples <= kind.color_samples() ||
      TIFFGetFieldDefaulted(file.tiff(), TIFFTAG_EXTRASAMPLES, &count, &kinds) != 1 || count == 0) {
    return TiffKind::Alpha::none;
  }
  if (kinds[0] == EXTRASAMPLE_UNSPECIFIED && file.lacks_extra_samples() && kind.color == TiffKind::Color::rgb &&
      kind.samples == 4) {
    return TiffKind::Alpha::assumed;
  }
  return kinds[0] == EXTRASAMPLE_ASSOCALPHA   ? TiffKind::Alpha::premultiplied
         : kinds[0] == EXTRASAMPLE_UNASSALPHA ? TiffKind::Alpha::plain
                                              : TiffKind::Alpha::none;
}

/// The kind of raw photo that a directory is of, or empty. Their first directory often is a thumbnail, which nobody
/// means.
std::string_view raw_kind(const TiffFile& file, std::uint16_t compression) {
  struct RawKind {
    std::uint16_t compression;
    std::string_view maker;  ///< as Make begins
    std::string_view name;
  };
  constexpr std::array<RawKind, 6> kKinds = {{{34713, "NIKON", "Nikon's raw photo (NEF)"},
                                              {32767, "SONY", "Sony's raw photo (ARW)"},
                                              {65535, "PENTAX", "Pentax' raw photo (PEF)"},
                                              {32770, "SAMSUNG", "Samsung's raw photo (SRW)"},
                                              {65000, "KODAK", "Kodak's raw photo (DCR)"},
                                              {0, "Hasselblad", "Hasselblad's raw photo (3FR)"}}};
  void* version = nullptr;
  if (TIFFGetField(file.tiff(), TIFFTAG_DNGVERSION, &version) == 1) {
    return "a raw photo (DNG)";
  }
  std::uint16_t count = 0;
  void* directories = nullptr;
  const bool has_others = TIFFGetField(file.tiff(), TIFFTAG_SUBIFD, &count, &directories) == 1;
  const bool is_thumbnail =
      has_others && (file.number<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) & FILETYPE_REDUCEDIMAGE) != 0;
  const char* make = nullptr;
  const bool has_make = TIFFGetField(file.tiff(), TIFFTAG_MAKE, &make) == 1 && make != nullptr;
  for (const RawKind& kind : kKinds) {
    if (compression == kind.compression && kind.compression != 0) {
      return kind.name;
    }
    if (is_thumbnail && has_make && std::string_view(make).starts_with(kind.maker)) {
      return kind.name;
    }
  }
  return is_thumbnail && has_make ? "a raw photo" : "";
}

}  // namespace

TiffKind tiff_kind(const TiffFile& file) {
  const auto compression = file.number<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  if (const std::string_view raw = raw_kind(file, compression); !raw.empty()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: {} is not supported; convert it, for example with: darktable-cli in.raw out.png",
                            file.name(), raw));
  }
  if (TIFFIsCODECConfigured(compression) == 0) {
    refuse_unsupported(file.name(), fmt::format("TIFF of compression {} by this libtiff", compression));
  }
  TiffKind kind;
  kind.width = file.number<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  kind.height = file.number<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  kind.bits = file.number<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  kind.samples = file.number<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  kind.is_planar = file.number<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  kind.color = color_of(file, compression);
  check_samples(file, kind);
  kind.alpha = alpha_of(file, kind);
  return kind;
}

}  // namespace gpuimg::codecs
