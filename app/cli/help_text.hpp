// What --help prints: always 80 columns, so that it looks the same in a file.
#pragma once

#include <string>

#include "cli/command_model.hpp"

namespace gpuimg {

std::string program_help(const CommandModel& program);

std::string subcommand_help(const std::string& program_name, const CommandModel& subcommand);

}  // namespace gpuimg
