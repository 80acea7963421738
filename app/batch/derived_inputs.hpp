// Inputs that an earlier run made of other inputs: not read again. docs/batch.md, "Inputs".
#pragma once

#include <string>
#include <vector>

#include "batch/work_plan.hpp"

namespace gpuimg {

struct OriginalInputs {
  std::vector<InputFile> files;  ///< in their order
  std::string note;              ///< for people, on what was left out; empty if nothing was
};

/// Leaves out each input that is the output of another one. Not where that cannot be decided, so that the plan refuses
/// it: inputs that are each other's outputs, that are links, or whose output's name depends on the list of inputs.
OriginalInputs without_derived_inputs(const std::vector<InputFile>& inputs, const OutputNaming& naming);

}  // namespace gpuimg
