// --roi, --mask, --transparent and --luma: which pixels an operation counts, and how it computes their luma.
// docs/operations.md, "Luma".
#pragma once

#include <string>

#include "cli/command_parser.hpp"
#include "cli/option_values.hpp"
#include "gpuimg/ops/hist.hpp"
#include "gpuimg/selection.hpp"

namespace gpuimg {

struct SelectionArguments {
  std::string region;
  std::string mask;
  std::string transparent;  ///< empty: the default
};

/// --roi, --mask and --transparent.
void add_selection_options(CommandParser& parser, SelectionArguments& arguments);

/// The checked options without the mask, which is passed as OperationInput::mask. Without --transparent, transparent
/// pixels count if alpha itself is the channel. Throws Error{usage}.
Selection checked_selection(const SelectionArguments& arguments, Channel channel = Channel::luma);

/// --transparent alone, for operations that select pixels by nothing else. `counts` is the default that --help shows.
void add_transparent_option(CommandParser& parser, std::string& value, bool counts = Selection().count_transparent);
bool counts_transparent(const std::string& value, Channel channel);

/// --luma. `by_default` is the default that --help shows.
void add_luma_option(CommandParser& parser, std::string& value, Luma by_default);

}  // namespace gpuimg
