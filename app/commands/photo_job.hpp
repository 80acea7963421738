// The job of every run whose result is an image file. Steps turn one image into another; then PhotoOutput converts
// alpha and depth, and copies metadata and JPEG quality.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_parser.hpp"
#include "cli/output_options.hpp"
#include "engine/image_conversion.hpp"
#include "engine/image_job.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

class PhotoOutput {
 public:
  /// Throws Error{usage} for values out of range.
  explicit PhotoOutput(const ImageOutputArguments& arguments,
                       const OutputFormats<codecs::FileFormat>& formats = kImageFormats);

  /// Updates the metadata of the input after steps that move pixels: sizes and densities then describe `result`, and
  /// the thumbnail is removed.
  void follow(codecs::DecodedImage& input, const Steps& steps, const ImageShape& result, const ItemPaths& paths,
              Worker& worker) const;

  /// The options for encoding `paths.output`. They carry the metadata of the input unless --strip is given. For
  /// --quality keep, if `may_keep_quality`, they also carry the input's quantization tables and sampling. Moves all of
  /// these out of `input`.
  codecs::WriteOptions carried_from(codecs::DecodedImage& input, bool may_keep_quality, const ItemPaths& paths,
                                    Worker& worker) const;

  /// Call before computing. Throws Error{usage} if the output format cannot store the result. With -v, prints a note if
  /// --background has no effect. `result` is the image before the conversion.
  void check(const ImageShape& result, const ItemPaths& paths, Worker& worker) const;

  /// True if process() can write this output from rows.
  [[nodiscard]] bool takes_rows(const std::string& output) const;

  /// ExtraBytes::of_thread, for process() from rows.
  [[nodiscard]] std::uint64_t held_of_thread(const std::string& output) const;

  /// Runs the steps, converts their result, and writes it with `options`. Works in bands if the input provides rows.
  /// The backend encodes the output if it can.
  void process(OperationInput input, const Steps& steps, const ImageShape& result, const std::string& output,
               const codecs::WriteOptions& options, Worker& worker) const;

  /// The format of --format, else by the extension of `output`.
  [[nodiscard]] codecs::FileFormat format_of(const std::string& output) const;

  [[nodiscard]] const OutputFormats<codecs::FileFormat>& formats() const { return formats_; }
  [[nodiscard]] const codecs::WriteOptions& write_options() const { return options_; }
  [[nodiscard]] const ImageConversion& conversion() const { return conversion_; }

 private:
  /// The metadata that remains after --strip, moved out of `input`. Prints notes about lost metadata that users may
  /// miss.
  codecs::Metadata kept_metadata(codecs::DecodedImage& input, const ItemPaths& paths, Worker& worker) const;

  /// The encoding that a backend may produce from a result before the conversion. nullopt if the host must encode it,
  /// because a conversion is needed or backends do not encode this format.
  [[nodiscard]] std::optional<Encoding> backend_encoding(const ImageShape& result, const std::string& output,
                                                         const codecs::WriteOptions& options) const;
  void keep_encoding(codecs::DecodedImage& input, const std::string& name, codecs::WriteOptions& options,
                     Worker& worker) const;

  const OutputFormats<codecs::FileFormat>& formats_;
  std::string asked_;  ///< --format
  codecs::WriteOptions options_;
  ImageConversion conversion_;
  Stripping stripping_ = Stripping::nothing;
  bool keeps_quality_ = false;
};

/// Bits per pixel of a black and white result, for formats that support both one and eight.
enum class BilevelBits : std::uint8_t { none, one, eight };

/// --depth of a command that makes black and white images: 1 (the default) or 8. Throws Error{usage}.
BilevelBits checked_bilevel_bits(const std::string& depth);

/// Throws Error{usage}: the command makes `what`, such as "HSL", which cannot be the input of another step. The message
/// names `options`, with which the command makes an image instead.
[[noreturn]] void reject_before_steps(const std::string& what, const std::string& options);

class PhotoJob : public ImageJob {
 public:
  /// The arguments must outlive the job. `bits` is `none` unless the last step makes black and white images. Throws
  /// Error{usage}.
  PhotoJob(std::shared_ptr<ImageStep> last, const ImageOutputArguments& arguments,
           BilevelBits bits = BilevelBits::none);

  void check_name(const std::string& output) const override;
  void note_options(const std::string& output, Verbosity verbosity) const override;
  [[nodiscard]] std::string extension_for(const std::string& input) const override;
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image, const std::string& output) const override;
  [[nodiscard]] bool visits_rows(const std::string& output) const override {
    return steps_.takes_bands() && output_.takes_rows(output);
  }
  InOrder run(Worker& worker, const ItemPaths& paths) const override;

 private:
  /// Throws if the steps cannot process an image of the size in the file's header, in any orientation.
  void check_header(Worker& worker, const ItemPaths& paths) const;

  const ImageOutputArguments& arguments_;
  BilevelBits bits_;
  PhotoOutput output_;
};

/// The step of a command that changes the size of images or moves their pixels: resize, crop, rotate and flip.
class GeometryStep final : public ImageStep {
 public:
  /// `name` is the subcommand.
  GeometryStep(std::string_view name, PictureOperation operation) : name_(name), operation_(std::move(operation)) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return traits_of(operation_, input); }
  void check_shape(const ImageShape& input, const std::string& path, const Worker& worker) const override;
  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& worker) const override;

 private:
  std::string_view name_;
  PictureOperation operation_;
};

/// Declares --format and the other options for writing a photo.
void add_photo_options(CommandParser& parser, ImageOutputArguments& arguments);

/// The same for black and white images, whose --depth is 1 or 8.
void add_bilevel_options(CommandParser& parser, std::string& depth, ImageOutputArguments& arguments);

}  // namespace gpuimg
