// ISA-L counts in unsigned char; the modular arithmetic of adler32_combined is RFC 1950, section 8.2.
#include "codecs/deflate/checksums.hpp"

#include <isa-l.h>

namespace gpuimg::codecs {
namespace {

const unsigned char* unsigned_data(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  return isal_adler32(so_far, unsigned_data(bytes), bytes.size());
}

std::uint32_t adler32_combined(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  constexpr std::uint64_t kModulus = 65521;
  const std::uint64_t first_sum = first & 0xFFFFU;
  const std::uint64_t low = first_sum + (second & 0xFFFFU) + kModulus - 1;
  const std::uint64_t high = (first >> 16) + (second >> 16) + (second_size % kModulus) * (first_sum + kModulus - 1);
  return static_cast<std::uint32_t>((high % kModulus) << 16 | low % kModulus);
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  return crc32_gzip_refl(so_far, unsigned_data(bytes), bytes.size());
}

}  // namespace gpuimg::codecs
