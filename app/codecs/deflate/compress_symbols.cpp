// The encoder's inner loops: literals are counted four at a time, and written eight at a time if their codes are short.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/deflate/compress_symbols.cpp"
#include "codecs/simd_targets.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "codecs/deflate/compress_symbols.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::codecs::HWY_NAMESPACE {

constexpr std::size_t kNone = 256;  ///< stands for "no literal"

/// Arithmetic, because compilers make a branch of ?:, and every second one would be mispredicted.
HWY_INLINE std::size_t literal_or_none(std::size_t literal, bool is_literal) {
  const std::size_t mask = 0 - std::size_t{is_literal};
  return (literal & mask) | (kNone & ~mask);
}

/// Four tables of counts, so that equal neighbors do not depend on each other. Each has an extra entry for "no
/// literal", so that the last literals before a match need no branches.
SymbolCounts counts_of(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences) {
  SymbolCounts counts;
  std::array<std::array<std::uint32_t, kNone + 1>, 4> tables{};
  std::array<std::uint32_t, kMaxMatchLength + 1> lengths{};
  const std::uint8_t* at = bytes.data();
  for (const DeflateSequence& sequence : sequences) {
    std::uint32_t left = sequence.literals;
    for (; left >= 4; left -= 4, at += 4) {
      for (std::size_t k = 0; k < 4; ++k) {
        ++tables[k][at[k]];
      }
    }
    if (sequence.match_length == 0) {
      for (; left > 0; --left) {
        ++tables[0][*at++];
      }
      break;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      ++tables[k][literal_or_none(at[k], k < left)];
    }
    at += left + sequence.match_length;
    ++lengths[sequence.match_length];
    ++counts.distances[coded_distance(sequence.distance_minus_one + 1U).symbol];
  }
  for (std::size_t literal = 0; literal < kNone; ++literal) {
    counts.literals[literal] = tables[0][literal] + tables[1][literal] + tables[2][literal] + tables[3][literal];
  }
  counts.literals[kEndOfBlock] = 1;
  for (std::uint32_t length = kMinMatchLength; length <= kMaxMatchLength; ++length) {
    counts.literals[coded_length(length).symbol] += lengths[length];
  }
  return counts;
}

/// The bits of each symbol. Those of a match length include its extra bits.
struct SequenceCodes {
  std::array<Bits, kNone + 1> literals;
  std::array<Bits, kMaxMatchLength + 1> lengths;
  std::array<Bits, kDistanceSymbols> distances;
  Bits end;

  explicit SequenceCodes(const CodeLengths& code_lengths) {
    std::array<Bits, kFixedLiteralSymbols> codes;
    assign_codes(code_lengths.literals, codes);
    std::copy_n(codes.begin(), kNone, literals.begin());
    literals[kNone] = {};
    end = codes[kEndOfBlock];
    for (std::uint32_t length = kMinMatchLength; length <= kMaxMatchLength; ++length) {
      const CodedValue coded = coded_length(length);
      lengths[length] = codes[coded.symbol].then({coded.extra, coded.extra_bits});
    }
    assign_codes(code_lengths.distances, distances);
  }

  [[nodiscard]] HWY_INLINE Bits four(const std::uint8_t* at) const {
    return literals[at[0]].then(literals[at[1]]).then(literals[at[2]].then(literals[at[3]]));
  }

  [[nodiscard]] Bits match(const DeflateSequence& sequence) const {
    const CodedValue distance = coded_distance(sequence.distance_minus_one + 1U);
    return lengths[sequence.match_length].then(distances[distance.symbol]).then({distance.extra, distance.extra_bits});
  }
};

void write(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences, const CodeLengths& lengths,
           BitWriter& out) {
  const SequenceCodes codes(lengths);
  const std::uint8_t* at = bytes.data();
  BitWriter writer = out;  // a local copy stays in registers
  for (const DeflateSequence& sequence : sequences) {
    std::uint32_t left = sequence.literals;
    for (; left >= 8; left -= 8, at += 8) {
      const Bits first = codes.four(at);
      const Bits second = codes.four(at + 4);
      if (first.count + second.count <= BitWriter::kMaxBits) {  // a store less: 8 % of the time that noise takes
        writer.write(first.then(second));
      } else {
        writer.write(first);
        writer.write(second);
      }
    }
    if (left >= 4) {
      writer.write(codes.four(at));
      left -= 4;
      at += 4;
    }
    if (sequence.match_length == 0) {
      for (; left > 0; --left) {
        writer.write(codes.literals[*at++]);
      }
      break;
    }
    const auto rest = [&](std::uint32_t k) HWY_ATTR { return codes.literals[literal_or_none(at[k], k < left)]; };
    writer.write(rest(0).then(rest(1)).then(rest(2)));
    writer.write(codes.match(sequence));
    at += left + sequence.match_length;
  }
  writer.write(codes.end);
  out = writer;
}

}  // namespace gpuimg::codecs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::codecs {
namespace {
HWY_EXPORT(counts_of);
HWY_EXPORT(write);
}  // namespace

SymbolCounts count_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences) {
  return HWY_DYNAMIC_DISPATCH(counts_of)(bytes, sequences);
}

void write_symbols(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences,
                   const CodeLengths& lengths, BitWriter& out) {
  HWY_DYNAMIC_DISPATCH(write)(bytes, sequences, lengths, out);
}

}  // namespace gpuimg::codecs
#endif
