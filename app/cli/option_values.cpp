// The tables of option values, and the edit distance with swaps of neighbors (optimal string alignment) that finds the
// name that a misspelled one means.
#include "cli/option_values.hpp"

#include <cctype>

#include "text/channel_names.hpp"

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

const NamedValues<Luma> kLumaNames = {
    named(Luma::bt601, "ITU-R BT.601, as Pillow's convert(\"L\")"),
    named(Luma::bt601_trunc, "the same in float32, truncated, as in CUDA textbooks"),
    named(Luma::opencv, "the same, rounded as OpenCV's cvtColor"),
    named(Luma::bt709, "ITU-R BT.709, the weights of HDTV and sRGB"),
};

const NamedValues<EqualizeFormula> kFormulaNames = {
    {"opencv", EqualizeFormula::opencv, "as OpenCV's equalizeHist; the darkest becomes 0", {"cv", "cv2"}},
    {"cdf", EqualizeFormula::cdf, "the cumulative distribution, as in textbooks", {"textbook", "cumulative"}},
    {"pillow", EqualizeFormula::pillow, "as Pillow's ImageOps.equalize", {"pil"}},
    {"stretch",
     EqualizeFormula::stretch,
     "a straight line between two percentiles, for 12 bits in 16",
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
    {"padded", TableLayout::padded, "(h+1) x (w+1), a zero row and column first, as OpenCV", {"opencv"}},
    {"inclusive", TableLayout::inclusive, "h x w, as scikit-image"},
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
    {"opencv", HslEncoding::opencv, "8 bits, as OpenCV's HLS: H/2, L, S; lossy", {"u8", "hls", "8"}},
    {"opencv-full", HslEncoding::opencv_full, "8 bits, as OpenCV's HLS_FULL; lossy", {"full", "hls-full"}},
};

const NamedValues<Border> kBorderNames = {
    {"reflect101", Border::reflect101, "the image reflected, its edge pixels once", {"reflect", "mirror", "default"}},
    {"replicate", Border::replicate, "the nearest edge pixel", {"nearest", "edge", "clamp"}},
    {"cut", Border::cut, "nothing: only pixels inside count", {"shrink", "isolated", "none"}},
};

const NamedValues<ThresholdMethod> kMethodNames = {
    {"otsu", ThresholdMethod::otsu, "one threshold for the image, from its histogram", {"global"}},
    {"mean", ThresholdMethod::mean, "the mean of the window, as OpenCV's adaptiveThreshold", {"adaptive", "local"}},
    {"bradley", ThresholdMethod::bradley, "a share of the mean of a large window, for photographed pages"},
    {"niblack", ThresholdMethod::niblack, "mean and deviation of the window"},
    {"sauvola", ThresholdMethod::sauvola, "the same, calmer on empty paper, for scanned pages"},
};

const NamedValues<bool> kTransparentNames = {
    {"skip", false, "are not counted"},
    {"count", true, "are counted like others"},
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
