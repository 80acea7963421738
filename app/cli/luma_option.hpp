// --luma: how luma is computed. docs/operations.md, "Luma".
#pragma once

#include <string>

#include "cli/command_parser.hpp"
#include "gpuimg/ops/hist.hpp"

namespace gpuimg {

/// `by_default` is the default that --help shows.
void add_luma_option(CommandParser& parser, std::string& value, Luma by_default);

}  // namespace gpuimg
