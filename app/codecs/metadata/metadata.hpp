// What a photograph's file says besides its pixels: color space, density, camera. docs/operations.md, "Metadata".
// To read this folder, start here, then carried_metadata.hpp for what each format keeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpuimg::codecs {

enum class DensityUnit : std::uint8_t { none, inch, centimeter, meter };

/// Pixels per unit; without a unit, only the aspect ratio of a pixel. Never 0.
struct PixelDensity {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  DensityUnit unit = DensityUnit::none;

  bool operator==(const PixelDensity&) const = default;
};

/// Members named after a PNG chunk hold that chunk's content; only PNG has them.
struct Metadata {
  std::vector<std::byte> icc;   ///< as returned by icc_profile_in; empty if there is none
  std::vector<std::byte> exif;  ///< begins with the byte order mark; empty if there is none
  std::optional<std::array<std::byte, 4>> cicp;
  std::optional<std::uint8_t> srgb;                  ///< rendering intent, 0 … 3
  std::optional<std::uint32_t> gama;                 ///< gamma of the file times 100000
  std::optional<std::array<std::uint32_t, 8>> chrm;  ///< white, red, green, blue: x and y of each times 100000
  std::optional<PixelDensity> density;
  std::vector<std::byte> xmp;            ///< a packet as is_xmp accepts it; empty if there is none
  std::vector<std::byte> xmp_extension;  ///< the ExtendedXMP of a JPEG; `xmp` refers to it by GUID
  std::vector<std::byte> iptc;           ///< IPTC-IIM datasets; empty if there is none
  std::vector<std::string> not_kept;     ///< other content of the file, for the user: "the tIME chunk"

  bool operator==(const Metadata&) const = default;
};

/// The maximum size of a carried ICC profile: what the 255 segments of a JPEG hold, 16.7 MB.
inline constexpr std::size_t kMaxIccSegmentBytes = 65519;
inline constexpr std::size_t kMaxIccBytes = 255 * kMaxIccSegmentBytes;

/// The maximum size of XMP packets and of IPTC data that are read.
inline constexpr std::size_t kMaxXmpBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxIptcBytes = std::size_t{1} << 20;

/// In PNG's form, per meter or without a unit; rounded to nearest.
PixelDensity density_for_png(const PixelDensity& density);

/// In JFIF's form, per inch, per centimeter or without a unit, at most 65535; rounded to nearest. A density per meter
/// is stated per inch, unless only centimeters preserve it. Returns nullopt if it cannot be stated.
std::optional<PixelDensity> density_for_jfif(const PixelDensity& density);

}  // namespace gpuimg::codecs
