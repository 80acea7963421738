// Vectorized passes of resize. 16 rows at a time are transposed into words, so that the lanes of a vector are rows in
// the horizontal pass and columns in the vertical pass. Both passes then compute the same sum of words times weights.
// For 8-bit samples, a word holds four adjacent samples along the pass. Specified in docs/operations.md, "Resize".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_resize.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "ops/resize.hpp"
#include "simd/simd_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace gpuimg::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
#undef GPUIMG_HAS_DOTS

constexpr std::size_t kRows = kResizeRows;

using Words = hn::CappedTag<std::int32_t, kRows>;

#if HWY_TARGET != HWY_SCALAR
using Word = hn::Vec<Words>;
using Pairs = hn::Repartition<std::int16_t, Words>;

HWY_INLINE hn::Vec<Pairs> same_pairs(std::int32_t pair) { return hn::BitCast(Pairs(), hn::Set(Words(), pair)); }

/// Computes a vector of lanes: the sum of words[0], words[stride], … times their weights. Splits the bytes of a word
/// into two pairs, and weights into high and low parts, so that products have 16-bit factors. Sums are computed modulo
/// 2³²; the total fits.
HWY_INLINE void weighted_lanes(const std::uint32_t* words, std::size_t stride, const WordWeights<std::uint8_t>* weights,
                               std::size_t count, std::uint8_t* out) {
  const Words d;
  const Pairs dp;
  const hn::RebindToUnsigned<Pairs> unsigned_pairs;
  Word high = hn::Zero(d);
  Word high_rest = hn::Zero(d);
  Word low = hn::Zero(d);
  Word low_rest = hn::Zero(d);
  for (std::size_t k = 0; k < count; ++k, words += stride) {
    const auto pairs = hn::BitCast(unsigned_pairs, hn::LoadU(hn::RebindToUnsigned<Words>(), words));
    const auto even = hn::BitCast(dp, hn::And(pairs, hn::Set(unsigned_pairs, 0xFF)));
    const auto odd = hn::BitCast(dp, hn::ShiftRight<8>(pairs));
    high = hn::ReorderWidenMulAccumulate(d, even, same_pairs(weights[k].even_high), high, high_rest);
    low = hn::ReorderWidenMulAccumulate(d, even, same_pairs(weights[k].even_low), low, low_rest);
    high = hn::ReorderWidenMulAccumulate(d, odd, same_pairs(weights[k].odd_high), high, high_rest);
    low = hn::ReorderWidenMulAccumulate(d, odd, same_pairs(weights[k].odd_low), low, low_rest);
  }
  const Word sum =
      hn::Add(hn::ShiftLeft<WordWeights<std::uint8_t>::kLowBits>(hn::RearrangeToOddPlusEven(high, high_rest)),
              hn::Add(hn::RearrangeToOddPlusEven(low, low_rest), hn::Set(d, 1 << (kWeightBits<std::uint8_t> - 1))));
  const hn::Rebind<std::uint8_t, Words> bytes;
  hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<kWeightBits<std::uint8_t>>(sum)), bytes, out);
}

using Halves = hn::CappedTag<std::int64_t, kRows>;
using Half = hn::Vec<Halves>;

/// For 16-bit samples: splits weights into high and low parts, so that 64-bit products have 32-bit factors.
HWY_INLINE void weighted_lanes(const std::uint16_t* words, std::size_t stride,
                               const WordWeights<std::uint16_t>* weights, std::size_t count, std::uint16_t* out) {
  const Halves d;
  const hn::Rebind<std::uint16_t, Halves> shorts;
  const hn::Rebind<std::int32_t, Halves> narrow;
  const hn::Repartition<std::int32_t, Halves> factors;
  Half high = hn::Zero(d);
  Half low = hn::Set(d, std::int64_t{1} << (kWeightBits<std::uint16_t> - 1));
  for (std::size_t k = 0; k < count; ++k, words += stride) {
    const auto samples = hn::BitCast(factors, hn::PromoteTo(d, hn::PromoteTo(narrow, hn::LoadU(shorts, words))));
    high = hn::Add(high, hn::MulEven(samples, hn::Set(factors, weights[k].high)));
    low = hn::Add(low, hn::MulEven(samples, hn::Set(factors, weights[k].low)));
  }
  constexpr int kLowBits = WordWeights<std::uint16_t>::kLowBits;
  const Half sum = hn::ShiftRight<kWeightBits<std::uint16_t>>(hn::Add(hn::ShiftLeft<kLowBits>(high), low));
  const Half level = hn::Min(hn::Max(sum, hn::Zero(d)), hn::Set(d, 65535));
  hn::StoreU(hn::TruncateTo(shorts, hn::BitCast(hn::RebindToUnsigned<Halves>(), level)), shorts, out);
}

#if HWY_TARGET == HWY_AVX3_DL
#define GPUIMG_HAS_DOTS 1

/// Adds to each lane the dot product of its four bytes and four signed weights. Every processor of this target has the
/// instruction, but Highway 1.0.3 has no function for it.
HWY_INLINE void add_dots(Word& sums, hn::Vec<hn::RebindToUnsigned<Words>> bytes, std::uint32_t weights) {
  const auto factors = hn::Set(hn::RebindToUnsigned<Words>(), weights);
  asm("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(bytes.raw), "v"(factors.raw));
}

/// Like weighted_lanes(), for adjacent vectors that share weights: three dot products of bytes, one per digit of the
/// weights.
template <std::size_t vectors>
HWY_INLINE void weighted_vectors(const std::uint32_t* words, std::size_t stride,
                                 const WordWeights<std::uint8_t>* weights, std::size_t count, std::uint8_t* out) {
  const Words d;
  const hn::Rebind<std::uint8_t, Words> bytes;
  Word high[vectors];
  Word middle[vectors];
  Word low[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    high[v] = middle[v] = hn::Zero(d);
    low[v] = hn::Set(d, 1 << (kWeightBits<std::uint8_t> - 1));
  }
  for (std::size_t k = 0; k < count; ++k, words += stride) {
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto samples = hn::LoadU(hn::RebindToUnsigned<Words>(), words + v * kRows);
      add_dots(low[v], samples, weights[k].digits[0]);
      add_dots(middle[v], samples, weights[k].digits[1]);
      add_dots(high[v], samples, weights[k].digits[2]);
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) {
    const Word sum = hn::Add(hn::ShiftLeft<8>(hn::Add(hn::ShiftLeft<8>(high[v]), middle[v])), low[v]);
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<kWeightBits<std::uint8_t>>(sum)), bytes, out + v * kRows);
  }
}
#endif

inline std::size_t vector_lanes(std::uint8_t /*sample*/) { return hn::Lanes(Words()); }
inline std::size_t vector_lanes(std::uint16_t /*sample*/) { return hn::Lanes(Halves()); }
#else
/// For HWY_SCALAR: a vector of one word has no halves.
inline void weighted_lanes(const std::uint32_t* words, std::size_t stride, const WordWeights<std::uint8_t>* weights,
                           std::size_t count, std::uint8_t* out) {
  std::int32_t sum = 1 << (kWeightBits<std::uint8_t> - 1);
  for (std::size_t k = 0; k < count; ++k, words += stride) {
    for (int i = 0; i < 4; ++i) {
      sum += static_cast<std::int32_t>((*words >> (8 * i)) & 0xFFU) * weights[k].weight(i);
    }
  }
  *out = resampled<std::uint8_t>(sum);
}
inline void weighted_lanes(const std::uint16_t* words, std::size_t stride, const WordWeights<std::uint16_t>* weights,
                           std::size_t count, std::uint16_t* out) {
  std::int64_t sum = std::int64_t{1} << (kWeightBits<std::uint16_t> - 1);
  for (std::size_t k = 0; k < count; ++k, words += stride) {
    sum += *words * weights[k].weight();
  }
  *out = resampled<std::uint16_t>(sum);
}
inline std::size_t vector_lanes(std::uint8_t /*sample*/) { return 1; }
inline std::size_t vector_lanes(std::uint16_t /*sample*/) { return 1; }
#endif

template <class T>
void weighted_rows_of(const ResizeWord<T>* words, std::size_t stride, const WordWeights<T>* weights, std::size_t count,
                      std::size_t lanes, T* out) {
  const std::size_t step = vector_lanes(T{});
  std::size_t x = 0;
  for (; x + step <= lanes; x += step) {
    weighted_lanes(words + x, stride, weights, count, out + x);
  }
  if (x < lanes) {  // rows of words are whole vectors, rows of the result are not
    T rest[kRows];
    weighted_lanes(words + x, stride, weights, count, rest);
    std::memcpy(out + x, rest, (lanes - x) * sizeof(T));
  }
}

/// An 8-bit sample of row r becomes byte r % 4 of a word that holds four rows. A 16-bit sample is a word by itself.
HWY_INLINE void store_rows(const std::uint8_t* rows, std::uint32_t* words, std::size_t stride) {
  for (std::size_t i = 0; i < kRows / 4; ++i) {
    std::memcpy(words + i * stride, rows + 4 * i, 4);
  }
}
HWY_INLINE void store_rows(const std::uint16_t* rows, std::uint16_t* words, std::size_t stride) {
  for (std::size_t i = 0; i < kRows; ++i) {
    words[i * stride] = rows[i];
  }
}

template <class T>
void weighted_columns_of(const ResizeWord<T>* words, const WordAxis<T>& axis, int channels, ResizeWord<T>* out,
                         std::size_t stride) {
  const std::size_t step = vector_lanes(T{});
  const auto planes = static_cast<std::size_t>(channels);
  T rows[kRows];
  for (std::size_t i = 0; i < axis.first.size(); ++i) {
    const WordWeights<T>* weights = axis.weights.data() + axis.starts[i];
    const std::size_t count = axis.starts[i + 1] - axis.starts[i];
    const ResizeWord<T>* from = words + axis.first[i] * planes * kRows;
    for (std::size_t c = 0; c < planes; ++c, from += kRows) {
      for (std::size_t r = 0; r < kRows; r += step) {
        weighted_lanes(from + r, planes * kRows, weights, count, rows + r);
      }
      store_rows(rows, out + i * planes + c, stride);
    }
  }
}

#ifdef GPUIMG_HAS_DOTS
void dotted_row(const std::uint32_t* words, std::size_t stride, const WordWeights<std::uint8_t>* weights,
                std::size_t count, std::size_t lanes, std::uint8_t* out) {
  std::size_t x = 0;
  for (; x + 4 * kRows <= lanes; x += 4 * kRows) {
    weighted_vectors<4>(words + x, stride, weights, count, out + x);
  }
  for (; x + kRows <= lanes; x += kRows) {
    weighted_vectors<1>(words + x, stride, weights, count, out + x);
  }
  if (x < lanes) {
    std::uint8_t rest[kRows];
    weighted_vectors<1>(words + x, stride, weights, count, rest);
    std::memcpy(out + x, rest, lanes - x);
  }
}

/// Stores four words in each of four rows of words, from the bytes of 16 rows and four columns. Also stores arbitrary
/// words for columns that have not been computed yet. Later stores overwrite them, or they lie after the end of the
/// row.
HWY_INLINE void store_columns(const std::uint8_t* columns, std::uint32_t* words, std::size_t stride) {
  const hn::FixedTag<std::uint32_t, 4> d;
  const hn::FixedTag<std::uint64_t, 2> halves;
  const auto column = [&](std::size_t i) {
    return hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(columns + i * kRows));
  };
  const auto pairs_low = hn::BitCast(halves, hn::InterleaveLower(d, column(0), column(1)));
  const auto pairs_high = hn::BitCast(halves, hn::InterleaveUpper(d, column(0), column(1)));
  const auto others_low = hn::BitCast(halves, hn::InterleaveLower(d, column(2), column(3)));
  const auto others_high = hn::BitCast(halves, hn::InterleaveUpper(d, column(2), column(3)));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(halves, pairs_low, others_low)), d, words);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(halves, pairs_low, others_low)), d, words + stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(halves, pairs_high, others_high)), d, words + 2 * stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(halves, pairs_high, others_high)), d, words + 3 * stride);
}

/// Processes four columns at a time, which belong to four, two or one pixels.
template <std::size_t channels>
void dotted_columns(const std::uint32_t* words, const WordAxis<std::uint8_t>& axis, std::uint32_t* out,
                    std::size_t stride) {
  constexpr std::size_t kPixels = 4 / channels;
  alignas(64) std::uint8_t columns[4 * kRows] = {};
  for (std::size_t i = 0; i < axis.first.size(); i += kPixels) {
    for (std::size_t p = 0; p < kPixels && i + p < axis.first.size(); ++p) {
      const std::uint32_t start = axis.starts[i + p];
      weighted_vectors<channels>(words + axis.first[i + p] * channels * kRows, channels * kRows,
                                 axis.weights.data() + start, axis.starts[i + p + 1] - start,
                                 columns + p * channels * kRows);
    }
    store_columns(columns, out + i * channels, stride);
  }
}
#endif

// --- Transposition --------------------------------------------------------------------------------------------------

template <int channels>
void words_of_pixels(const std::uint8_t* const* rows, std::size_t first, std::size_t count, std::uint32_t* words) {
  for (std::size_t x = first; x < count; x += 4) {
    for (std::size_t c = 0; c < channels; ++c) {
      std::uint32_t* plane = words + (x / 4 * channels + c) * kRows;
      for (std::size_t r = 0; r < kRows; ++r) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4 && x + k < count; ++k) {
          word |= std::uint32_t{rows[r][(x + k) * channels + c]} << (8 * k);
        }
        plane[r] = word;
      }
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
/// For 16 (or 12) bytes that hold whole words: the source of each byte of the words.
template <int channels>
struct WordOrder;
template <>
struct WordOrder<1> {
  static constexpr std::uint8_t kBytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
};
template <>
struct WordOrder<2> {
  static constexpr std::uint8_t kBytes[16] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
};
template <>
struct WordOrder<3> {
  static constexpr std::uint8_t kBytes[16] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 12, 13, 14, 15};
};
template <>
struct WordOrder<4> {
  static constexpr std::uint8_t kBytes[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
};

#ifdef GPUIMG_HAS_DOTS
/// The source of each byte of four rows of words: byte k of word w of row r, in four blocks of one row each.
template <int channels>
struct BlockOrder {
  alignas(64) std::uint8_t bytes[64];
  constexpr BlockOrder() : bytes() {
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned row = i / 4 % 4;
      bytes[i] = static_cast<std::uint8_t>(16 * row + WordOrder<channels>::kBytes[i / 16 * 4 + i % 4]);
    }
  }
};

/// Makes a vector for each word. First loads four rows of all words, 16 bytes per row, then exchanges these blocks.
template <int channels>
HWY_INLINE void transpose_blocks(const std::uint8_t* const* rows, std::size_t at, std::uint32_t* to) {
  static constexpr BlockOrder<channels> kOrder;
  const hn::FixedTag<std::uint8_t, 16> block;
  const hn::FixedTag<std::uint8_t, 32> two;
  const hn::FixedTag<std::uint8_t, 64> four;
  const auto words_of = [&](std::size_t r) {
    const auto row = [&](std::size_t i) { return hn::LoadU(block, rows[r + i] + at); };
    const auto bytes = hn::Combine(four, hn::Combine(two, row(3), row(2)), hn::Combine(two, row(1), row(0)));
    return _mm512_permutexvar_epi8(_mm512_load_si512(kOrder.bytes), bytes.raw);
  };
  const auto a = words_of(0);
  const auto b = words_of(4);
  const auto c = words_of(8);
  const auto e = words_of(12);
  const auto ab_low = _mm512_shuffle_i32x4(a, b, 0x44);
  const auto ab_high = _mm512_shuffle_i32x4(a, b, 0xEE);
  const auto ce_low = _mm512_shuffle_i32x4(c, e, 0x44);
  const auto ce_high = _mm512_shuffle_i32x4(c, e, 0xEE);
  _mm512_storeu_si512(to, _mm512_shuffle_i32x4(ab_low, ce_low, 0x88));
  _mm512_storeu_si512(to + kRows, _mm512_shuffle_i32x4(ab_low, ce_low, 0xDD));
  _mm512_storeu_si512(to + 2 * kRows, _mm512_shuffle_i32x4(ab_high, ce_high, 0x88));
  if constexpr (channels != 3) {
    _mm512_storeu_si512(to + 3 * kRows, _mm512_shuffle_i32x4(ab_high, ce_high, 0xDD));
  }
}
#else
/// Uses vectors of 16 bytes.
template <int channels>
HWY_INLINE void transpose_blocks(const std::uint8_t* const* rows, std::size_t at, std::uint32_t* to) {
  const hn::FixedTag<std::uint8_t, 16> bytes;
  const hn::FixedTag<std::uint32_t, 4> d;
  const hn::FixedTag<std::uint64_t, 2> halves;
  const auto order = hn::LoadU(bytes, WordOrder<channels>::kBytes);
  for (std::size_t r = 0; r < kRows; r += 4) {
    const auto row = [&](std::size_t i) {
      return hn::BitCast(d, hn::TableLookupBytes(hn::LoadU(bytes, rows[r + i] + at), order));
    };
    const auto a = row(0);
    const auto b = row(1);
    const auto c = row(2);
    const auto e = row(3);
    const auto ab_low = hn::BitCast(halves, hn::InterleaveLower(d, a, b));
    const auto ab_high = hn::BitCast(halves, hn::InterleaveUpper(d, a, b));
    const auto ce_low = hn::BitCast(halves, hn::InterleaveLower(d, c, e));
    const auto ce_high = hn::BitCast(halves, hn::InterleaveUpper(d, c, e));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(halves, ab_low, ce_low)), d, to + r);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(halves, ab_low, ce_low)), d, to + kRows + r);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(halves, ab_high, ce_high)), d, to + 2 * kRows + r);
    if constexpr (channels != 3) {
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(halves, ab_high, ce_high)), d, to + 3 * kRows + r);
    }
  }
}
#endif

/// Transposes all pixels from which 16 bytes can be read, and returns their number.
template <int channels>
std::size_t transposed_vectors(const std::uint8_t* const* rows, std::size_t count, std::uint32_t* words) {
  constexpr std::size_t kPixels = channels == 3 ? 4 : 16 / channels;
  std::size_t x = 0;
  for (; x * channels + 16 <= count * channels; x += kPixels) {
    transpose_blocks<channels>(rows, x * channels, words + x / 4 * channels * kRows);
  }
  return x;
}
#else
template <int channels>
std::size_t transposed_vectors(const std::uint8_t* const* /*rows*/, std::size_t /*count*/, std::uint32_t* /*words*/) {
  return 0;
}
#endif

template <int channels>
void transposed(const std::uint8_t* const* rows, std::size_t count, std::uint32_t* words) {
  words_of_pixels<channels>(rows, transposed_vectors<channels>(rows, count, words), count, words);
}

// Each function has its own name, because HWY_EXPORT does not support overloads.

void transpose_bytes(const std::uint8_t* const* rows, std::size_t count, int channels, std::uint32_t* words) {
  switch (channels) {
    case 1: return transposed<1>(rows, count, words);
    case 2: return transposed<2>(rows, count, words);
    case 3: return transposed<3>(rows, count, words);
    default: return transposed<4>(rows, count, words);
  }
}

void transpose_shorts(const std::uint16_t* const* rows, std::size_t count, int channels, std::uint16_t* words) {
  const std::size_t samples = count * static_cast<std::size_t>(channels);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t x = 0; x < samples; ++x) {
      words[x * kRows + r] = rows[r][x];
    }
  }
}

void columns_of_bytes(const std::uint32_t* words, const WordAxis<std::uint8_t>& axis, int channels, std::uint32_t* out,
                      std::size_t stride) {
#ifdef GPUIMG_HAS_DOTS
  switch (channels) {
    case 1: return dotted_columns<1>(words, axis, out, stride);
    case 2: return dotted_columns<2>(words, axis, out, stride);
    case 3: return dotted_columns<3>(words, axis, out, stride);
    default: return dotted_columns<4>(words, axis, out, stride);
  }
#else
  weighted_columns_of<std::uint8_t>(words, axis, channels, out, stride);
#endif
}

void columns_of_shorts(const std::uint16_t* words, const WordAxis<std::uint16_t>& axis, int channels,
                       std::uint16_t* out, std::size_t stride) {
  weighted_columns_of<std::uint16_t>(words, axis, channels, out, stride);
}

void row_of_bytes(const std::uint32_t* words, std::size_t stride, const WordWeights<std::uint8_t>* weights,
                  std::size_t count, std::size_t lanes, std::uint8_t* out) {
#ifdef GPUIMG_HAS_DOTS
  dotted_row(words, stride, weights, count, lanes, out);
#else
  weighted_rows_of<std::uint8_t>(words, stride, weights, count, lanes, out);
#endif
}

void row_of_shorts(const std::uint16_t* words, std::size_t stride, const WordWeights<std::uint16_t>* weights,
                   std::size_t count, std::size_t lanes, std::uint16_t* out) {
  weighted_rows_of<std::uint16_t>(words, stride, weights, count, lanes, out);
}

}  // namespace gpuimg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gpuimg::cpu {

HWY_EXPORT(transpose_bytes);
HWY_EXPORT(transpose_shorts);
HWY_EXPORT(columns_of_bytes);
HWY_EXPORT(columns_of_shorts);
HWY_EXPORT(row_of_bytes);
HWY_EXPORT(row_of_shorts);

void transpose_rows(const std::uint8_t* const* rows, std::size_t count, int channels, std::uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(transpose_bytes)(rows, count, channels, words);
}

void transpose_rows(const std::uint16_t* const* rows, std::size_t count, int channels, std::uint16_t* words) {
  HWY_DYNAMIC_DISPATCH(transpose_shorts)(rows, count, channels, words);
}

void weighted_columns(const std::uint32_t* words, const WordAxis<std::uint8_t>& axis, int channels, std::uint32_t* out,
                      std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(columns_of_bytes)(words, axis, channels, out, stride);
}

void weighted_columns(const std::uint16_t* words, const WordAxis<std::uint16_t>& axis, int channels, std::uint16_t* out,
                      std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(columns_of_shorts)(words, axis, channels, out, stride);
}

void weighted_row(const std::uint32_t* words, std::size_t stride, const WordWeights<std::uint8_t>* weights,
                  std::size_t count, std::size_t lanes, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(row_of_bytes)(words, stride, weights, count, lanes, out);
}

void weighted_row(const std::uint16_t* words, std::size_t stride, const WordWeights<std::uint16_t>* weights,
                  std::size_t count, std::size_t lanes, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(row_of_shorts)(words, stride, weights, count, lanes, out);
}

}  // namespace gpuimg::cpu
#endif
