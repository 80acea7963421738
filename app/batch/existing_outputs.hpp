// What becomes of an item whose outputs exist: left out, replaced, or refused. docs/batch.md, "Outputs".
#pragma once

#include <string>
#include <vector>

#include "batch/work_plan.hpp"

namespace gpuimg {

/// True if each name leads to something.
bool all_exist(const std::vector<std::string>& files);

/// Sets the state of items whose outputs exist, and what the run may do with them. `inputs` are those of all shards.
/// Throws Error{write} if an output is an input, or exists and may not be replaced.
void judge_existing_outputs(std::vector<PlanItem>& items, const std::vector<InputFile>& inputs, const PlanRules& rules,
                            const OutputNaming& naming);

}  // namespace gpuimg
