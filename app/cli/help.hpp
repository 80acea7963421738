// What is made from the command model: --help, manual pages, and scripts with which shells complete command lines.
#pragma once

#include <string>

#include "cli/command_model.hpp"

namespace gpuimg {

/// What --help prints: always 80 columns, so that it looks the same in a file.
std::string program_help(const CommandModel& program);

std::string subcommand_help(const std::string& program_name, const CommandModel& subcommand);

/// gpuimg(1) in roff with the man macros (man(7)). `version` is shown at the foot of the page.
std::string program_manual(const CommandModel& program, const std::string& version);

/// gpuimg-SUBCOMMAND(1).
std::string subcommand_manual(const CommandModel& program, const CommandModel& subcommand, const std::string& version);

/// A completion script: to be read by `eval`, or installed in bash-completion's folder. Needs no bash-completion.
std::string bash_completion(const CommandModel& program);

/// Likewise, to be installed as `_gpuimg` in a folder of $fpath, or read by `eval` after compinit.
std::string zsh_completion(const CommandModel& program);

/// Likewise, to be installed as `gpuimg.fish` in fish's folder of completions, or read by `source`.
std::string fish_completion(const CommandModel& program);

}  // namespace gpuimg
