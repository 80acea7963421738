// A small parser of .npy headers: app/codecs/npy/npy_header.hpp.
#include "codecs/npy/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace gpuimg {
namespace {

struct Entries {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Every function returns false (or nothing) where the text is something else than expected.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<NpyHeader> parse() {
    Entries found;
    if (!accept('{')) {
      return std::nullopt;
    }
    while (!accept('}')) {
      if (!entry(found) || (!accept(',') && !at('}'))) {
        return std::nullopt;
      }
    }
    skip_spaces();
    if (!rest_.empty() || !found.descr || !found.fortran_order || !found.shape) {
      return std::nullopt;
    }
    return NpyHeader{*found.descr, *found.fortran_order, std::move(*found.shape)};
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool at(char c) {
    skip_spaces();
    return rest_.starts_with(c);
  }

  bool accept(char c) {
    const bool found = at(c);
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    const bool found = rest_.starts_with(word);
    rest_.remove_prefix(found ? word.size() : 0);
    return found;
  }

  std::optional<std::string_view> quoted() {
    skip_spaces();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
      return std::nullopt;
    }
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  std::optional<bool> boolean() {
    if (accept_word("True")) {
      return true;
    }
    return accept_word("False") ? std::optional(false) : std::nullopt;
  }

  std::optional<std::vector<std::uint64_t>> tuple() {
    std::vector<std::uint64_t> numbers;
    if (!accept('(')) {
      return std::nullopt;
    }
    while (!accept(')')) {
      skip_spaces();
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) {
        return std::nullopt;
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      numbers.push_back(number);
      if (!accept(',') && !at(')')) {
        return std::nullopt;
      }
    }
    return numbers;
  }

  bool entry(Entries& found) {
    const auto key = quoted();
    if (!key || !accept(':')) {
      return false;
    }
    if (*key == "descr" && !found.descr) {
      return (found.descr = quoted()).has_value();
    }
    if (*key == "fortran_order" && !found.fortran_order) {
      return (found.fortran_order = boolean()).has_value();
    }
    if (*key == "shape" && !found.shape) {
      return (found.shape = tuple()).has_value();
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<NpyHeader> parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

}  // namespace gpuimg
