// Text of unknown origin (file names) made fit for JSON, XML and people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuimg {

/// Valid UTF-8: each byte that belongs to no well-formed sequence (overlong forms, surrogates and code points above
/// U+10FFFF included) becomes U+FFFD.
std::string valid_utf8(std::string_view bytes);

/// Length in bytes of the well-formed sequence at the start of `bytes`, 0 if there is none.
std::size_t utf8_sequence_length(std::string_view bytes);

/// valid_utf8, cut to `limit` code points with "…" as the last of them if it is longer. limit ≥ 1.
std::string shortened(std::string_view bytes, std::size_t limit);

/// XML 1.0 character data, for elements and quoted attributes: valid_utf8 with & < > " ' escaped; characters that XML
/// cannot hold, and line breaks and tabs, become U+FFFD.
std::string xml_escaped(std::string_view bytes);

}  // namespace gpuimg
