// The list of subcommands. Each is described in its own file.
#pragma once

#include <vector>

#include "cli/command.hpp"

namespace gpuimg {

Command hist_command();
Command equalize_command();
Command integral_command();
Command hsl_command();
Command report_command();
Command bench_command();
Command doctor_command();
Command completion_command();
Command help_command();
Command version_command();

/// In the order in which --help lists them.
std::vector<Command> all_commands();

}  // namespace gpuimg
