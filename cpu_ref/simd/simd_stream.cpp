// Copies bytes with non-temporal stores. This avoids reading a cache line that is about to be overwritten completely.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_stream.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void stream_bytes(const std::uint8_t* HWY_RESTRICT from, std::size_t bytes, std::uint8_t* HWY_RESTRICT to) {
  constexpr std::size_t kCacheLine = 64;
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(to) % kCacheLine;
  std::size_t i = std::min(bytes, (kCacheLine - past_line) % kCacheLine);
  std::memcpy(to, from, i);
  for (; i + hn::Lanes(d) <= bytes; i += hn::Lanes(d)) {
    hn::Stream(hn::LoadU(d, from + i), d, to + i);
  }
  std::memcpy(to + i, from + i, bytes - i);
  hwy::FlushStream();
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(stream_bytes);

void stream_bytes(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(stream_bytes)(from, bytes, to);
}

}  // namespace gpuimg::cpu
#endif
