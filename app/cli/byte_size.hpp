// Numbers of bytes as options take them.
#pragma once

#include <cstdint>
#include <string>

namespace gpuimg {

/// "500M", "2G", "1048576": bytes; K, M, G and T are powers of 1024. Throws Error{usage} that blames `option`.
std::uint64_t parse_byte_size(const std::string& option, const std::string& text);

}  // namespace gpuimg
