// --files-from: names of inputs in a file or on standard input. docs/batch.md, "Inputs".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

enum class ListSeparator : char { line_break = '\n', nul = '\0' };

/// Names as they stand, byte for byte; empty ones are left out. The last needs no separator after it. Throws
/// Error{usage} for NUL in a list of lines: no name holds one, and the system would take what stands before it for the
/// whole.
std::vector<std::string> split_list(std::string_view text, ListSeparator separator);

/// `path` may be "-". Throws Error{read} too.
std::vector<std::string> read_file_list(const std::string& path, ListSeparator separator);

}  // namespace gpuimg
