// Prints where the time went.
#include "phase_times.hpp"

#include <fmt/format.h>

#include <iterator>

namespace gpuimg {
namespace {

constexpr std::array<const char*, 8> kPhaseNames = {"start",  "read",     "decode", "upload",
                                                    "kernel", "download", "encode", "write"};

}  // namespace

std::string PhaseTimes::table() const {
  std::string text;
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{:<9}{:>10.3f} ms\n", kPhaseNames[i], milliseconds_[i]);
  }
  fmt::format_to(std::back_inserter(text), "{:<9}{:>10.3f} ms\n", "total", total_ms());
  return text;
}

std::string PhaseTimes::json() const {
  std::string text = "{";
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "\"{}_ms\": {:.3f}, ", kPhaseNames[i], milliseconds_[i]);
  }
  fmt::format_to(std::back_inserter(text), "\"total_ms\": {:.3f}}}\n", total_ms());
  return text;
}

}  // namespace gpuimg
