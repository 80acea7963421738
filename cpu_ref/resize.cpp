// Resize on the CPU: runs the horizontal pass on 16 rows at a time, whose samples stay in a cache until the vertical
// pass has used them. Specified in docs/operations.md, "Resize".
#include "ops/resize_passes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "operations.hpp"
#include "parallel_loops.hpp"
#include "pixel_rows.hpp"
#include "simd/simd_rows.hpp"

namespace gpuimg::cpu {
namespace {

constexpr int kBlockRows = static_cast<int>(kResizeRows);

template <class T>
WordAxis<T> word_axis(const AxisWeights<WeightOf<T>>& axis, int origin) {
  WordAxis<T> words;
  words.starts.push_back(0);
  for (int i = 0; i < axis.size(); ++i) {
    const int first = axis.first[static_cast<std::size_t>(i)] - origin;
    const int first_word = first / kWordSamples<T>;
    const std::size_t start = words.weights.size();
    const int count = (first + axis.count(i) + kWordSamples<T> - 1) / kWordSamples<T> - first_word;
    words.first.push_back(static_cast<std::uint32_t>(first_word));
    words.weights.resize(start + static_cast<std::size_t>(count));
    for (int k = 0; k < axis.count(i); ++k) {
      const int at = first + k - first_word * kWordSamples<T>;
      words.weights[start + static_cast<std::size_t>(at / kWordSamples<T>)].set(
          at % kWordSamples<T>, axis.weights[axis.starts[static_cast<std::size_t>(i)] + static_cast<std::size_t>(k)]);
    }
    words.starts.push_back(static_cast<std::uint32_t>(words.weights.size()));
  }
  return words;
}

template <class T, int channels>
void premultiply(const T* from, std::size_t count, T* to) {
  for (std::size_t x = 0; x < count; ++x, from += channels, to += channels) {
    for (int c = 0; c < channels - 1; ++c) {
      to[c] = premultiplied<T>(from[c], from[channels - 1]);
    }
    to[channels - 1] = from[channels - 1];
  }
}

template <class T, int channels>
void unmultiply(T* pixels, std::size_t count) {
  for (std::size_t x = 0; x < count; ++x, pixels += channels) {
    const T alpha = pixels[channels - 1];
    if (alpha == kMaxOf<T>) {
      continue;  // skip the slow divisions
    }
    for (int c = 0; c < channels - 1; ++c) {
      pixels[c] = unmultiplied<T>(pixels[c], alpha);
    }
  }
}

/// Data that all bands of an image share.
template <class T>
struct Passes {
  ConstView in;
  View out;             ///< the resampled image
  int first_column;     ///< first input column that is used; a multiple of kWordSamples
  std::size_t columns;  ///< number of input columns that are used
  WordAxis<T> across;
  AxisWeights<WeightOf<T>> down;
  WordAxis<T> down_words;

  Passes(ConstView pixels, const ResizeWork& work, View to) : in(pixels), out(to) {
    const auto weights = work.across<WeightOf<T>>();
    first_column = weights.first.front() / kWordSamples<T> * kWordSamples<T>;
    columns = static_cast<std::size_t>(weights.end(weights.size() - 1) - first_column);
    across = word_axis<T>(weights, first_column);
    down = work.down<WeightOf<T>>();
    down_words = word_axis<T>(down, 0);
  }
};

/// Computes a band of the result. Holds the rows of words that the vertical pass reads. Rows of words are made in
/// blocks, and dropped once no later row needs them.
template <class T, int channels>
class BandResizer {
  static constexpr bool kHasAlpha = channels == 2 || channels == 4;
  static constexpr int kWordRows = kBlockRows / kWordSamples<T>;  ///< rows of words per block

 public:
  /// For rows [begin, end) of the result.
  BandResizer(const Passes<T>& passes, int begin, int end)
      : passes_(passes),
        lanes_(static_cast<std::size_t>(passes.out.width) * channels),
        stride_(lanes_ + kResizeRows),
        transposed_((passes.columns / kWordSamples<T> + 1) * channels * kResizeRows),
        begin_(begin),
        end_(end) {
    std::size_t longest = 1;
    for (int y = begin; y < end; ++y) {
      longest = std::max<std::size_t>(longest, words_end(y) - words_begin(y));
    }
    constexpr std::size_t kSpare = 4 * kWordRows;  // spare room, so that rows are rarely moved
    room_ = longest + kSpare;
    words_.resize(room_ * stride_);
    first_word_ = next_word_ = words_begin(begin) / kWordRows * kWordRows;
    if constexpr (kHasAlpha) {
      premultiplied_.resize(kResizeRows * passes.columns * channels);
    }
  }

  void run() {
    for (int y = begin_; y < end_; ++y) {
      while (next_word_ < words_end(y)) {
        add_block(y);
      }
      const auto at = static_cast<std::size_t>(y);
      const std::size_t start = passes_.down_words.starts[at];
      T* row = passes_.out.template row<T>(y);
      weighted_row(words_.data() + (words_begin(y) - first_word_) * stride_, stride_,
                   passes_.down_words.weights.data() + start, passes_.down_words.starts[at + 1] - start, lanes_, row);
      if constexpr (kHasAlpha) {
        unmultiply<T, channels>(row, static_cast<std::size_t>(passes_.out.width));
      }
    }
  }

 private:
  [[nodiscard]] std::size_t words_begin(int y) const { return passes_.down_words.first[static_cast<std::size_t>(y)]; }
  [[nodiscard]] std::size_t words_end(int y) const {
    const auto at = static_cast<std::size_t>(y);
    return words_begin(y) + passes_.down_words.starts[at + 1] - passes_.down_words.starts[at];
  }

  /// Runs the horizontal pass on the next block of rows. `y` is the row of the result that will be computed next.
  void add_block(int y) {
    if (next_word_ - first_word_ + kWordRows > room_) {
      const std::size_t keep = std::min(words_begin(y), next_word_);
      std::memmove(words_.data(), words_.data() + (keep - first_word_) * stride_,
                   (next_word_ - keep) * stride_ * sizeof(ResizeWord<T>));
      first_word_ = keep;
    }
    const std::array<const T*, kResizeRows> rows = input_rows(static_cast<int>(next_word_) * kWordSamples<T>);
    transpose_rows(rows.data(), passes_.columns, channels, transposed_.data());
    weighted_columns(transposed_.data(), passes_.across, channels, words_.data() + (next_word_ - first_word_) * stride_,
                     stride_);
    next_word_ += kWordRows;
  }

  /// The rows of a block. Rows after the last row of the image have the weight 0, so any row may take their place.
  std::array<const T*, kResizeRows> input_rows(int first) {
    std::array<const T*, kResizeRows> rows{};
    for (int r = 0; r < kBlockRows; ++r) {
      const T* row = passes_.in.template row<T>(std::min(first + r, passes_.in.height - 1)) +
                     static_cast<std::ptrdiff_t>(passes_.first_column) * channels;
      if constexpr (kHasAlpha) {
        T* to = premultiplied_.data() + static_cast<std::size_t>(r) * passes_.columns * channels;
        premultiply<T, channels>(row, passes_.columns, to);
        row = to;
      }
      rows[static_cast<std::size_t>(r)] = row;
    }
    return rows;
  }

  const Passes<T>& passes_;
  std::size_t lanes_;
  std::size_t stride_;
  std::vector<ResizeWord<T>> transposed_;
  std::vector<ResizeWord<T>> words_;
  std::vector<T> premultiplied_;
  int begin_;
  int end_;
  std::size_t room_ = 0;  ///< capacity in rows of words
  std::size_t first_word_ = 0;
  std::size_t next_word_ = 0;
};

/// Two adjacent bands each run the horizontal pass on the rows that they share, so there should be few bands.
int band_count(int threads, int rows, int input_rows) {
  constexpr int kBandsOfThread = 2;
  constexpr int kLeastRows = 128;
  return threads == 1 ? 1 : std::clamp(std::min(threads * kBandsOfThread, input_rows / kLeastRows), 1, rows);
}

template <class T, int channels>
void resample(ConstView pixels, const ResizeWork& work, View out) {
  const Passes<T> passes(pixels, work, out);
  const int bands = band_count(loop_threads(), out.height, std::max(pixels.height, out.height));
  for_each_index(0, bands, [&](int band) {
    const auto edge = [&](int at) { return static_cast<int>(std::int64_t{out.height} * at / bands); };
    BandResizer<T, channels>(passes, edge(band), edge(band + 1)).run();
  });
}

template <class T, int channels>
void pick_nearest(ConstView pixels, const ResizeWork& work, View out) {
  const std::vector<std::int32_t> columns = work.nearest_columns();
  const std::vector<std::int32_t> rows = work.nearest_rows();
  const NearestPixels<T, channels> picked{pixels.row<T>(0),
                                          static_cast<std::size_t>(pixels.width),
                                          out.row<T>(0),
                                          out.pitch_bytes / (sizeof(T) * channels),
                                          0,
                                          columns.data(),
                                          rows.data()};
  for_row_bands(out.width, out.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      for (int x = 0; x < out.width; ++x) {
        picked(x, y);
      }
    }
  });
}

template <class T, int channels>
void fill_bars(const std::array<std::uint16_t, 4>& color, View out) {
  FillPixels<T, channels> fill{out.row<T>(0), static_cast<std::size_t>(out.width)};
  std::copy(color.begin(), color.end(), fill.pixel);
  for_row_bands(out.width, out.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      for (int x = 0; x < out.width; ++x) {
        fill(x, y);
      }
    }
  });
}

View part_of(View pixels, const Rect& part) {
  pixels.data = pixels.row_bytes(part.y) + static_cast<std::size_t>(part.x) * pixels.format.bytes_per_pixel();
  pixels.width = part.width;
  pixels.height = part.height;
  return pixels;
}

/// Copies the rows of the picture that pass through unchanged.
void copy_placed(ConstView pixels, const ResizeWork& work, View out) {
  pixels.data = pixels.row_bytes(work.placed.begin - work.first_row);
  pixels.height = out.height;
  copy_pixels(pixels, out);
}

}  // namespace

Image apply(ConstView pixels, const ResizeOptions& options, PixelPool& pool) {
  const ResizeWork work = resize_work(pixels.width, pixels.height, options);
  Image result = pool.image(work.plan.width, work.height(), pixels.format);
  with_format(pixels.format, [&]<class T, int channels>() {
    if (work.has_bars()) {
      fill_bars<T, channels>(bar_pixel(pixels.format, options), result.view());
    }
    if (work.placed.begin == work.placed.end) {
      return;
    }
    const View out = part_of(result.view(), {work.plan.place.x, work.first_placed(), work.plan.place.width,
                                             work.placed.end - work.placed.begin});
    if (work.is_copy) {
      copy_placed(pixels, work, out);
    } else if (options.filter == ResizeFilter::nearest) {
      pick_nearest<T, channels>(pixels, work, out);
    } else {
      resample<T, channels>(pixels, work, out);
    }
  });
  return result;
}

}  // namespace gpuimg::cpu
