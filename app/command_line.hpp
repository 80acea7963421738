// From argv to an exit code: parses, says what is wrong with a command line, runs the subcommand, reports its error.
#pragma once

#include "exit_code.hpp"

namespace gpuimg {

ExitCode run_command_line(int argc, char** argv);

}  // namespace gpuimg
