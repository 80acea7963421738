// The step of the commands that change an image's size or turn it: resize, crop, rotate and flip.
#pragma once

#include <string_view>
#include <utility>

#include "cli/command_parser.hpp"
#include "cli/output_options.hpp"
#include "engine/image_job.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

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

/// Declares --format and the options of how a photo is written.
void add_photo_options(CommandParser& parser, ImageOutputArguments& arguments);

}  // namespace gpuimg
