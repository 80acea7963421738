// gpuimg crop, rotate and flip: pixels move, but their values do not change.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::arrange {
namespace {

constexpr const char* kCropExamples =
    "Examples:\n"
    "  gpuimg crop --box 100,50,320,240 in.png part.png\n"
    "  gpuimg crop --size 320x320 in.png middle.png\n"
    "  gpuimg crop --size 320x320 --gravity north in.png top.png\n"
    "  gpuimg crop --size 320x320 --recursive photos/ squares/";
constexpr const char* kRotateExamples =
    "Examples:\n"
    "  gpuimg rotate 90 in.png turned.png              clockwise\n"
    "  gpuimg rotate 180 in.jpg reversed.jpg\n"
    "  gpuimg rotate 270 --quality keep in.jpg left.jpg\n"
    "  gpuimg rotate 90 --recursive photos/ upright/";
constexpr const char* kFlipExamples =
    "Examples:\n"
    "  gpuimg flip horizontal in.png mirrored.png      left becomes right\n"
    "  gpuimg flip vertical in.png reflected.png       top becomes bottom\n"
    "  gpuimg flip horizontal --strip in.jpg mirrored.jpg\n"
    "  gpuimg flip vertical --recursive photos/ flipped/";

const NamedValues<Turn> kRotations = {{"90", Turn::rotate90, "clockwise", {"cw", "right"}},
                                      {"180", Turn::rotate180, "upside down"},
                                      {"270", Turn::rotate270, "counterclockwise", {"-90", "ccw", "left"}}};
const NamedValues<Turn> kFlips = {{"horizontal", Turn::flip_horizontal, "left becomes right", {"x", "mirror", "h"}},
                                  {"vertical", Turn::flip_vertical, "top becomes bottom", {"y", "v"}}};

struct Arguments {
  BatchArguments files;
  std::string box;
  std::string size;
  std::string gravity;
  std::string turn;
  ImageOutputArguments image_output;
};

CropOptions checked_crop(const Arguments& arguments) {
  CropOptions options;
  if (arguments.box.empty() == arguments.size.empty()) {
    throw Error(ErrorKind::usage, "crop: give either --box X,Y,W,H or --size WxH");
  }
  if (!arguments.box.empty()) {
    if (!arguments.gravity.empty()) {
      throw Error(ErrorKind::usage, "--gravity: applies to --size, not to --box; leave it out");
    }
    options.box = parse_region("--box", arguments.box);
    return options;
  }
  const Size size = parse_size("--size", arguments.size);
  options.width = size.width;
  options.height = size.height;
  if (!arguments.gravity.empty()) {
    options.gravity = value_named("--gravity", arguments.gravity, kGravityNames);
  }
  return options;
}

Turn checked_turn(const std::string& positional, const std::string& name, const NamedValues<Turn>& turns) {
  if (name.empty()) {
    throw Error(ErrorKind::usage, positional + ": is missing; give " + listed(names_of(turns)) + " before IN");
  }
  if (name.find_first_of("./") != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("{}: must come before IN, but the first name is {}; give {}", positional,
                                              printable_name(name), listed(names_of(turns))));
  }
  return value_named(positional, name, turns);
}

void add_files(CommandParser& parser, Arguments& arguments) {
  add_batch_options(parser, arguments.files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_formats("."))});
}

/// Declares the step of `make`, and a command that runs only this step.
RunCommand as_step(CommandParser& parser, const std::shared_ptr<Arguments>& arguments,
                   const std::function<std::shared_ptr<ImageStep>()>& make) {
  parser.declare_step(make);
  return [arguments, &parser, make](const GlobalOptions& globals) {
    PhotoJob job(make(), arguments->image_output);
    return run_job(job, parser, arguments->files, globals);
  };
}

RunCommand declare_crop(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_files(parser, *arguments);
  parser.text({"--box", "the pixels to keep: left, top, width and height", "X,Y,W,H"}, arguments->box);
  parser.text({"--size", "how many pixels to keep, instead of --box", "WxH"}, arguments->size);
  parser.text(
      {"--gravity",
       with_choices("with --size: which part is kept", kGravityNames, name_of(CropOptions().gravity, kGravityNames)),
       "NAME"},
      arguments->gravity);
  add_photo_options(parser, arguments->image_output);
  return as_step(parser, arguments,
                 [arguments] { return std::make_shared<GeometryStep>("crop", checked_crop(*arguments)); });
}

RunCommand declare_turns(CommandParser& parser, std::string_view name, const std::string& positional,
                         const std::string& what, const NamedValues<Turn>& turns) {
  auto arguments = std::make_shared<Arguments>();
  const OptionText description = with_choices(what, turns, "");
  parser.positional({.name = positional, .description = what, .choices = description.choices}, arguments->turn);
  add_files(parser, *arguments);
  add_photo_options(parser, arguments->image_output);
  return as_step(parser, arguments, [arguments, name, positional, &turns] {
    return std::make_shared<GeometryStep>(name, TurnOptions{checked_turn(positional, arguments->turn, turns)});
  });
}

RunCommand declare_rotate(CommandParser& parser) {
  return declare_turns(parser, "rotate", "ANGLE", "degrees: 90 (clockwise), 180 or 270 (counterclockwise)", kRotations);
}

RunCommand declare_flip(CommandParser& parser) {
  return declare_turns(parser, "flip", "AXIS", "horizontal (left becomes right) or vertical (top becomes bottom)",
                       kFlips);
}

}  // namespace
}  // namespace gpuimg::commands::arrange

namespace gpuimg {

Command crop_command() {
  return operation_command("crop", commands::arrange::kCropExamples, commands::arrange::declare_crop);
}

Command rotate_command() {
  return operation_command("rotate", commands::arrange::kRotateExamples, commands::arrange::declare_rotate);
}

Command flip_command() {
  return operation_command("flip", commands::arrange::kFlipExamples, commands::arrange::declare_flip);
}

}  // namespace gpuimg
