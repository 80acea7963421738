// Edit distance with swaps of neighbors (optimal string alignment), for "did you mean …?".
#include "cli/suggestions.hpp"

#include <algorithm>
#include <cctype>

namespace gpuimg {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string lower_case(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// The candidate equal to `word` but for case, or the one that `word` is a synonym of.
std::string same_word(const std::string& word, const std::vector<std::string>& candidates,
                      const std::vector<Synonym>& synonyms) {
  for (const std::string& candidate : candidates) {
    if (lower_case(candidate) == word) {
      return candidate;
    }
  }
  for (const Synonym& synonym : synonyms) {
    const bool is_known = std::find(candidates.begin(), candidates.end(), synonym.name) != candidates.end();
    if (is_known && lower_case(synonym.word) == word) {
      return synonym.name;
    }
  }
  return {};
}

std::string nearest_spelling(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, lower_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms) {
  constexpr std::size_t kMaxWord = 64;
  if (word.empty() || word.size() > kMaxWord) {
    return {};
  }
  const std::string typed = lower_case(word);
  if (std::string same = same_word(typed, candidates, synonyms); !same.empty()) {
    return same;
  }
  constexpr std::size_t kMinPrefix = 2;
  if (typed.size() >= kMinPrefix) {
    for (const std::string& candidate : candidates) {
      if (lower_case(candidate).starts_with(typed)) {
        return candidate;
      }
    }
  }
  return nearest_spelling(typed, candidates);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms) {
  const std::string nearest = nearest_word(word, candidates, synonyms);
  return nearest.empty() ? std::string() : " (did you mean " + nearest + "?)";
}

}  // namespace gpuimg
