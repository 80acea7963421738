// The percentiles of `equalize --formula stretch`, exact decimals.
#pragma once

#include <string>

#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

/// "LOW,HIGH" in percent, with at most six decimals each. Throws Error{usage} that names `option`.
StretchRange parse_percentiles(const std::string& option, const std::string& text);

/// "0.175,99.825".
std::string percentiles_text(const StretchRange& range);

}  // namespace gpuimg
