// Counts the image of --match on the host, once for all inputs.
#include "commands/equalize_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/equalize_reference.hpp"
#include "report/histogram_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

LevelCounts counts_of_image(const Bytes& bytes, const std::string& path, const EqualizeOptions& options,
                            CommandContext& context) {
  EqualizeOptions whole_image = options;
  whole_image.selection.region.reset();
  const auto backend = make_cpu_backend(1);
  return backend->table_counts(backend->upload(context.decode_on_host(bytes, path)), whole_image);
}

bool is_empty(const std::vector<std::uint64_t>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; });
}

}  // namespace

CountsToMatch counts_to_match(const std::string& path, const EqualizeOptions& options, CommandContext& context) {
  const Bytes bytes = context.read(path);
  CountsToMatch match{looks_like_json(bytes.span()) ? counts_of_reference(bytes.span(), path, options, "--match")
                                                    : counts_of_image(bytes, path, options, context),
                      printable_name(path)};
  if (std::any_of(match.counts.begin(), match.counts.end(), is_empty)) {
    throw Error(ErrorKind::usage, fmt::format("--match: no pixel of {} counts", match.file));
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
