// Writes an image file from rows as they come, so that the image is never held whole.
// docs/decisions/0022-bands-of-rows.md.
#pragma once

#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// A file that is being encoded. Its bytes do not depend on how the rows are cut into calls. Destroyed before finish(),
/// it leaves its sink without the rest. After an exception it can only be destroyed.
class RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;

  /// Takes the next rows, from top to bottom, of the width and format of the image. Keeps no reference to them. Called
  /// on any thread, by one at a time. Throws as encode_image does, and what the sink throws, and std::logic_error
  /// for rows that the image does not have.
  virtual void write(ConstView rows) = 0;

  /// Call after the last row. Throws as write() does.
  virtual void finish() = 0;
};

}  // namespace gpuimg::codecs
