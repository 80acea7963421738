// gpuimg equalize IN OUT
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "command_context.hpp"
#include "commands.hpp"
#include "files/printable_name.hpp"
#include "image_output_options.hpp"
#include "option_values.hpp"
#include "selection_options.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg equalize in.png out.png\n"
    "  gpuimg equalize --color ycbcr --strength 0.5 photo.jpg photo_eq.jpg\n"
    "  gpuimg equalize --roi 0,0,640,480 --lut table.csv scan.png flat.png";

struct Arguments {
  std::string input;
  std::string output;
  std::string formula = "opencv";
  std::string color = "luma";
  std::string luma = "bt601";
  double strength = 1.0;
  std::string lut;
  SelectionArguments selection;
  ImageOutputArguments image_output;
};

EqualizeOptions checked_options(const Arguments& arguments) {
  EqualizeOptions options;
  options.formula = value_named("--formula", arguments.formula, kFormulaNames);
  options.color = value_named("--color", arguments.color, kColorNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  options.strength = arguments.strength;
  if (!(arguments.strength >= 0.0 && arguments.strength <= 1.0)) {
    throw Error(ErrorKind::usage, fmt::format("--strength: {} is not from 0 to 1", arguments.strength));
  }
  return options;
}

/// "level,luma" or "level,r,g,b", a row a level.
std::string tables_csv(const LevelTables& tables) {
  std::string text = tables.maps.size() == 3 ? "level,r,g,b\n" : "level,luma\n";
  for (std::size_t level = 0; level < tables.maps.front().size(); ++level) {
    fmt::format_to(std::back_inserter(text), "{}", level);
    for (const auto& map : tables.maps) {
      fmt::format_to(std::back_inserter(text), ",{}", map[level]);
    }
    text += '\n';
  }
  return text;
}

void run(const Arguments& arguments, const GlobalOptions& globals) {
  EqualizeOptions options = checked_options(arguments);
  options.selection = checked_selection(arguments.selection);
  WriteOptions write_options = checked_write_options(arguments.image_output, arguments.output, globals.verbosity);
  (void)image_file_type(arguments.output);

  CommandContext context(globals);
  context.check_output_file(arguments.output, arguments.input, true);
  if (!arguments.lut.empty()) {
    if (std::filesystem::path(arguments.lut).lexically_normal() ==
        std::filesystem::path(arguments.output).lexically_normal()) {
      throw Error(ErrorKind::usage, "--lut: the table and OUT are the same file; name two");
    }
    context.check_output_file(arguments.lut, arguments.input, false);
  }
  std::optional<Image> mask = load_mask(arguments.selection, context);
  DecodedImage decoded = context.load(arguments.input);
  if (options.color != EqualizeColor::rgb && options.color != EqualizeColor::hsl) {
    context.note_luma_of(decoded, arguments.input);
  }
  if (!arguments.image_output.strip) {
    write_options.metadata = std::move(decoded.metadata);
  }
  LevelTables tables;
  const Image result =
      context.process({std::move(decoded.image), std::move(mask)},
                      [&](Backend& backend, const Picture& picture, const Picture* mask_picture) {
                        options.selection.mask = mask_picture;
                        return backend.equalize(picture, options, arguments.lut.empty() ? nullptr : &tables);
                      });
  if (!arguments.lut.empty()) {
    context.save(arguments.lut, [&] { return tables_csv(tables); });
  }
  context.save_image(arguments.output, result.view(), std::move(write_options));
  context.finish();
}

}  // namespace

Command add_equalize(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = app.add_subcommand("equalize", "spread the levels of an image over the whole range");
  parser->footer(kExamples);
  parser->add_option("IN", arguments->input, "image, or - for standard input")->required();
  parser->add_option("OUT", arguments->output, ".png, .jpg, .bmp or .tga, or - for PNG on standard output")->required();
  parser->add_option("--formula", arguments->formula, "opencv, cdf or pillow [opencv]")->type_name("NAME");
  parser->add_option("--color", arguments->color, "luma, rgb, joint, ycbcr or hsl [luma]")->type_name("MODE");
  parser->add_option("--luma", arguments->luma, "bt601, bt601-trunc, opencv or bt709 [bt601]")->type_name("NAME");
  parser->add_option("--strength", arguments->strength, "0 (input) to 1 (equalized) [1]")->type_name("S");
  parser->add_option("--lut", arguments->lut, "write the look-up table")->type_name("FILE.csv");
  add_selection_options(*parser, arguments->selection);
  add_image_output_options(*parser, arguments->image_output);
  add_metadata_option(*parser, arguments->image_output);
  return {parser, [arguments](const GlobalOptions& globals) { run(*arguments, globals); }};
}

}  // namespace gpuimg
