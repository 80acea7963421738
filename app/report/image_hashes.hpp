// Perceptual hashes of images, with the values of the Python package imagehash, and groups of images with similar
// hashes. docs/operations.md, "Perceptual hashes".
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

/// phash: low frequencies; dhash: which neighbor is brighter; ahash: which pixels are above the average.
enum class HashKind : std::uint8_t { phash, dhash, ahash };

inline constexpr std::array kHashKinds = {HashKind::phash, HashKind::dhash, HashKind::ahash};

/// The gray image from which hashes are computed: u8, one channel. Luma is as in Pillow's convert("L"); 16-bit levels
/// are first converted to 8 bits; alpha is ignored.
Image gray_for_hashes(ConstView image);

/// The size to which the gray image is resized for a hash, with Lanczos weights.
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

/// The hash of a thumbnail of thumbnail_size(kind): u8, one channel. The highest bit belongs to the top left.
std::uint64_t image_hash(HashKind kind, ConstView thumbnail);

/// 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);

/// Limits of `distance`: the number of bits by which similar hashes may differ.
inline constexpr Limits<int> kHashDistanceLimits{0, 16};

/// Groups of similar images, as rising indices into `hashes`; groups are in the order of their first index. Two hashes
/// belong to one group if they differ in up to `distance` bits, or if a chain of such pairs connects them. An image
/// without similar images belongs to no group.
std::vector<std::vector<std::uint32_t>> groups_of_near_hashes(std::span<const std::uint64_t> hashes, int distance);

}  // namespace gpuimg
