// Formats numbers for people, independent of the locale.
#pragma once

#include <cstdint>
#include <string>

namespace gpuimg {

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t value);

/// At most five characters: "950", "12.3k", "4.56M"; k, M, G, T, P, E are powers of 1000. Fractions: "0.25", "1e-05".
std::string compact(double value);

/// Four significant digits, and all digits before the point: "117.3", "30113".
std::string rounded(double value);

/// Share 0 … 1 as "12.3%", "0.04%", "<0.01%", "0%".
std::string percent(double share);

}  // namespace gpuimg
