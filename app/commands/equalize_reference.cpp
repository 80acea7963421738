// Turns the counts of a histogram file into look-up tables.
#include "commands/equalize_reference.hpp"

#include <utility>
#include <vector>

#include "cli/option_values.hpp"
#include "ops/equalize.hpp"
#include "report/histogram_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// The channels that the mode counts, if `hist` can count them too.
std::vector<Channel> channels_for(EqualizeColor color, const std::string& option) {
  switch (color) {
    case EqualizeColor::luma:
    case EqualizeColor::joint: return {Channel::luma};
    case EqualizeColor::rgb: return {Channel::red, Channel::green, Channel::blue};
    default:
      throw Error(ErrorKind::usage, option + ": a histogram goes with --color luma, joint or rgb; " +
                                        name_of(color, kColorNames) + " counts what hist does not");
  }
}

}  // namespace

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
    throw Error(ErrorKind::usage, option + ": " + printable_name(path) + " counts other channels or another luma " +
                                      "than --color " + name_of(options.color, kColorNames) + " with --luma " +
                                      name_of(options.luma, kLumaNames) + " does; make one with 'gpuimg hist'");
  }
  return counts;
}

GivenTables tables_of_reference(const std::string& path, const EqualizeOptions& options, CommandContext& context) {
  const Bytes bytes = context.read(path);
  return {level_tables(options, counts_of_reference(bytes.span(), path, options, "--reference")), printable_name(path)};
}

}  // namespace gpuimg
