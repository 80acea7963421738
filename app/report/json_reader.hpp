// Reads the JSON that json.hpp writes, for `hist --merge` and `equalize --reference`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

struct HistogramFile {
  Histogram histogram;
  Luma luma = kDefaultLuma;
  bool count_transparent = false;
  std::uint64_t images = 1;
  std::uint64_t pixels = 0;  ///< counted and skipped together
};

/// True if the content can only be JSON: no image format begins like this.
bool looks_like_json(std::span<const std::byte> bytes);

/// `name` appears in messages. Throws Error{decode} if the content is not schema 1 of a histogram, or is inconsistent.
HistogramFile histogram_from_json(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg
