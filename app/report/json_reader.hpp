// Reads back what json.hpp writes: histograms to be summed, or to equalize by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

struct HistogramFile {
  Histogram histogram;
  Luma luma = Luma::bt601;
  bool count_transparent = false;
  std::uint64_t images = 1;
  std::uint64_t pixels = 0;  ///< counted and skipped
};

/// True if the content can only be JSON: no image begins so.
bool looks_like_json(std::span<const std::byte> bytes);

/// `name` stands in messages. Throws Error{decode} for what is not schema 1 of a histogram, or contradicts itself.
HistogramFile histogram_from_json(std::span<const std::byte> bytes, const std::string& name);

}  // namespace gpuimg
