// Gathers the inputs of a run: named files, files in folders, files from a list. docs/batch.md, "Inputs".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/folder_scan.hpp"
#include "batch/glob_pattern.hpp"
#include "batch/output_name.hpp"

namespace gpuimg {

struct InputSources {
  std::vector<std::string> paths;   ///< files and folders, as given on the command line
  std::vector<std::string> listed;  ///< as given in --files-from
  FileFilter filter;                ///< selects files in folders
  ScanOptions scan;
};

struct GatheredInputs {
  std::vector<InputFile> files;    ///< in the order given, each folder's sorted; duplicates count where they come first
  std::vector<std::string> notes;  ///< messages
};

/// The relative name of a named file is its base name; that of a listed file is its path as tar would store it. Throws
/// Error{read} for a missing path on the command line, and for a folder that cannot be read or has no inputs.
GatheredInputs gather_inputs(const InputSources& sources);

}  // namespace gpuimg
