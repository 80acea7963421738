// Parses byte counts in option values.
#pragma once

#include <cstdint>
#include <string>

namespace gpuimg {

/// "500M", "2G" or "1048576" in bytes; K, M, G and T are powers of 1024. Throws Error{usage} that names `option`.
std::uint64_t parse_byte_size(const std::string& option, const std::string& text);

}  // namespace gpuimg
