// Compares two images row by row, and writes what is found: docs/operations.md, "Comparison", docs/cli.md, "compare".
#include "report/image_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

__extension__ using Sum128 = unsigned __int128;

constexpr int kMaxChannels = 4;

std::vector<std::string_view> names_of(int channels) {
  switch (channels) {
    case 1: return {"gray"};
    case 2: return {"gray", "a"};
    case 3: return {"r", "g", "b"};
    default: return {"r", "g", "b", "a"};
  }
}

/// The narrowest format that holds the pixels of both.
PixelFormat common_format(PixelFormat a, PixelFormat b) {
  const Sample sample = a.sample == Sample::u16 || b.sample == Sample::u16 ? Sample::u16 : Sample::u8;
  const int alpha = a.has_alpha() || b.has_alpha() ? 1 : 0;
  return {sample, std::max(a.color_channels(), b.color_channels()) + alpha};
}

template <class T>
void widen_row(const T* from, std::size_t width, PixelFormat format, PixelFormat wanted, std::uint16_t* to) {
  const auto scale = static_cast<std::uint16_t>(sizeof(T) == 1 && wanted.sample == Sample::u16 ? 257 : 1);
  const auto opaque = static_cast<std::uint16_t>(wanted.sample == Sample::u16 ? 65535 : 255);
  const auto channels = static_cast<std::size_t>(format.channels);
  if (format.channels == wanted.channels) {
    std::transform(from, from + width * channels, to,
                   [=](T value) { return static_cast<std::uint16_t>(value * scale); });
    return;
  }
  const int colors = wanted.color_channels();
  for (std::size_t x = 0; x < width; ++x, from += channels) {
    for (int c = 0; c < colors; ++c) {
      *to++ = static_cast<std::uint16_t>(from[format.color_channels() == 1 ? 0 : c] * scale);
    }
    if (wanted.has_alpha()) {
      *to++ = format.has_alpha() ? static_cast<std::uint16_t>(from[channels - 1] * scale) : opaque;
    }
  }
}

void widen_row(ConstView image, int y, PixelFormat wanted, std::vector<std::uint16_t>& to) {
  const auto width = static_cast<std::size_t>(image.width);
  if (image.format.sample == Sample::u8) {
    widen_row(image.row<std::uint8_t>(y), width, image.format, wanted, to.data());
  } else {
    widen_row(image.row<std::uint16_t>(y), width, image.format, wanted, to.data());
  }
}

class Counter {
 public:
  Counter(std::size_t channels, std::uint32_t tolerance) : channels_(channels), tolerance_(tolerance) {}

  /// Sums of one row fit 64 bits: its differences squared are below 2³², its pixels below 2³¹.
  void add_row(const std::uint16_t* a, const std::uint16_t* b, std::size_t width, int y) {
    std::array<std::uint64_t, kMaxChannels> sums{};
    std::array<std::uint64_t, kMaxChannels> squares{};
    for (std::size_t x = 0; x < width; ++x, a += channels_, b += channels_) {
      std::uint32_t most = 0;
      for (std::size_t c = 0; c < channels_; ++c) {
        const std::uint32_t difference = a[c] > b[c] ? a[c] - b[c] : b[c] - a[c];
        sums[c] += difference;
        squares[c] += std::uint64_t{difference} * difference;
        greatest_[c] = std::max(greatest_[c], difference);
        most = std::max(most, difference);
      }
      if (most > tolerance_ && differing_++ == 0) {
        first_ = {static_cast<int>(x), y, {a, a + channels_}, {b, b + channels_}};
      }
    }
    for (std::size_t c = 0; c < channels_; ++c) {
      sums_[c] += sums[c];
      squares_ += squares[c];
    }
  }

  void report(ImageComparison& result) {
    const auto pixels = static_cast<double>(result.pixels);
    const std::vector<std::string_view> names = names_of(static_cast<int>(channels_));
    for (std::size_t c = 0; c < channels_; ++c) {
      result.channels.push_back({names[c], greatest_[c], static_cast<double>(sums_[c]) / pixels});
    }
    const double v_max = result.bits == 8 ? 255.0 : 65535.0;
    result.mean_squared_error = static_cast<double>(squares_) / (pixels * static_cast<double>(channels_));
    result.psnr_db = squares_ == 0 ? std::numeric_limits<double>::infinity()
                                   : 10.0 * std::log10(v_max * v_max / result.mean_squared_error);
    result.differing = differing_;
    if (differing_ > 0) {
      result.first = std::move(first_);
    }
  }

 private:
  std::size_t channels_;
  std::uint32_t tolerance_;
  std::array<std::uint32_t, kMaxChannels> greatest_{};
  std::array<Sum128, kMaxChannels> sums_{};
  Sum128 squares_ = 0;
  std::uint64_t differing_ = 0;
  FirstDifference first_;
};

using Layout = JsonWriter::Layout;

std::string size_text(const ImageFacts& image) { return fmt::format("{}x{}", image.width, image.height); }

std::string names_text(const ComparedPair& pair) {
  return fmt::format("{} and {}", printable_name(pair.a.name), printable_name(pair.b.name));
}

std::string within_text(const ComparedPair& pair) {
  return pair.tolerance == 0 ? "" : fmt::format(" by more than {}", pair.tolerance);
}

/// Levels with two decimals, below that three significant digits; 0 is exact.
std::string mean_text(double mean) {
  return mean == 0.0 ? "0" : mean >= 1.0 ? fmt::format("{:.2f}", mean) : fmt::format("{:.3g}", mean);
}

std::string psnr_text(const ImageComparison& comparison) {
  return std::isinf(comparison.psnr_db) ? "infinite" : fmt::format("{:.2f} dB", comparison.psnr_db);
}

std::string share_text(const ImageComparison& comparison) {
  return percent(static_cast<double>(comparison.differing) / static_cast<double>(comparison.pixels));
}

std::string verdict(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  if (!comparison.same_size) {
    return fmt::format("differ in size: {} and {}", size_text(pair.a), size_text(pair.b));
  }
  if (!comparison.is_equal()) {
    return "differ";
  }
  return pair.tolerance == 0 ? "are equal" : fmt::format("are equal within a tolerance of {}", pair.tolerance);
}

std::uint32_t greatest_of(const ImageComparison& comparison) {
  std::uint32_t greatest = 0;
  for (const ChannelDifference& channel : comparison.channels) {
    greatest = std::max(greatest, channel.greatest);
  }
  return greatest;
}

std::string first_text(const FirstDifference& first) {
  return fmt::format("{},{}: {} and {}", first.x, first.y, fmt::join(first.a, " "), fmt::join(first.b, " "));
}

void write_facts(JsonWriter& json, std::string_view key, const ImageFacts& image) {
  const auto number = [&](std::string_view name, int value) {
    json.key(name).integer(static_cast<std::uint64_t>(value));
  };
  json.key(key).begin_object(Layout::line).key("name").text(image.name);
  number("width", image.width);
  number("height", image.height);
  number("bits", image.bits);
  number("channels", image.channels);
  json.end();
}

void write_values(JsonWriter& json, std::string_view key, const std::vector<std::uint16_t>& values) {
  json.key(key).begin_array(Layout::line);
  for (const std::uint16_t value : values) {
    json.integer(value);
  }
  json.end();
}

void write_first(JsonWriter& json, const std::optional<FirstDifference>& first) {
  json.key("first");
  if (!first) {
    json.null();
    return;
  }
  json.begin_object(Layout::line);
  json.key("x").integer(static_cast<std::uint64_t>(first->x));
  json.key("y").integer(static_cast<std::uint64_t>(first->y));
  write_values(json, "a", first->a);
  write_values(json, "b", first->b);
  json.end();
}

void write_numbers(JsonWriter& json, const ImageComparison& comparison, Layout layout) {
  json.key("bits").integer(static_cast<std::uint64_t>(comparison.bits));
  json.key("pixels").integer(comparison.pixels);
  json.key("differing").integer(comparison.differing);
  write_first(json, comparison.first);
  json.key("channels").begin_array(layout);
  for (const ChannelDifference& channel : comparison.channels) {
    json.begin_object(Layout::line).key("channel").text(channel.name);
    json.key("greatest").integer(channel.greatest).key("mean").real(channel.mean).end();
  }
  json.end();
  json.key("mse").real(comparison.mean_squared_error);
  json.key("psnr").real(comparison.psnr_db);
}

void write_members(JsonWriter& json, const ComparedPair& pair, Layout layout) {
  const ImageComparison& comparison = pair.comparison;
  json.key("status").text(comparison.is_equal() ? "equal" : "different");
  write_facts(json, "a", pair.a);
  write_facts(json, "b", pair.b);
  json.key("tolerance").integer(pair.tolerance);
  json.key("same_size").boolean(comparison.same_size);
  if (comparison.same_size) {
    write_numbers(json, comparison, layout);
  }
}

void write_file(JsonWriter& json, std::string_view key, const std::string& name, std::uint32_t pages) {
  json.key(key).begin_object(Layout::line).key("name").text(name).key("pages").integer(pages).end();
}

}  // namespace

ImageComparison compare_images(ConstView a, ConstView b, std::uint32_t tolerance) {
  ImageComparison result;
  result.same_size = a.width == b.width && a.height == b.height;
  const PixelFormat format = common_format(a.format, b.format);
  result.bits = static_cast<int>(8 * sample_bytes(format.sample));
  if (!result.same_size) {
    return result;
  }
  result.pixels = a.pixel_count();
  const auto width = static_cast<std::size_t>(a.width);
  const auto channels = static_cast<std::size_t>(format.channels);
  std::vector<std::uint16_t> row_a(width * channels);
  std::vector<std::uint16_t> row_b(width * channels);
  Counter counter(channels, tolerance);
  for (int y = 0; y < a.height; ++y) {
    const bool is_same =
        a.format == b.format && std::memcmp(a.row_bytes(y), b.row_bytes(y), width * format.bytes_per_pixel()) == 0;
    if (!is_same) {
      widen_row(a, y, format, row_a);
      widen_row(b, y, format, row_b);
      counter.add_row(row_a.data(), row_b.data(), width, y);
    }
  }
  counter.report(result);
  return result;
}

std::string comparison_text(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  std::string text = fmt::format("{} {}\n", names_text(pair), verdict(pair));
  if (!comparison.same_size || std::isinf(comparison.psnr_db)) {
    return text;
  }
  text += fmt::format("  {} of {} pixels differ{} ({})\n", grouped(comparison.differing), grouped(comparison.pixels),
                      within_text(pair), share_text(comparison));
  if (comparison.first) {
    text += fmt::format("  the first at {}\n", first_text(*comparison.first));
  }
  for (const ChannelDifference& channel : comparison.channels) {
    text += fmt::format("  {:<4}  greatest {:>5}   mean {}\n", channel.name, channel.greatest, mean_text(channel.mean));
  }
  return text + fmt::format("  PSNR {}\n", psnr_text(comparison));
}

std::string comparison_line(const ComparedPair& pair) {
  const ImageComparison& comparison = pair.comparison;
  std::string line = fmt::format("{} {}", names_text(pair), verdict(pair));
  if (comparison.first) {
    line += fmt::format(" in {} of {} pixels{} ({}), at most by {}, PSNR {}, the first at {}",
                        grouped(comparison.differing), grouped(comparison.pixels), within_text(pair),
                        share_text(comparison), greatest_of(comparison), psnr_text(comparison),
                        first_text(*comparison.first));
  }
  return line + "\n";
}

std::string comparison_json(const ComparedPair& pair, ComparisonJson layout) {
  const Layout lines = layout == ComparisonJson::line ? Layout::line : Layout::block;
  JsonWriter json;
  json.begin_object(lines);
  write_members(json, pair, lines);
  json.end();
  return json.take();
}

std::size_t ComparedFiles::differing() const {
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](const ComparedPair& pair) { return !pair.comparison.is_equal(); }));
}

std::string comparison_text(const ComparedFiles& files, bool shows_equal_pages) {
  std::string text;
  for (const ComparedPair& pair : files.pages) {
    text += shows_equal_pages || !pair.comparison.is_equal() ? comparison_line(pair) : "";
  }
  const std::string names = fmt::format("{} and {}", printable_name(files.a), printable_name(files.b));
  if (files.is_equal()) {
    const std::string within = files.tolerance == 0 ? "" : fmt::format(" within a tolerance of {}", files.tolerance);
    return text + fmt::format("{} are equal{}: {} pages\n", names, within, grouped(files.pages.size()));
  }
  if (const std::size_t differing = files.differing(); differing > 0) {
    text += fmt::format("{} differ in {} of {} page{}\n", names, grouped(differing), grouped(files.pages.size()),
                        files.pages.size() == 1 ? "" : "s");
  }
  if (files.pages_of_a != files.pages_of_b) {
    text += fmt::format("{} differ in their number of pages: {} and {}\n", names, grouped(files.pages_of_a),
                        grouped(files.pages_of_b));
  }
  return text;
}

std::string comparison_json(const ComparedFiles& files) {
  JsonWriter json;
  json.begin_object();
  json.key("status").text(files.is_equal() ? "equal" : "different");
  write_file(json, "a", files.a, files.pages_of_a);
  write_file(json, "b", files.b, files.pages_of_b);
  json.key("tolerance").integer(files.tolerance);
  json.key("same_number_of_pages").boolean(files.pages_of_a == files.pages_of_b);
  json.key("pages").begin_array();
  for (std::size_t i = 0; i < files.pages.size(); ++i) {
    json.begin_object(Layout::line).key("page").integer(i + 1);
    write_members(json, files.pages[i], Layout::line);
    json.end();
  }
  json.end().end();
  return json.take();
}

std::string unpaired_json(const std::string& name, char side) {
  JsonWriter json;
  json.begin_object(Layout::line).key("status").text(side == 'a' ? "only_in_a" : "only_in_b");
  json.key("name").text(name).end();
  return json.take();
}

}  // namespace gpuimg
