// equalize --reference: the tables of one histogram, for every image. docs/operations.md, "Equalization".
#pragma once

#include <string>

#include "commands/given_tables.hpp"
#include "engine/command_context.hpp"
#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

/// From a histogram that `hist` wrote as JSON, of an image or of a sum. Throws Error{usage} if it is not of the
/// channels and the luma that the color mode counts, Error{decode} if it is no such file, Error{read}.
GivenTables tables_of_reference(const std::string& path, const EqualizeOptions& options, CommandContext& context);

}  // namespace gpuimg
