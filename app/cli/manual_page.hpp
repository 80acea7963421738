// Manual pages in roff with the man macros (man(7)), made from the command model.
#pragma once

#include <string>

#include "cli/command_model.hpp"

namespace gpuimg {

/// gpuimg(1). `version` is shown at the foot of the page.
std::string program_manual(const CommandModel& program, const std::string& version);

/// gpuimg-SUBCOMMAND(1).
std::string subcommand_manual(const CommandModel& program, const CommandModel& subcommand, const std::string& version);

}  // namespace gpuimg
