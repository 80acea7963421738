// Untrusted text (file names) made safe: printable in messages, and valid for JSON and XML. Every message that names a
// file uses printable_name().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuimg {

/// Keeps well-formed UTF-8. Escapes control characters (C0, DEL, C1), line and paragraph separators and bidirectional
/// controls as \n, \r, \t, \xNN or \u{NNNN}, and bytes that are not UTF-8 as \xNN. Idempotent.
std::string printable_name(std::string_view path);

/// "scan.tif, page 3". For page 0, the file as a whole: "scan.tif".
std::string printable_name(std::string_view path, std::uint32_t page);

/// The name of the input `path` in messages: printable_name, or "standard input" for "-", which has no pages.
std::string input_name(std::string_view path, std::uint32_t page = 0);

/// Like input_name, but without escapes, for text that is escaped when it is written.
std::string unescaped_input_name(std::string_view path);

/// Valid UTF-8: each byte that is not part of a well-formed sequence becomes U+FFFD. Overlong forms, surrogates and
/// code points above U+10FFFF are not well-formed.
std::string valid_utf8(std::string_view bytes);

/// The bytes as hexadecimal digits, two for each.
std::string hex_of(std::string_view bytes);

/// Length in bytes of the well-formed sequence at the start of `bytes`, 0 if there is none.
std::size_t utf8_sequence_length(std::string_view bytes);

/// valid_utf8, truncated to `limit` code points. If text was cut, the last code point is "…". limit ≥ 1.
std::string shortened(std::string_view bytes, std::size_t limit);

/// XML 1.0 character data, for elements and quoted attributes: valid_utf8 with & < > " ' escaped. Control characters
/// (C0 and DEL, so also line breaks and tabs), U+FFFE and U+FFFF become U+FFFD.
std::string xml_escaped(std::string_view bytes);

/// A CSV cell (RFC 4180). Text with a comma, a quote or a line break is put in quotes, and quotes inside are doubled.
std::string csv_cell(const std::string& text);

}  // namespace gpuimg
