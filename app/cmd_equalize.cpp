// gpuimg equalize IN… OUT
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/batch_command.hpp"
#include "commands.hpp"
#include "equalize_reference.hpp"
#include "image_job.hpp"
#include "image_output_options.hpp"
#include "number_options.hpp"
#include "option_values.hpp"
#include "selection_options.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg equalize in.png out.png\n"
    "  gpuimg equalize --color ycbcr --strength 0.5 photo.jpg photo_eq.jpg\n"
    "  gpuimg equalize --roi 0,0,640,480 --lut table.csv scan.png flat.png\n"
    "  gpuimg equalize --recursive photos/ out/";

struct Arguments {
  BatchArguments files;
  std::string formula = "opencv";
  std::string color = "luma";
  std::string luma = "bt601";
  double strength = 1.0;
  std::string lut;
  std::string reference;
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

class EqualizeJob final : public ImageJob {
 public:
  explicit EqualizeJob(const Arguments& arguments)
      : arguments_(arguments),
        options_(checked_options(arguments)),
        write_options_(checked_write_options(arguments.image_output)) {
    options_.selection = checked_selection(arguments.selection);
  }

  void check_name(const std::string& output) const override {
    (void)image_file_type(output, arguments_.image_output.format);
  }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    const std::string& format = arguments_.image_output.format;
    note_misleading_ending(kImageForms, format, output, verbosity);
    const bool uses_luma = options_.color == EqualizeColor::luma || options_.color == EqualizeColor::joint;
    note_no_effect(options_.luma != Luma::bt601 && !uses_luma, "--luma",
                   "--color " + arguments_.color + " does not use it", verbosity);
    note_without_effect(arguments_.image_output, output, image_file_type(output, format), verbosity);
  }
  [[nodiscard]] std::vector<std::string> side_files() const override {
    return arguments_.lut.empty() ? std::vector<std::string>{} : std::vector<std::string>{arguments_.lut};
  }
  [[nodiscard]] std::string ending_for(const std::string& input) const override {
    return image_ending_for(input, arguments_.image_output.format);
  }

  void prepare(CommandContext& context) override {
    mask_ = load_mask(arguments_.selection, context);
    if (!arguments_.reference.empty()) {
      reference_ = tables_of_reference(arguments_.reference, options_, context);
      options_.tables = &*reference_;
    }
  }

  InOrder run(CommandContext& context, const ItemPaths& paths) const override {
    DecodedImage decoded = context.load(paths.input);
    if (options_.color != EqualizeColor::rgb && options_.color != EqualizeColor::hsl) {
      context.note_luma_of(decoded, paths.input);
    }
    WriteOptions write_options = write_options_;
    if (!arguments_.image_output.strip) {
      write_options.metadata = std::move(decoded.metadata);
    }
    EqualizeOptions options = options_;
    LevelTables tables;
    const Image result = context.process({std::move(decoded.image), copy_of(mask_)},
                                         [&](Backend& backend, Picture&& picture, const Picture* mask_picture) {
                                           options.selection.mask = mask_picture;
                                           return backend.equalize(std::move(picture), options,
                                                                   arguments_.lut.empty() ? nullptr : &tables);
                                         });
    if (!arguments_.lut.empty()) {
      context.save(arguments_.lut, [&] { return tables_csv(tables); });
    }
    context.save_image(paths.output, result.view(), std::move(write_options));
    return {};
  }

 private:
  const Arguments& arguments_;
  EqualizeOptions options_;
  WriteOptions write_options_;
  std::optional<Image> mask_;
  std::optional<LevelTables> reference_;
};

}  // namespace

Command add_equalize(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* parser =
      app.add_subcommand("equalize", "spread the levels of an image over the whole range (histogram equalization)");
  parser->footer(kExamples);
  add_batch_options(*parser, arguments->files, "images and folders; - is standard input",
                    "a .png, .jpg, .bmp or .tga file, or a folder; - is standard output");
  parser
      ->add_option("--formula", arguments->formula,
                   with_choices("how new levels are computed", kFormulaNames, arguments->formula))
      ->type_name("NAME");
  parser
      ->add_option("--color", arguments->color,
                   with_choices("what of a color image is equalized", kColorNames, arguments->color))
      ->type_name("MODE");
  parser
      ->add_option("--luma", arguments->luma,
                   with_choices("how luma is computed of red, green and blue", kLumaNames, arguments->luma))
      ->type_name("NAME");
  add_number(*parser, "--strength", arguments->strength,
             "blend with the input: 0 is the input, 1 is fully equalized [1]")
      ->type_name("S");
  parser->add_option("--lut", arguments->lut, "write the look-up table too; one image only")->type_name("FILE.csv");
  parser
      ->add_option("--reference", arguments->reference,
                   "make one table for all images, from a histogram that 'gpuimg hist' wrote")
      ->type_name("FILE.json");
  add_selection_options(*parser, arguments->selection);
  add_format_option(*parser, arguments->image_output.format,
                    with_choices("form of the output", kImageForms.names, "the ending of OUT; png for -"));
  add_png_option(*parser, arguments->image_output);
  add_jpeg_options(*parser, arguments->image_output);
  add_metadata_option(*parser, arguments->image_output);
  return {parser, [arguments, parser](const GlobalOptions& globals) {
            EqualizeJob job(*arguments);
            return run_job(job, *parser, arguments->files, globals);
          }};
}

}  // namespace gpuimg
