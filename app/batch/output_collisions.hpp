// Two inputs with one output: refused, with a way out that works when it is pasted. docs/batch.md, "Outputs".
#pragma once

#include <string>
#include <vector>

#include "batch/work_plan.hpp"

namespace gpuimg {

/// `items` are those of `inputs`, in the same order. Throws Error{usage} if two of them have one output, however it is
/// spelled. The message quotes the first of naming.alternatives that tells all of them apart.
void refuse_output_collisions(const std::vector<PlanItem>& items, const std::vector<InputFile>& inputs,
                              const OutputNaming& naming);

/// Templates for --output that keep the folder `output` and name files by more than their stem.
std::vector<std::string> alternatives_for_folder(const std::string& output, const std::string& ending);

/// The same for a template that is not enough.
std::vector<std::string> alternatives_for_template(const std::string& text);

/// One word of a POSIX shell; with $'…' (bash, zsh, ksh) for what a message could not show.
std::string shell_word(const std::string& text);

}  // namespace gpuimg
