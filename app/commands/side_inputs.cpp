// Reads further inputs on the host, in the format that the operation needs.
#include "commands/side_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"
#include "ops/equalize.hpp"
#include "report/histogram_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// A mask: 255 where any color channel is nonzero, else 0.
template <class T>
Image mask_levels(ConstView pixels) {
  Image mask(pixels.width, pixels.height, PixelFormat{Sample::u8, 1});
  const auto channels = static_cast<std::size_t>(pixels.format.channels);
  const int colors = pixels.format.color_channels();
  const View out = mask.view();
  for (int y = 0; y < pixels.height; ++y) {
    const T* from = pixels.row<T>(y);
    auto* to = out.row<std::uint8_t>(y);
    for (std::size_t x = 0; x < static_cast<std::size_t>(pixels.width); ++x, from += channels) {
      to[x] = std::any_of(from, from + colors, [](T value) { return value != 0; }) ? 255 : 0;
    }
  }
  return mask;
}

/// Converts to the format of masks: u8, 1 channel. An image in this format is converted in place, so that there are
/// never two copies.
Image mask_of(Image image) {
  if (image.format() != PixelFormat{Sample::u8, 1}) {
    const ConstView pixels = std::as_const(image).view();
    return pixels.format.sample == Sample::u8 ? mask_levels<std::uint8_t>(pixels) : mask_levels<std::uint16_t>(pixels);
  }
  auto* const levels = image.view().row<std::uint8_t>(0);
  std::transform(levels, levels + image.size_bytes(), levels,
                 [](std::uint8_t level) { return static_cast<std::uint8_t>(level != 0 ? 255 : 0); });
  return image;
}

/// The channels that the mode counts. Throws Error{usage} if `hist` cannot count them.
std::vector<Channel> channels_for(EqualizeColor color, const std::string& option) {
  switch (color) {
    case EqualizeColor::luma:
    case EqualizeColor::joint: return {Channel::luma};
    case EqualizeColor::rgb: return {Channel::red, Channel::green, Channel::blue};
    default:
      throw Error(ErrorKind::usage, option + ": a histogram needs --color luma, joint or rgb; " +
                                        name_of(color, kColorNames) + " uses counts that hist does not make");
  }
}

/// The counts in a JSON file of `hist`, one histogram per table. Throws Error{usage} that names `option` if its
/// channels or luma do not match the color mode; Error{decode} if the file is not such a histogram.
LevelCounts counts_of_reference(std::span<const std::byte> bytes, const std::string& path,
                                const EqualizeOptions& options, const std::string& option) {
  const std::vector<Channel> wanted = channels_for(options.color, option);
  const HistogramFile file = histogram_from_json(bytes, path);
  bool fits = file.histogram.channels.size() == wanted.size();
  LevelCounts counts;
  for (std::size_t i = 0; fits && i < wanted.size(); ++i) {
    const ChannelHistogram& channel = file.histogram.channels[i];
    fits = channel.channel == wanted[i] && (wanted[i] != Channel::luma || file.luma == options.luma);
    counts.push_back(channel.counts);
  }
  if (!fits) {
    const std::string channels =
        options.color == EqualizeColor::rgb ? "--channel rgb" : "--luma " + name_of(options.luma, kLumaNames);
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} was counted with another --channel or --luma; count again with 'gpuimg hist {} IN "
                            "OUT.json'",
                            option, printable_name(path), channels));
  }
  return counts;
}

LevelCounts counts_of_image(const Bytes& bytes, const std::string& path, const EqualizeOptions& options,
                            Worker& worker) {
  EqualizeOptions whole_image = options;
  whole_image.selection.region.reset();
  const auto backend = make_cpu_backend(1);
  return backend->table_counts(backend->upload(worker.loader.decode_on_host(bytes, path)), whole_image);
}

bool is_empty(const std::vector<std::uint64_t>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; });
}

}  // namespace

SharedMask load_mask(const std::string& path, Worker& worker) {
  return path.empty() ? nullptr : std::make_shared<const Image>(mask_of(worker.loader.load_on_host(path)));
}

GivenTables tables_of_reference(const std::string& path, const EqualizeOptions& options, Worker& worker) {
  const Bytes bytes = worker.loader.read(path);
  return {level_tables(options, counts_of_reference(bytes.span(), path, options, "--reference")), printable_name(path)};
}

void check_fit(const GivenTables& given, EqualizeColor color, PixelFormat format, const std::string& image) {
  const bool is_gray = format.color_channels() == 1;
  const std::size_t wanted = color == EqualizeColor::rgb && !is_gray ? 3 : 1;
  const std::size_t levels = format.max_value() + std::size_t{1};
  const std::size_t given_levels = given.tables.maps.front().size();
  if (given.tables.maps.size() < wanted) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: has one table, and --color rgb needs three for {}; use another --color, or make "
                            "tables with --color rgb",
                            given.file, image));
  }
  if (given.tables.maps.size() > wanted) {
    throw Error(ErrorKind::usage, fmt::format("{}: has tables for red, green and blue, and {} is gray; make one from a "
                                              "gray image",
                                              given.file, image));
  }
  if (given_levels != levels) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: is for images of {} levels, and {} has {}; make one from an image of {} bits",
                            given.file, given_levels, image, levels, sample_bytes(format.sample) * 8));
  }
}

CountsToMatch counts_to_match(const std::string& path, const EqualizeOptions& options, Worker& worker) {
  const Bytes bytes = worker.loader.read(path);
  CountsToMatch match{looks_like_json(bytes.span()) ? counts_of_reference(bytes.span(), path, options, "--match")
                                                    : counts_of_image(bytes, path, options, worker),
                      printable_name(path)};
  if (std::any_of(match.counts.begin(), match.counts.end(), is_empty)) {
    throw Error(ErrorKind::usage, fmt::format("--match: {} has no pixel that counts; name another image", match.file));
  }
  return match;
}

void check_fit(const CountsToMatch& match, EqualizeColor color, PixelFormat format, const std::string& image) {
  const std::size_t levels = format.max_value() + std::size_t{1};
  const std::size_t given_levels = match.counts.front().size();
  if (given_levels != levels) {
    throw Error(ErrorKind::usage, fmt::format("{}: has {} levels, and {} has {}; match an image of {} bits", match.file,
                                              given_levels, image, levels, sample_bytes(format.sample) * 8));
  }
  if (match.counts.size() == 3 && (color != EqualizeColor::rgb || format.color_channels() == 1)) {
    throw Error(ErrorKind::usage, fmt::format("{}: has three histograms for --color rgb, and {} is gray; match a gray "
                                              "image, or use --color luma",
                                              match.file, image));
  }
}

}  // namespace gpuimg
