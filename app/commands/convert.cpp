// gpuimg convert IN… OUT: changes the format, depth or background; otherwise, pixels do not change.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch/batch_command.hpp"
#include "cli/output_options.hpp"
#include "codecs/npy/npy.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "text/path_names.hpp"

namespace gpuimg::commands::convert {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg convert in.jpg copy.png\n"
    "  gpuimg convert --depth 8 --background white in.png white.jpg\n"
    "  gpuimg convert in.png array.npy                 an array for NumPy\n"
    "  gpuimg convert --recursive --format jpg photos/ copies/";

struct Arguments {
  BatchArguments files;
  ImageOutputArguments image_output;
};

constexpr const char* kArray = "npy";

/// True if OUT is an array, according to --format or, without it, the extension.
bool is_array(const Arguments& arguments, const std::string& output) {
  const std::string& asked = arguments.image_output.format;
  return asked.empty() ? file_extension(output) == kArray : asked == kArray;
}

/// Writes an image file, or an array of the pixels.
class ConvertJob final : public PhotoJob {
 public:
  explicit ConvertJob(const Arguments& arguments)
      : PhotoJob(nullptr, arguments.image_output), arguments_(arguments), output_(arguments.image_output) {}

  /// Without steps, nothing is computed.
  [[nodiscard]] std::vector<OperationTraits> operations() const override {
    constexpr OperationCost kNothing{.thread_ms = 0.0};
    return steps_.size() > 0 ? PhotoJob::operations()
                             : std::vector{OperationTraits{.what = "convert", .cost = kNothing}};
  }
  void check_name(const std::string& output) const override {
    if (!is_array(arguments_, output)) {
      PhotoJob::check_name(output);
    }
  }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    if (!is_array(arguments_, output)) {
      return PhotoJob::note_options(output, verbosity);
    }
    steps_.note_options(verbosity);
    note_no_effect(!arguments_.image_output.strip.empty(), "--strip", "an array carries no metadata", verbosity);
    note_without_effect(arguments_.image_output, output, std::nullopt, verbosity);
  }
  [[nodiscard]] std::string extension_for(const std::string& input) const override {
    return arguments_.image_output.format == kArray ? kArray : PhotoJob::extension_for(input);
  }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image, const std::string& output) const override {
    return is_array(arguments_, output) ? held_by_steps(image) : PhotoJob::extra_bytes(image, output);
  }
  [[nodiscard]] bool visits_rows(const std::string& output) const override {
    return !is_array(arguments_, output) && PhotoJob::visits_rows(output);
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    if (!is_array(arguments_, paths.output)) {
      return PhotoJob::run(worker, paths);
    }
    codecs::DecodedImage decoded = load(worker, paths);
    const ImageSteps::OfImage made = steps_.for_image(decoded, paths.input, worker);
    Image pixels = worker.executor.process(OperationInput(std::move(decoded)), made.steps);
    pixels = worker.writer.converted(std::move(pixels), output_.conversion());
    worker.writer.save_rows(paths.output, pixels.view(),
                            codecs::npy::npy_opener(pixels.width(), pixels.height(), pixels.format()));
    save_side_files(made, worker);
    return {};
  }

 private:
  const Arguments& arguments_;
  PhotoOutput output_;
};

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(
      parser, arguments->files,
      {.input = "images and folders; - is standard input",
       .output = fmt::format("a {} file, a .npy array, or a folder; - is standard output", listed_image_formats("."))});
  std::vector<Choice> formats;
  for (const auto& format : kImageFormats.names) {
    formats.push_back({format.name, format.meaning});
  }
  formats.push_back({kArray, "an array of 8 or 16 bits, height x width x channels"});
  add_format_option(parser, arguments->image_output.format,
                    {"format of the output", formats, "by the extension of OUT; png for -"});
  add_compression_options(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  parser.declare_step([] { return nullptr; });
  return [arguments, &parser](const GlobalOptions& globals) {
    ConvertJob job(*arguments);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::convert

namespace gpuimg {

Command convert_command() {
  return {"convert", "write an image in another format, depth or background", commands::convert::kExamples,
          commands::convert::declare};
}

}  // namespace gpuimg
