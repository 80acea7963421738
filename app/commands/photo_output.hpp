// The output of an operation from image to image: converts alpha and depth, and carries metadata and JPEG quality over.
#pragma once

#include "cli/image_output_options.hpp"
#include "engine/command_context.hpp"
#include "engine/image_conversion.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

class PhotoOutput {
 public:
  /// Throws Error{usage} for values out of range.
  explicit PhotoOutput(const ImageOutputArguments& arguments);

  /// Calls check() for a result in the input's format, and returns how to encode `paths.output`: with the input's
  /// metadata unless --strip, and with its quantization tables and subsampling for --quality keep. Moves both out of
  /// `input`.
  WriteOptions carried_from(DecodedImage& input, const ItemPaths& paths, CommandContext& context) const;

  /// Call before computing: throws Error{usage} if the output cannot hold the result. With -v, prints a note if
  /// --background has no effect. `result` is the format before the conversion.
  void check(int width, int height, PixelFormat result, const ItemPaths& paths, CommandContext& context) const;

  /// Converts and writes.
  void save(Image result, const std::string& output, const WriteOptions& options, CommandContext& context) const;

  [[nodiscard]] const WriteOptions& write_options() const { return options_; }
  [[nodiscard]] const ImageConversion& conversion() const { return conversion_; }

 private:
  /// From --format, else from the extension of `output`.
  [[nodiscard]] ImageFileType type_of(const std::string& output) const;
  void keep_encoding(DecodedImage& input, const std::string& name, WriteOptions& options,
                     CommandContext& context) const;

  WriteOptions options_;
  ImageConversion conversion_;
  bool strips_ = false;
  bool keeps_quality_ = false;
};

}  // namespace gpuimg
