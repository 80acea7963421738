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
  parser.text(
      {"--transparent", with_choices("fully transparent pixels", kTransparentNames, arguments.transparent), "WHAT"},
      arguments.transparent);
}

Selection checked_selection(const SelectionArguments& arguments) {
  Selection selection;
  selection.count_transparent = value_named("--transparent", arguments.transparent, kTransparentNames);
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
