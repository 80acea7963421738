// --roi, --mask and --transparent: which pixels `hist` and `equalize` count.
#pragma once

#include <optional>
#include <string>

#include "engine/command_context.hpp"
#include "gpuimg/selection.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

struct SelectionArguments {
  std::string region;
  std::string mask;
  std::string transparent = "skip";
};

void add_selection_options(CLI::App& parser, SelectionArguments& arguments);

/// The checked options, but for the mask, which is an input of its own: OperationInput::mask. Throws Error{usage}.
Selection checked_selection(const SelectionArguments& arguments);

/// The mask file as the backends take it, or nothing.
std::optional<Image> load_mask(const SelectionArguments& arguments, CommandContext& context);

/// The mask for one more image.
std::optional<Image> copy_of(const std::optional<Image>& mask);

}  // namespace gpuimg
