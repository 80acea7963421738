// Row functions for 8-bit pixels, and of windows also for 16-bit ones, that use the widest vector instructions of the
// processor (Highway selects them at run time). Each computes exactly what the arithmetic in core/ops
// specifies; tests compare all 2²⁴ colors. Other formats use that arithmetic directly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpuimg/ops/luma.hpp"

namespace gpuimg::cpu {

/// Adds the number of occurrences of each level to any of its kByteCounters counters, counts[8 × level + 0 … 7]. There
/// are 256 × kByteCounters counters; none may exceed 2³² − 1.
inline constexpr std::size_t kByteCounters = 8;
void count_bytes(const std::uint8_t* levels, std::size_t count, std::uint32_t* counts);

/// Luma of `count` pixels of 3 or 4 interleaved channels.
void luma_row(Luma kind, const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels);

/// Y of OpenCV's YCrCb.
void ycrcb_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, std::uint8_t* levels);

/// EqualizeColor::luma and ::ycbcr: changes pixels of luma `levels` to luma `levels_new`. Copies alpha.
void remap_luma_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                    const std::uint8_t* levels_new, std::uint8_t* out);
void remap_ycrcb_row(const std::uint8_t* pixels, int channels, std::size_t count, const std::uint8_t* levels,
                     const std::uint8_t* levels_new, std::uint8_t* out);

/// out[i] = map[in[i]]. `map` has 256 entries.
void mapped_bytes(const std::uint8_t* in, std::size_t count, const std::uint8_t* map, std::uint8_t* out);

/// Interpolates between four tables: out[x] = gpuimg::interpolated() of the entries of levels[x], with the weights
/// right[x] and `below`. The four entries of a level are one word: above left in the lowest bits, then above right,
/// below left, below right.
void interpolate_levels(const std::uint8_t* levels, std::size_t count, const std::uint32_t* words, const float* right,
                        float below, std::uint8_t* out);
void interpolate_levels(const std::uint16_t* levels, std::size_t count, const std::uint64_t* words, const float* right,
                        float below, std::uint16_t* out);

/// The same with the four tables as they are: for too few pixels to be worth joining 65536 entries.
void interpolate_levels(const std::uint16_t* levels, std::size_t count, const std::uint16_t* const* tables,
                        const float* right, float below, std::uint16_t* out);

/// Joins the entries of four tables into `count` words.
void join_tables(const std::uint16_t* const* tables, std::size_t count, std::uint32_t* words);
void join_tables(const std::uint16_t* const* tables, std::size_t count, std::uint64_t* words);

/// gpuimg::clahe_map() of 65536 counts whose sum is below 2³¹. Clears the counts.
void clahe_map_16(std::uint32_t* counts, double clip, std::uint16_t* map);

/// row[x] += levels[0] + … + levels[x], modulo 2³². Turns a row of a summed-area table into the next one.
void integral_row(const std::uint8_t* levels, std::size_t count, std::uint32_t* row);

/// sums[x] += levels[x], modulo 2³².
void add_to_columns(const std::uint8_t* levels, std::size_t count, std::uint32_t* sums);

/// sums[i] += entering[i] − leaving[i], modulo 2³².
void slide_columns(const std::uint8_t* entering, const std::uint8_t* leaving, std::size_t count, std::uint32_t* sums);
void slide_columns(const std::uint16_t* entering, const std::uint16_t* leaving, std::size_t count, std::uint32_t* sums);

/// sums[i] = before + (entering[0] − leaving[0]) + … + (entering[i] − leaving[i]), modulo 2³². Returns the last.
std::uint32_t slide_along(const std::uint32_t* entering, const std::uint32_t* leaving, std::size_t count,
                          std::uint32_t before, std::uint32_t* sums);

/// means[i] = gpuimg::window_mean(sums[i], n), if that is a sample and all sums plus n are below 2³¹.
void means_of_sums(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint8_t* means);
void means_of_sums(const std::uint32_t* sums, std::size_t count, std::uint32_t n, std::uint16_t* means);

/// A pixel becomes 255 if its level less the mean in `white` is above −offset, else 0.
void compare_with_means(const std::uint8_t* levels, std::size_t count, std::int32_t offset, std::uint8_t* white);

/// Rows of the color channels, 1 or 3, for non-local means.
template <class T>
using ChannelRows = std::array<T*, 3>;

/// columns[x] += s − row[x] and row[x] = s, where s is the sum of the channels' differences: squared at 8 bits,
/// absolute at 16.
void slide_differences(const ChannelRows<const std::uint8_t>& here, const ChannelRows<const std::uint8_t>& there,
                       int channels, std::size_t count, std::int32_t* row, std::int32_t* columns);
void slide_differences(const ChannelRows<const std::uint16_t>& here, const ChannelRows<const std::uint16_t>& there,
                       int channels, std::size_t count, std::int32_t* row, std::int32_t* columns);

/// The weight of a distance D < 2³¹: weights[min(D >> shift, last)]; D is the sum of `patch` columns.
struct WeightTable {
  const std::int32_t* weights = nullptr;
  std::int32_t last = 0;
  std::uint32_t shift = 0;
  std::size_t patch = 1;
};

/// weights[x] becomes the weight of columns x … x + patch − 1.
void patch_weights(const std::int32_t* columns, const WeightTable& table, std::size_t count, std::int32_t* weights);

/// Adds weights[x] to weight_sums[x], and its products with the samples to the sums.
void add_weighted(const std::int32_t* weights, const ChannelRows<const std::uint8_t>& samples, int channels,
                  std::size_t count, std::int32_t* weight_sums, const ChannelRows<std::int32_t>& sums);
void add_weighted(const std::int32_t* weights, const ChannelRows<const std::uint16_t>& samples, int channels,
                  std::size_t count, std::uint64_t* weight_sums, const ChannelRows<std::uint64_t>& sums);

/// Rows that resize takes at a time, and what a lane of its vectors holds: four 8-bit samples that are neighbors along
/// the pass, or one of 16 bits.
inline constexpr std::size_t kResizeRows = 16;
template <class T>
using ResizeWord = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint16_t>;
template <class T>
inline constexpr int kWordSamples = sizeof(T) == 1 ? 4 : 1;

/// The weights of a word's samples. Those of 8-bit samples are split into pairs of 16 bits, the first sample's in the
/// low half: high · 2^kLowBits + low; and into digits of 8 bits with signs, the first sample's in the low byte:
/// Σ digits[i] · 256^i. 0 for a sample outside the window.
template <class T>
struct WordWeights;

template <>
struct WordWeights<std::uint8_t> {
  static constexpr int kLowBits = 12;
  std::int32_t even_high = 0;  ///< of samples 0 and 2
  std::int32_t even_low = 0;
  std::int32_t odd_high = 0;  ///< of samples 1 and 3
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

/// The words that each output position of a pass weights.
template <class T>
struct WordAxis {
  std::vector<std::uint32_t> first;   ///< the first word, by output position
  std::vector<std::uint32_t> starts;  ///< of its weights; one more at the end
  std::vector<WordWeights<T>> weights;
};

/// Words of `count` pixels of kResizeRows rows: those of a row's neighbors in words[(x / kWordSamples · channels +
/// channel) · kResizeRows + row].
void transpose_rows(const std::uint8_t* const* rows, std::size_t count, int channels, std::uint32_t* words);
void transpose_rows(const std::uint16_t* const* rows, std::size_t count, int channels, std::uint16_t* words);

/// The horizontal pass over transposed rows. Its samples become words of the vertical pass: kResizeRows / kWordSamples
/// rows of words, `stride` words apart, each with a word for each output position and channel.
void weighted_columns(const std::uint32_t* words, const WordAxis<std::uint8_t>& axis, int channels, std::uint32_t* out,
                      std::size_t stride);
void weighted_columns(const std::uint16_t* words, const WordAxis<std::uint16_t>& axis, int channels, std::uint16_t* out,
                      std::size_t stride);

/// A row of the vertical pass: `count` rows of words, `stride` words apart, times weights. Reads whole vectors: up to
/// kResizeRows − 1 words more of each row.
void weighted_row(const std::uint32_t* words, std::size_t stride, const WordWeights<std::uint8_t>* weights,
                  std::size_t count, std::size_t lanes, std::uint8_t* out);
void weighted_row(const std::uint16_t* words, std::size_t stride, const WordWeights<std::uint16_t>* weights,
                  std::size_t count, std::size_t lanes, std::uint16_t* out);

/// Copies bytes with stores that bypass the caches.
void stream_bytes(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to);

/// HslEncoding::u16 and ::f32 of the first of `count` pixels of 3 or 4 interleaved channels. Returns how many are
/// converted: all but fewer than two vectors at the end.
std::size_t hsl_u16_vectors(const std::uint8_t* pixels, int channels, std::size_t count, std::uint16_t* out);
std::size_t hsl_f32_vectors(const std::uint8_t* pixels, int channels, std::size_t count, float* out);

}  // namespace gpuimg::cpu
