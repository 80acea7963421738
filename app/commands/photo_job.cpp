// Metadata, JPEG quality, alpha and bit depth of image outputs; then PhotoJob and GeometryStep.
#include "commands/photo_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "codecs/file_header.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/png/png.hpp"
#include "engine/worker.hpp"
#include "text/path_names.hpp"
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

PhotoOutput::PhotoOutput(const ImageOutputArguments& arguments, const OutputFormats<codecs::FileFormat>& formats)
    : formats_(formats),
      asked_(arguments.format),
      options_(checked_write_options(arguments)),
      conversion_(checked_conversion(arguments)),
      stripping_(stripping_of(arguments)),
      keeps_quality_(arguments.keeps_quality()) {}

codecs::FileFormat PhotoOutput::format_of(const std::string& output) const {
  return output_format(formats_, asked_, output);
}

void PhotoOutput::follow(codecs::DecodedImage& input, const Steps& steps, const ImageShape& result,
                         const ItemPaths& paths, Worker& worker) const {
  if (std::none_of(steps.begin(), steps.end(), [](const Step& step) { return step.traits.moves_pixels; })) {
    return;
  }
  codecs::Metadata& metadata = input.metadata;
  if (stripping_ != Stripping::all && codecs::unlink_thumbnail(metadata.exif)) {
    worker.report.detail(input_name(paths.input) +
                         ": its EXIF thumbnail shows the image before processing, so it is left out");
  }
  codecs::set_exif_size(metadata.exif, {result.width, result.height});
  if (std::count_if(steps.begin(), steps.end(), [](const Step& step) { return step.traits.swaps_sides; }) % 2 == 0) {
    return;
  }
  codecs::swap_exif_resolutions(metadata.exif);
  if (metadata.density) {
    std::swap(metadata.density->x, metadata.density->y);
  }
  if (input.source_encoding) {
    input.source_encoding = input.source_encoding->transposed();
  }
}

codecs::WriteOptions PhotoOutput::carried_from(codecs::DecodedImage& input, bool may_keep_quality,
                                               const ItemPaths& paths, Worker& worker) const {
  codecs::WriteOptions options = options_;
  options.format = format_of(paths.output);
  options.metadata = kept_metadata(input, paths, worker);
  if (keeps_quality_ && may_keep_quality && *options.format == codecs::FileFormat::jpeg) {
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
        fmt::format("{}: --strip removes its color space, so its colors will look different: {}", name, space));
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

void PhotoOutput::check(const ImageShape& result, const ItemPaths& paths, Worker& worker) const {
  if (conversion_.background && !result.format.has_alpha()) {
    worker.report.detail(
        fmt::format("{}: --background has no effect: there is no alpha channel", input_name(paths.input)));
  }
  codecs::check_holds(format_of(paths.output), result.width, result.height,
                      converted_format(result.format, conversion_), paths.output);
}

std::optional<Encoding> PhotoOutput::backend_encoding(const ImageShape& result, const std::string& output,
                                                      const codecs::WriteOptions& options) const {
  if (converted_format(result.format, conversion_) != result.format) {
    return std::nullopt;
  }
  return codecs::backend_encoding(result.width, result.height, result.format, format_of(output), options);
}

bool PhotoOutput::takes_rows(const std::string& output) const {
  return codecs::codec_of(format_of(output)).takes_rows();
}

std::uint64_t PhotoOutput::held_of_thread(const std::string& output) const {
  return format_of(output) == codecs::FileFormat::png ? codecs::png::kWaitingBytesOfThread : 0;
}

void PhotoOutput::process(OperationInput input, const Steps& steps, const ImageShape& result, const std::string& output,
                          const codecs::WriteOptions& options, Worker& worker) const {
  if (worker.writer.write_photo_in_bands(worker.executor, input, steps, result, output, conversion_, options)) {
    return;
  }
  const std::optional<Encoding> as = backend_encoding(result, output, options);
  ProcessedImage image = worker.executor.process_for_file(std::move(input), as, steps);
  if (!image.encoded) {
    image.image = worker.writer.converted(std::move(image.image), conversion_);
  }
  worker.writer.save_image(output, image, options);
}

BilevelBits checked_bilevel_bits(const std::string& depth) {
  if (!depth.empty() && depth != "1" && depth != "8") {
    throw Error(ErrorKind::usage, fmt::format("--depth: '{}' is neither 1 nor 8", depth));
  }
  return depth == "8" ? BilevelBits::eight : BilevelBits::one;
}

void reject_before_steps(const std::string& what, const std::string& options) {
  throw Error(ErrorKind::usage,
              fmt::format("it makes {}, so it can only be the last step; to make an image, give {}", what, options));
}

PhotoJob::PhotoJob(std::shared_ptr<ImageStep> last, const ImageOutputArguments& arguments, BilevelBits bits)
    : arguments_(arguments),
      bits_(bits),
      output_(arguments, bits == BilevelBits::none ? kImageFormats : kBitmapFormats) {
  if (last != nullptr) {
    steps_.add(std::move(last));
  }
}

void PhotoJob::check_name(const std::string& output) const {
  (void)output_.format_of(output);
  const std::string name = arguments_.format.empty() ? file_extension(output) : arguments_.format;
  if (bits_ == BilevelBits::eight && kBitmapFormats.find(name) != nullptr && kImageFormats.find(name) == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("--depth: {} has one bit per pixel; use another format for 8", name));
  }
}

void PhotoJob::note_options(const std::string& output, Verbosity verbosity) const {
  note_misleading_extension(output_.formats(), arguments_.format, output, verbosity);
  steps_.note_options(verbosity);
  note_without_effect(arguments_, output, output_.format_of(output), verbosity);
  const codecs::FileFormat format = output_.format_of(output);
  const bool is_tiff = codecs::codec_of(format).name == "TIFF";  // FileFormat::tiff does not exist in every build
  const bool is_jpeg_in_tiff = is_tiff && arguments_.compression == "jpeg";
  if (steps_.is_bilevel() && (format == codecs::FileFormat::jpeg || is_jpeg_in_tiff)) {
    print_note(
        verbosity,
        is_jpeg_in_tiff
            ? "JPEG adds gray levels to black and white images; --compression g4 does not, and makes a smaller file"
            : "JPEG adds gray levels to black and white images; .png and .tif do not, and are smaller");
  }
  note_no_effect(is_tiff && arguments_.compression == "g4" && bits_ == BilevelBits::eight, "--depth 8",
                 "Group 4 has one bit per pixel", verbosity);
}

/// Black and white images keep the extension of the input only if its format stores black and white without loss.
std::string PhotoJob::extension_for(const std::string& input) const {
  if (!steps_.is_bilevel() || !arguments_.format.empty()) {
    return steps_.is_bilevel() ? arguments_.format : image_extension_for(input, arguments_.format);
  }
  const std::string own = file_extension(input);
  const auto* format = kBitmapFormats.find(own);
  const bool is_lossy =
      format == nullptr || format->value == codecs::FileFormat::jpeg || codecs::codec_of(format->value).name == "WebP";
  return is_lossy ? "png" : own;
}

ExtraBytes PhotoJob::extra_bytes(const codecs::DeclaredImage& image, const std::string& output) const {
  const ImageShape input = largest_shape(image);
  const std::vector<OperationTraits> traits = steps_.traits(input);
  const ImageShape& result = traits.empty() ? input : traits.back().result;
  ExtraBytes held = held_by(traits, input);
  held.others += converted_bytes(result.format.bytes_per_pixel(), output_.conversion());
  held.of_thread = output_.held_of_thread(output);
  return held;
}

void PhotoJob::check_header(Worker& worker, const ItemPaths& paths) const {
  const std::vector<OperationTraits> traits = steps_.traits({});
  const bool changes_size = std::any_of(traits.begin(), traits.end(), [](const auto& one) { return one.moves_pixels; });
  if (!changes_size || steps_.reads_files() || paths.input == "-" || worker.loader.holds_member(paths.input)) {
    return;
  }
  const codecs::PageRef page = paths.page.number != 0 ? paths.page : codecs::PageRef{worker.options.page};
  const codecs::DeclaredImage declared = codecs::declared_image_in(paths.input, page);
  if (declared.pixels() == 0) {
    return;  // reading the file later reports the error
  }
  const ImageShape stored = largest_shape(declared);
  const std::string name = input_name(paths.input, paths.page.number);
  try {
    steps_.check_shapes({stored.height, stored.width, stored.format}, name,
                        worker);  // an EXIF orientation may swap the sides, so that the image fits
  } catch (const Error&) {
    steps_.check_shapes(stored, name, worker);
  }
}

InOrder PhotoJob::run(Worker& worker, const ItemPaths& paths) const {
  check_header(worker, paths);
  const bool needs_whole = steps_.size() == 1 && !steps_.takes_bands();
  codecs::DecodedImage decoded = needs_whole ? load(worker, paths) : load_rows(worker, paths, steps_.rows_when());
  const ImageSteps::OfImage made = steps_.for_image(decoded, paths.input, worker);
  output_.check(made.result, paths, worker);
  output_.follow(decoded, made.steps, made.result, paths, worker);
  const bool keeps_channels = made.result.format.color_channels() == decoded.format().color_channels();
  codecs::WriteOptions write_options =
      output_.carried_from(decoded, !steps_.is_bilevel() && keeps_channels, paths, worker);
  write_options.one_bit = bits_ == BilevelBits::one;
  output_.process(OperationInput(std::move(decoded)), made.steps, made.result, paths.output, write_options, worker);
  save_side_files(made, worker);
  return {};
}

namespace {

/// Throws Error{usage} if the image does not fit the options. Applies only to operations that change the size.
void check_size(const PictureOperation& operation, const ImageShape& image) {
  std::visit(
      [&](const auto& options) {
        if constexpr (requires { result_size(image.width, image.height, options); }) {
          (void)result_size(image.width, image.height, options);
        }
      },
      operation);
}

/// True if the image keeps its size only because --enlarge is missing.
bool keeps_size(const PictureOperation& operation, const ImageShape& image) {
  const auto* given = std::get_if<ResizeOptions>(&operation);
  if (given == nullptr) {
    return false;
  }
  ResizeOptions enlarging = *given;
  enlarging.enlarges = true;
  const double width = given->box ? given->box->width : image.width;
  const double height = given->box ? given->box->height : image.height;
  const Size result = detail::resampled_sides(width, height, *given);
  const Size wanted = detail::resampled_sides(width, height, enlarging);
  return wanted.width > result.width || wanted.height > result.height;
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
  if (keeps_size(operation_, input.shape)) {
    const auto* resize = std::get_if<ResizeOptions>(&operation_);
    const bool has_box = resize != nullptr && resize->box.has_value();
    worker.report.note(fmt::format("{}: {} smaller than --size and keeps its size; --enlarge makes it larger",
                                   input_name(input.path), has_box ? "its --box is" : "is"));
  }
  return {{[operation = operation_](Backend& backend, const Picture& picture, const Picture*) {
    return backend.apply(picture, operation);
  }}};
}

void add_photo_options(CommandParser& parser, ImageOutputArguments& arguments) {
  add_format_option(parser, arguments.format,
                    with_choices("format of the output", kImageFormats.names, "by the extension of OUT; png for -"));
  add_compression_options(parser, arguments);
  add_lossy_options(parser, arguments);
  add_metadata_option(parser, arguments);
  add_conversion_options(parser, arguments);
}

void add_bilevel_options(CommandParser& parser, std::string& depth, ImageOutputArguments& arguments) {
  parser.text(of_run({"--depth", "bits per pixel of a PNG, TIFF or PNM, 1 or 8; other formats have 8 [1]", "BITS"}),
              depth);
  add_format_option(parser, arguments.format,
                    with_choices("format of the output", kBitmapFormats.names, "by the extension of OUT; png for -"));
  add_compression_options(parser, arguments);
  add_lossy_options(parser, arguments);
  add_metadata_option(parser, arguments);
}

}  // namespace gpuimg
