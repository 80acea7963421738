// Lists of names.
#include "batch/file_list.hpp"

#include <algorithm>

#include "files/input_file.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {

std::vector<std::string> split_list(std::string_view text, ListSeparator separator) {
  if (separator == ListSeparator::line_break && text.find('\0') != std::string_view::npos) {
    throw Error(ErrorKind::usage,
                "--files-from: the list holds NUL, which no name does; give --null if names end with it");
  }
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(static_cast<char>(separator)), text.size());
    if (end > 0) {
      names.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

std::vector<std::string> read_file_list(const std::string& path, ListSeparator separator) {
  const Bytes bytes = read_input(path);
  return split_list({reinterpret_cast<const char*>(bytes.data.get()), bytes.size}, separator);
}

}  // namespace gpuimg
