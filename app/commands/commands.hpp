// The list of subcommands, and texts about this build. Each subcommand has its own namespace.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"
#include "operations/operations.hpp"

namespace gpuimg {

Command hist_command();
Command equalize_command();
Command integral_command();
Command hsl_command();
Command threshold_command();
Command denoise_command();
Command despeckle_command();
Command deskew_command();
Command resize_command();
Command crop_command();
Command rotate_command();
Command flip_command();
Command convert_command();
Command compare_command();
Command duplicates_command();
Command info_command();
Command report_command();
Command batch_command();
Command bench_command();
Command doctor_command();
Command completion_command();
Command help_command();
Command version_command();

/// In the order in which --help lists them.
inline constexpr std::array kCommands = {
    hist_command,      equalize_command, integral_command,   hsl_command,  threshold_command, denoise_command,
    despeckle_command, deskew_command,   resize_command,     crop_command, rotate_command,    flip_command,
    convert_command,   compare_command,  duplicates_command, info_command, report_command,    batch_command,
    bench_command,     doctor_command,   completion_command, help_command, version_command,
};

inline std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const auto& command : kCommands) {
    commands.push_back(command());
  }
  return commands;
}

/// The command of an operation, with the name and the summary from the list of operations.
inline Command operation_command(std::string_view name, const char* examples, RunCommand (*declare)(CommandParser&)) {
  const Operation& operation = *find_operation(name);
  return {std::string(operation.name), std::string(operation.summary), examples, declare};
}

/// Version, commit, compiler, CUDA runtime and architectures, and libraries: one line each. Printed by --version too.
std::string version_text();

/// The library that reads HEIC and AVIF, with its codecs, or the reason why there is none.
std::string heif_reader();

}  // namespace gpuimg
