// Drops inputs that an earlier run produced from other inputs. docs/batch.md, "Inputs".
#pragma once

#include <string>
#include <vector>

#include "batch/work_plan.hpp"

namespace gpuimg {

struct OriginalInputs {
  std::vector<InputFile> files;  ///< in input order
  std::string note;              ///< message about what was dropped; empty if nothing was
};

/// Drops each input that is the output of another input. Keeps ambiguous cases, which the plan then refuses: inputs
/// that are each other's outputs, symbolic links, and templates whose names depend on the list of inputs.
OriginalInputs without_derived_inputs(const std::vector<InputFile>& inputs, const OutputNaming& naming);

}  // namespace gpuimg
