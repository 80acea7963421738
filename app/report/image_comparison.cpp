// Compares two images row by row, and draws their differences: docs/operations.md, "Comparison".
#include "report/image_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "text/number_text.hpp"

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

/// The smallest format that can store the pixels of both.
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

void widen_row(ConstView image, int y, PixelFormat wanted, std::uint16_t* to) {
  const auto width = static_cast<std::size_t>(image.width);
  if (image.format.sample == Sample::u8) {
    widen_row(image.row<std::uint8_t>(y), width, image.format, wanted, to);
  } else {
    widen_row(image.row<std::uint16_t>(y), width, image.format, wanted, to);
  }
}

/// Gives each fully transparent pixel the color of the same pixel in the other image, or 0 if both are transparent.
void replace_hidden_colors(std::uint16_t* a, std::uint16_t* b, std::size_t width, std::size_t channels) {
  const std::size_t alpha = channels - 1;
  for (std::size_t x = 0; x < width; ++x, a += channels, b += channels) {
    if (a[alpha] == 0 && b[alpha] == 0) {
      std::fill_n(a, alpha, std::uint16_t{0});
      std::fill_n(b, alpha, std::uint16_t{0});
    } else if (a[alpha] == 0) {
      std::copy_n(b, alpha, a);
    } else if (b[alpha] == 0) {
      std::copy_n(a, alpha, b);
    }
  }
}

/// The rows of two images of the same size, in their common format.
class CommonRows {
 public:
  CommonRows(ConstView a, ConstView b, const ComparisonOptions& options)
      : a_(a),
        b_(b),
        format_(common_format(a.format, b.format)),
        hides_colors_(!options.count_transparent && format_.has_alpha()) {}

  [[nodiscard]] PixelFormat format() const { return format_; }
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(a_.width); }
  [[nodiscard]] std::size_t samples() const { return width() * static_cast<std::size_t>(format_.channels); }

  /// Writes row y of both images to `a` and `b`. Returns true if their stored bytes are equal.
  bool read(int y, std::uint16_t* a, std::uint16_t* b) const {
    const bool is_same =
        a_.format == b_.format && std::memcmp(a_.row_bytes(y), b_.row_bytes(y), a_.tight_pitch_bytes()) == 0;
    widen_row(a_, y, format_, a);
    if (is_same) {
      std::copy_n(a, samples(), b);
    } else {
      widen_row(b_, y, format_, b);
    }
    if (hides_colors_) {
      replace_hidden_colors(a, b, width(), static_cast<std::size_t>(format_.channels));
    }
    return is_same;
  }

 private:
  ConstView a_;
  ConstView b_;
  PixelFormat format_;
  bool hides_colors_;
};

class Counter {
 public:
  Counter(std::size_t channels, std::uint32_t tolerance) : channels_(channels), tolerance_(tolerance) {}

  void add_row(const std::uint16_t* a, const std::uint16_t* b, std::size_t width, int y) {
    switch (channels_) {
      case 1: return add_row_of<1>(a, b, width, y);
      case 2: return add_row_of<2>(a, b, width, y);
      case 3: return add_row_of<3>(a, b, width, y);
      default: return add_row_of<4>(a, b, width, y);
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
  /// The sums of a row fit in 64 bits, because a squared difference is below 2³² and a row has fewer than 2³¹ pixels.
  /// With the number of channels known at compile time, the sums stay in registers.
  template <std::size_t channels>
  void add_row_of(const std::uint16_t* a, const std::uint16_t* b, std::size_t width, int y) {
    std::array<std::uint64_t, channels> sums{};
    std::array<std::uint64_t, channels> squares{};
    std::array<std::uint32_t, channels> greatest{};
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < width * channels; i += channels) {
      std::uint32_t most = 0;
      for (std::size_t c = 0; c < channels; ++c) {
        const std::uint32_t difference = difference_of(a[i + c], b[i + c]);
        sums[c] += difference;
        squares[c] += std::uint64_t{difference} * difference;
        greatest[c] = std::max(greatest[c], difference);
        most = std::max(most, difference);
      }
      differing += most > tolerance_ ? 1 : 0;
    }
    if (differing_ == 0 && differing > 0) {
      find_first(a, b, y);
    }
    differing_ += differing;
    for (std::size_t c = 0; c < channels; ++c) {
      sums_[c] += sums[c];
      squares_ += squares[c];
      greatest_[c] = std::max(greatest_[c], greatest[c]);
    }
  }

  static std::uint32_t difference_of(std::uint16_t a, std::uint16_t b) {
    return static_cast<std::uint32_t>(std::abs(int{a} - int{b}));
  }

  /// Finds the first difference in a row that has one.
  void find_first(const std::uint16_t* a, const std::uint16_t* b, int y) {
    std::size_t sample = 0;
    while (difference_of(a[sample], b[sample]) <= tolerance_) {
      ++sample;
    }
    const std::size_t x = sample / channels_;
    const std::uint16_t* const in_a = a + x * channels_;
    const std::uint16_t* const in_b = b + x * channels_;
    first_ = {static_cast<int>(x), y, {in_a, in_a + channels_}, {in_b, in_b + channels_}};
  }

  std::size_t channels_;
  std::uint32_t tolerance_;
  std::array<std::uint32_t, kMaxChannels> greatest_{};
  std::array<Sum128, kMaxChannels> sums_{};
  Sum128 squares_ = 0;
  std::uint64_t differing_ = 0;
  FirstDifference first_;
};

/// Counts the levels of both images, separately for each channel.
class HistogramPair {
 public:
  HistogramPair(int channels, std::size_t levels) : channels_(static_cast<std::size_t>(channels)) {
    for (auto& image : counts_) {
      image.assign(channels_, std::vector<std::uint64_t>(levels));
    }
  }

  void add_row(std::size_t image, const std::uint16_t* row, std::size_t samples) {
    for (std::size_t i = 0; i < samples; i += channels_) {
      for (std::size_t c = 0; c < channels_; ++c) {
        ++counts_[image][c][row[i + c]];
      }
    }
  }

  [[nodiscard]] HistogramDistances distances(std::size_t channel, double pixels) const;

 private:
  std::size_t channels_;
  std::array<std::vector<std::vector<std::uint64_t>>, 2> counts_;
};

/// Cov(a, b) / √(Var(a)·Var(b)) of the counts, as in compareHist: 1 if one of them is constant.
double correlation_of(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b, double pixels) {
  Sum128 aa = 0;
  Sum128 bb = 0;
  Sum128 ab = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    aa += Sum128{a[v]} * a[v];
    bb += Sum128{b[v]} * b[v];
    ab += Sum128{a[v]} * b[v];
  }
  const double common = pixels * pixels / static_cast<double>(a.size());
  const double variances = (static_cast<double>(aa) - common) * (static_cast<double>(bb) - common);
  return std::abs(variances) > std::numeric_limits<double>::epsilon()
             ? (static_cast<double>(ab) - common) / std::sqrt(variances)
             : 1.0;
}

HistogramDistances HistogramPair::distances(std::size_t channel, double pixels) const {
  const std::vector<std::uint64_t>& a = counts_[0][channel];
  const std::vector<std::uint64_t>& b = counts_[1][channel];
  HistogramDistances result;
  result.correlation = correlation_of(a, b, pixels);
  double overlap = 0.0;
  std::uint64_t common = 0;
  std::int64_t moved = 0;
  Sum128 moves = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    const auto in_a = static_cast<double>(a[v]);
    const auto in_b = static_cast<double>(b[v]);
    if (a[v] > 0) {
      result.chi_square += (in_a - in_b) * (in_a - in_b) / in_a;
    }
    overlap += std::sqrt(in_a * in_b);
    common += std::min(a[v], b[v]);
    moved += static_cast<std::int64_t>(a[v]) - static_cast<std::int64_t>(b[v]);
    moves += static_cast<std::uint64_t>(std::abs(moved));
  }
  result.intersection = static_cast<double>(common);
  result.bhattacharyya = std::sqrt(std::max(1.0 - overlap / pixels, 0.0));
  result.earth_mover = static_cast<double>(moves) / pixels;
  return result;
}

void report_similarity(const std::vector<double>& means, ImageComparison& result) {
  if (means.empty()) {
    return;
  }
  double sum = 0.0;
  for (std::size_t c = 0; c < means.size(); ++c) {
    result.channels[c].ssim = means[c];
    sum += means[c];
  }
  const bool are_all_one = std::all_of(means.begin(), means.end(), [](double mean) { return mean >= 1.0; });
  const double mean = sum / static_cast<double>(means.size());
  result.ssim = are_all_one ? 1.0 : std::min(mean, std::nextafter(1.0, 0.0));  // the sum may be rounded up
}

std::uint32_t to_eight_bits(std::uint32_t level, PixelFormat format) {
  return format.sample == Sample::u8 ? level : (level + 128) / 257;
}

/// (r + 2g + b) / 4 at 8 bits, rounded.
std::uint32_t gray_at(const std::uint16_t* pixel, PixelFormat format) {
  const auto level = [&](int c) { return to_eight_bits(pixel[c], format); };
  return format.color_channels() == 1 ? level(0) : (level(0) + 2 * level(1) + level(2) + 2) / 4;
}

std::uint32_t greatest_at(const std::uint16_t* a, const std::uint16_t* b, int channels) {
  std::uint32_t greatest = 0;
  for (int c = 0; c < channels; ++c) {
    greatest = std::max<std::uint32_t>(greatest, a[c] > b[c] ? a[c] - b[c] : b[c] - a[c]);
  }
  return greatest;
}

/// Calls draw(a, b, pixel of the result) for each pixel.
template <class Draw>
void draw_pixels(const CommonRows& rows, View to, const Draw& draw) {
  std::vector<std::uint16_t> row_a(rows.samples());
  std::vector<std::uint16_t> row_b(rows.samples());
  const auto channels = static_cast<std::size_t>(rows.format().channels);
  for (int y = 0; y < to.height; ++y) {
    rows.read(y, row_a.data(), row_b.data());
    std::byte* out = to.row_bytes(y);
    for (std::size_t i = 0; i < row_a.size(); i += channels, out += to.format.bytes_per_pixel()) {
      draw(row_a.data() + i, row_b.data() + i, out);
    }
  }
}

/// Draws the image on white, as 8-bit RGB, into the columns of `to` from `left` on.
void place_on_white(ConstView image, View to, int left) {
  const int channels = image.format.channels;
  const std::uint32_t v_max = image.format.max_value();
  std::vector<std::uint16_t> row(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(channels));
  for (int y = 0; y < image.height; ++y) {
    widen_row(image, y, image.format, row.data());
    auto* out = to.row<std::uint8_t>(y) + static_cast<std::ptrdiff_t>(3) * left;
    for (std::size_t i = 0; i < row.size(); i += static_cast<std::size_t>(channels)) {
      const std::uint32_t alpha = image.format.has_alpha() ? row[i + static_cast<std::size_t>(channels) - 1] : v_max;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint64_t level = row[i + (image.format.color_channels() == 1 ? 0 : c)];
        const std::uint64_t mixed = (level * alpha + std::uint64_t{v_max} * (v_max - alpha) + v_max / 2) / v_max;
        *out++ = static_cast<std::uint8_t>(to_eight_bits(static_cast<std::uint32_t>(mixed), image.format));
      }
    }
  }
}

}  // namespace

std::uint32_t ImageComparison::greatest() const {
  std::uint32_t greatest = 0;
  for (const ChannelDifference& channel : channels) {
    greatest = std::max(greatest, channel.greatest);
  }
  return greatest;
}

ImageComparison compare_images(ConstView a, ConstView b, const ComparisonOptions& options) {
  ImageComparison result;
  result.same_size = a.width == b.width && a.height == b.height;
  const CommonRows rows(a, b, options);
  const PixelFormat format = rows.format();
  result.bits = static_cast<int>(8 * sample_bytes(format.sample));
  if (!result.same_size) {
    return result;
  }
  result.pixels = a.pixel_count();
  Counter counter(static_cast<std::size_t>(format.channels), options.tolerance);
  HistogramPair histograms(options.has_histograms ? format.channels : 0, format.max_value() + std::size_t{1});
  StructuralSimilarity similarity(a.width, options.has_similarity ? a.height : 0, format.channels, result.bits,
                                  options.window);
  for (int y = 0; y < a.height; ++y) {
    std::uint16_t* row_a = similarity.next_row(0);
    std::uint16_t* row_b = similarity.next_row(1);
    const bool is_same = rows.read(y, row_a, row_b);
    if (!is_same) {
      counter.add_row(row_a, row_b, rows.width(), y);
    }
    if (options.has_histograms) {
      histograms.add_row(0, row_a, rows.samples());
      histograms.add_row(1, row_b, rows.samples());
    }
    if (options.has_similarity) {
      similarity.add_row(is_same);
    }
  }
  counter.report(result);
  report_similarity(similarity.means(), result);
  for (std::size_t c = 0; options.has_histograms && c < result.channels.size(); ++c) {
    result.channels[c].histogram = histograms.distances(c, static_cast<double>(result.pixels));
  }
  return result;
}

std::uint64_t comparison_bytes(int width, int height, PixelFormat a, PixelFormat b, const ComparisonOptions& options) {
  const PixelFormat format = common_format(a, b);
  const auto channels = static_cast<std::uint64_t>(format.channels);
  const std::uint64_t levels = options.has_histograms ? 2 * channels * (format.max_value() + std::uint64_t{1}) : 0;
  return levels * sizeof(std::uint64_t) +
         StructuralSimilarity::bytes_of(width, options.has_similarity ? height : 0, format.channels,
                                        static_cast<int>(8 * sample_bytes(format.sample)), options.window);
}

Image difference_picture(ConstView a, ConstView b, const ComparisonOptions& options,
                         const ImageComparison& comparison) {
  const CommonRows rows(a, b, options);
  const PixelFormat format = rows.format();
  const std::uint32_t greatest = std::max(comparison.greatest(), 1U);
  Image picture(a.width, a.height, {Sample::u8, 3});
  draw_pixels(rows, picture.view(), [&](const std::uint16_t* p, const std::uint16_t* q, std::byte* out) {
    const std::uint32_t gray = 160 + 3 * ((gray_at(p, format) + gray_at(q, format)) / 2) / 8;
    const std::uint32_t difference = greatest_at(p, q, format.channels);
    const std::uint32_t red = difference > options.tolerance ? 128 + 127 * difference / greatest : 0;
    const std::uint32_t left = (gray * (255 - red) + 127) / 255;
    out[0] = static_cast<std::byte>((255 * red + gray * (255 - red) + 127) / 255);
    out[1] = static_cast<std::byte>(left);
    out[2] = static_cast<std::byte>(left);
  });
  return picture;
}

Image amplified_difference(ConstView a, ConstView b, const ComparisonOptions& options, std::uint32_t factor) {
  const CommonRows rows(a, b, options);
  const PixelFormat format = rows.format();
  const int colors = format.color_channels();
  Image picture(a.width, a.height, {format.sample, colors});
  draw_pixels(rows, picture.view(), [&](const std::uint16_t* p, const std::uint16_t* q, std::byte* out) {
    const std::uint32_t of_alpha = format.has_alpha() ? greatest_at(p + colors, q + colors, 1) : 0;
    for (int c = 0; c < colors; ++c) {
      const std::uint64_t amplified = std::uint64_t{factor} * std::max(greatest_at(p + c, q + c, 1), of_alpha);
      const auto level = static_cast<std::uint16_t>(std::min<std::uint64_t>(amplified, format.max_value()));
      if (format.sample == Sample::u8) {
        *out = static_cast<std::byte>(level);
      } else {
        std::memcpy(out, &level, sizeof level);
      }
      out += sample_bytes(format.sample);
    }
  });
  return picture;
}

Image side_by_side(ConstView a, ConstView b, ConstView third) {
  constexpr int kGap = 8;
  if (a.width > (std::numeric_limits<int>::max() - 2 * kGap) / 3) {
    throw Error(ErrorKind::unsupported, "--side-by-side: the images are too wide together; leave --side-by-side out");
  }
  Image picture(3 * a.width + 2 * kGap, a.height, {Sample::u8, 3});
  std::memset(picture.view().data, 0xFF, picture.size_bytes());
  place_on_white(a, picture.view(), 0);
  place_on_white(b, picture.view(), a.width + kGap);
  place_on_white(third, picture.view(), 2 * (a.width + kGap));
  return picture;
}

std::string ComparisonLimits::broken_by(const ImageComparison& comparison) const {
  std::vector<std::string> broken;
  const auto check = [&](bool holds, const std::string& clause) {
    if (!holds) {
      broken.push_back(clause);
    }
  };
  if (differing) {
    check(comparison.differing <= *differing, fmt::format("more than {} pixels differ", grouped(*differing)));
  }
  if (differing_percent) {
    check(static_cast<double>(comparison.differing) * 100.0 <=
              *differing_percent * static_cast<double>(comparison.pixels),
          fmt::format("more than {}% of the pixels differ", *differing_percent));
  }
  if (min_psnr_db) {
    check(comparison.psnr_db >= *min_psnr_db,
          fmt::format("PSNR {:.2f} dB is below {}", std::floor(comparison.psnr_db * 100) / 100, *min_psnr_db));
  }
  if (min_ssim) {
    if (!comparison.ssim) {
      throw Error(ErrorKind::unsupported,
                  "too small for SSIM, which takes windows of 7x7 pixels, and with --gaussian "
                  "of 11x11; leave --min-ssim out, or give --min-psnr");
    }
    check(*comparison.ssim >= *min_ssim, fmt::format("SSIM {} is below {}", ssim_text(*comparison.ssim), *min_ssim));
  }
  return fmt::format("{}", fmt::join(broken, ", "));
}

}  // namespace gpuimg
