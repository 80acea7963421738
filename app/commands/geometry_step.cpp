// Checks the size of a result, and runs the operation; the options of outputs that the commands share.
#include "commands/geometry_step.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <variant>

#include "engine/worker.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Throws Error{usage} if the image does not fit the options. Only of operations that change the size.
void check_size(const PictureOperation& operation, const ImageShape& image) {
  std::visit(
      [&](const auto& options) {
        if constexpr (requires { result_size(image.width, image.height, options); }) {
          (void)result_size(image.width, image.height, options);
        }
      },
      operation);
}

}  // namespace

void GeometryStep::check_shape(const ImageShape& input, const std::string& path, const Worker& worker) const {
  try {
    check_size(operation_, input);
  } catch (const Error& error) {
    throw Error(error.kind(), path + ": " + error.what());
  }
  const ImageShape result = traits(input).result;
  const auto pixels = static_cast<std::uint64_t>(result.width) * static_cast<std::uint64_t>(result.height);
  if (pixels > worker.options.max_pixels) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: the result would have {}x{} pixels, more than {}; make it smaller, or raise "
                            "--max-pixels",
                            path, result.width, result.height, worker.options.max_pixels));
  }
}

StepOfImage GeometryStep::for_image(const StepInput& input, Worker& worker) const {
  check_shape(input.shape, input_name(input.path), worker);
  return {{[operation = operation_](Backend& backend, const Picture& picture, const Picture*) {
    return backend.apply(picture, operation);
  }}};
}

void add_photo_options(CommandParser& parser, ImageOutputArguments& arguments) {
  add_format_option(parser, arguments.format,
                    with_choices("form of the output", kImageForms.names, "the ending of OUT; png for -"));
  add_png_option(parser, arguments);
  add_lossy_options(parser, arguments);
  add_metadata_option(parser, arguments);
  add_conversion_options(parser, arguments);
}

}  // namespace gpuimg
