// Encodes pixels to the packed bits of a JPEG, exactly as libjpeg-turbo does: color conversion, forward DCT,
// quantization and Huffman codes. can_encode() says which pixels a device encodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "host_device.hpp"
#include "jpeg/layout.hpp"

namespace gpuimg::jpeg {

// --- From pixels to samples: RGB to YCbCr in 16-bit fixed point, then means of chroma --------------------------------

struct Chroma {
  std::int32_t cb = 0;
  std::int32_t cr = 0;

  GPUIMG_HD Chroma& operator+=(const Chroma& other) {
    cb += other.cb;
    cr += other.cr;
    return *this;
  }
};

// Full-range BT.601 in units of 1/65536: JFIF 1.02. Rounds as jccolor.c does: ties of chroma round down.

GPUIMG_HD inline std::int32_t luma_of_rgb(std::int32_t r, std::int32_t g, std::int32_t b) {
  return (19595 * r + 38470 * g + 7471 * b + (1 << 15)) >> 16;
}

GPUIMG_HD inline Chroma chroma_of_rgb(std::int32_t r, std::int32_t g, std::int32_t b) {
  constexpr std::int32_t kOffset = (128 << 16) + (1 << 15) - 1;
  return {(-11059 * r - 21709 * g + 32768 * b + kOffset) >> 16, (32768 * r - 27439 * g - 5329 * b + kOffset) >> 16};
}

/// The mean of kHorizontal × kVertical samples, given their sum. With horizontal pairs, ties round down in even columns
/// and up in odd ones. With 1 × 2, ties round up.
template <int kHorizontal, int kVertical>
GPUIMG_HD inline std::int32_t mean_sample(std::int32_t sum, int column) {
  if constexpr (kHorizontal == 1) {
    return kVertical == 1 ? sum : (sum + 1) >> 1;
  } else {
    constexpr int kShift = kVertical;
    return (sum + column % 2 + (kVertical - 1)) >> kShift;
  }
}

/// The row of chroma means to use for `row`. Below the plane, the last row of means is repeated. Beyond the right and
/// bottom edges of the image, in contrast, the last sample is repeated before means are computed.
GPUIMG_HD inline int chroma_row(int row, int plane_height) { return row < plane_height ? row : plane_height - 1; }

// --- The forward DCT of libjpeg's "islow" method, bit-exact, and quantization: Loeffler, Ligtenberg and Moschytz 1989,
// in 13-bit fixed point, rows first -----------------------------------------------------------------------------------

enum class DctPass { rows, columns };

/// Divides by 2^shift; ties round up.
GPUIMG_HD inline std::int32_t descale(std::int32_t value, int shift) { return (value + (1 << (shift - 1))) >> shift; }

/// Transforms eight numbers in place. The pass over rows takes samples minus 128 and keeps two extra fraction bits. The
/// pass over columns removes these bits; its results are 8 times the coefficients.
template <DctPass kPass>
GPUIMG_HD inline void forward_dct_1d(std::int32_t v[kBlockSide]) {
  constexpr int kExtraBits = 2;
  constexpr int kShift = kPass == DctPass::rows ? 13 - kExtraBits : 13 + kExtraBits;
  const std::int32_t sum0 = v[0] + v[7];
  const std::int32_t sum1 = v[1] + v[6];
  const std::int32_t sum2 = v[2] + v[5];
  const std::int32_t sum3 = v[3] + v[4];
  const std::int32_t d0 = v[0] - v[7];
  const std::int32_t d1 = v[1] - v[6];
  const std::int32_t d2 = v[2] - v[5];
  const std::int32_t d3 = v[3] - v[4];
  const std::int32_t even0 = sum0 + sum3;
  const std::int32_t even1 = sum1 + sum2;
  const std::int32_t even2 = sum1 - sum2;
  const std::int32_t even3 = sum0 - sum3;
  if constexpr (kPass == DctPass::rows) {
    v[0] = (even0 + even1) * (1 << kExtraBits);
    v[4] = (even0 - even1) * (1 << kExtraBits);
  } else {
    v[0] = descale(even0 + even1, kExtraBits);
    v[4] = descale(even0 - even1, kExtraBits);
  }
  // Constants times 2¹³. jfdctint.c names each after its value: 4433 is 0.541196100, 15137 is 1.847759065 …
  const std::int32_t even = (even2 + even3) * 4433;
  v[2] = descale(even + even3 * 6270, kShift);
  v[6] = descale(even - even2 * 15137, kShift);
  const std::int32_t z5 = (d0 + d1 + d2 + d3) * 9633;
  const std::int32_t z1 = (d3 + d0) * -7373;
  const std::int32_t z2 = (d2 + d1) * -20995;
  const std::int32_t z3 = (d3 + d1) * -16069 + z5;
  const std::int32_t z4 = (d2 + d0) * -3196 + z5;
  v[7] = descale(d3 * 2446 + z1 + z3, kShift);
  v[5] = descale(d2 * 16819 + z2 + z4, kShift);
  v[3] = descale(d1 * 25172 + z2 + z3, kShift);
  v[1] = descale(d0 * 12299 + z1 + z4, kShift);
}

/// Quantizes a result of the pass over columns: divides it by 8 times the step, rounding to nearest, ties away from 0.
struct alignas(8) Quantizer {
  std::uint32_t reciprocal;  ///< 2³² / divisor, rounded up; the divisor is 8 times the step
  std::uint16_t half;        ///< half the divisor
  std::uint16_t place;       ///< position of the coefficient in zigzag order

  /// Exact, because the numerator is below 2¹⁶ and the divisor below 2¹¹.
  [[nodiscard]] GPUIMG_HD std::int32_t quantize(std::int32_t value) const {
    const auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value) + half;
    const auto quotient = static_cast<std::int32_t>(static_cast<std::uint64_t>(magnitude) * reciprocal >> 32);
    return value < 0 ? -quotient : quotient;
  }
};

constexpr std::uint32_t kMaxStep = 255;  ///< limit of baseline JPEG

/// One quantizer for each frequency, in row-major order.
struct Quantizers {
  Quantizer of[kBlockSize];
};

/// Every step must be from 1 to kMaxStep.
Quantizers quantizers_of(const EncodedJpegComponent& component);

// --- From quantized coefficients to Huffman codes and packed bits (ITU-T T.81, F.1.2) --------------------------------

/// The code of a symbol. 0 bits means that the table lacks the symbol.
struct SymbolCode {
  std::uint32_t packed;  ///< code << 5 | bits

  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t bits() const { return packed & 31U; }
  [[nodiscard]] GPUIMG_HD constexpr std::uint32_t code() const { return packed >> 5; }
};

constexpr std::uint32_t kEndOfBlockSymbol = 0x00;
constexpr std::uint32_t kSixteenZeros = 0xF0;
constexpr std::uint32_t kDcSymbols = 12;  ///< baseline: differences below 2¹¹
constexpr std::uint32_t kMaxAcBits = 10;  ///< largest number of value bits of an AC coefficient

struct CodeTable {
  SymbolCode dc[16];
  SymbolCode ac[256];
};

/// [0] for luma, [1] for chroma.
struct CodeTables {
  CodeTable of[2];
};

/// Returns false if the two chroma components use different tables, or if a table lacks a symbol that pixels may need.
bool build_code_tables(const JpegScanFormat& format, CodeTables& tables);

/// The bits that follow a symbol (T.81, F.1.2.1). A negative value v is stored as the low bits of v − 1.
struct ValueBits {
  std::uint32_t count;
  std::uint32_t bits;

  GPUIMG_HD explicit ValueBits(std::int32_t value)
      : count(bit_width(static_cast<std::uint32_t>(value < 0 ? -value : value))),
        bits(static_cast<std::uint32_t>(value < 0 ? value - 1 : value) & ((1U << count) - 1U)) {}
};

/// The number of zeros just before the AC coefficient at `place`. Bit i of `nonzero` tells whether coefficient i, in
/// zigzag order, is not zero; bit 0, for DC, must be clear.
GPUIMG_HD inline std::uint32_t zeros_before(std::uint64_t nonzero, std::uint32_t place) {
  const std::uint64_t before = (nonzero & ((std::uint64_t{1} << place) - 1)) | 1U;
  return place - bit_width(before);
}

GPUIMG_HD inline bool has_end_of_block(std::uint64_t nonzero) { return nonzero >> (kBlockSize - 1) == 0; }

/// Number of bits of the AC symbols for coefficients 8 · part … 8 · part + 7. Part 0 includes the end of block.
GPUIMG_HD inline std::uint32_t ac_bits(const std::int16_t* coefficients, std::uint64_t nonzero, std::uint32_t part,
                                       const CodeTable& table) {
  std::uint32_t bits = part == 0 && has_end_of_block(nonzero) ? table.ac[kEndOfBlockSymbol].bits() : 0U;
  const std::uint32_t first = part * kBlockSide;
  for (std::uint64_t left = nonzero >> first & 0xFFU; left != 0; left &= left - 1) {
    const std::uint32_t place = first + lowest_bit(left);
    const std::uint32_t zeros = zeros_before(nonzero, place);
    const std::uint32_t value_bits = ValueBits(coefficients[place]).count;
    bits += zeros / 16 * table.ac[kSixteenZeros].bits() + table.ac[zeros % 16 << 4 | value_bits].bits() + value_bits;
  }
  return bits;
}

GPUIMG_HD inline std::uint32_t dc_bits(std::int32_t difference, const CodeTable& table) {
  const std::uint32_t value_bits = ValueBits(difference).count;
  return table.dc[value_bits].bits() + value_bits;
}

/// Calls put(bits, count) for each symbol together with its value bits, at most 27 bits. Reads only coefficients whose
/// bit in `nonzero` is set.
template <class Put>
GPUIMG_HD inline void code_block(const std::int16_t* coefficients, std::uint64_t nonzero, std::int32_t dc_difference,
                                 const CodeTable& table, Put&& put) {
  const auto put_value = [&](SymbolCode symbol, const ValueBits& value) {
    put(symbol.code() << value.count | value.bits, symbol.bits() + value.count);
  };
  const ValueBits difference(dc_difference);
  put_value(table.dc[difference.count], difference);
  for (std::uint64_t left = nonzero; left != 0; left &= left - 1) {
    const std::uint32_t place = lowest_bit(left);
    std::uint32_t zeros = zeros_before(nonzero, place);
    for (; zeros >= 16; zeros -= 16) {
      put(table.ac[kSixteenZeros].code(), table.ac[kSixteenZeros].bits());
    }
    const ValueBits value(coefficients[place]);
    put_value(table.ac[zeros << 4 | value.count], value);
  }
  if (has_end_of_block(nonzero)) {
    put(table.ac[kEndOfBlockSymbol].code(), table.ac[kEndOfBlockSymbol].bits());
  }
}

/// Packs bits into 32-bit words, first bit highest. `add_word(index, word)` must combine words with "or", because
/// neighboring packers share their first and last words. Each packer leaves the bits of the others 0.
template <class AddWord>
class BitPacker {
 public:
  GPUIMG_HD BitPacker(std::uint32_t first_bit, AddWord add_word)
      : word_(first_bit >> 5), count_(first_bit & 31U), add_word_(add_word) {}

  /// Appends the low `count` bits of `bits` (1 to 32). The other bits must be 0.
  GPUIMG_HD void put(std::uint32_t bits, std::uint32_t count) {
    waiting_ |= static_cast<std::uint64_t>(bits) << (64U - count_ - count);
    count_ += count;
    if (count_ >= 32) {
      add_word_(word_++, static_cast<std::uint32_t>(waiting_ >> 32));
      waiting_ <<= 32;
      count_ -= 32;
    }
  }

  /// Adds the last, partial word if there is one.
  GPUIMG_HD void finish() {
    if (count_ > 0) {
      add_word_(word_, static_cast<std::uint32_t>(waiting_ >> 32));
    }
  }

 private:
  std::uint64_t waiting_ = 0;  ///< holds `count_` bits, from the top; the bits before the packer's first bit are 0
  std::uint32_t word_;
  std::uint32_t count_;
  AddWord add_word_;
};

/// The number of 1 bits that fill up the last byte of a scan.
GPUIMG_HD inline std::uint32_t fill_bits(std::uint64_t bits) { return static_cast<std::uint32_t>(0U - bits) & 7U; }

template <class AddWord>
GPUIMG_HD inline void fill_last_byte(BitPacker<AddWord>& packer, std::uint64_t bits) {
  if (const std::uint32_t count = fill_bits(bits); count > 0) {
    packer.put((1U << count) - 1U, count);
  }
}

// --- Limits of a device encoder --------------------------------------------------------------------------------------

/// First guess of the average size of a block's codes, in bytes. Photographs need less. Noise at high quality needs up
/// to 208 bytes; the encoder then allocates more memory.
constexpr std::size_t kUsualBlockBytes = 64;

inline bool can_encode(PixelFormat pixels, const JpegScanFormat& format) {
  const bool fits = pixels.sample == Sample::u8 && pixels.channels == format.component_count &&
                    (pixels.channels == 1 || pixels.channels == 3);
  const bool is_sampled = format.horizontal_sampling >= 1 && format.horizontal_sampling <= 2 &&
                          format.vertical_sampling >= 1 && format.vertical_sampling <= 2 &&
                          (format.component_count == 3 || format.horizontal_sampling * format.vertical_sampling == 1);
  return fits && is_sampled &&
         std::all_of(format.components.begin(), format.components.begin() + format.component_count,
                     [](const EncodedJpegComponent& component) {
                       return std::all_of(component.steps.begin(), component.steps.end(),
                                          [](std::uint32_t step) { return step >= 1 && step <= kMaxStep; });
                     });
}

}  // namespace gpuimg::jpeg
