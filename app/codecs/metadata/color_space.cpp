// Names color spaces other than sRGB.
#include "codecs/metadata/color_space.hpp"

#include <fmt/format.h>

#include "codecs/metadata/icc_profile.hpp"

namespace gpuimg::codecs {
namespace {

std::string foreign_cicp(const std::array<std::byte, 4>& cicp) {
  const auto primaries = std::to_integer<int>(cicp[0]);
  const auto transfer = std::to_integer<int>(cicp[1]);
  constexpr int kBt709Primaries = 1;
  constexpr int kSrgbTransfer = 13;
  const bool is_srgb = primaries == kBt709Primaries && transfer == kSrgbTransfer;
  return is_srgb ? "" : fmt::format("cICP {}/{}", primaries, transfer);
}

std::string foreign_profile(ByteSpan profile) {
  const std::string name = icc_description(profile);
  if (name.find("sRGB") != std::string::npos) {
    return {};
  }
  return name.empty() ? "an ICC profile without a name" : "ICC profile '" + name + "'";
}

}  // namespace

std::string foreign_color_space(const Metadata& metadata) {
  constexpr std::uint32_t kSrgbGama = 45455;
  constexpr std::array<std::uint32_t, 8> kSrgbChrm = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
  if (metadata.cicp) {
    return foreign_cicp(*metadata.cicp);
  }
  if (!metadata.icc.empty()) {
    return foreign_profile(metadata.icc);
  }
  if (metadata.srgb) {
    return {};
  }
  if (metadata.gama && *metadata.gama != kSrgbGama) {
    return fmt::format("gAMA {}.{:05}", *metadata.gama / 100000, *metadata.gama % 100000);
  }
  return metadata.chrm && *metadata.chrm != kSrgbChrm ? "cHRM of other primaries" : "";
}

bool are_chromaticities(const std::array<std::uint32_t, 8>& numbers) {
  constexpr std::uint32_t kOne = 100000;
  constexpr std::uint32_t kMinWhiteY = 5;  // libpng's
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    if (numbers[i] > kOne || numbers[i + 1] > kOne - numbers[i]) {
      return false;
    }
  }
  const auto between = [&](std::size_t from, std::size_t to) {
    return std::int64_t{numbers[to]} - std::int64_t{numbers[from]};
  };
  return numbers[1] >= kMinWhiteY && between(2, 4) * between(3, 7) != between(3, 5) * between(2, 6);
}

}  // namespace gpuimg::codecs
