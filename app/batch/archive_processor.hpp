// Processes one member of an archive, up to the point where it gets its place in the new one.
#pragma once

#include "batch/archive_member.hpp"
#include "batch/devices.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// Runs the job over an image; a failure is the member's. Another member becomes a copy of itself if `copies_others`.
/// Throws for what ends the run, such as a lost device. Thread-safe.
void process_member(ArchiveMember& taken, const ImageJob& job, ContextPool& contexts, bool copies_others);

}  // namespace gpuimg
