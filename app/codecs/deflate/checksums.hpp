// The checksums of zlib and PNG, by ISA-L. RFC 1950, section 8; PNG specification, annex D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuimg {

/// `so_far` continues an earlier run of bytes.
std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 1);

/// Adler-32 of two runs of bytes, from that of each and the length of the second.
std::uint32_t joined_adler32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

/// CRC-32 as PNG and gzip use it; `so_far` continues an earlier run of bytes.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

}  // namespace gpuimg
