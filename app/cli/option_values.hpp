// Values of options: tables of named values with "did you mean …?" for misspelled names, and parsers for numbers, sizes
// in bytes, percentiles, tiles, rectangles and colors.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/help.hpp"
#include "gpuimg/error.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/ops/arrange.hpp"
#include "gpuimg/ops/clahe.hpp"
#include "gpuimg/ops/document.hpp"
#include "gpuimg/ops/equalize.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/ops/hsl.hpp"
#include "gpuimg/ops/integral.hpp"
#include "gpuimg/ops/limits.hpp"
#include "gpuimg/ops/resize.hpp"
#include "gpuimg/ops/threshold.hpp"
#include "gpuimg/ops/window.hpp"

namespace gpuimg {

/// A `word` that people type when they mean `name`: "red" for "r". The word is rejected, and `name` is suggested.
/// `name` may have several words; it is suggested if its first word is a candidate.
struct Synonym {
  std::string word;
  std::string name;
};

/// The candidate that equals `word` or that `word` is a synonym of; else an empty string. Ignores case.
std::string known_word(std::string_view word, const std::vector<std::string>& candidates,
                       const std::vector<Synonym>& synonyms);

/// The candidate that `word` most likely means, or an empty string. Ignores case. Tries in this order: an equal
/// candidate; a synonym; a candidate that begins with `word`; the nearest candidate by edit distance (insertions,
/// deletions, substitutions, swaps of neighbors), if it is near enough.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms = {});

/// " (did you mean X?)", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::vector<Synonym>& synonyms = {});

template <class Value>
struct NamedValue {
  NamedValue(std::string called, Value is, std::string means = std::string(),
             std::vector<std::string> others = std::vector<std::string>())
      : name(std::move(called)), value(std::move(is)), meaning(std::move(means)), synonyms(std::move(others)) {}

  std::string name;
  Value value;
  std::string meaning;                ///< a few words for --help
  std::vector<std::string> synonyms;  ///< words of other tools; rejected with a suggestion
};

template <class Value>
using NamedValues = std::vector<NamedValue<Value>>;

extern const NamedValues<Luma> kLumaNames;
extern const NamedValues<EqualizeFormula> kFormulaNames;
extern const NamedValues<EqualizeColor> kColorNames;
extern const NamedValues<TableLayout> kLayoutNames;
extern const NamedValues<Sample> kTableTypeNames;
extern const NamedValues<HslEncoding> kEncodingNames;
extern const NamedValues<Border> kBorderNames;
extern const NamedValues<ThresholdMethod> kMethodNames;
extern const NamedValues<ResizeFilter> kFilterNames;
extern const NamedValues<ResizeFit> kFitNames;
extern const NamedValues<SpeckColor> kSpeckColorNames;
extern const NamedValues<Gravity> kGravityNames;
extern const NamedValues<bool> kTransparentNames;                       ///< true: count transparent pixels
extern const NamedValues<Channel> kPlainChannelNames;                   ///< luma, r, g, b, a
extern const NamedValues<std::vector<Channel>> kHistogramChannelNames;  ///< and rgb, h, s, l

template <class Value>
std::vector<std::string> names_of(const NamedValues<Value>& values) {
  std::vector<std::string> names;
  for (const NamedValue<Value>& named : values) {
    names.push_back(named.name);
  }
  return names;
}

template <class Value>
std::vector<Synonym> synonyms_of(const NamedValues<Value>& values) {
  std::vector<Synonym> synonyms;
  for (const NamedValue<Value>& named : values) {
    for (const std::string& word : named.synonyms) {
      synonyms.push_back({word, named.name});
    }
  }
  return synonyms;
}

/// "a, b or c".
std::string listed(const std::vector<std::string>& names, const std::string& conjunction = "or");

/// The value that `name` stands for. Throws Error{usage} that lists the names `option` takes.
template <class Value>
Value value_named(const std::string& option, const std::string& name, const NamedValues<Value>& values) {
  for (const NamedValue<Value>& named : values) {
    if (named.name == name) {
      return named.value;
    }
  }
  const std::vector<std::string> names = names_of(values);
  throw Error(ErrorKind::usage, option + ": '" + name + "' is not one of " + listed(names) +
                                    did_you_mean(name, names, synonyms_of(values)));
}

/// For --help: `what` the option changes, and its choices. `by_default` is one of them, or describes how the default is
/// chosen.
template <class Value>
OptionText with_choices(const std::string& what, const NamedValues<Value>& values, const std::string& by_default) {
  std::vector<Choice> choices;
  for (const NamedValue<Value>& named : values) {
    choices.push_back({named.name, named.meaning});
  }
  return {what, std::move(choices), by_default};
}

/// The name of a value; empty if it is not in the table.
template <class Value>
std::string name_of(const Value& value, const NamedValues<Value>& values) {
  for (const NamedValue<Value>& named : values) {
    if (named.value == value) {
      return named.name;
    }
  }
  return {};
}

/// Parses `text` as an int or a double. Throws Error{usage} that names `option` if `text` is not a number or too large.
template <class Number>
Number parse_number(const std::string& option, const std::string& text);

extern template int parse_number<int>(const std::string& option, const std::string& text);
extern template double parse_number<double>(const std::string& option, const std::string& text);

/// A factor: "1.15", "115%", or a change such as "+15%" or "-15%". Throws Error{usage} that names `option`.
double parse_factor(const std::string& option, const std::string& text);

/// Throws Error{usage} that names `option` and `limits` if `number` is outside them. Number is int or double.
template <class Number>
void expect_within(const Limits<Number>& limits, const std::string& option, Number number);

extern template void expect_within<int>(const Limits<int>& limits, const std::string& option, int number);
extern template void expect_within<double>(const Limits<double>& limits, const std::string& option, double number);

/// Parses "500M", "0.5G", "30MB", "2GiB" or "1048576" to bytes. K, M, G and T, in either case, are powers of 1024.
/// Throws Error{usage} that names `option`.
std::uint64_t parse_byte_size(const std::string& option, const std::string& text);

/// `bytes` rounded up to two digits, in the notation of parse_byte_size: "2800M".
std::string byte_size_text(std::uint64_t bytes);

/// The percentiles of `equalize --formula stretch`: "LOW,HIGH" in percent, exact decimals, with at most six decimals
/// each. Throws Error{usage} that names `option`.
StretchRange parse_percentiles(const std::string& option, const std::string& text);

/// "0.175,99.825".
std::string percentiles_text(const StretchRange& range);

/// "31" or "31x5": the odd sides of a window. Throws Error{usage}.
WindowSize parse_window(const std::string& option, const std::string& text);

/// "8x8": how many tiles across and down. Throws Error{usage}.
std::pair<int, int> parse_tiles(const std::string& option, const std::string& text);

/// "x,y,w,h" in whole pixels. Throws Error{usage} that names `option`.
Rect parse_region(const std::string& option, const std::string& text);

/// Like parse_region, but allows fractions of pixels.
ResizeBox parse_box(const std::string& option, const std::string& text);

/// "800x600". Throws Error{usage} that names `option`.
Size parse_size(const std::string& option, const std::string& text);

/// Red, green and blue, 8 bits each, encoded as in sRGB files.
struct RgbColor {
  std::array<std::uint8_t, 3> channels{};

  [[nodiscard]] bool is_gray() const { return channels[0] == channels[1] && channels[1] == channels[2]; }

  bool operator==(const RgbColor&) const = default;
};

/// Parses a CSS name, rgb or rrggbb in hexadecimal digits with or without '#', or r,g,b from 0 to 255. Ignores case.
/// Throws Error{usage} that names `option` and the notations.
RgbColor parse_color(const std::string& option, const std::string& text);

}  // namespace gpuimg
