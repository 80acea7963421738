// A run over many files or over a tar archive, from the command line to the exit code. docs/batch.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "batch/batch_command.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

struct NamedPaths {
  std::vector<std::string> inputs;
  std::string output;            ///< empty if not given
  bool each_is_its_own = false;  ///< --in-place without OUT: each input is its own output
};

/// Gathers the named files, plans, runs and summarizes. Throws Error for a failure that ends the run as a whole. If one
/// of several files fails, prints its error and returns ExitCode::some_failed.
ExitCode run_files(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                   const GlobalOptions& globals, const NamedPaths& named);

/// A job that runs `job` over all pages of its input, and joins their outputs to one file. `job` and `globals` must
/// outlive the result. docs/batch.md, "Pages".
std::unique_ptr<ImageJob> joined_pages(ImageJob& job, const BatchOptions& options, const GlobalOptions& globals);

/// Processes the images of a tar archive, and writes another archive or one output. docs/batch.md, "Archives". Throws
/// Error for a failure that ends the run as a whole, such as a damaged archive. If a member is damaged, prints its
/// error and returns ExitCode::some_failed.
ExitCode run_archive(ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                     const NamedPaths& named);

}  // namespace gpuimg
