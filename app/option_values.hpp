// Names that options take on the command line, and what they stand for: one table an option.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpuimg/error.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/ops/equalize.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/ops/hsl.hpp"
#include "gpuimg/ops/integral.hpp"
#include "suggestions.hpp"

namespace gpuimg {

template <class Value>
using NamedValues = std::vector<std::pair<std::string, Value>>;

extern const NamedValues<Luma> kLumaNames;
extern const NamedValues<EqualizeFormula> kFormulaNames;
extern const NamedValues<EqualizeColor> kColorNames;
extern const NamedValues<TableLayout> kLayoutNames;
extern const NamedValues<Sample> kTableTypeNames;
extern const NamedValues<HslEncoding> kEncodingNames;
extern const NamedValues<Channel> kPlainChannelNames;                   ///< luma, r, g, b, a
extern const NamedValues<std::vector<Channel>> kHistogramChannelNames;  ///< and rgb, h, s, l

template <class Value>
std::vector<std::string> names_of(const NamedValues<Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) {
    names.push_back(name);
  }
  return names;
}

/// "a, b or c".
std::string listed(const std::vector<std::string>& names);

/// The value that `name` stands for. Throws Error{usage} that lists what `option` takes.
template <class Value>
Value value_named(const std::string& option, const std::string& name, const NamedValues<Value>& values) {
  for (const auto& [candidate, value] : values) {
    if (candidate == name) {
      return value;
    }
  }
  const std::vector<std::string> names = names_of(values);
  throw Error(ErrorKind::usage, option + ": '" + name + "' is not one of " + listed(names) + did_you_mean(name, names));
}

/// The name of a value; it must be in the table.
template <class Value>
std::string name_of(const Value& value, const NamedValues<Value>& values) {
  for (const auto& [name, candidate] : values) {
    if (candidate == value) {
      return name;
    }
  }
  return {};
}

/// The value of --output-format, which must be one of `endings`. Throws Error{usage}.
std::string ending_asked(const std::string& asked, const std::vector<std::string>& endings);

/// "x,y,w,h" in pixels. Throws Error{usage}.
Rect parse_region(const std::string& text);

}  // namespace gpuimg
