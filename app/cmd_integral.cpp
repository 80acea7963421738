// gpuimg integral IN OUT.npy|OUT.png|OUT.csv
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "command_context.hpp"
#include "commands.hpp"
#include "files/npy.hpp"
#include "files/printable_name.hpp"
#include "image_output_options.hpp"
#include "option_values.hpp"
#include "sum_table_text.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg integral in.png table.npy\n"
    "  gpuimg integral --layout inclusive --square --type f64 in.png squares.npy\n"
    "  gpuimg integral --channel g in.png preview.png";

struct Arguments {
  std::string input;
  std::string output;
  std::string layout = "padded";
  std::string type;
  std::string channel = "luma";
  std::string luma = "bt601";
  bool square = false;
  bool allow_wrap = false;
  ImageOutputArguments image_output;
};

IntegralOptions checked_options(const Arguments& arguments) {
  IntegralOptions options;
  options.layout = value_named("--layout", arguments.layout, kLayoutNames);
  if (!arguments.type.empty()) {
    options.type = value_named("--type", arguments.type, kTableTypeNames);
  }
  options.channel = value_named("--channel", arguments.channel, kPlainChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  options.square = arguments.square;
  options.allow_wrap = arguments.allow_wrap;
  return options;
}

std::string checked_ending(const std::string& output) {
  const std::string ending = output == "-" ? "npy" : file_ending(output);
  if (ending != "npy" && ending != "png" && ending != "csv") {
    throw Error(ErrorKind::usage, printable_name(output) + ": a summed-area table is written as .npy, .png or .csv");
  }
  return ending;
}

void run(const Arguments& arguments, const GlobalOptions& globals) {
  const IntegralOptions options = checked_options(arguments);
  const WriteOptions write_options = checked_write_options(arguments.image_output, arguments.output, globals.verbosity);
  const std::string ending = checked_ending(arguments.output);

  CommandContext context(globals);
  context.check_output_file(arguments.output, arguments.input, ending != "csv");
  DecodedImage decoded = context.load(arguments.input);
  if (options.channel == Channel::luma) {
    context.note_luma_of(decoded, arguments.input);
  }
  Image image = std::move(decoded.image);
  if (ending == "csv") {
    check_table_fits_csv(image.width(), image.height(), options.layout);
  }
  const Image table = context.process(
      {std::move(image), std::nullopt},
      [&](Backend& backend, const Picture& picture, const Picture*) { return backend.integral(picture, options); });
  if (ending == "npy") {
    context.save(arguments.output, [&] { return encode_npy(table.view()); });
  } else if (ending == "csv") {
    context.save(arguments.output, [&] { return table_csv(table.view()); });
  } else {
    context.save_image(arguments.output, table_preview(table.view()).view(), write_options);
  }
  context.finish();
}

}  // namespace

Command add_integral(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = app.add_subcommand("integral", "sum an image into a summed-area table (integral image)");
  parser->footer(kExamples);
  parser->add_option("IN", arguments->input, "image, or - for standard input")->required();
  parser->add_option("OUT", arguments->output, ".npy (exact), .png (16-bit preview) or .csv, or - for .npy")
      ->required();
  parser->add_option("--layout", arguments->layout, "padded (h+1 x w+1) or inclusive (h x w) [padded]")
      ->type_name("NAME");
  parser->add_option("--type", arguments->type, "u32, u64, f32 or f64 [narrowest of u32, u64]")->type_name("TYPE");
  parser->add_option("--channel", arguments->channel, "luma, r, g, b or a [luma]")->type_name("NAME");
  parser->add_option("--luma", arguments->luma, "bt601, bt601-trunc, opencv or bt709 [bt601]")->type_name("NAME");
  parser->add_flag("--square", arguments->square, "sum the squares");
  parser->add_flag("--allow-wrap", arguments->allow_wrap, "let a forced integer type wrap around");
  add_image_output_options(*parser, arguments->image_output);
  return {parser, [arguments](const GlobalOptions& globals) { run(*arguments, globals); }};
}

}  // namespace gpuimg
