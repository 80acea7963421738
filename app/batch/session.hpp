// A run over many images, from the command line to the exit code: of files, or of a tar archive. docs/batch.md.
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
  std::string output;            ///< empty if none is given
  bool each_is_its_own = false;  ///< --in-place without OUT: each input is its own output
};

/// Gathers the named files, plans, runs and summarizes. Throws Error for what ends the run as a whole; a file that
/// fails among others only sets the exit code.
ExitCode run_files(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                   const GlobalOptions& globals, const NamedPaths& named);

/// A job that runs `job` over all pages of its input, and joins their outputs to one file. Borrows `job` and `globals`.
/// docs/batch.md, "Pages".
std::unique_ptr<ImageJob> joined_pages(ImageJob& job, const BatchOptions& options, const GlobalOptions& globals);

/// Runs over the images of a tar archive, into another archive or into one output. docs/batch.md, "Archives". Throws
/// Error for what ends the run as a whole, such as a damaged archive; a damaged member only sets the exit code.
ExitCode run_archive(ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                     const NamedPaths& named);

}  // namespace gpuimg
