// --files-from: names of inputs in a file or on standard input. docs/batch.md, "Inputs".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

enum class ListSeparator : char { line_break = '\n', nul = '\0' };

/// Names byte for byte; empty ones are left out. The last needs no separator after it. In a list of lines a UTF-8 byte
/// order mark at the beginning is none of a name, nor is the CR at the end of lines if all of them end with CR LF.
/// Throws Error{usage} for NUL in a list of lines: no name holds one.
std::vector<std::string> split_list(std::string_view text, ListSeparator separator);

/// `path` may be "-". Throws Error{read} too, also for a list without a name.
std::vector<std::string> read_file_list(const std::string& path, ListSeparator separator);

}  // namespace gpuimg
