// gpuimg despeckle: what is done to scanned pages.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::document {
namespace {

constexpr const char* kDespeckleExamples =
    "Examples:\n"
    "  gpuimg despeckle fax.tif clean.tif\n"
    "  gpuimg despeckle --size 9 --color both fax.tif clean.tif\n"
    "  gpuimg threshold scan.png page.png --then despeckle\n"
    "  gpuimg despeckle --recursive faxes/ clean/";

struct DespeckleArguments {
  BatchArguments files;
  int size = DespeckleOptions().size;
  std::string color = name_of(DespeckleOptions().color, kSpeckColorNames);
  std::string bits;  ///< --depth
  ImageOutputArguments image_output;
};

DespeckleOptions checked_options(const DespeckleArguments& arguments) {
  expect_within(kSpeckLimits, "--size", arguments.size);
  return {arguments.size, value_named("--color", arguments.color, kSpeckColorNames)};
}

class DespeckleStep final : public ImageStep {
 public:
  explicit DespeckleStep(const DespeckleArguments& arguments) : options_(checked_options(arguments)) {}

  [[nodiscard]] std::string_view name() const override { return "despeckle"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return traits_of(options_, input); }
  [[nodiscard]] bool is_bilevel() const override { return true; }

  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& /*worker*/) const override {
    if (input.shape.format != PixelFormat{Sample::u8, 1}) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}: despeckle needs black and white; threshold it first: gpuimg threshold IN OUT --then "
                              "despeckle",
                              input_name(input.path)));
    }
    return {applying(options_)};
  }

 private:
  DespeckleOptions options_;
};

RunCommand declare_despeckle(CommandParser& parser) {
  auto arguments = std::make_shared<DespeckleArguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_forms("."))});
  parser.number({"--size", fmt::format("the most pixels that a speck has [{}]", arguments->size), "N"},
                arguments->size);
  parser.text({"--color", with_choices("which specks are removed", kSpeckColorNames, arguments->color), "NAME"},
              arguments->color);
  add_bilevel_options(parser, arguments->bits, arguments->image_output);
  parser.declare_step([arguments] { return std::make_shared<DespeckleStep>(*arguments); });
  return [arguments, &parser](const GlobalOptions& globals) {
    PhotoJob job(std::make_shared<DespeckleStep>(*arguments), arguments->image_output,
                 checked_bilevel_bits(arguments->bits));
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::document

namespace gpuimg {

Command despeckle_command() {
  return operation_command("despeckle", commands::document::kDespeckleExamples, commands::document::declare_despeckle);
}

}  // namespace gpuimg
