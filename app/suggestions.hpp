// "did you mean …?" for misspelt commands, options and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

/// The candidate that begins with `word`, or is nearest to it by edit distance (insertions, deletions, substitutions,
/// swaps of neighbours) and near enough to be what was meant; else an empty string.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// " (did you mean X?)", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace gpuimg
