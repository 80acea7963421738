// Compares the results of two backends.
#include "operations/result_compare.hpp"

#include <fmt/format.h>

#include <cstring>

#include "text/channel_names.hpp"

namespace gpuimg {
namespace {

std::string sample_text(const std::byte* at, Sample sample) {
  const auto as = [at]<class T>() {
    T value;
    std::memcpy(&value, at, sizeof value);
    return fmt::format("{}", value);
  };
  switch (sample) {
    case Sample::u8: return as.operator()<std::uint8_t>();
    case Sample::u16: return as.operator()<std::uint16_t>();
    case Sample::u32: return as.operator()<std::uint32_t>();
    case Sample::u64: return as.operator()<std::uint64_t>();
    case Sample::f32: return as.operator()<float>();
    case Sample::f64: return as.operator()<double>();
  }
  return {};
}

}  // namespace

std::string first_difference(const Image& a, const std::string& a_name, const Image& b, const std::string& b_name) {
  if (a.width() != b.width() || a.height() != b.height() || a.format() != b.format()) {
    return "the results differ in size or format";
  }
  const std::size_t sample = sample_bytes(a.format().sample);
  for (int y = 0; y < a.height(); ++y) {
    const std::byte* row_a = a.view().row_bytes(y);
    const std::byte* row_b = b.view().row_bytes(y);
    if (std::memcmp(row_a, row_b, a.pitch_bytes()) == 0) {
      continue;
    }
    std::size_t i = 0;
    while (std::memcmp(row_a + i * sample, row_b + i * sample, sample) == 0) {
      ++i;
    }
    const auto channels = static_cast<std::size_t>(a.format().channels);
    return fmt::format("pixel {},{} channel {}: {} {}, {} {}", i / channels, y, i % channels, a_name,
                       sample_text(row_a + i * sample, a.format().sample), b_name,
                       sample_text(row_b + i * sample, a.format().sample));
  }
  return {};
}

std::string first_difference(const Histogram& a, const std::string& a_name, const Histogram& b,
                             const std::string& b_name) {
  if (a.channels.size() != b.channels.size()) {
    return "the results differ in channels";
  }
  for (std::size_t c = 0; c < a.channels.size(); ++c) {
    const auto& counts_a = a.channels[c].counts;
    const auto& counts_b = b.channels[c].counts;
    if (counts_a.size() != counts_b.size()) {
      return "the results differ in bins";
    }
    for (std::size_t bin = 0; bin < counts_a.size(); ++bin) {
      if (counts_a[bin] != counts_b[bin]) {
        return fmt::format("channel {} bin {}: {} {}, {} {}", channel_name(a.channels[c].channel), bin, a_name,
                           counts_a[bin], b_name, counts_b[bin]);
      }
    }
  }
  return {};
}

std::string first_difference(const std::variant<Histogram, Image>& a, const std::string& a_name,
                             const std::variant<Histogram, Image>& b, const std::string& b_name) {
  if (a.index() != b.index()) {
    return "the results differ in kind";
  }
  if (const auto* histogram = std::get_if<Histogram>(&a)) {
    return first_difference(*histogram, a_name, std::get<Histogram>(b), b_name);
  }
  return first_difference(std::get<Image>(a), a_name, std::get<Image>(b), b_name);
}

void refuse_difference(const std::string& difference) {
  if (!difference.empty()) {
    throw Error(ErrorKind::mismatch, "verify: the backends disagree: " + difference +
                                         "; nothing was written; please report it with the input");
  }
}

}  // namespace gpuimg
