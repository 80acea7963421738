// Filters metadata by what each output format can hold.
#include "codecs/metadata/carried_metadata.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "codecs/jpeg/jpeg_metadata.hpp"
#include "codecs/metadata/icc_profile.hpp"
#include "codecs/metadata/xmp_packet.hpp"

namespace gpuimg::codecs {
namespace {

class Filter {
 public:
  explicit Filter(CarriedMetadata& carried) : carried_(carried) {}

  void drop(std::vector<std::byte>& bytes, std::string_view what, std::string_view why) {
    if (!bytes.empty()) {
      say(what, why);
      bytes.clear();
    }
  }

  template <class Value>
  void drop(std::optional<Value>& value, std::string_view what, std::string_view why) {
    if (value) {
      say(what, why);
      value.reset();
    }
  }

  void say(std::string_view what, std::string_view why) {
    carried_.left_out.push_back(fmt::format("{} is not carried: {}", what, why));
  }

 private:
  CarriedMetadata& carried_;
};

void drop_unfit_profile(Metadata& metadata, PixelFormat format, Filter& filter) {
  if (metadata.icc.empty()) {
    return;
  }
  const std::uint32_t color_space = icc_color_space(metadata.icc);
  const bool is_gray = format.color_channels() == 1;
  if (color_space != (is_gray ? kIccGray : kIccRgb)) {
    const std::string_view is_for = color_space == kIccGray   ? "gray"
                                    : color_space == kIccRgb  ? "RGB"
                                    : color_space == kIccCmyk ? "CMYK"
                                                              : "another color space";
    filter.drop(metadata.icc, "the ICC profile",
                fmt::format("it is for {}, and the image is {}", is_for, is_gray ? "gray" : "RGB"));
  }
  if (metadata.icc.size() > kMaxIccBytes) {
    filter.drop(metadata.icc, "the ICC profile", "it is larger than 16.7 MB");
  }
}

void drop_not_kept(Metadata& metadata, Filter& filter) {
  for (const std::string& what : std::exchange(metadata.not_kept, {})) {
    filter.say(what, "gpuimg does not keep it");
  }
}

void drop_xmp_extension(Metadata& metadata, std::string_view why, Filter& filter) {
  if (!metadata.xmp_extension.empty()) {
    blank_xmp_extension(metadata.xmp);
  }
  filter.drop(metadata.xmp_extension, "the extended XMP", why);
}

void drop_png_only(Metadata& metadata, std::string_view why, Filter& filter) {
  filter.drop(metadata.cicp, "cICP", why);
  filter.drop(metadata.srgb, "sRGB", why);
  filter.drop(metadata.gama, "gAMA", why);
  filter.drop(metadata.chrm, "cHRM", why);
}

void fit_to_jpeg(Metadata& metadata, Filter& filter) {
  drop_png_only(metadata, "JPEG has no place for it", filter);
  if (metadata.exif.size() > kMaxJpegExifBytes) {
    filter.drop(metadata.exif, "the EXIF data", fmt::format("JPEG holds {} bytes of it", kMaxJpegExifBytes));
  }
  if (metadata.density && !density_for_jfif(*metadata.density)) {
    filter.drop(metadata.density, "the pixel density", "JPEG holds 1 to 65535 pixels per inch");
  }
  if (metadata.xmp.size() > kMaxJpegXmpBytes) {
    const std::string why = fmt::format("JPEG holds {} bytes of it", kMaxJpegXmpBytes);
    filter.drop(metadata.xmp, "the XMP", why);
    filter.drop(metadata.xmp_extension, "the extended XMP", why);
  }
  if (metadata.iptc.size() > kMaxJpegIptcBytes) {
    filter.drop(metadata.iptc, "the IPTC data", fmt::format("JPEG holds {} bytes of it", kMaxJpegIptcBytes));
  }
}

void drop_all(Metadata& metadata, std::string_view why, Filter& filter) {
  filter.drop(metadata.icc, "the ICC profile", why);
  filter.drop(metadata.exif, "the EXIF data", why);
  filter.drop(metadata.density, "the pixel density", why);
  filter.drop(metadata.xmp, "the XMP", why);
  filter.drop(metadata.xmp_extension, "the extended XMP", why);
  filter.drop(metadata.iptc, "the IPTC data", why);
  drop_png_only(metadata, why, filter);
}

}  // namespace

CarriedMetadata carried_metadata(Metadata metadata, ImageFileType type, PixelFormat format) {
  CarriedMetadata carried{std::move(metadata), {}};
  Filter filter(carried);
  switch (type) {
    case ImageFileType::png:
      drop_unfit_profile(carried.metadata, format, filter);
      drop_xmp_extension(carried.metadata, "PNG has no place for it", filter);
      break;
    case ImageFileType::jpeg:
      drop_unfit_profile(carried.metadata, format, filter);
      fit_to_jpeg(carried.metadata, filter);
      break;
    case ImageFileType::bmp: drop_all(carried.metadata, "gpuimg writes no metadata to BMP", filter); break;
    case ImageFileType::tga: drop_all(carried.metadata, "gpuimg writes no metadata to TGA", filter); break;
  }
  drop_not_kept(carried.metadata, filter);
  return carried;
}

}  // namespace gpuimg::codecs
