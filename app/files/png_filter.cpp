// PNG's row filters on sixteen bytes at a time, in the compiler's own vectors: the narrowest that every 64-bit
// processor has, so no code is chosen at run time. Every value stays in eight bits. The filters: PNG specification,
// section 9.
#include "files/png_filter.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpuimg {
namespace {

using Bytes16 = std::uint8_t __attribute__((vector_size(16)));

constexpr std::size_t kLanes = sizeof(Bytes16);
constexpr std::uint8_t kCostCap = 8;
constexpr std::size_t kStretch = kCostStretchBytes / kLanes;  // vectors
static_assert((kStretch + 1) * kCostCap <= 255, "an 8-bit lane adds up the costs of a stretch");

Bytes16 smaller(Bytes16 a, Bytes16 b) { return a < b ? a : b; }
Bytes16 larger(Bytes16 a, Bytes16 b) { return a > b ? a : b; }
Bytes16 distance(Bytes16 a, Bytes16 b) { return larger(a, b) - smaller(a, b); }
Bytes16 equal(Bytes16 a, Bytes16 b) { return reinterpret_cast<Bytes16>(a == b); }  // 255 where true
Bytes16 chosen(Bytes16 mask, Bytes16 where_set, Bytes16 elsewhere) { return (mask & where_set) | (~mask & elsewhere); }

Bytes16 load(const std::uint8_t* from) {
  Bytes16 values;
  std::memcpy(&values, from, kLanes);
  return values;
}

/// The first `count` of the bytes at `from`, at most kLanes, then zeros.
Bytes16 load(const std::uint8_t* from, std::size_t count) {
  Bytes16 values{};
  std::memcpy(&values, from, count);
  return values;
}

/// Bytes of a row with those that the filters predict them from.
struct Neighbors {
  Bytes16 value{};
  Bytes16 left{};
  Bytes16 up{};
  Bytes16 corner{};
};

/// `count`: how many bytes to load, for the end of a row; left out, all kLanes.
template <class... Count>
Neighbors neighbors_at(const PngRow& row, std::size_t i, Count... count) {
  const std::size_t before = i - row.pixel_bytes;
  return {load(row.current + i, count...), load(row.current + before, count...), load(row.above + i, count...),
          load(row.above + before, count...)};
}

Bytes16 average_of(Bytes16 a, Bytes16 b) { return (a & b) + ((a ^ b) >> 1); }

/// The specification compares |p − left|, |p − up| and |p − corner| for p = left + up − corner. The third is the
/// difference of the first two where the corner lies between left and up; elsewhere it is their sum, and never the
/// smallest.
Bytes16 paeth_of(const Neighbors& n) {
  const Bytes16 to_left = distance(n.up, n.corner);
  const Bytes16 to_up = distance(n.left, n.corner);
  const Bytes16 low = smaller(n.left, n.up);
  const Bytes16 high = larger(n.left, n.up);
  const Bytes16 between = equal(larger(low, smaller(high, n.corner)), n.corner);
  const Bytes16 to_corner = distance(to_left, to_up) | ~between;
  const Bytes16 nearer = smaller(to_up, to_corner);
  const Bytes16 up_or_corner = chosen(equal(nearer, to_up), n.up, n.corner);
  return chosen(equal(smaller(to_left, nearer), to_left), n.left, up_or_corner);
}

template <PngFilter filter>
Bytes16 residue(const Neighbors& n) {
  if constexpr (filter == PngFilter::none) {
    return n.value;
  } else if constexpr (filter == PngFilter::sub) {
    return n.value - n.left;
  } else if constexpr (filter == PngFilter::up) {
    return n.value - n.up;
  } else if constexpr (filter == PngFilter::average) {
    return n.value - average_of(n.left, n.up);
  } else {
    return n.value - paeth_of(n);
  }
}

Bytes16 cost_of(Bytes16 residues) {
  constexpr Bytes16 kNone{};
  return smaller(smaller(residues, kNone - residues), kNone + kCostCap);
}

using CostSums = std::array<Bytes16, kPngFilterCount>;

void add_costs(const Neighbors& n, CostSums& sums) {
  sums[0] += cost_of(residue<PngFilter::none>(n));
  sums[1] += cost_of(residue<PngFilter::sub>(n));
  sums[2] += cost_of(residue<PngFilter::up>(n));
  sums[3] += cost_of(residue<PngFilter::average>(n));
  sums[4] += cost_of(residue<PngFilter::paeth>(n));
}

std::uint64_t lane_total(Bytes16 lanes) {
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    total += lanes[k];
  }
  return total;
}

template <PngFilter filter>
void write_residues(const PngRow& row, std::uint8_t* out) {
  std::size_t i = row.pixel_bytes;
  const Bytes16 first = residue<filter>(Neighbors{load(row.current, i), {}, load(row.above, i), {}});
  std::memcpy(out, &first, i);
  for (; row.bytes - i >= kLanes; i += kLanes) {
    const Bytes16 residues = residue<filter>(neighbors_at(row, i));
    std::memcpy(out + i, &residues, kLanes);
  }
  const Bytes16 last = residue<filter>(neighbors_at(row, i, row.bytes - i));
  std::memcpy(out + i, &last, row.bytes - i);
}

}  // namespace

PngFilter choose_filter(const PngRow& row) {
  std::array<std::uint64_t, kPngFilterCount> totals{};
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
  return static_cast<PngFilter>(std::min_element(totals.begin(), totals.end()) - totals.begin());
}

void filter_row(PngFilter filter, const PngRow& row, std::uint8_t* out) {
  switch (filter) {
    case PngFilter::none: std::memcpy(out, row.current, row.bytes); break;
    case PngFilter::sub: write_residues<PngFilter::sub>(row, out); break;
    case PngFilter::up: write_residues<PngFilter::up>(row, out); break;
    case PngFilter::average: write_residues<PngFilter::average>(row, out); break;
    case PngFilter::paeth: write_residues<PngFilter::paeth>(row, out); break;
  }
}

}  // namespace gpuimg
