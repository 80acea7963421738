// Splits lists of names.
#include "batch/file_list.hpp"

#include <algorithm>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// True if the text has line breaks, each preceded by CR.
bool has_crlf_throughout(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', end + 1)) {
    if (end == 0 || text[end - 1] != '\r') {
      return false;
    }
    ++lines;
  }
  return lines > 0;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, ListSeparator separator) {
  if (separator == ListSeparator::line_break && text.find('\0') != std::string_view::npos) {
    throw Error(ErrorKind::usage, "--files-from: the list contains NUL; use --null if its names end with NUL");
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const bool is_of_lines = separator == ListSeparator::line_break;
  if (is_of_lines && text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const bool has_crlf = is_of_lines && has_crlf_throughout(text);
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(static_cast<char>(separator)), text.size());
    const std::string_view name = text.substr(0, end);
    const std::size_t size = has_crlf && name.ends_with('\r') ? end - 1 : end;
    if (size > 0) {
      names.emplace_back(name.substr(0, size));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

std::vector<std::string> read_file_list(const std::string& path, ListSeparator separator) {
  const Bytes bytes = read_input(path);
  std::vector<std::string> names = split_list({reinterpret_cast<const char*>(bytes.data.get()), bytes.size}, separator);
  if (names.empty()) {
    throw Error(ErrorKind::read, (path == "-" ? "standard input" : printable_name(path)) +
                                     ": contains no file name; check how the list was made");
  }
  return names;
}

}  // namespace gpuimg
