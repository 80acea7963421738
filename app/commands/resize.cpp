// gpuimg resize IN… OUT: Pillow's Image.resize and its ImageOps contain, fit and pad.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::resize {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg resize --size 800x600 in.jpg smaller.jpg    as large as fits\n"
    "  gpuimg resize --size 512x --filter lanczos in.png narrow.png\n"
    "  gpuimg resize --size 256x256 --fit cover in.jpg square.jpg\n"
    "  gpuimg resize --size 50% --recursive photos/ small/";

struct Arguments {
  BatchArguments files;
  std::string size;
  std::string fit = name_of(ResizeOptions().fit, kFitNames);
  bool enlarges = false;
  std::string filter = name_of(ResizeOptions().filter, kFilterNames);
  std::string box;
  std::string pad_color;
  ImageOutputArguments image_output;
};

int side(const std::string& text) {
  const int pixels = parse_number<int>("--size", text);
  expect_within(kSideLimits, "--size", pixels);
  return pixels;
}

/// Parses WxH, Wx, xH or P%.
void read_size(const std::string& text, ResizeOptions& options) {
  if (text.empty()) {
    throw Error(ErrorKind::usage, "--size: is missing; give WxH, Wx, xH or P%, such as 800x600");
  }
  const std::size_t x = text.find('x');
  const bool has_other_letters = text.find_first_not_of("0123456789.+-x%") != std::string::npos;
  const bool is_percent = text.back() == '%' && !has_other_letters;
  if (is_percent) {
    options.percent = parse_number<double>("--size", text.substr(0, text.size() - 1));
    expect_within(kPercentLimits, "--size", *options.percent);
  } else if (x == std::string::npos || text == "x" || has_other_letters) {
    throw Error(ErrorKind::usage,
                fmt::format("--size: '{}' is not a size; give WxH, Wx, xH or P%, such as 800x600, 800x or 50%",
                            printable_name(text)));
  } else if (x + 1 == text.size()) {
    options.width = side(text.substr(0, x));
  } else if (x == 0) {
    options.height = side(text.substr(1));
  } else {
    const Size size = parse_size("--size", text);
    options.width = size.width;
    options.height = size.height;
  }
}

ResizeOptions checked_options(const Arguments& arguments) {
  ResizeOptions options;
  read_size(arguments.size, options);
  options.fit = value_named("--fit", arguments.fit, kFitNames);
  options.enlarges = arguments.enlarges;
  options.filter = value_named("--filter", arguments.filter, kFilterNames);
  if (options.fit != ResizeFit::inside && !(options.width && options.height)) {
    throw Error(ErrorKind::usage, fmt::format("--fit: {} needs a width and a height; give --size WxH", arguments.fit));
  }
  if (!arguments.box.empty()) {
    options.box = parse_box("--box", arguments.box);
  }
  if (!arguments.pad_color.empty()) {
    if (options.fit != ResizeFit::pad) {
      throw Error(ErrorKind::usage,
                  fmt::format("--pad-color: applies to --fit pad, not to {}; leave it out", arguments.fit));
    }
    options.pad_color = parse_color("--pad-color", arguments.pad_color).channels;
  }
  validate(options);
  return options;
}

std::shared_ptr<ImageStep> step_of(const Arguments& arguments) {
  return std::make_shared<GeometryStep>("resize", checked_options(arguments));
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_formats("."))});
  parser.text({"--size", "width and height in pixels: WxH, Wx or xH; or P% of both; required", "SIZE"},
              arguments->size);
  parser.text({"--fit", with_choices("what WxH means", kFitNames, arguments->fit), "NAME"}, arguments->fit);
  parser.flag({"--enlarge", "allow inside, Wx, xH and P% to enlarge an image; cover, pad and stretch always may"},
              arguments->enlarges);
  parser.text({"--filter", with_choices("how pixels are combined", kFilterNames, arguments->filter), "NAME"},
              arguments->filter);
  parser.text({"--box", "resize only this part of the image, in pixels, with fractions if needed [all]", "X,Y,W,H"},
              arguments->box);
  parser.text({"--pad-color", "with --fit pad: color of the bars [0 in all channels, including alpha]", "COLOR"},
              arguments->pad_color);
  add_photo_options(parser, arguments->image_output);
  parser.declare_step([arguments] { return step_of(*arguments); });
  return [arguments, &parser](const GlobalOptions& globals) {
    PhotoJob job(step_of(*arguments), arguments->image_output);
    note_no_effect(arguments->enlarges && arguments->fit != name_of(ResizeFit::inside, kFitNames), "--enlarge",
                   arguments->fit + " always enlarges", globals.verbosity);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::resize

namespace gpuimg {

Command resize_command() { return operation_command("resize", commands::resize::kExamples, commands::resize::declare); }

}  // namespace gpuimg
