// One block of a deflate stream, in the form that is smallest: stored, with the fixed codes, or with codes of its own.
// RFC 1951, sections 3.2.3 to 3.2.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/deflate/bit_writer.hpp"
#include "codecs/deflate/match_finder.hpp"

namespace gpuimg {

/// `bytes` are what `steps` write, from the first step's literals on. `is_last`: of the stream.
void write_deflate_block(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps, bool is_last,
                         BitWriter& out);

/// An empty stored block, behind which the stream stands at a whole byte.
void write_sync_marker(BitWriter& out);

}  // namespace gpuimg
