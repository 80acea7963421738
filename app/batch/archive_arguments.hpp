// The arguments of a run over an archive. docs/batch.md, "Archives".
#pragma once

#include "batch/batch_options.hpp"
#include "batch/session.hpp"
#include "cli/global_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// True if IN is an archive by its name, or by --tar.
bool names_archive(const BatchArguments& arguments, const NamedPaths& named);

/// Throws Error{usage} for what an archive cannot be combined with.
void check_archive_arguments(const ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                             const NamedPaths& named);

/// Throws Error for an output that exists, is the archive itself, or is a terminal. Removes what killed runs left
/// beside it.
void check_archive_output(ImageJob& job, const NamedPaths& named, const GlobalOptions& globals);

}  // namespace gpuimg
