// Gathers the inputs of a run: files that are named, files of folders, files of a list. docs/batch.md, "Inputs".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/folder_scan.hpp"
#include "batch/glob_pattern.hpp"
#include "batch/output_name.hpp"

namespace gpuimg {

struct InputSources {
  std::vector<std::string> paths;   ///< files and folders, as named on the command line
  std::vector<std::string> listed;  ///< as they stand in --files-from
  FileFilter filter;                ///< of files in folders
  ScanOptions scan;
};

struct GatheredInputs {
  std::vector<InputFile> files;    ///< sorted by place and path, each path once
  std::vector<std::string> notes;  ///< for people
};

/// A file that is named has its name as its place, one of a list its path as tar would store it. Throws Error{read} for
/// a path on the command line that is not there, and for a folder that cannot be read or holds no input.
GatheredInputs gather_inputs(const InputSources& sources);

}  // namespace gpuimg
