// Scale and ticks of the SVG plot's vertical axis.
#include "report/plot_scale.hpp"

#include <algorithm>
#include <cmath>

#include "text/number_text.hpp"

namespace gpuimg {

double nice_step(double span) {
  constexpr double kMostParts = 10.0;
  const double least = span / kMostParts;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least * (1.0 - 1e-9)) {
      return factor * decade;
    }
  }
  return 10.0 * decade;
}

CountScale::CountScale(std::uint64_t largest, bool log, double unit)
    : top_(static_cast<double>(std::max<std::uint64_t>(largest, 1))), unit_(unit), log_(log) {
  constexpr double kHeadroom = 1.05;
  top_ = log_ ? std::exp(std::log1p(top_) * kHeadroom) - 1.0 : top_ * kHeadroom;
}

double CountScale::position(double count) const { return log_ ? std::log1p(count) / std::log1p(top_) : count / top_; }

std::vector<Tick> CountScale::ticks() const { return log_ ? log_ticks() : linear_ticks(); }

std::vector<Tick> CountScale::linear_ticks() const {
  const double step = std::max(nice_step(top_ / unit_), unit_ == 1.0 ? 1.0 : 0.0);  // counts have no fractional ticks
  std::vector<Tick> ticks;
  for (int i = 0; i * step * unit_ <= top_; ++i) {
    ticks.push_back({position(i * step * unit_), compact(i * step)});
  }
  return ticks;
}

std::vector<Tick> CountScale::log_ticks() const {
  std::vector<Tick> ticks = {{0.0, "0"}};
  // Shares start at the first power of ten that is at least one pixel.
  double label = std::pow(10.0, std::ceil(-std::log10(unit_) - 1e-9));
  for (; label * unit_ <= top_; label *= 10.0) {
    ticks.push_back({position(label * unit_), compact(label)});
  }
  return ticks;
}

}  // namespace gpuimg
