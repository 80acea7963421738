// File names made fit for messages: what a terminal would obey or could not show is escaped. Used by every message that
// names a file.
#pragma once

#include <string>
#include <string_view>

namespace gpuimg {

/// Well-formed UTF-8 stays. Control characters (C0, DEL, C1), line and paragraph separators and bidirectional controls
/// are escaped as \n, \r, \t, \xNN or \u{NNNN}; bytes that are not UTF-8 as \xNN. Applying it twice changes nothing
/// more.
std::string printable_name(std::string_view path);

}  // namespace gpuimg
