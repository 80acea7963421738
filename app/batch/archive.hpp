// Runs an operation over the images of a tar archive, into another archive or into one output. docs/batch.md,
// "Archives".
#pragma once

#include "batch/batch_options.hpp"
#include "batch/session.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// Throws Error for what ends the run as a whole, such as a damaged archive; a damaged member is in the exit code.
ExitCode run_archive(ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                     const NamedPaths& named);

}  // namespace gpuimg
