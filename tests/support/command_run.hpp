// Runs a command of gpuimg in this process, as main() does.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "commands/commands.hpp"

namespace gpuimg::test {

struct CommandRun {
  ExitCode code = ExitCode::ok;
  std::string out;
  std::string err;
};

inline CommandRun run_command(const std::vector<std::string>& arguments,
                              const std::vector<Command>& commands = all_commands()) {
  std::vector<const char*> argv = {"gpuimg"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  CommandRun ran;
  CommandLine line(commands, version_text);
  const std::optional<ExitCode> ended = line.parse(static_cast<int>(argv.size()), argv.data());
  ran.code = ended ? *ended : line.run();
  ran.out = ::testing::internal::GetCapturedStdout();
  ran.err = ::testing::internal::GetCapturedStderr();
  return ran;
}

}  // namespace gpuimg::test
