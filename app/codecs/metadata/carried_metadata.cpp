// Filters metadata by what each output format can hold.
#include "codecs/metadata/carried_metadata.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "codecs/metadata/icc_profile.hpp"
#include "codecs/metadata/metadata_filter.hpp"

namespace gpuimg::codecs {
namespace {

void drop_unfit_profile(Metadata& metadata, PixelFormat format, MetadataFilter& filter) {
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

void drop_not_kept(Metadata& metadata, MetadataFilter& filter) {
  for (const std::string& what : std::exchange(metadata.not_kept, {})) {
    filter.say(what, "gpuimg does not keep it");
  }
}

}  // namespace

CarriedMetadata carried_metadata(Metadata metadata, FileFormat file_format, PixelFormat format) {
  CarriedMetadata carried{std::move(metadata), {}};
  MetadataFilter filter(carried.left_out);
  const Codec& codec = codec_of(file_format);
  if (codec.fit_metadata != nullptr) {
    drop_unfit_profile(carried.metadata, format, filter);
    codec.fit_metadata(carried.metadata, filter);
  } else {
    const std::string why = fmt::format("gpuimg writes no metadata to {}", codec.name);
    filter.drop_all_but_density(carried.metadata, why);
    filter.drop(carried.metadata.density, "the pixel density", why);
  }
  drop_not_kept(carried.metadata, filter);
  return carried;
}

}  // namespace gpuimg::codecs
