// Parses the numbers that options take: always decimal, with or without leading zeros.
#pragma once

#include <string>

namespace gpuimg {

/// `text` as a Number: int or double. Throws Error{usage} that names `option` if it is not one, or too large.
template <class Number>
Number parse_number(const std::string& option, const std::string& text);

extern template int parse_number<int>(const std::string& option, const std::string& text);
extern template double parse_number<double>(const std::string& option, const std::string& text);

}  // namespace gpuimg
