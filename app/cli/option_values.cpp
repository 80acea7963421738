// Tables of named values; suggestions for misspelled names by edit distance with swaps of neighbors (optimal string
// alignment); and parsers, which reject values with trailing characters.
#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "gpuimg/error.hpp"
#include "gpuimg/ops/clahe.hpp"
#include "text/channel_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

NamedValue<Luma> named(Luma luma, const char* meaning) { return {std::string(luma_name(luma)), luma, meaning}; }

NamedValue<Channel> named(Channel channel, const char* meaning, const char* synonym) {
  return {std::string(channel_name(channel)), channel, meaning, {synonym}};
}

NamedValue<std::vector<Channel>> named_alone(Channel channel, const char* meaning, const char* synonym) {
  return {std::string(channel_name(channel)), {channel}, meaning, {synonym}};
}

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

/// known_word() for a word that is already in lower case.
std::string same_word(const std::string& word, const std::vector<std::string>& candidates,
                      const std::vector<Synonym>& synonyms) {
  for (const std::string& candidate : candidates) {
    if (lower_case(candidate) == word) {
      return candidate;
    }
  }
  for (const Synonym& synonym : synonyms) {
    const std::string first = synonym.name.substr(0, synonym.name.find(' '));
    const bool is_known = std::find(candidates.begin(), candidates.end(), first) != candidates.end();
    if (is_known && lower_case(synonym.word) == word) {
      return synonym.name;
    }
  }
  return {};
}

/// Numbers with a separator between them, and nothing else.
template <class Number, std::size_t count>
std::optional<std::array<Number, count>> numbers_of(const std::string& text, char separator) {
  std::array<Number, count> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_separated = i == 0 || (at != end && *at++ == separator);
    const auto [stop, failure] = std::from_chars(at, end, numbers[i]);
    if (!is_separated || failure != std::errc{}) {
      return std::nullopt;
    }
    at = stop;
  }
  return at == end ? std::optional(numbers) : std::nullopt;
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

const NamedValues<Luma> kLumaNames = {
    named(Luma::bt601, "ITU-R BT.601, as in Pillow's convert(\"L\")"),
    named(Luma::bt601_trunc, "BT.601 in float32, truncated, as in CUDA textbooks"),
    named(Luma::opencv, "BT.601, rounded as by OpenCV's cvtColor"),
    named(Luma::bt709, "ITU-R BT.709, the weights of HDTV and sRGB"),
};

const NamedValues<EqualizeFormula> kFormulaNames = {
    {"opencv", EqualizeFormula::opencv, "as in OpenCV's equalizeHist; the darkest level becomes 0", {"cv", "cv2"}},
    {"cdf", EqualizeFormula::cdf, "the cumulative distribution, as in textbooks", {"textbook", "cumulative"}},
    {"pillow", EqualizeFormula::pillow, "as in Pillow's ImageOps.equalize", {"pil"}},
    {"stretch",
     EqualizeFormula::stretch,
     "a straight line between two percentiles; for 12-bit levels in 16-bit files",
     {"linear", "autocontrast", "normalize", "contrast"}},
};

const NamedValues<EqualizeColor> kColorNames = {
    {"luma", EqualizeColor::luma, "the luma; keeps the hue of each pixel", {"gray", "grey", "luminance", "y"}},
    {"rgb",
     EqualizeColor::rgb,
     "each channel by itself; removes color casts, may shift hues",
     {"channels", "separate"}},
    {"joint",
     EqualizeColor::joint,
     "one curve, made from luma, for all three channels, like the curve of a photo editor",
     {"all", "together"}},
    {"ycbcr", EqualizeColor::ycbcr, "Y of YCrCb, the usual OpenCV recipe; clips strong colors", {"yuv", "ycrcb"}},
    {"hsl", EqualizeColor::hsl, "the lightness of HSL", {"hls", "lightness"}},
};

const NamedValues<TableLayout> kLayoutNames = {
    {"padded", TableLayout::padded, "(h+1) x (w+1), a zero row and column first, as in OpenCV", {"opencv"}},
    {"inclusive", TableLayout::inclusive, "h x w, as in scikit-image"},
};

const NamedValues<Sample> kTableTypeNames = {
    {"u32", Sample::u32, "32-bit unsigned integers", {"uint32", "int32", "i32", "s32", "int"}},
    {"u64", Sample::u64, "64-bit unsigned integers", {"uint64", "int64", "i64", "s64", "long"}},
    {"f32", Sample::f32, "float32, the exact sum rounded once", {"float32", "float", "single"}},
    {"f64", Sample::f64, "float64, the exact sum rounded once", {"float64", "double"}},
};

const NamedValues<HslEncoding> kEncodingNames = {
    {"float", HslEncoding::f32, "float32, degrees and fractions of 1; not in .png", {"f32", "float32"}},
    {"u16", HslEncoding::u16, "16 bits each; 8-bit pixels come back unchanged", {"uint16", "16"}},
    {"opencv", HslEncoding::opencv, "8 bits, as in OpenCV's HLS: H/2, L, S; lossy", {"u8", "hls", "8"}},
    {"opencv-full", HslEncoding::opencv_full, "8 bits, as in OpenCV's HLS_FULL; lossy", {"full", "hls-full"}},
};

const NamedValues<Border> kBorderNames = {
    {"reflect101",
     Border::reflect101,
     "the reflected image, without repeating the edge pixels",
     {"reflect", "mirror", "default"}},
    {"replicate", Border::replicate, "the nearest edge pixel", {"nearest", "edge", "clamp"}},
    {"cut", Border::cut, "nothing; only pixels inside count", {"shrink", "isolated", "none"}},
};

const NamedValues<ThresholdMethod> kMethodNames = {
    {"otsu", ThresholdMethod::otsu, "one threshold for the image, from its histogram", {"global"}},
    {"mean", ThresholdMethod::mean, "the mean of the window, as in OpenCV's adaptiveThreshold", {"adaptive", "local"}},
    {"bradley", ThresholdMethod::bradley, "a share of the mean of a large window; for photographed pages"},
    {"niblack", ThresholdMethod::niblack, "the mean and deviation of the window"},
    {"sauvola", ThresholdMethod::sauvola, "like niblack, with less noise on empty paper; for scanned pages"},
    {"wolf", ThresholdMethod::wolf, "like sauvola, adapted to the image's contrast; for faint pages", {"wolf-jolion"}},
    {"nick", ThresholdMethod::nick, "the mean and mean square of the window; for old and stained pages"},
};

const NamedValues<ResizeFilter> kFilterNames = {
    {"nearest", ResizeFilter::nearest, "the pixel in the middle; no new colors", {"none", "point"}},
    {"box", ResizeFilter::box, "the mean of the pixels that each new pixel covers", {"area", "average"}},
    {"bilinear", ResizeFilter::bilinear, "a triangle filter; soft", {"linear", "triangle"}},
    {"hamming", ResizeFilter::hamming, "as fast as bilinear, but sharper"},
    {"bicubic", ResizeFilter::bicubic, "sharp, with faint halos", {"cubic", "catmull-rom", "catrom"}},
    {"lanczos", ResizeFilter::lanczos, "sharpest, with more halos", {"lanczos3", "antialias", "sinc"}},
};

const NamedValues<ResizeFit> kFitNames = {
    {"inside", ResizeFit::inside, "as large as fits, in the same proportions", {"contain", "keep", "min"}},
    {"cover", ResizeFit::cover, "exactly WxH; cuts off what is too wide or too high", {"fill", "crop", "outside"}},
    {"pad", ResizeFit::pad, "exactly WxH; as inside, with bars around", {"letterbox", "bars"}},
    {"stretch", ResizeFit::stretch, "exactly WxH; changes the proportions", {"exact", "distort", "force"}},
};

const NamedValues<SpeckColor> kSpeckColorNames = {
    {"black", SpeckColor::black, "black ones", {"dark"}},
    {"white", SpeckColor::white, "white ones", {"light", "holes"}},
    {"both", SpeckColor::both, "black ones, then the white ones that are left", {"all"}},
};

const NamedValues<Gravity> kGravityNames = {
    {"northwest", Gravity::northwest, "top left", {"top-left", "nw"}},
    {"north", Gravity::north, "top", {"top"}},
    {"northeast", Gravity::northeast, "top right", {"top-right", "ne"}},
    {"west", Gravity::west, "left", {"left"}},
    {"center", Gravity::center, "the middle", {"centre", "middle"}},
    {"east", Gravity::east, "right", {"right"}},
    {"southwest", Gravity::southwest, "bottom left", {"bottom-left", "sw"}},
    {"south", Gravity::south, "bottom", {"bottom"}},
    {"southeast", Gravity::southeast, "bottom right", {"bottom-right", "se"}},
};

const NamedValues<bool> kTransparentNames = {
    {"skip", false, "do not count them"},
    {"count", true, "count them like others"},
};

const NamedValues<Channel> kPlainChannelNames = {
    named(Channel::luma, "weighted sum of r, g and b; see --luma", "gray"),
    named(Channel::red, "red", "red"),
    named(Channel::green, "green", "green"),
    named(Channel::blue, "blue", "blue"),
    named(Channel::alpha, "alpha", "alpha"),
};

const NamedValues<std::vector<Channel>> kHistogramChannelNames = {
    named_alone(Channel::luma, "weighted sum of r, g and b; see --luma", "gray"),
    named_alone(Channel::red, "red", "red"),
    named_alone(Channel::green, "green", "green"),
    named_alone(Channel::blue, "blue", "blue"),
    named_alone(Channel::alpha, "alpha", "alpha"),
    {"rgb", {Channel::red, Channel::green, Channel::blue}, "red, green and blue", {"color", "colour", "all"}},
    named_alone(Channel::hue, "hue of HSL", "hue"),
    named_alone(Channel::saturation, "saturation of HSL", "saturation"),
    named_alone(Channel::lightness, "lightness of HSL", "lightness"),
};

std::string listed(const std::vector<std::string>& names, const std::string& conjunction) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? std::string() : i + 1 == names.size() ? " " + conjunction + " " : std::string(", ");
    text += names[i];
  }
  return text;
}

std::string known_word(std::string_view word, const std::vector<std::string>& candidates,
                       const std::vector<Synonym>& synonyms) {
  return same_word(lower_case(word), candidates, synonyms);
}

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

namespace {

/// A suggestion for a number such as "50%" or "0,5"; empty for other texts.
std::string number_meant(const std::string& option, std::string text) {
  std::replace(text.begin(), text.end(), ',', '.');
  double number = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  const bool is_percent = stop + 1 == end && *stop == '%';
  if (failure != std::errc{} || !(is_percent || stop == end)) {
    return {};
  }
  if (is_percent && option != "--strength") {
    return "; percentages are not accepted here";
  }
  return fmt::format(" (did you mean {}?)", is_percent ? number / 100.0 : number);
}

constexpr std::uint32_t kOnePercent = kHundredPercent / 100;

/// Parses to millionths of a percent. Reads digit by digit, because binary floating point cannot represent 99.825
/// exactly. Returns nullopt if `text` is not a decimal number up to 100 with at most six decimals.
std::optional<std::uint32_t> parsed_percentile(std::string_view text) {
  std::uint64_t number = 0;
  std::uint32_t unit = 0;  // value of the last decimal place; 0 before the point
  bool has_digits = false;
  for (const char c : text) {
    if (c == '.' && unit == 0) {
      unit = kOnePercent;
      continue;
    }
    const bool is_before_point = unit == 0;
    unit /= 10;
    if (c < '0' || c > '9' || (!is_before_point && unit == 0)) {
      return std::nullopt;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    number = is_before_point ? number * 10 + digit * kOnePercent : number + digit * unit;
    has_digits = true;
    if (number > kHundredPercent) {
      return std::nullopt;
    }
  }
  return has_digits ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
}

std::string percent_text(std::uint32_t percentile) {
  std::string text = fmt::format("{}.{:06}", percentile / kOnePercent, percentile % kOnePercent);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

/// The 16 names of CSS 1, and the common ones of CSS 3. As in CSS, green is half as bright as lime.
const NamedValues<RgbColor> kColorValues = {
    {"white", {{255, 255, 255}}},  {"black", {{0, 0, 0}}},       {"gray", {{128, 128, 128}}},
    {"silver", {{192, 192, 192}}}, {"red", {{255, 0, 0}}},       {"lime", {{0, 255, 0}}},
    {"blue", {{0, 0, 255}}},       {"green", {{0, 128, 0}}},     {"yellow", {{255, 255, 0}}},
    {"cyan", {{0, 255, 255}}},     {"magenta", {{255, 0, 255}}}, {"aqua", {{0, 255, 255}}},
    {"fuchsia", {{255, 0, 255}}},  {"maroon", {{128, 0, 0}}},    {"olive", {{128, 128, 0}}},
    {"navy", {{0, 0, 128}}},       {"purple", {{128, 0, 128}}},  {"teal", {{0, 128, 128}}},
    {"orange", {{255, 165, 0}}},   {"grey", {{128, 128, 128}}},
};

/// Parses `digits` as the value of one channel.
std::optional<std::uint8_t> channel_of(std::string_view digits, int base) {
  std::uint8_t value = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const bool is_whole = failure == std::errc{} && stop == digits.data() + digits.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

std::optional<RgbColor> color_of(const std::array<std::string_view, 3>& fields, int base, int scale) {
  RgbColor color;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto value = channel_of(fields[i], base);
    if (!value) {
      return std::nullopt;
    }
    color.channels[i] = static_cast<std::uint8_t>(*value * scale);
  }
  return color;
}

std::optional<RgbColor> hexadecimal_color(std::string_view digits) {
  constexpr std::size_t kShort = 3;
  constexpr std::size_t kLong = 6;
  if (digits.size() != kShort && digits.size() != kLong) {
    return std::nullopt;
  }
  const std::size_t each = digits.size() / 3;
  return color_of({digits.substr(0, each), digits.substr(each, each), digits.substr(2 * each)}, 16,
                  each == 1 ? 0x11 : 1);
}

std::optional<RgbColor> decimal_color(std::string_view text) {
  const std::size_t first = text.find(',');
  const std::size_t second = first == std::string_view::npos ? first : text.find(',', first + 1);
  if (second == std::string_view::npos) {
    return std::nullopt;
  }
  return color_of({text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)}, 10, 1);
}

}  // namespace

// Uses std::from_chars because CLI11 reads 010 as octal and 0x10 as hexadecimal.
template <class Number>
Number parse_number(const std::string& option, const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc{} && stop == end) {
    return number;
  }
  const std::string quoted = option + ": '" + text + "' is ";
  if (failure == std::errc::result_out_of_range) {
    throw Error(ErrorKind::usage, quoted + "too large");
  }
  throw Error(ErrorKind::usage, quoted + (std::is_integral_v<Number> ? "not a whole number"
                                                                     : "not a number" + number_meant(option, text)));
}

template int parse_number<int>(const std::string& option, const std::string& text);
template double parse_number<double>(const std::string& option, const std::string& text);

double parse_factor(const std::string& option, const std::string& text) {
  constexpr double kWhole = 100.0;
  if (!text.ends_with('%')) {
    return parse_number<double>(option, text);
  }
  const bool is_change = text.starts_with('+') || text.starts_with('-');
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size() - 1;
  double percent = 0.0;
  const auto [stop, failure] = std::from_chars(first, end, percent);
  if (failure != std::errc{} || stop != end) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not a factor; give one such as 1.15, 115% or +15%");
  }
  return (is_change ? kWhole + percent : percent) / kWhole;
}

template <class Number>
void expect_within(const Limits<Number>& limits, const std::string& option, Number number) {
  if (!limits.hold(number)) {
    const std::string why = limits.only_odd ? fmt::format("not an odd number from {} to {}", limits.least, limits.most)
                                            : fmt::format("out of range ({} to {})", limits.least, limits.most);
    throw Error(ErrorKind::usage, fmt::format("{}: {} is {}", option, number, why));
  }
}

template void expect_within<int>(const Limits<int>& limits, const std::string& option, int number);
template void expect_within<double>(const Limits<double>& limits, const std::string& option, double number);

namespace {

/// The power of two of a unit such as "K", "KB" or "KiB" at the end of `text`. Removes the unit from `text`.
unsigned shift_of_unit(std::string_view& text) {
  constexpr std::string_view kUnits = "kmgt";
  const std::string lower = lower_case(text);
  const std::size_t without = lower.ends_with("ib") ? 2 : lower.ends_with('b') ? 1 : 0;
  const std::size_t size = lower.size() - without;
  const std::size_t unit = size == 0 ? std::string::npos : kUnits.find(lower[size - 1]);
  if (unit == std::string::npos) {
    return 0;
  }
  text = text.substr(0, size - 1);
  return 10 * (static_cast<unsigned>(unit) + 1);
}

/// The number in `digits`, with decimals if there is a unit, times 2^shift. 0 if it is not a number, or too large.
std::uint64_t shifted(std::string_view digits, unsigned shift) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto whole = std::from_chars(digits.data(), end, number);
  if (whole.ec != std::errc{} || number > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
    return 0;
  }
  if (whole.ptr == end) {
    return number << shift;
  }
  double decimals = 0.0;  // ".5"
  const auto rest = std::from_chars(whole.ptr, end, decimals, std::chars_format::fixed);
  const bool is_decimal = *whole.ptr == '.' && rest.ec == std::errc{} && rest.ptr == end && shift > 0;
  return is_decimal ? (number << shift) + static_cast<std::uint64_t>(std::ldexp(decimals, static_cast<int>(shift))) : 0;
}

}  // namespace

std::uint64_t parse_byte_size(const std::string& option, const std::string& text) {
  std::string_view digits = text;
  const unsigned shift = shift_of_unit(digits);
  const std::uint64_t bytes = shifted(digits, shift);
  if (bytes == 0) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not a number of bytes, such as 800M or 2G");
  }
  return bytes;
}

std::string byte_size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  constexpr std::uint64_t kInGibibytes = 10'000;
  constexpr std::uint64_t kTwoDigits = 100;
  std::uint64_t number = bytes / kMebibyte + 1;
  char unit = 'M';
  if (number >= kInGibibytes) {
    number = number / 1024 + 1;
    unit = 'G';
  }
  std::uint64_t step = 1;
  while (number / step >= kTwoDigits) {
    step *= 10;
  }
  return std::to_string((number + step - 1) / step * step) + unit;
}

StretchRange parse_percentiles(const std::string& option, const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos) {
    const auto low = parsed_percentile(std::string_view(text).substr(0, comma));
    const auto high = parsed_percentile(std::string_view(text).substr(comma + 1));
    if (low && high && StretchRange{*low, *high}.is_valid()) {
      return {*low, *high};
    }
  }
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not LOW,HIGH; give two rising percentages from 0 to 100 with "
                                            "at most six decimals, such as {}",
                                            option, text, percentiles_text({})));
}

std::string percentiles_text(const StretchRange& range) {
  return percent_text(range.low) + "," + percent_text(range.high);
}

WindowSize parse_window(const std::string& option, const std::string& text) {
  const auto side = [&](const std::string& number) {
    const int parsed = parse_number<int>(option, number);
    expect_within(kWindowLimits, option, parsed);
    return parsed;
  };
  const std::size_t times = text.find('x');
  if (times != std::string::npos &&
      (times == 0 || times + 1 == text.size() || text.find('x', times + 1) != text.npos)) {
    throw Error(ErrorKind::usage,
                option + ": '" + text + "' is neither K nor WxH; give odd numbers, such as 31 or 31x5");
  }
  return times == std::string::npos ? WindowSize(side(text))
                                    : WindowSize(side(text.substr(0, times)), side(text.substr(times + 1)));
}

std::pair<int, int> parse_tiles(const std::string& option, const std::string& text) {
  int across = 0;
  int down = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, across);
  const bool is_pair = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
  const auto second = std::from_chars(is_pair ? first.ptr + 1 : end, end, down);
  if (second.ec != std::errc{} || second.ptr != end || !kTileLimits.hold(across) || !kTileLimits.hold(down)) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not COLSxROWS; give two numbers from 1 to " +
                                      std::to_string(kMaxTiles) + ", such as 8x8");
  }
  return {across, down};
}

Rect parse_region(const std::string& option, const std::string& text) {
  const auto fields = numbers_of<int, 4>(text, ',');
  const Rect region = fields ? Rect{(*fields)[0], (*fields)[1], (*fields)[2], (*fields)[3]} : Rect{};
  if (region.x < 0 || region.y < 0 || region.width < 1 || region.height < 1) {
    throw Error(ErrorKind::usage,
                option + ": '" + text + "' is not X,Y,W,H; give four whole numbers such as 10,20,640,480");
  }
  return region;
}

ResizeBox parse_box(const std::string& option, const std::string& text) {
  const auto fields = numbers_of<double, 4>(text, ',');
  const ResizeBox box = fields ? ResizeBox{(*fields)[0], (*fields)[1], (*fields)[2], (*fields)[3]} : ResizeBox{};
  const auto is_edge = [](double edge) { return edge >= 0.0 && edge <= kMaxSide; };
  if (!is_edge(box.x) || !is_edge(box.y) || !(box.width > 0.0 && box.height > 0.0) || !is_edge(box.x + box.width) ||
      !is_edge(box.y + box.height)) {
    throw Error(ErrorKind::usage,
                option + ": '" + text + "' is not X,Y,W,H; give four numbers such as 10,20.5,640,480");
  }
  return box;
}

Size parse_size(const std::string& option, const std::string& text) {
  const auto sides = numbers_of<int, 2>(text, 'x');
  if (!sides || !kSideLimits.hold((*sides)[0]) || !kSideLimits.hold((*sides)[1])) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not WxH; give two numbers from 1 to " +
                                      std::to_string(kMaxSide) + ", such as 800x600");
  }
  return {(*sides)[0], (*sides)[1]};
}

RgbColor parse_color(const std::string& option, const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const NamedValue<RgbColor>& named : kColorValues) {
    if (named.name == lower) {
      return named.value;
    }
  }
  const std::string_view digits = std::string_view(lower).substr(lower.starts_with('#') ? 1 : 0);
  if (const auto color = hexadecimal_color(digits)) {
    return *color;
  }
  if (const auto color = decimal_color(lower)) {
    return *color;
  }
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not a color{}; use a name such as white, rrggbb, or r,g,b "
                                            "from 0 to 255",
                                            option, printable_name(text), did_you_mean(lower, names_of(kColorValues))));
}

}  // namespace gpuimg
