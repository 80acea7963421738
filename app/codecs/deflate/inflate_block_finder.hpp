// Finds where in a deflate stream a dynamic block may start. RFC 1951, section 3.2.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gpuimg::codecs {

inline constexpr std::size_t kBlockFinderOverread = 32;

/// Returns the first bit in [begin, end) of `bytes` that can start a dynamic block that is not the last one: its symbol
/// counts are possible, and the code for its code lengths is complete. About one in several thousand bits of unrelated
/// data passes too. May read kBlockFinderOverread bytes past the byte of bit `end`.
std::optional<std::size_t> find_block_header(const std::uint8_t* bytes, std::size_t begin, std::size_t end);

}  // namespace gpuimg::codecs
