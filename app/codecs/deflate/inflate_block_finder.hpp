// Where in a deflate stream a block may begin. RFC 1951, section 3.2.7. Used by speculative_inflate.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gpuimg {

inline constexpr std::size_t kBlockFinderOverread = 32;

/// The first bit, from bit `begin` of `bytes` to before bit `end`, where a block with codes of its own that is not the
/// last can begin: the counts in its header are possible and the code of its code lengths leaves no bit pattern unused.
/// One bit in some thousand of anything else passes too. Behind the byte of the last bit kBlockFinderOverread bytes can
/// be read.
std::optional<std::size_t> find_block_header(const std::uint8_t* bytes, std::size_t begin, std::size_t end);

}  // namespace gpuimg
