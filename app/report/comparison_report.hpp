// What `compare` prints of two images, as text and as JSON. docs/cli.md, "compare".
#pragma once

#include <cstdint>
#include <string>

#include "report/image_comparison.hpp"
#include "report/report.hpp"

namespace gpuimg {

struct ComparedPair {
  ImageFacts a;
  ImageFacts b;
  std::uint32_t tolerance = 0;
  ImageComparison comparison;
};

/// Several lines that end in LF.
std::string comparison_text(const ComparedPair& pair);

/// One line, for a pair of many.
std::string comparison_line(const ComparedPair& pair);

enum class ComparisonJson : std::uint8_t { block, line };
std::string comparison_json(const ComparedPair& pair, ComparisonJson layout);

/// The line of a file that has no partner in the other folder: side is 'a' or 'b'.
std::string unpaired_json(const std::string& name, char side);

}  // namespace gpuimg
