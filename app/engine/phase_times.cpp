// Formats phase times.
#include "engine/phase_times.hpp"

#include <fmt/format.h>

#include <iterator>

namespace gpuimg {

void PhaseTimes::add(const PhaseTimes& other) {
  for (std::size_t i = 0; i < milliseconds_.size(); ++i) {
    milliseconds_[i] += other.milliseconds_[i];
  }
}

std::string PhaseTimes::table(const std::string& decoded_by) const {
  std::string text;
  for (std::size_t i = 0; i < milliseconds_.size(); ++i) {
    const bool names_side = static_cast<Phase>(i) == Phase::decode && !decoded_by.empty();
    fmt::format_to(std::back_inserter(text), "{:<9}{:>10.3f} ms{}\n", kPhaseNames[i], milliseconds_[i],
                   names_side ? " on " + decoded_by : "");
  }
  fmt::format_to(std::back_inserter(text), "{:<9}{:>10.3f} ms\n", "total", total_ms());
  return text;
}

std::string PhaseTimes::json(const std::string& decoded_by) const {
  std::string text = "{";
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "\"{}_ms\": {:.3f}, ", kPhaseNames[i], milliseconds_[i]);
  }
  fmt::format_to(std::back_inserter(text), "\"total_ms\": {:.3f}", total_ms());
  if (!decoded_by.empty()) {
    fmt::format_to(std::back_inserter(text), ", \"decoded_by\": \"{}\"", decoded_by);
  }
  return text + "}\n";
}

}  // namespace gpuimg
