// The hist operation on one image, or on many that are summed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "batch/batch_options.hpp"
#include "cli/selection_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// As they stand on the command line.
struct HistArguments {
  BatchArguments files;
  std::string channel = "luma";
  std::string luma = "bt601";
  std::optional<int> bins;
  bool cumulative = false;
  bool normalize = false;
  std::string form;
  bool chart = false;
  bool log = false;
  std::string title;
  bool merge = false;
  bool json = false;  ///< the global --json: what is printed is JSON
  SelectionArguments selection;
};

/// Checks the arguments, which must outlive the job. Throws Error{usage}.
std::unique_ptr<ImageJob> make_hist_job(const HistArguments& arguments);

}  // namespace gpuimg
