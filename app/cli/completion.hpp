// Scripts with which a shell completes command lines of gpuimg, made from the command model.
#pragma once

#include <string>

#include "cli/command_model.hpp"

namespace gpuimg {

/// To be read by `eval`, or installed in bash-completion's folder. Needs no bash-completion.
std::string bash_completion(const CommandModel& program);

/// To be installed as `_gpuimg` in a folder of $fpath, or read by `eval` after compinit.
std::string zsh_completion(const CommandModel& program);

/// To be installed as `gpuimg.fish` in fish's folder of completions, or read by `source`.
std::string fish_completion(const CommandModel& program);

}  // namespace gpuimg
