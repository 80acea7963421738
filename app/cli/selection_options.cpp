// --roi, --mask and --transparent.
#include "cli/selection_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/option_values.hpp"

namespace gpuimg {
namespace {

const NamedValues<bool> kTransparentNames = {{"skip", false, "are not counted"},
                                             {"count", true, "are counted like others"}};

}  // namespace

void add_selection_options(CLI::App& parser, SelectionArguments& arguments) {
  parser.add_option("--roi", arguments.region, "count only pixels in this rectangle")->type_name("X,Y,W,H");
  parser.add_option("--mask", arguments.mask, "an image of the same size: pixels that are black in it are left out")
      ->type_name("FILE");
  parser
      .add_option("--transparent", arguments.transparent,
                  with_choices("fully transparent pixels", kTransparentNames, arguments.transparent))
      ->type_name("WHAT");
}

Selection checked_selection(const SelectionArguments& arguments) {
  Selection selection;
  selection.count_transparent = value_named("--transparent", arguments.transparent, kTransparentNames);
  if (!arguments.region.empty()) {
    selection.region = parse_region(arguments.region);
  }
  return selection;
}

std::optional<Image> load_mask(const SelectionArguments& arguments, CommandContext& context) {
  if (arguments.mask.empty()) {
    return std::nullopt;
  }
  return mask_of(context.load(arguments.mask).image.view());
}

std::optional<Image> copy_of(const std::optional<Image>& mask) {
  return mask ? std::optional<Image>(mask->clone()) : std::nullopt;
}

}  // namespace gpuimg
