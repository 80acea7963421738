// --files-from: input names from a file or standard input. docs/batch.md, "Inputs".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

enum class ListSeparator : char { line_break = '\n', nul = '\0' };

/// Returns the names byte for byte, without empty ones. The last separator is optional. In a list of lines, skips a
/// UTF-8 byte order mark, and treats CR LF as the separator if every line ends with it. Throws Error{usage} for NUL in
/// a list of lines, because no file name contains it.
std::vector<std::string> split_list(std::string_view text, ListSeparator separator);

/// `path` may be "-". Also throws Error{read} if the list cannot be read or has no names.
std::vector<std::string> read_file_list(const std::string& path, ListSeparator separator);

}  // namespace gpuimg
