// The tables of option values.
#include "option_values.hpp"

#include <array>
#include <charconv>
#include <system_error>

#include "histogram/names.hpp"

namespace gpuimg {
namespace {

std::pair<std::string, Luma> named(Luma luma) { return {std::string(luma_name(luma)), luma}; }

std::pair<std::string, Channel> named(Channel channel) { return {std::string(channel_name(channel)), channel}; }

std::pair<std::string, std::vector<Channel>> named_alone(Channel channel) {
  return {std::string(channel_name(channel)), {channel}};
}

}  // namespace

const NamedValues<Luma> kLumaNames = {
    named(Luma::bt601),
    named(Luma::bt601_trunc),
    named(Luma::opencv),
    named(Luma::bt709),
};

const NamedValues<EqualizeFormula> kFormulaNames = {
    {"opencv", EqualizeFormula::opencv},
    {"cdf", EqualizeFormula::cdf},
    {"pillow", EqualizeFormula::pillow},
};

const NamedValues<EqualizeColor> kColorNames = {
    {"luma", EqualizeColor::luma},   {"rgb", EqualizeColor::rgb}, {"joint", EqualizeColor::joint},
    {"ycbcr", EqualizeColor::ycbcr}, {"hsl", EqualizeColor::hsl},
};

const NamedValues<TableLayout> kLayoutNames = {
    {"padded", TableLayout::padded},
    {"inclusive", TableLayout::inclusive},
};

const NamedValues<Sample> kTableTypeNames = {
    {"u32", Sample::u32},
    {"u64", Sample::u64},
    {"f32", Sample::f32},
    {"f64", Sample::f64},
};

const NamedValues<HslEncoding> kEncodingNames = {
    {"float", HslEncoding::f32},
    {"u16", HslEncoding::u16},
    {"opencv", HslEncoding::opencv},
    {"opencv-full", HslEncoding::opencv_full},
};

const NamedValues<Channel> kPlainChannelNames = {
    named(Channel::luma), named(Channel::red), named(Channel::green), named(Channel::blue), named(Channel::alpha),
};

const NamedValues<std::vector<Channel>> kHistogramChannelNames = {
    named_alone(Channel::luma),      named_alone(Channel::red),
    named_alone(Channel::green),     named_alone(Channel::blue),
    named_alone(Channel::alpha),     {"rgb", {Channel::red, Channel::green, Channel::blue}},
    named_alone(Channel::hue),       named_alone(Channel::saturation),
    named_alone(Channel::lightness),
};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string ending_asked(const std::string& asked, const std::vector<std::string>& endings) {
  NamedValues<std::string> values;
  for (const std::string& ending : endings) {
    values.emplace_back(ending, ending);
  }
  return value_named("--output-format", asked, values);
}

Rect parse_region(const std::string& text) {
  std::array<int, 4> fields{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool valid = true;
  for (std::size_t i = 0; i < fields.size() && valid; ++i) {
    const bool separated = i == 0 || (at != end && *at++ == ',');
    const auto [stop, failure] = std::from_chars(at, end, fields[i]);
    valid = separated && failure == std::errc{};
    at = stop;
  }
  const Rect region{fields[0], fields[1], fields[2], fields[3]};
  if (!valid || at != end || region.x < 0 || region.y < 0 || region.width < 1 || region.height < 1) {
    throw Error(ErrorKind::usage,
                "--roi: '" + text + "' is not x,y,w,h; give four whole numbers such as 10,20,640,480");
  }
  return region;
}

}  // namespace gpuimg
