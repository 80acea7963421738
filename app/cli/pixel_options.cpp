// Declares and checks the options that select pixels, and declares --luma for every operation that has it.
#include "cli/pixel_options.hpp"

#include "cli/option_values.hpp"

namespace gpuimg {

void add_selection_options(CommandParser& parser, SelectionArguments& arguments) {
  parser.text({"--roi", "count only pixels in this rectangle", "X,Y,W,H"}, arguments.region);
  parser.text({.names = "--mask",
               .description = "an image of the same size: pixels that are black in it are left out",
               .type_name = "FILE",
               .reads_file = true},
              arguments.mask);
  add_transparent_option(parser, arguments.transparent);
}

void add_transparent_option(CommandParser& parser, std::string& value, bool counts) {
  parser.text({"--transparent",
               with_choices("fully transparent pixels, whose colors are hidden", kTransparentNames,
                            name_of(counts, kTransparentNames)),
               "WHAT"},
              value);
}

bool counts_transparent(const std::string& value, Channel channel) {
  return value.empty() ? channel == Channel::alpha : value_named("--transparent", value, kTransparentNames);
}

Selection checked_selection(const SelectionArguments& arguments, Channel channel) {
  Selection selection;
  selection.count_transparent = counts_transparent(arguments.transparent, channel);
  if (!arguments.region.empty()) {
    selection.region = parse_region("--roi", arguments.region);
  }
  return selection;
}

void add_luma_option(CommandParser& parser, std::string& value, Luma by_default) {
  parser.text(
      {"--luma",
       with_choices("how luma is computed from red, green and blue", kLumaNames, name_of(by_default, kLumaNames)),
       "NAME"},
      value);
}

}  // namespace gpuimg
