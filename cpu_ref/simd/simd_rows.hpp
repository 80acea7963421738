// Row functions for 8-bit pixels (window functions also for 16-bit pixels). They use the widest vector instructions of
// the processor, which Highway selects at run time. Each function computes exactly the results that core/ops specifies;
// tests compare all 2²⁴ colors. Other formats use the arithmetic of core/ops directly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/ops/luma.hpp"

namespace gpuimg::cpu {

/// Counts levels. Each level has kByteCounters counters, counts[8 × level + 0 … 7], and each occurrence increments any
/// one of them. `counts` has 256 × kByteCounters counters. No counter may exceed 2³² − 1.
inline constexpr std::size_t kByteCounters = 8;
void count_bytes(const std::uint8_t* levels, std::size_t count, std::uint32_t* counts);

/// Luma of `count` pixels of 3 or 4 interleaved channels.
void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels);

/// Y of OpenCV's YCrCb.
void ycrcb_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels);

/// EqualizeColor::luma and ::ycbcr: changes the luma of pixel x from levels[x] to levels_new[x]. Copies alpha.
void remap_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                    const std::uint8_t* levels_new, std::uint8_t* out);
void remap_ycrcb_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                     const std::uint8_t* levels_new, std::uint8_t* out);

/// out[i] = map[in[i]]. `map` has 256 entries.
void mapped_bytes(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out);

/// Interpolates between four tables: out[x] = gpuimg::interpolated() of the four entries for levels[x], with the
/// weights right[x] and `below`. `words` holds the four entries of a level in one word: above left in the lowest bits,
/// then above right, below left, below right.
void interpolate_levels(const std::uint8_t* levels, std::size_t count, const std::uint32_t* words, const float* right,
                        float below, std::uint8_t* out);
void interpolate_levels(const std::uint16_t* levels, std::size_t count, const std::uint64_t* words, const float* right,
                        float below, std::uint16_t* out);

/// Like the function above, but with four separate tables. Faster if there are too few pixels to justify joining 65536
/// entries.
void interpolate_levels(const std::uint16_t* levels, std::size_t count, const std::uint16_t* const* tables,
                        const float* right, float below, std::uint16_t* out);

/// Joins the first `count` entries of four tables into words.
void join_tables(const std::uint16_t* const* tables, std::size_t count, std::uint32_t* words);
void join_tables(const std::uint16_t* const* tables, std::size_t count, std::uint64_t* words);

/// gpuimg::clahe_map() of 65536 counts whose sum is below 2³¹. Clears the counts.
void clahe_map_16(std::uint32_t* counts, double clip, std::uint16_t* map);

/// row[x] += levels[0] + … + levels[x], modulo 2³². This turns a row of a summed-area table into the next row.
void integral_row(const std::uint8_t* levels, std::size_t count, std::uint32_t* row);

/// sums[x] += levels[x], modulo 2³².
void add_to_columns(const std::uint8_t* levels, std::size_t count, std::uint32_t* sums);

/// sums[i] += entering[i] − leaving[i], modulo 2³².
void slide_columns(const std::uint8_t* entering, const std::uint8_t* leaving, std::size_t count, std::uint32_t* sums);
void slide_columns(const std::uint16_t* entering, const std::uint16_t* leaving, std::size_t count, std::uint32_t* sums);

/// sums[i] = before + (entering[0] − leaving[0]) + … + (entering[i] − leaving[i]), modulo 2³². Returns the last sum.
std::uint32_t slide_along(const std::uint32_t* entering, const std::uint32_t* leaving, std::size_t count,
                          std::uint32_t before, std::uint32_t* sums);

/// means[i] = gpuimg::window_mean(sums[i], n). Each mean must fit in a sample, and each sum plus n must be below 2³¹.
void means_of_sums(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint8_t* means);
void means_of_sums(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint16_t* means);

/// On entry, white[x] is a mean. It becomes 255 if levels[x] − mean > −offset, else 0.
void compare_with_means(const std::uint8_t* levels, std::size_t count, std::int32_t offset, std::uint8_t* white);

/// One row of each color channel (1 or 3), for non-local means.
template <class T>
using ChannelRows = std::array<T*, 3>;

/// Sets row[x] to s and adds s − old row[x] to columns[x], where s is the sum over the channels of squared differences
/// (8 bits) or absolute differences (16 bits).
void slide_differences(const ChannelRows<const std::uint8_t>& here, const ChannelRows<const std::uint8_t>& there,
                       int channels, std::size_t count, std::int32_t* row, std::int32_t* columns);
void slide_differences(const ChannelRows<const std::uint16_t>& here, const ChannelRows<const std::uint16_t>& there,
                       int channels, std::size_t count, std::int32_t* row, std::int32_t* columns);

/// The weight for a distance D < 2³¹ is weights[min(D >> shift, last)]. D is the sum of `patch` columns.
struct WeightTable {
  const std::int32_t* weights = nullptr;
  std::int32_t last = 0;
  std::uint32_t shift = 0;
  std::size_t patch = 1;
};

/// Sets weights[x] to the weight for the columns x … x + patch − 1.
void patch_weights(const std::int32_t* columns, const WeightTable& table, std::size_t count, std::int32_t* weights);

/// Adds weights[x] to weight_sums[x], and weights[x] times the samples to `sums`.
void add_weighted(const std::int32_t* weights, const ChannelRows<const std::uint8_t>& samples, int channels,
                  std::size_t count, std::int32_t* weight_sums, const ChannelRows<std::int32_t>& sums);
void add_weighted(const std::int32_t* weights, const ChannelRows<const std::uint16_t>& samples, int channels,
                  std::size_t count, std::uint64_t* weight_sums, const ChannelRows<std::uint64_t>& sums);

/// The number of rows that resize processes at a time, and the content of a lane of its vectors: four 8-bit samples
/// that are adjacent along the pass, or one 16-bit sample.
inline constexpr std::size_t kResizeRows = 16;
template <class T>
using ResizeWord = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint16_t>;
template <class T>
inline constexpr int kWordSamples = sizeof(T) == 1 ? 4 : 1;

/// The weights of the samples of one word; 0 for a sample outside the window. Weights of 8-bit samples are stored in
/// two ways:
/// - split into high · 2^kLowBits + low. The parts of two samples share a word, the first sample in the low 16 bits.
/// - as signed 8-bit digits, Σ digits[i] · 256^i. The digits of four samples share a word, the first in the low byte.
template <class T>
struct WordWeights;

template <>
struct WordWeights<std::uint8_t> {
  static constexpr int kLowBits = 12;
  std::int32_t even_high = 0;  ///< of samples 0 (low half) and 2
  std::int32_t even_low = 0;
  std::int32_t odd_high = 0;  ///< of samples 1 (low half) and 3
  std::int32_t odd_low = 0;
  std::array<std::uint32_t, 3> digits{};

  void set(int sample, std::int32_t weight) {
    std::int32_t rest = weight;
    for (std::uint32_t& digit : digits) {
      const auto low = static_cast<std::int8_t>(static_cast<std::uint32_t>(rest) & 0xFFU);
      digit |= std::uint32_t{static_cast<std::uint8_t>(low)} << (8 * sample);
      rest = (rest - low) / 256;
    }
    const int shift = sample / 2 * 16;
    const auto put = [shift](std::int32_t& pair, std::int32_t part) {
      pair = static_cast<std::int32_t>(static_cast<std::uint32_t>(pair) | (static_cast<std::uint32_t>(part) & 0xFFFFU)
                                                                              << shift);
    };
    put(sample % 2 == 0 ? even_high : odd_high, weight >> kLowBits);
    put(sample % 2 == 0 ? even_low : odd_low, weight & ((1 << kLowBits) - 1));
  }
  [[nodiscard]] std::int32_t weight(int sample) const {
    const int shift = sample / 2 * 16;
    const auto half = [shift](std::int32_t pair) {
      return std::int32_t{static_cast<std::int16_t>(static_cast<std::uint32_t>(pair) >> shift)};
    };
    return half(sample % 2 == 0 ? even_high : odd_high) * (1 << kLowBits) + half(sample % 2 == 0 ? even_low : odd_low);
  }
};

template <>
struct WordWeights<std::uint16_t> {
  static constexpr int kLowBits = 24;
  std::int32_t high = 0;
  std::int32_t low = 0;

  void set(int /*sample*/, std::int64_t weight) {
    high = static_cast<std::int32_t>(weight >> kLowBits);
    low = static_cast<std::int32_t>(weight & ((std::int64_t{1} << kLowBits) - 1));
  }
  [[nodiscard]] std::int64_t weight() const { return high * (std::int64_t{1} << kLowBits) + low; }
};

/// The words that each output position of a pass sums, and their weights.
template <class T>
struct WordAxis {
  std::vector<std::uint32_t> first;   ///< by output position: index of its first word
  std::vector<std::uint32_t> starts;  ///< by output position: index of its first weight; then the number of weights
  std::vector<WordWeights<T>> weights;
};

/// Transposes `count` pixels of kResizeRows rows into words. The word of pixel x, channel and row is words[(x /
/// kWordSamples · channels + channel) · kResizeRows + row].
void transpose_rows(const std::uint8_t* const* rows, std::size_t count, int channels, std::uint32_t* words);
void transpose_rows(const std::uint16_t* const* rows, std::size_t count, int channels, std::uint16_t* words);

/// The horizontal pass over transposed rows. Its results are words for the vertical pass: kResizeRows / kWordSamples
/// rows of words, `stride` words apart. Each row has one word per output position and channel.
void weighted_columns(const std::uint32_t* words, const WordAxis<std::uint8_t>& axis, int channels, std::uint32_t* out,
                      std::size_t stride);
void weighted_columns(const std::uint16_t* words, const WordAxis<std::uint16_t>& axis, int channels, std::uint16_t* out,
                      std::size_t stride);

/// One row of the vertical pass: sums `count` rows of words, `stride` words apart, times their weights. Reads whole
/// vectors, and so reads up to kResizeRows − 1 extra words of each row.
void weighted_row(const std::uint32_t* words, std::size_t stride, const WordWeights<std::uint8_t>* weights,
                  std::size_t count, std::size_t lanes, std::uint8_t* out);
void weighted_row(const std::uint16_t* words, std::size_t stride, const WordWeights<std::uint16_t>* weights,
                  std::size_t count, std::size_t lanes, std::uint16_t* out);

/// Copies bytes with stores that bypass the caches.
void stream_bytes(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to);

/// Converts pixels of 3 or 4 interleaved channels to HslEncoding::u16 or ::f32, from the first one on, in whole
/// vectors. Returns the number of pixels converted. The unconverted remainder of `count` is shorter than two vectors.
std::size_t hsl_u16_vectors(const std::uint8_t* pixels, int channels, std::size_t count, std::uint16_t* out);
std::size_t hsl_f32_vectors(const std::uint8_t* pixels, int channels, std::size_t count, float* out);

}  // namespace gpuimg::cpu
