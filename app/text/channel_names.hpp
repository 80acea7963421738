// Names of channels and luma formulas as used by the command line and the reports: docs/cli.md.
#pragma once

#include <string_view>

#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

/// Short name: CSV column, JSON "channel", value of --channel.
constexpr std::string_view channel_name(Channel channel) {
  switch (channel) {
    case Channel::luma: return "luma";
    case Channel::red: return "r";
    case Channel::green: return "g";
    case Channel::blue: return "b";
    case Channel::alpha: return "a";
    case Channel::hue: return "h";
    case Channel::saturation: return "s";
    case Channel::lightness: return "l";
  }
  return "";
}

/// Human-readable name for legends and axis labels.
constexpr std::string_view channel_word(Channel channel) {
  switch (channel) {
    case Channel::luma: return "luma";
    case Channel::red: return "red";
    case Channel::green: return "green";
    case Channel::blue: return "blue";
    case Channel::alpha: return "alpha";
    case Channel::hue: return "hue";
    case Channel::saturation: return "saturation";
    case Channel::lightness: return "lightness";
  }
  return "";
}

/// Value of --luma.
constexpr std::string_view luma_name(Luma luma) {
  switch (luma) {
    case Luma::bt601: return "bt601";
    case Luma::bt601_trunc: return "bt601-trunc";
    case Luma::opencv: return "opencv";
    case Luma::bt709: return "bt709";
  }
  return "";
}

}  // namespace gpuimg
