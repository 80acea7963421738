// Maps counts to heights and places the ticks on the vertical axis of the SVG plot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuimg {

struct Tick {
  double position = 0.0;  ///< 0 (axis) … 1 (top)
  std::string label;
};

/// Linear, or logarithmic as log(1 + count), which can show 0 and a single pixel. `unit` is the count that the labels
/// show as 1: 1 for counts, the number of pixels counted for shares.
class CountScale {
 public:
  /// largest: the largest count drawn; the axis extends slightly above it. unit > 0.
  CountScale(std::uint64_t largest, bool log, double unit);

  [[nodiscard]] double position(double count) const;

  /// Linear: multiples of 1, 2 or 5 times a power of ten, four to eleven of them. Logarithmic: zero and powers of ten.
  [[nodiscard]] std::vector<Tick> ticks() const;

 private:
  [[nodiscard]] std::vector<Tick> linear_ticks() const;
  [[nodiscard]] std::vector<Tick> log_ticks() const;

  double top_;
  double unit_;
  bool log_;
};

/// 1, 2 or 5 times a power of ten: the step that divides `span` into at most ten parts. span > 0.
double nice_step(double span);

}  // namespace gpuimg
