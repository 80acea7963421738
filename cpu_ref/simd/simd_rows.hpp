// Rows of 8-bit RGB and RGBA pixels through the widest vector instructions that the processor has (Highway chooses at
// run time). Each function computes exactly what the arithmetic in include/gpuimg/ops says; the tests hold them to it
// over all 2²⁴ colours. Other formats go through that arithmetic itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/ops/luma.hpp"

namespace gpuimg::cpu {

/// counts[8 × level + any of 0 … 7] += how often each level occurs; 256 × kByteCounters counters of at most 2³² − 1.
inline constexpr std::size_t kByteCounters = 8;
void count_bytes(const std::uint8_t* levels, std::size_t count, std::uint32_t* counts);

/// Luma of `count` pixels of 3 or 4 interleaved channels.
void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels);

/// Y of OpenCV's YCrCb.
void ycrcb_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels);

/// EqualizeColor::luma and ::ycbcr: pixels whose luma is `levels` get that of `levels_new`; alpha is copied.
void relit_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
               const std::uint8_t* levels_new, std::uint8_t* out);
void ycrcb_relit_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                     const std::uint8_t* levels_new, std::uint8_t* out);

/// out[i] = map[in[i]]; `map` has 256 entries.
void mapped_bytes(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out);

/// row[x] += levels[0] + … + levels[x], modulo 2³²: a summed-area table's row from the one above it.
void integral_row(const std::uint8_t* levels, std::size_t count, std::uint32_t* row);

/// sums[x] += levels[x], modulo 2³².
void add_to_columns(const std::uint8_t* levels, std::size_t count, std::uint32_t* sums);

/// Copies bytes around the caches.
void stream_bytes(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to);

/// HslEncoding::u16 and ::f32 of `count` pixels of 3 interleaved channels.
void hsl_u16_row(const std::uint8_t* pixels, std::size_t count, std::uint16_t* out);
void hsl_f32_row(const std::uint8_t* pixels, std::size_t count, float* out);

}  // namespace gpuimg::cpu
