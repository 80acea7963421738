// Removes metadata that an output format cannot hold, and records why. Codec::fit_metadata uses it.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs {

class MetadataFilter {
 public:
  /// Appends a clause to `left_out` for each dropped piece.
  explicit MetadataFilter(std::vector<std::string>& left_out) : left_out_(left_out) {}

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

  /// The members that hold the content of PNG chunks.
  void drop_png_chunks(Metadata& metadata, std::string_view why) {
    drop(metadata.cicp, "cICP", why);
    drop(metadata.srgb, "sRGB", why);
    drop(metadata.gama, "gAMA", why);
    drop(metadata.chrm, "cHRM", why);
  }

  void drop_all_but_density(Metadata& metadata, std::string_view why) {
    drop(metadata.icc, "the ICC profile", why);
    drop(metadata.exif, "the EXIF data", why);
    drop(metadata.xmp, "the XMP", why);
    drop(metadata.xmp_extension, "the extended XMP", why);
    drop(metadata.iptc, "the IPTC data", why);
    drop_png_chunks(metadata, why);
  }

  void say(std::string_view what, std::string_view why) {
    left_out_.push_back(fmt::format("{} is not carried: {}", what, why));
  }

 private:
  std::vector<std::string>& left_out_;
};

}  // namespace gpuimg::codecs
