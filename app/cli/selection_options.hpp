// --roi, --mask and --transparent: which pixels `hist` and `equalize` count.
#pragma once

#include <string>

#include "cli/command_parser.hpp"
#include "cli/option_values.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg {

struct SelectionArguments {
  std::string region;
  std::string mask;
  std::string transparent = name_of(Selection().count_transparent, kTransparentNames);
};

void add_selection_options(CommandParser& parser, SelectionArguments& arguments);

/// The checked options without the mask, which is passed as OperationInput::mask. Throws Error{usage}.
Selection checked_selection(const SelectionArguments& arguments);

}  // namespace gpuimg
