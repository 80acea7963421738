// gpuimg despeckle and deskew, for scanned pages.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "commands/side_inputs.hpp"
#include "io/output_file.hpp"
#include "text/json.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::document {
namespace {

constexpr const char* kDespeckleExamples =
    "Examples:\n"
    "  gpuimg despeckle fax.png speckless.png\n"
    "  gpuimg despeckle --size 9 --color both fax.png even.png\n"
    "  gpuimg despeckle fax.png half.png --then resize --size 50%\n"
    "  gpuimg despeckle --recursive faxes/ speckless/";

constexpr const char* kDeskewExamples =
    "Examples:\n"
    "  gpuimg deskew scan.png straight.png\n"
    "  gpuimg deskew --fill 240,235,220 scan.png framed.png\n"
    "  gpuimg deskew scan.png letter.png --then threshold --then despeckle\n"
    "  gpuimg deskew --recursive --json scans/ straight/";

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
    Step step{
        [options = options_, shown = input_name(input.path)](Backend& backend, const Picture& picture, const Picture*) {
          try {
            return backend.apply(picture, options);
          } catch (const Error& error) {
            if (error.kind() == ErrorKind::unsupported) {  // the image has gray pixels
              throw Error(error.kind(), fmt::format("{}: {}", shown, error.what()));
            }
            throw;
          }
        }};
    step.check_fit = fit_of(options_);
    return {std::move(step)};
  }

 private:
  DespeckleOptions options_;
};

RunCommand declare_despeckle(CommandParser& parser) {
  auto arguments = std::make_shared<DespeckleArguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_formats("."))});
  parser.number({"--size", fmt::format("remove specks of up to N pixels [{}]", arguments->size), "N"}, arguments->size);
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

struct DeskewArguments {
  BatchArguments files;
  std::string fill = "white";
  ImageOutputArguments image_output;
};

/// Prefix of the angle of an image in the manifest.
constexpr std::string_view kResult = "angle ";

/// The angle in degrees: "-2.45".
std::string degrees_of(const FoundSkew& found) { return fmt::format("{:.2f}", found.steps / 20.0); }

class DeskewStep final : public ImageStep {
 public:
  explicit DeskewStep(const DeskewArguments& arguments) {
    options_.fill = parse_color("--fill", arguments.fill).channels;
  }

  [[nodiscard]] std::string_view name() const override { return "deskew"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return traits_of(options_, input); }
  [[nodiscard]] RowsWhen rows_when() const override { return RowsWhen::never; }

  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& worker) const override {
    const auto found = std::make_shared<FoundSkew>();
    StepOfImage made{{[options = options_, found](Backend& backend, const Picture& picture, const Picture*) {
      DeskewOptions of_picture = options;
      of_picture.found = found.get();
      return backend.apply(picture, of_picture);
    }}};
    made.step.check_fit = fit_of(options_);
    made.save_more = [found, shown = input_name(input.path), &worker](OutputWriter&) {
      if (!found->has_text) {
        worker.report.note(fmt::format("{}: no lines of text were found, so it is not rotated", shown));
        worker.report.keep_result("");  // drops the result of an earlier step
        return;
      }
      worker.report.detail(fmt::format("{}: the angle is {} degrees", shown, degrees_of(*found)));
      worker.report.keep_result(fmt::format("{}{}", kResult, degrees_of(*found)));
    };
    return made;
  }

 private:
  DeskewOptions options_;
};

class DeskewJob final : public PhotoJob {
 public:
  DeskewJob(const DeskewArguments& arguments, bool prints_json)
      : PhotoJob(std::make_shared<DeskewStep>(arguments), arguments.image_output), prints_json_(prints_json) {}

  [[nodiscard]] bool prints_json_lines() const override { return true; }

  /// With --json, prints the angle on standard output, or on standard error if the image goes to standard output.
  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    InOrder done = PhotoJob::run(worker, paths);
    if (!prints_json_) {
      return done;
    }
    const std::string result = worker.report.take_result();
    worker.report.keep_result(result);
    const bool has_angle = result.starts_with(kResult);  // the result may come from an earlier step
    JsonWriter json;
    json.begin_object(JsonWriter::Layout::line).key("name").text(shown_input(paths));
    json.key("angle").literal(has_angle ? result.substr(kResult.size()) : "null").end();
    return [text = json.take(), to_stderr = is_standard_output(paths.output)] {
      to_stderr ? print_report(text) : write_text(text);
    };
  }

 private:
  bool prints_json_;
};

RunCommand declare_deskew(CommandParser& parser) {
  auto arguments = std::make_shared<DeskewArguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_formats("."))});
  parser.text(
      {"--fill", fmt::format("color of the corners that were outside the image [{}]", arguments->fill), "COLOR"},
      arguments->fill);
  add_photo_options(parser, arguments->image_output);
  parser.declare_step([arguments] { return std::make_shared<DeskewStep>(*arguments); });
  return [arguments, &parser](const GlobalOptions& globals) {
    DeskewJob job(*arguments, globals.json);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::document

namespace gpuimg {

Command despeckle_command() {
  return operation_command("despeckle", commands::document::kDespeckleExamples, commands::document::declare_despeckle);
}

Command deskew_command() {
  return operation_command("deskew", commands::document::kDeskewExamples, commands::document::declare_deskew);
}

}  // namespace gpuimg
