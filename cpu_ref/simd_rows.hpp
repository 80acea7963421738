// Rows of 8-bit RGB and RGBA pixels through the widest vector instructions that the processor has (Highway chooses at
// run time). Each function computes exactly what the arithmetic in include/gpuimg/ops says; the tests hold them to it
// over all 2²⁴ colours. Other formats go through that arithmetic itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpuimg/ops/luma.hpp"

namespace gpuimg::cpu {

/// Luma of `count` pixels of 3 or 4 interleaved channels.
void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels);

/// EqualizeColor::luma: pixels with their luma `levels` replaced by map[level]; alpha is copied. `map` has 256 entries.
void relit_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
               const std::int32_t* map, std::uint8_t* out);

/// out[i] = map[in[i]]; `map` has 256 entries.
void mapped_bytes(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out);

/// HslEncoding::u16 and ::f32 of `count` pixels of 3 interleaved channels.
void hsl_u16_row(const std::uint8_t* pixels, std::size_t count, std::uint16_t* out);
void hsl_f32_row(const std::uint8_t* pixels, std::size_t count, float* out);

}  // namespace gpuimg::cpu
