// Adds histograms exactly: hist --merge. docs/operations.md, "Histogram".
#pragma once

#include <cstdint>
#include <string>

#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

class HistogramSum {
 public:
  /// `name` appears in messages. Throws Error{unsupported} if the channels or their numbers of levels differ from those
  /// added before; the sum is then unchanged.
  void add(const Histogram& histogram, std::uint64_t images, std::uint64_t pixels, const std::string& name);

  [[nodiscard]] const Histogram& total() const { return total_; }
  [[nodiscard]] std::uint64_t images() const { return images_; }
  [[nodiscard]] std::uint64_t pixels() const { return pixels_; }  ///< counted or not

 private:
  Histogram total_;
  std::uint64_t images_ = 0;
  std::uint64_t pixels_ = 0;
};

}  // namespace gpuimg
