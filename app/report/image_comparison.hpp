// How much two images differ, in exact sums, and how `compare` prints it: docs/operations.md, "Comparison",
// docs/cli.md, "compare".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuimg/image.hpp"
#include "report/histogram_report.hpp"

namespace gpuimg {

struct ChannelDifference {
  std::string_view name;       ///< "gray", "r", "g", "b" or "a"
  std::uint32_t greatest = 0;  ///< in levels
  double mean = 0.0;           ///< of the absolute differences, over all pixels
};

/// The first differing pixel in reading order, with the values of both images.
struct FirstDifference {
  int x = 0;
  int y = 0;
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
};

struct ImageComparison {
  bool same_size = false;  ///< otherwise nothing below is known
  int bits = 8;            ///< of the levels: those of the deeper image
  std::uint64_t pixels = 0;
  std::uint64_t differing = 0;  ///< pixels with a channel that differs by more than the tolerance
  std::vector<ChannelDifference> channels;
  double mean_squared_error = 0.0;  ///< over all channels
  double psnr_db = 0.0;             ///< 10·log10(V² / mean squared error); infinite without a difference
  std::optional<FirstDifference> first;

  [[nodiscard]] bool is_equal() const { return same_size && differing == 0; }
};

/// Compares photographic pixels (u8 or u16, 1 to 4 channels). Formats that differ are first brought to one, without
/// loss: gray to RGB, 8 bits to 16 as v · 257, missing alpha as opaque.
ImageComparison compare_images(ConstView a, ConstView b, std::uint32_t tolerance);

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

/// Two files of which at least one has several pages.
struct ComparedFiles {
  std::string a;
  std::string b;
  std::uint32_t pages_of_a = 0;
  std::uint32_t pages_of_b = 0;
  std::uint32_t tolerance = 0;
  std::vector<ComparedPair> pages;  ///< those that both files have, from the first on

  [[nodiscard]] std::size_t differing() const;
  [[nodiscard]] bool is_equal() const { return pages_of_a == pages_of_b && differing() == 0; }
};

/// A line for each page that differs, or for each page, and lines with the verdict.
std::string comparison_text(const ComparedFiles& files, bool shows_equal_pages);
std::string comparison_json(const ComparedFiles& files);

/// The line of a file that has no partner in the other folder: side is 'a' or 'b'.
std::string unpaired_json(const std::string& name, char side);

}  // namespace gpuimg
