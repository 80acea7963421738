// Refuses two inputs with the same output and suggests a command that works when pasted. docs/batch.md, "Outputs".
#pragma once

#include <string>
#include <vector>

#include "batch/work_plan.hpp"

namespace gpuimg {

/// `items` and `inputs` correspond by index. Throws Error{usage} if two items have the same output under any spelling.
/// The message quotes the first of naming.alternatives that gives every item its own output.
void refuse_output_collisions(const std::vector<PlanItem>& items, const std::vector<InputFile>& inputs,
                              const OutputNaming& naming);

/// Templates for --output that keep the folder `output` and use more than the stem in the file name.
std::vector<std::string> alternatives_for_folder(const std::string& output, const std::string& ending);

/// The same, for a template that causes a collision.
std::vector<std::string> alternatives_for_template(const std::string& text);

/// Quotes the text as one POSIX shell word; as $'…' (bash, zsh, ksh) if it has unprintable bytes.
std::string shell_word(const std::string& text);

}  // namespace gpuimg
