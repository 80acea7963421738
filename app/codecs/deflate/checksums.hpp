// The checksums of zlib and PNG, computed by ISA-L. RFC 1950, section 8; PNG specification, annex D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpuimg::codecs {

/// `so_far` is the checksum of the bytes before these.
std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 1);

/// Adler-32 of two runs of bytes, from the checksum of each and the length of the second; zlib's adler32_combine.
std::uint32_t adler32_combined(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

/// CRC-32 as in PNG and gzip; `so_far` is the checksum of the bytes before these.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

}  // namespace gpuimg::codecs
