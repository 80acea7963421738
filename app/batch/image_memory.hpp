// What an image holds in memory while it is processed, from what its file declares. docs/batch.md, "Memory".
#pragma once

#include <cstdint>
#include <string>

#include "cli/global_options.hpp"
#include "codecs/declared_image.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// Bytes that an image holds if it is decoded whole. `keeps_output`: its output is held until it is written, as that of
/// a member of an archive.
std::uint64_t whole_bytes(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                          const codecs::DeclaredImage& declared, bool keeps_output = false);

/// The same if its rows are read in bands by `threads` threads.
std::uint64_t band_bytes(const ImageJob& job, const ItemPaths& paths, const codecs::DeclaredImage& declared,
                         int threads);

struct ImageMemory {
  std::uint64_t bytes = 0;
  bool in_bands = false;  ///< the rows are to be read in bands: CommandContext::read_in_bands
};

/// What the image at `paths` holds if it should hold no more than `share`: bands if it would exceed that as a whole,
/// its file can be read so, and the job visits rows on the host. `options` are those of the worker.
ImageMemory memory_of(const ImageJob& job, const ItemPaths& paths, std::uint64_t file_bytes,
                      const codecs::DeclaredImage& declared, const GlobalOptions& options, std::uint64_t share);

}  // namespace gpuimg
