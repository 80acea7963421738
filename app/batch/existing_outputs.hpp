// Decides what happens to items whose outputs exist: skip, replace or refuse. docs/batch.md, "Outputs".
#pragma once

#include <string>
#include <vector>

#include "batch/work_plan.hpp"

namespace gpuimg {

/// True if every path exists.
bool all_exist(const std::vector<std::string>& files);

/// Sets the state of items whose outputs exist, and whether the run may replace them. `inputs` are those of all shards.
/// Throws Error{write} if an output is an input, or exists and must not be replaced.
void judge_existing_outputs(std::vector<PlanItem>& items, const std::vector<InputFile>& inputs, const PlanRules& rules,
                            const OutputNaming& naming);

}  // namespace gpuimg
