// Perceptual hashes of images, as the Python package imagehash has them, and groups of images whose hashes are near.
// docs/operations.md, "Perceptual hashes".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/image.hpp"
#include "gpuimg/ops/limits.hpp"

namespace gpuimg {

/// phash: of low frequencies; dhash: of differences between neighbors; ahash: of levels above the average.
enum class HashKind : std::uint8_t { phash, dhash, ahash };

inline constexpr std::array kHashKinds = {HashKind::phash, HashKind::dhash, HashKind::ahash};

/// The gray that hashes are made of: u8, one channel. Luma as Pillow's convert("L"); levels of 16 bits are brought to 8
/// first; alpha is left out.
Image gray_for_hashes(ConstView image);

/// The size to which the gray is resized for a hash, with Lanczos weights.
struct ThumbnailSize {
  int width = 0;
  int height = 0;
};
constexpr ThumbnailSize thumbnail_size(HashKind kind) {
  switch (kind) {
    case HashKind::phash: return {32, 32};
    case HashKind::dhash: return {9, 8};
    default: return {8, 8};
  }
}

/// The hash of a thumbnail of that size: u8, one channel. The first bit, that of the top left, is the highest.
std::uint64_t image_hash(HashKind kind, ConstView thumbnail);

/// 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);

/// The most bits in which hashes of a group's neighbors may differ.
inline constexpr Limits<int> kHashDistanceLimits{0, 16};

/// Indices into `hashes` of images that belong together, in rising order; the groups are in the order of their first
/// index. Two hashes that differ in up to `distance` bits belong together, and so do those that a chain of such pairs
/// joins. An image that is alone has no group.
std::vector<std::vector<std::uint32_t>> groups_of_near_hashes(std::span<const std::uint64_t> hashes, int distance);

}  // namespace gpuimg
