// Makes file names safe to print. Every message that names a file uses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpuimg {

/// Keeps well-formed UTF-8. Escapes control characters (C0, DEL, C1), line and paragraph separators and bidirectional
/// controls as \n, \r, \t, \xNN or \u{NNNN}, and bytes that are not UTF-8 as \xNN. Idempotent.
std::string printable_name(std::string_view path);

/// "scan.tif, page 3". For page 0, the file as a whole: "scan.tif".
std::string printable_name(std::string_view path, std::uint32_t page);

}  // namespace gpuimg
