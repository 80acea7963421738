// Metadata, JPEG quality, alpha and bit depth of image outputs.
#include "commands/photo_output.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/option_values.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/png/png.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

const NamedValues<Sample> kDepthNames = {{"8", Sample::u8}, {"16", Sample::u16}};

ImageConversion checked_conversion(const ImageOutputArguments& arguments) {
  ImageConversion conversion;
  if (!arguments.background.empty()) {
    conversion.background = parse_color("--background", arguments.background);
  }
  if (!arguments.depth.empty()) {
    conversion.depth = value_named("--depth", arguments.depth, kDepthNames);
  }
  return conversion;
}

}  // namespace

PhotoOutput::PhotoOutput(const ImageOutputArguments& arguments, const OutputForms<codecs::FileFormat>& forms)
    : forms_(forms),
      asked_(arguments.format),
      options_(checked_write_options(arguments)),
      conversion_(checked_conversion(arguments)),
      stripping_(stripping_of(arguments)),
      keeps_quality_(arguments.keeps_quality()) {}

codecs::FileFormat PhotoOutput::format_of(const std::string& output) const {
  return output_form(forms_, asked_, output);
}

codecs::WriteOptions PhotoOutput::carried_from(codecs::DecodedImage& input, const ItemPaths& paths,
                                               Worker& worker) const {
  check(input.width(), input.height(), input.format(), paths, worker);
  codecs::WriteOptions options = options_;
  options.metadata = kept_metadata(input, paths, worker);
  if (keeps_quality_ && format_of(paths.output) == codecs::FileFormat::jpeg) {
    keep_encoding(input, input_name(paths.input), options, worker);
  }
  return options;
}

codecs::Metadata PhotoOutput::kept_metadata(codecs::DecodedImage& input, const ItemPaths& paths, Worker& worker) const {
  codecs::Metadata metadata = std::move(input.metadata);
  const std::string name = input_name(paths.input);
  if (stripping_ == Stripping::positions) {
    for (const std::string& clause : codecs::remove_positions(metadata)) {
      worker.report.detail(fmt::format("{}: {}", name, clause));
    }
  }
  if (stripping_ != Stripping::all) {
    return metadata;
  }
  const std::string space = input.format().color_channels() == 3 ? codecs::foreign_color_space(metadata) : "";
  if (!space.empty()) {
    worker.report.note(
        fmt::format("{}: --strip removes its color space, and its colors will look different: {}", name, space));
  }
  return {};
}

void PhotoOutput::keep_encoding(codecs::DecodedImage& input, const std::string& name, codecs::WriteOptions& options,
                                Worker& worker) const {
  options.source_encoding = std::move(input.source_encoding);
  if (!options.source_encoding) {
    const std::string why = input.file_format == codecs::FileFormat::jpeg
                                ? "its colors are not YCbCr, or their sampling is unusual"
                                : fmt::format("a {} has no JPEG quality", codecs::codec_of(input.file_format).name);
    worker.report.note(
        fmt::format("{}: --quality keep has no effect: {}; OUT has quality {}", name, why, options.jpeg_quality));
  }
}

void PhotoOutput::check(int width, int height, PixelFormat result, const ItemPaths& paths, Worker& worker) const {
  if (conversion_.background && !result.has_alpha()) {
    worker.report.detail(
        fmt::format("{}: --background has no effect: there is no alpha channel", input_name(paths.input)));
  }
  codecs::check_holds(format_of(paths.output), width, height, converted_format(result, conversion_), paths.output);
}

std::optional<Encoding> PhotoOutput::backend_encoding(int width, int height, PixelFormat result,
                                                      const std::string& output,
                                                      const codecs::WriteOptions& options) const {
  if (converted_format(result, conversion_) != result) {
    return std::nullopt;
  }
  return codecs::backend_encoding(width, height, result, format_of(output), options);
}

bool PhotoOutput::takes_rows(const std::string& output) const {
  return codecs::codec_of(format_of(output)).takes_rows();
}

std::uint64_t PhotoOutput::held_of_thread(const std::string& output) const {
  return format_of(output) == codecs::FileFormat::png ? codecs::png::kWaitingBytesOfThread : 0;
}

void PhotoOutput::process(OperationInput input, const Steps& steps, PixelFormat result, const std::string& output,
                          const codecs::WriteOptions& options, Worker& worker) const {
  if (worker.writer.write_photo_in_bands(worker.executor, input, steps, result, output, conversion_, options)) {
    return;
  }
  const std::optional<Encoding> as = backend_encoding(input.width(), input.height(), result, output, options);
  ProcessedImage image = worker.executor.process_for_file(std::move(input), as, steps);
  if (!image.encoded) {
    image.image = worker.writer.converted(std::move(image.image), conversion_);
  }
  worker.writer.save_image(output, image, options);
}

}  // namespace gpuimg
