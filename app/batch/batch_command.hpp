// Entry point of every operation: one file runs directly, folders and lists run as a batch. docs/batch.md.
#pragma once

#include "batch/batch_options.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// Throws Error for what ends the run as a whole; a file that fails among others is in the exit code.
ExitCode run_job(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                 const GlobalOptions& globals);

}  // namespace gpuimg
