// `hsl`: converts to HSL, converts back, or adjusts.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "batch/batch_command.hpp"
#include "cli/output_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg::commands::hsl {

/// As given on the command line.
struct Arguments {
  BatchArguments files;
  std::string encoding;
  bool planes = false;
  bool inverse = false;
  std::optional<double> hue;
  std::optional<double> saturation;
  std::optional<double> lightness;
  ImageOutputArguments image_output;

  [[nodiscard]] bool adjusts() const { return hue || saturation || lightness; }
};

/// Checks the arguments, which must outlive the job. Throws Error{usage}.
std::unique_ptr<ImageJob> make_job(const Arguments& arguments);

}  // namespace gpuimg::commands::hsl
