// A member of an archive on its way through the pipeline. docs/batch.md, "Archives".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "batch/archive_output.hpp"
#include "batch/batch_item.hpp"
#include "io/bytes.hpp"
#include "io/input_file.hpp"
#include "io/tar.hpp"

namespace gpuimg {

/// Its content is in the archive's file (`section`), or in memory (`content`), or read by nobody.
struct ArchiveMember {
  TarMember member;
  std::optional<FileSection> section;
  Bytes content;
  bool is_image = false;
  std::uint64_t memory = 0;  ///< of the budget
  PlanItem planned;          ///< of an image
  BatchItem item;
  std::vector<ArchivePiece> pieces;  ///< what is written of it
};

}  // namespace gpuimg
