// Checks that the results of two backends are identical.
#pragma once

#include <string>
#include <variant>

#include "gpuimg/backend.hpp"

namespace gpuimg {

/// Empty if equal; otherwise the first difference: "pixel 12,7 channel 1: cpu 118, cuda 119".
std::string first_difference(const Image& a, const std::string& a_name, const Image& b, const std::string& b_name);
std::string first_difference(const Histogram& a, const std::string& a_name, const Histogram& b,
                             const std::string& b_name);
std::string first_difference(const std::variant<Histogram, Image>& a, const std::string& a_name,
                             const std::variant<Histogram, Image>& b, const std::string& b_name);

/// For --verify: throws Error{mismatch} unless `difference` is empty.
void refuse_difference(const std::string& difference);

}  // namespace gpuimg
