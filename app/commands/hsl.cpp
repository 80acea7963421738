// gpuimg hsl IN… OUT.npy|OUT.png: to HSL, back from it, or adjusted within it.
#include <CLI/CLI.hpp>

#include <memory>

#include "batch/batch_command.hpp"
#include "cli/number_options.hpp"
#include "cli/option_values.hpp"
#include "cli/output_forms.hpp"
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

}  // namespace

Command add_hsl(CLI::App& app) {
  auto arguments = std::make_shared<HslArguments>();
  CLI::App* parser = app.add_subcommand("hsl", "convert to hue, saturation and lightness, back, or adjust them");
  parser->footer(kExamples);
  add_batch_options(*parser, arguments->files,
                    "images and folders; with --inverse .npy or .png files that hsl wrote; - is standard input",
                    "a .npy or .png file, or a folder; with --inverse or an adjustment a .png, .jpg, .bmp or .tga "
                    "file; - is standard output");
  parser
      ->add_option("--encode", arguments->encoding,
                   with_choices("how HSL is stored", kEncodingNames, "float in .npy, u16 in .png"))
      ->type_name("NAME");
  parser->add_flag("--planes", arguments->planes, "write three gray images: OUT_h, OUT_s and OUT_l");
  parser->add_flag("--inverse", arguments->inverse, "IN is HSL: convert it back to RGB");
  add_number(*parser, "--hue", arguments->hue, "adjust: add DEG degrees to the hue; OUT is RGB")->type_name("DEG");
  add_number(*parser, "--saturation", arguments->saturation, "adjust: multiply the saturation; OUT is RGB")
      ->type_name("K");
  add_number(*parser, "--lightness", arguments->lightness, "adjust: multiply the lightness; OUT is RGB")
      ->type_name("K");
  add_format_option(*parser, arguments->image_output.format,
                    "form of the output: npy or png; with --inverse or an adjustment png, jpg, bmp or tga [the ending "
                    "of OUT; png for -]");
  add_png_option(*parser, arguments->image_output);
  add_jpeg_options(*parser, arguments->image_output);
  add_metadata_option(*parser, arguments->image_output);
  add_conversion_options(*parser, arguments->image_output);
  return {parser, [arguments, parser](const GlobalOptions& globals) {
            return run_job(*make_hsl_job(*arguments), *parser, arguments->files, globals);
          }};
}

}  // namespace gpuimg
