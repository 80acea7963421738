// Adler-32 and CRC-32, computed separately for pieces and then combined. RFC 1950, section 8; PNG specification, annex
// D.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "png/row_filter.hpp"

namespace gpuimg::png {

constexpr std::uint64_t kAdlerModulus = 65521;

/// Two sums over bytes: of their values, and of their values weighted by the number of bytes from each byte to the end.
struct AdlerSums {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// Adds four bytes; the first lies `left` bytes before the end. Bytes beyond the end must be 0. Does not overflow for
  /// up to 2²⁰ words of a row of up to 2³⁰ bytes.
  GPUIMG_HD void add(std::uint32_t bytes, std::uint64_t left) {
    const std::uint32_t sum = sum_of_bytes(bytes);
    const std::uint32_t behind_first = (bytes >> 8 & 0xFFU) + 2 * (bytes >> 16 & 0xFFU) + 3 * (bytes >> 24);
    low += sum;
    high += left * sum - behind_first;
  }
  GPUIMG_HD void reduce() {
    low %= kAdlerModulus;
    high %= kAdlerModulus;
  }
  /// Accounts for `bytes` more bytes after these. The sums must be reduced.
  GPUIMG_HD void move_from_end(std::uint64_t bytes) { high = (high + bytes % kAdlerModulus * low) % kAdlerModulus; }

  /// The checksum of a complete stream of `bytes` bytes.
  [[nodiscard]] GPUIMG_HD std::uint32_t checksum(std::uint64_t bytes) const {
    const std::uint64_t a = (1 + low) % kAdlerModulus;
    const std::uint64_t b = (bytes + high) % kAdlerModulus;
    return static_cast<std::uint32_t>(b << 16 | a);
  }
};

constexpr std::uint32_t kCrcPolynomial = 0xEDB88320U;  ///< bit 31 is x⁰

/// The CRC register after eight steps, if it held only this byte.
GPUIMG_HD constexpr std::uint32_t crc_after_byte(std::uint32_t value) {
  for (int i = 0; i < 8; ++i) {
    value = value >> 1 ^ ((value & 1U) != 0 ? kCrcPolynomial : 0U);
  }
  return value;
}

/// The product of two polynomials modulo the CRC polynomial.
GPUIMG_HD constexpr std::uint32_t crc_product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (int i = 0; i < 32; ++i) {
    product ^= (a & 0x80000000U) != 0 ? b : 0U;
    a <<= 1;
    b = b >> 1 ^ ((b & 1U) != 0 ? kCrcPolynomial : 0U);
  }
  return product;
}

/// of[i] is x^(8 · 2^i). Sufficient for chunks of any size.
struct CrcPowers {
  std::uint32_t of[32];
};

constexpr CrcPowers crc_powers() {
  CrcPowers powers{{0x00800000U}};
  for (int i = 1; i < 32; ++i) {
    powers.of[i] = crc_product(powers.of[i - 1], powers.of[i - 1]);
  }
  return powers;
}

/// The CRC register after `bytes` more bytes that are all zero.
GPUIMG_HD constexpr std::uint32_t crc_after_zeros(std::uint32_t state, std::uint32_t bytes, const CrcPowers& powers) {
  for (int i = 0; bytes != 0; bytes >>= 1, ++i) {
    state = (bytes & 1U) != 0 ? crc_product(state, powers.of[i]) : state;
  }
  return state;
}

/// Tables that process four bytes at once: of[k][b] is the effect of byte b after 8 · (k + 1) steps.
struct CrcTables {
  std::uint32_t of[4][256];

  /// Computes the entries for one byte value.
  GPUIMG_HD constexpr void fill(std::uint32_t byte) {
    std::uint32_t state = byte;
    for (auto& table : of) {
      state = crc_after_byte(state);
      table[byte] = state;
    }
  }
  /// Processes four bytes; the first is the lowest.
  [[nodiscard]] GPUIMG_HD std::uint32_t add(std::uint32_t state, std::uint32_t bytes) const {
    state ^= bytes;
    return of[3][state & 0xFFU] ^ of[2][state >> 8 & 0xFFU] ^ of[1][state >> 16 & 0xFFU] ^ of[0][state >> 24];
  }
  [[nodiscard]] GPUIMG_HD std::uint32_t add_byte(std::uint32_t state, std::uint32_t byte) const {
    return state >> 8 ^ of[0][(state ^ byte) & 0xFFU];
  }
};

/// Initial value of the CRC register. The final value must be inverted.
constexpr std::uint32_t kCrcStart = 0xFFFFFFFFU;

}  // namespace gpuimg::png
