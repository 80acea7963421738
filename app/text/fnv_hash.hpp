// 64-bit FNV-1a. Assigns files to shards and identifies sets of parameters. docs/batch.md specifies its values, so that
// other programs can compute them.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuimg {

constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325U;

constexpr std::uint64_t fnv_hash(std::string_view bytes, std::uint64_t so_far = kFnvBasis) {
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  for (const char byte : bytes) {
    so_far = (so_far ^ static_cast<unsigned char>(byte)) * kPrime;
  }
  return so_far;
}

}  // namespace gpuimg
