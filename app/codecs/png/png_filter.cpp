// Row filters on the compiler's vectors of bytes. All arithmetic stays in eight bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/png/png_filter.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "codecs/png/png_filter.hpp"
#include "codecs/png/png_predict-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2
using Bytes = Bytes32;
#else
using Bytes = Bytes16;
#endif

constexpr std::size_t kLanes = sizeof(Bytes);
constexpr std::uint8_t kCostCap = 8;
constexpr std::size_t kStretch = kCostStretchBytes / kLanes;  // vectors
static_assert((kStretch + 1) * kCostCap <= 255, "the costs of a stretch must fit an 8-bit lane");
static_assert(kStretch * kLanes == kCostStretchBytes);

HWY_INLINE Bytes load(const std::uint8_t* from) {
  Bytes values;
  std::memcpy(&values, from, kLanes);
  return values;
}

/// The first `count` bytes at `from`, at most kLanes, followed by zeros.
HWY_INLINE Bytes load(const std::uint8_t* from, std::size_t count) {
  Bytes values{};
  std::memcpy(&values, from, count);
  return values;
}

/// Bytes of a row and the neighbors from which the filters predict them.
struct Neighbors {
  Bytes value{};
  Bytes left{};
  Bytes up{};
  Bytes corner{};
};

/// `count` is how many bytes to load at the end of a row; kLanes if omitted.
template <class... Count>
HWY_INLINE Neighbors neighbors_at(const PngRow& row, std::size_t i, Count... count) {
  const std::size_t before = i - row.pixel_bytes;
  return {load(row.current + i, count...), load(row.current + before, count...), load(row.above + i, count...),
          load(row.above + before, count...)};
}

template <PngFilter filter>
HWY_INLINE Bytes residue(const Neighbors& n) {
  if constexpr (filter == PngFilter::none) {
    return n.value;
  } else if constexpr (filter == PngFilter::sub) {
    return n.value - n.left;
  } else if constexpr (filter == PngFilter::up) {
    return n.value - n.up;
  } else if constexpr (filter == PngFilter::average) {
    return n.value - average_of(n.left, n.up);
  } else {
    return n.value - n.corner - paeth_less_corner(n.left, n.up, n.corner);
  }
}

HWY_INLINE Bytes cost_of(Bytes residues) {
  constexpr Bytes kNone{};
  return smaller(smaller(residues, kNone - residues), kNone + kCostCap);
}

using CostSums = std::array<Bytes, kPngFilterCount>;

HWY_INLINE void add_costs(const Neighbors& n, CostSums& sums) {
  sums[0] += cost_of(residue<PngFilter::none>(n));
  sums[1] += cost_of(residue<PngFilter::sub>(n));
  sums[2] += cost_of(residue<PngFilter::up>(n));
  sums[3] += cost_of(residue<PngFilter::average>(n));
  sums[4] += cost_of(residue<PngFilter::paeth>(n));
}

HWY_INLINE std::uint64_t lane_total(Bytes lanes) {
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    total += lanes[k];
  }
  return total;
}

template <PngFilter filter>
void write_residues(const PngRow& row, std::uint8_t* out) {
  std::size_t i = row.pixel_bytes;
  const Bytes first = residue<filter>(Neighbors{load(row.current, i), {}, load(row.above, i), {}});
  std::memcpy(out, &first, i);
  for (; row.bytes - i >= kLanes; i += kLanes) {
    const Bytes residues = residue<filter>(neighbors_at(row, i));
    std::memcpy(out + i, &residues, kLanes);
  }
  const Bytes last = residue<filter>(neighbors_at(row, i, row.bytes - i));
  std::memcpy(out + i, &last, row.bytes - i);
}

using Costs = std::array<std::uint64_t, kPngFilterCount>;

Costs filter_costs(const PngRow& row) {
  Costs totals{};
  std::size_t i = row.pixel_bytes;
  while (i < row.bytes) {
    CostSums sums{};
    const std::size_t whole = std::min((row.bytes - i) / kLanes, kStretch);
    for (const std::size_t end = i + whole * kLanes; i < end; i += kLanes) {
      add_costs(neighbors_at(row, i), sums);
    }
    if (whole < kStretch) {
      add_costs(neighbors_at(row, i, row.bytes - i), sums);
      i = row.bytes;
    }
    for (std::size_t filter = 0; filter < totals.size(); ++filter) {
      totals[filter] += lane_total(sums[filter]);
    }
    i += std::min(row.bytes - i, kCostStretchBytes);
  }
  return totals;
}

void write_filtered(PngFilter filter, const PngRow& row, std::uint8_t* out) {
  switch (filter) {
    case PngFilter::none: std::memcpy(out, row.current, row.bytes); break;
    case PngFilter::sub: write_residues<PngFilter::sub>(row, out); break;
    case PngFilter::up: write_residues<PngFilter::up>(row, out); break;
    case PngFilter::average: write_residues<PngFilter::average>(row, out); break;
    case PngFilter::paeth: write_residues<PngFilter::paeth>(row, out); break;
  }
}

}  // namespace gpuimg::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs {
namespace {
HWY_EXPORT(filter_costs);
HWY_EXPORT(write_filtered);
}  // namespace

PngFilter choose_filter(const PngRow& row) {
  const auto costs = HWY_DYNAMIC_DISPATCH(filter_costs)(row);
  return static_cast<PngFilter>(std::min_element(costs.begin(), costs.end()) - costs.begin());
}

void filter_row(PngFilter filter, const PngRow& row, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(write_filtered)(filter, row, out);
}

}  // namespace gpuimg::codecs
#endif
