// equalize --reference: one histogram gives the tables for every image. docs/operations.md, "Equalization".
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "commands/given_tables.hpp"
#include "engine/command_context.hpp"
#include "gpuimg/ops/equalize.hpp"

namespace gpuimg {

/// The counts of a file that `hist` wrote, one histogram per table. Throws Error{usage} that names `option` if its
/// channels or its luma are not those of the color mode, or Error{decode} if the file is not such a histogram.
LevelCounts counts_of_reference(std::span<const std::byte> bytes, const std::string& path,
                                const EqualizeOptions& options, const std::string& option);

/// Tables from a histogram that `hist` wrote as JSON, of one image or a sum. Throws Error{usage} if its channels or its
/// luma are not those of the color mode, Error{decode} if the file is not such a histogram, Error{read}.
GivenTables tables_of_reference(const std::string& path, const EqualizeOptions& options, CommandContext& context);

}  // namespace gpuimg
