// `hist` for one image, or for many images whose histograms are summed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg::commands::hist {

/// As given on the command line.
struct Arguments {
  BatchArguments files;
  std::string channel = name_of(HistogramOptions().channels, kHistogramChannelNames);
  std::string luma = name_of(HistogramOptions().luma, kLumaNames);
  std::optional<int> bins;
  bool cumulative = false;
  bool normalize = false;
  std::string format;
  bool chart = false;
  bool summary = false;
  bool log = false;
  std::string title;
  bool merge = false;
  bool overlay = false;
  std::string range;
  bool table = false;
  std::string columns;
  bool total = false;
  std::vector<std::string> fail_if;
  bool json = false;        ///< the global --json: print JSON
  bool has_output = false;  ///< --output or the last name is OUT
  SelectionArguments selection;
};

/// Both check the arguments, which must outlive the job, and throw Error{usage}. make_table_job() is for --table: a row
/// for each image.
std::unique_ptr<ImageJob> make_job(const Arguments& arguments);
std::unique_ptr<ImageJob> make_table_job(const Arguments& arguments);

}  // namespace gpuimg::commands::hist
