// Parses byte counts in option values.
#pragma once

#include <cstdint>
#include <string>

namespace gpuimg {

/// "500M", "2G" or "1048576" in bytes; K, M, G and T are powers of 1024. Throws Error{usage} that names `option`.
std::uint64_t parse_byte_size(const std::string& option, const std::string& text);

/// At least `bytes`, in two digits, as parse_byte_size reads it: "2800M".
std::string byte_size_text(std::uint64_t bytes);

}  // namespace gpuimg
