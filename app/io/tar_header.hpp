// Headers of the members of an archive that is written. Without libarchive (GPUIMG_ARCHIVE), throws
// Error{unsupported}. docs/batch.md, "Archives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/tar_reader.hpp"

namespace gpuimg {

/// What stands before the content of a member like `model`, with another name and size: in the pax format, to which
/// every ustar reader is used if the member needs no more.
std::vector<std::byte> tar_header(const TarMember& model, const std::string& name, std::uint64_t size);

/// How many zeros fill the last block of a member's content.
constexpr std::size_t tar_padding(std::uint64_t size) { return static_cast<std::size_t>((512 - size % 512) % 512); }

/// How many zeros end an archive.
constexpr std::size_t kTarEndBytes = 1024;

}  // namespace gpuimg
