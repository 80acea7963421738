// The output of an operation from image to image: converts alpha and depth, and carries metadata and JPEG quality over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output_options.hpp"
#include "engine/image_conversion.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

class PhotoOutput {
 public:
  /// Throws Error{usage} for values out of range.
  explicit PhotoOutput(const ImageOutputArguments& arguments,
                       const OutputForms<codecs::FileFormat>& forms = kImageForms);

  /// For a result in the input's format: check(), and how `paths.output` is encoded: with the metadata of the input
  /// unless --strip, and with its quantization and sampling for --quality keep. Takes both out of `input`.
  codecs::WriteOptions carried_from(codecs::DecodedImage& input, const ItemPaths& paths, Worker& worker) const;

  /// The metadata that --strip leaves. Takes them out of `input`, and tells what the user may miss.
  codecs::Metadata kept_metadata(codecs::DecodedImage& input, const ItemPaths& paths, Worker& worker) const;

  /// Call before computing: throws Error{usage} if the output cannot hold the result. With -v, prints a note if
  /// --background has no effect. `result` is the format before the conversion.
  void check(int width, int height, PixelFormat result, const ItemPaths& paths, Worker& worker) const;

  /// True if process() can write this output from rows.
  [[nodiscard]] bool takes_rows(const std::string& output) const;

  /// HeldBeside::of_thread, for process() from rows.
  [[nodiscard]] std::uint64_t held_of_thread(const std::string& output) const;

  /// Runs the steps, whose result has the format `result`, converts it, and writes it as `options` say: in bands if the
  /// input is rows, and encoded by the backend if it can.
  void process(OperationInput input, const Steps& steps, PixelFormat result, const std::string& output,
               const codecs::WriteOptions& options, Worker& worker) const;

  /// What --format says, else the ending of `output`.
  [[nodiscard]] codecs::FileFormat format_of(const std::string& output) const;

  [[nodiscard]] const codecs::WriteOptions& write_options() const { return options_; }
  [[nodiscard]] const ImageConversion& conversion() const { return conversion_; }

 private:
  /// What a backend may make of a result in this format, before the conversion. Returns nullopt if the host must encode
  /// it: there is a conversion to be done, or the output is not one that backends encode.
  [[nodiscard]] std::optional<Encoding> backend_encoding(int width, int height, PixelFormat result,
                                                         const std::string& output,
                                                         const codecs::WriteOptions& options) const;
  void keep_encoding(codecs::DecodedImage& input, const std::string& name, codecs::WriteOptions& options,
                     Worker& worker) const;

  const OutputForms<codecs::FileFormat>& forms_;
  std::string asked_;  ///< --format
  codecs::WriteOptions options_;
  ImageConversion conversion_;
  Stripping stripping_ = Stripping::nothing;
  bool keeps_quality_ = false;
};

}  // namespace gpuimg
