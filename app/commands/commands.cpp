// The one list of subcommands.
#include "commands/commands.hpp"

namespace gpuimg {

std::vector<Command> all_commands() {
  return {hist_command(),  equalize_command(), integral_command(),   hsl_command(),  report_command(),
          bench_command(), doctor_command(),   completion_command(), help_command(), version_command()};
}

}  // namespace gpuimg
