// `integral --mean`, `--variance` and `--deviation` on one image: what summed-area tables are for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command_parser.hpp"
#include "cli/output_options.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// As given on the command line.
struct WindowArguments {
  std::optional<int> mean;
  std::optional<int> variance;
  std::optional<int> deviation;
  std::string border;  ///< empty: the default

  [[nodiscard]] bool any() const { return mean || variance || deviation; }
};

void add_window_options(CommandParser& parser, WindowArguments& arguments);

/// The statistic, its window and its border. Throws Error{usage} if there is not exactly one statistic.
WindowOptions checked_window(const WindowArguments& arguments);

/// Both arguments must outlive the job. Throws Error{usage}.
std::unique_ptr<ImageJob> make_window_job(const WindowOptions& options, const ImageOutputArguments& image_output);

}  // namespace gpuimg
