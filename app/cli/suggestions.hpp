// "did you mean …?" for misspelled commands, options and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

/// What people type when they mean `name`: "red" for "r". It is refused, with `name` as the suggestion.
struct Synonym {
  std::string word;
  std::string name;
};

/// The candidate that `word` most likely means, or an empty string. Ignores case. Tries in this order: the same word, a
/// synonym, a candidate that begins with `word`, the nearest by edit distance (insertions, deletions, substitutions,
/// swaps of neighbors) if it is near enough.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms = {});

/// " (did you mean X?)", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms = {});

}  // namespace gpuimg
