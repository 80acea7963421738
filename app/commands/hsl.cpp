// gpuimg hsl IN… OUT.npy|OUT.png: declares the options; hsl_job.hpp does the work.
#include <fmt/format.h>

#include <memory>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/hsl_job.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg hsl in.png out.npy                       float32 degrees and fractions\n"
    "  gpuimg hsl --saturation 1.3 in.jpg vivid.png    adjusted, written as RGB\n"
    "  gpuimg hsl --inverse hsl.png rgb.png            back from what hsl wrote\n"
    "  gpuimg hsl --saturation 1.3 --recursive photos/ vivid/";

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<HslArguments>();
  add_batch_options(
      parser, arguments->files,
      {.input = "images and folders; with --inverse .npy or .png files that hsl wrote; - is standard input",
       .output = fmt::format("a .npy, .png or .tif file, or a folder; with --inverse or an adjustment a {} file; - is "
                             "standard output",
                             listed_image_forms("."))});
  parser.text({"--encode", with_choices("how HSL is stored", kEncodingNames, "u16 in .png, else float"), "NAME"},
              arguments->encoding);
  parser.flag({"--planes", "write three gray images: OUT_h, OUT_s and OUT_l"}, arguments->planes);
  parser.flag({"--inverse", "IN is HSL: convert it back to RGB"}, arguments->inverse);
  parser.number({"--hue", "adjust: add DEG degrees to the hue; OUT is RGB", "DEG"}, arguments->hue);
  parser.number({"--saturation", "adjust: multiply the saturation; OUT is RGB", "K"}, arguments->saturation);
  parser.number({"--lightness", "adjust: multiply the lightness; OUT is RGB", "K"}, arguments->lightness);
  add_format_option(
      parser, arguments->image_output.format,
      fmt::format("form of the output: npy, png or tif; with --inverse or an adjustment {} [the ending of OUT; "
                  "png for -]",
                  listed_image_forms()));
  add_png_option(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  return [arguments, &parser](const GlobalOptions& globals) {
    return run_job(*make_hsl_job(*arguments), parser, arguments->files, globals);
  };
}

}  // namespace

Command hsl_command() { return operation_command("hsl", kExamples, declare); }

}  // namespace gpuimg
