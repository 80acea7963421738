// "did you mean …?" for misspelt commands, options and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuimg {

/// A word that people type where a name is meant that is spelled otherwise: "red" for "r". Not accepted, but suggested.
struct Synonym {
  std::string word;
  std::string name;
};

/// The candidate that was meant by `word`, or an empty string. In this order: one that differs in case alone, one that
/// a synonym stands for, one that begins with `word`, and the nearest by edit distance (insertions, deletions,
/// substitutions, swaps of neighbors) if it is near enough. Case does not count.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms = {});

/// " (did you mean X?)", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms = {});

}  // namespace gpuimg
