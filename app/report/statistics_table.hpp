// A table with a row for each image: hist --table. docs/operations.md, "A table of many images".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/report.hpp"

namespace gpuimg {

enum class TableForm : std::uint8_t { csv, jsonl };

/// The row of an image without its name, in a form that a manifest can keep: cells with commas between. The report's
/// channels are among luma, r, g, b and a; those that it lacks are empty cells.
std::string table_cells(const HistogramReport& report);

/// The line of column names; empty for JSON lines.
std::string table_header(TableForm form);

/// One line. `name` is any bytes: CSV has them as they are, JSON lines add `name_hex` if they are not UTF-8. Throws
/// Error{decode} if `cells` are not those of a row.
std::string table_row(TableForm form, const std::string& name, std::string_view cells);

}  // namespace gpuimg
