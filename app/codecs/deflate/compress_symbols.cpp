// Runs of literals, four at a time: app/codecs/deflate/compress_symbols.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/deflate/compress_symbols.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "codecs/deflate/compress_symbols.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::HWY_NAMESPACE {

/// Literals are counted in four tables, so that equal neighbors do not wait for each other, each with a place for what
/// is no literal, so that the rest of a run needs no branches.
SymbolCounts counts_of(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps) {
  SymbolCounts counts;
  constexpr std::size_t kNone = 256;
  std::array<std::array<std::uint32_t, kNone + 1>, 4> tables{};
  const std::uint8_t* at = bytes.data();
  for (const DeflateStep& step : steps) {
    std::uint32_t left = step.literals;
    for (; left >= 4; left -= 4, at += 4) {
      for (std::size_t k = 0; k < 4; ++k) {
        ++tables[k][at[k]];
      }
    }
    if (step.length == 0) {
      for (; left > 0; --left) {
        ++tables[0][*at++];
      }
      break;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      ++tables[k][k < left ? at[k] : kNone];
    }
    at += left + step.length;
    ++counts.literals[deflate_length(step.length).symbol];
    ++counts.distances[deflate_distance(step.distance_less_one + 1U).symbol];
  }
  for (std::size_t literal = 0; literal < kNone; ++literal) {
    counts.literals[literal] = tables[0][literal] + tables[1][literal] + tables[2][literal] + tables[3][literal];
  }
  counts.literals[kEndOfBlock] = 1;
  return counts;
}

/// Symbols as bits, with lengths' extra bits already behind their codes.
struct StepCodes {
  static constexpr std::size_t kNone = 256;  ///< in `literals`: no bits
  std::array<Bits, kNone + 1> literals;
  std::array<Bits, kMostRepeatLength + 1> lengths;
  std::array<Bits, kDistanceSymbols> distances;
  Bits end;

  explicit StepCodes(const CodeLengths& code_lengths) {
    std::array<Bits, kMostSymbols> codes;
    assign_codes(code_lengths.literals, codes);
    std::copy_n(codes.begin(), kNone, literals.begin());
    literals[kNone] = {};
    end = codes[kEndOfBlock];
    for (std::uint32_t length = 3; length <= kMostRepeatLength; ++length) {
      const DeflateNumber number = deflate_length(length);
      lengths[length] = codes[number.symbol].then({number.extra, number.extra_bits});
    }
    assign_codes(code_lengths.distances, distances);
  }

  [[nodiscard]] Bits repeat(const DeflateStep& step) const {
    const DeflateNumber distance = deflate_distance(step.distance_less_one + 1U);
    return lengths[step.length].then(distances[distance.symbol]).then({distance.extra, distance.extra_bits});
  }
};

void write(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps, const CodeLengths& lengths,
           BitWriter& out) {
  const StepCodes codes(lengths);
  const std::uint8_t* at = bytes.data();
  BitWriter writer = out;  // a local, which registers can hold
  for (const DeflateStep& step : steps) {
    std::uint32_t left = step.literals;
    for (; left >= 4; left -= 4, at += 4) {
      const Bits first = codes.literals[at[0]].then(codes.literals[at[1]]);
      writer.write(first.then(codes.literals[at[2]].then(codes.literals[at[3]])));
    }
    if (step.length == 0) {
      for (; left > 0; --left) {
        writer.write(codes.literals[*at++]);
      }
      break;
    }
    const auto rest = [&](std::uint32_t k) HWY_ATTR { return codes.literals[k < left ? at[k] : StepCodes::kNone]; };
    writer.write(rest(0).then(rest(1)).then(rest(2)));
    writer.write(codes.repeat(step));
    at += left + step.length;
  }
  writer.write(codes.end);
  out = writer;
}

}  // namespace gpuimg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg {
namespace {
HWY_EXPORT(counts_of);
HWY_EXPORT(write);
}  // namespace

SymbolCounts count_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps) {
  return HWY_DYNAMIC_DISPATCH(counts_of)(bytes, steps);
}

void write_steps(std::span<const std::uint8_t> bytes, std::span<const DeflateStep> steps, const CodeLengths& lengths,
                 BitWriter& out) {
  HWY_DYNAMIC_DISPATCH(write)(bytes, steps, lengths, out);
}

}  // namespace gpuimg
#endif
