// gpuimg equalize IN… OUT: histogram equalization.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "commands/side_inputs.hpp"
#include "report/table_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::equalize {
namespace {

const NamedValues<bool> kClaheBinNames = {
    {"256", false, "interpolates the new levels between bins"},
    {"full", true, "65536 bins, as in OpenCV; needs a much higher --clip", {"65536"}}};

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg equalize in.png out.png\n"
    "  gpuimg equalize --clahe --strength 0.5 photo.jpg photo_eq.jpg\n"
    "  gpuimg equalize --roi 0,0,640,480 --lut table.csv scan.png flat.png\n"
    "  gpuimg equalize --recursive photos/ out/";

struct Arguments {
  BatchArguments files;
  std::string formula;  ///< empty: the default
  std::string percent;  ///< empty: the default
  std::string color;    ///< empty: the default, or with --apply the mode of the table
  std::string luma;     ///< empty: the default
  double strength = EqualizeOptions().strength;
  bool clahe = false;
  std::string tiles;  ///< empty: the default
  std::optional<double> clip;
  std::string bins;  ///< empty: the default
  std::string lut;
  std::string match;
  std::string reference;
  std::string apply;
  SelectionArguments selection;
  ImageOutputArguments image_output;
};

/// The value that `name` stands for, or `if_absent` if the option was not given.
template <class Value>
Value value_or(Value if_absent, const std::string& option, const std::string& name, const NamedValues<Value>& values) {
  return name.empty() ? if_absent : value_named(option, name, values);
}

EqualizeOptions checked_options(const Arguments& arguments) {
  EqualizeOptions options;
  options.formula = value_or(options.formula.kind, "--formula", arguments.formula, kFormulaNames);
  if (!arguments.percent.empty()) {
    if (options.formula.kind != EqualizeFormula::stretch) {
      throw Error(ErrorKind::usage, "--percent needs --formula stretch; the other formulas have no percentiles");
    }
    options.formula.range = parse_percentiles("--percent", arguments.percent);
  }
  options.color = value_or(options.color, "--color", arguments.color, kColorNames);
  options.luma = value_or(options.luma, "--luma", arguments.luma, kLumaNames);
  options.strength = arguments.strength;
  expect_within(kStrengthLimits, "--strength", options.strength);
  validate(options);
  return options;
}

/// Throws Error{usage} if `other` is given together with `option`.
void reject_beside(const char* option, bool is_given, const char* other, const char* why) {
  if (is_given) {
    throw Error(ErrorKind::usage, fmt::format("{} cannot be combined with {}: {}", option, other, why));
  }
}

/// The next three functions reject the options that contradict --match, --clahe or --apply.
void reject_options_with_match(const Arguments& arguments) {
  const auto reject = [](bool is_given, const char* option, const char* why) {
    reject_beside("--match", is_given, option, why);
  };
  reject(!arguments.formula.empty(), "--formula", "the table follows from both histograms");
  reject(!arguments.reference.empty(), "--reference", "it makes one table for all images, --match one for each");
  reject(!arguments.apply.empty(), "--apply", "both set the table; leave one out");
}
void reject_options_with_clahe(const Arguments& arguments) {
  const auto reject = [](bool is_given, const char* option, const char* why) {
    reject_beside("--clahe", is_given, option, why);
  };
  reject(!arguments.formula.empty(), "--formula", "CLAHE has its own formula");
  reject(!arguments.reference.empty(), "--reference", "each tile has a table of its own");
  reject(!arguments.match.empty(), "--match", "each tile has a table of its own");
  reject(!arguments.apply.empty(), "--apply", "each tile has a table of its own");
  reject(!arguments.lut.empty(), "--lut", "each tile has a table of its own");
  reject(arguments.color == "joint", "--color joint", "use luma, rgb, ycbcr or hsl");
}
void reject_options_with_apply(const Arguments& arguments) {
  const auto reject = [](bool is_given, const char* option, const char* why) {
    reject_beside("--apply", is_given, option, why);
  };
  reject(!arguments.formula.empty(), "--formula", "the table is computed already");
  reject(!arguments.reference.empty(), "--reference", "both set the table for all images; leave one out");
  reject(!arguments.lut.empty(), "--lut", "it would write the same table again");
  reject(!arguments.selection.region.empty(), "--roi", "nothing is counted; --mask limits what is changed");
  reject(!arguments.selection.transparent.empty(), "--transparent", "nothing is counted");
}

/// The color mode for saved tables: --color, or the mode that the tables fit.
EqualizeColor color_for(const GivenTables& given, const Arguments& arguments) {
  const bool has_three = given.tables.maps.size() == 3;
  if (arguments.color.empty()) {
    return has_three ? EqualizeColor::rgb : EqualizeColor::luma;
  }
  const EqualizeColor color = value_named("--color", arguments.color, kColorNames);
  if (has_three && color != EqualizeColor::rgb) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: has tables for red, green and blue, which do not fit --color {}; use "
                            "--color rgb, or leave --color out",
                            given.file, arguments.color));
  }
  return color;
}

/// The options of --clahe; nullopt without it.
std::optional<ClaheOptions> checked_clahe(const Arguments& arguments, const EqualizeOptions& options) {
  if (!arguments.clahe) {
    if (!arguments.tiles.empty() || arguments.clip || !arguments.bins.empty()) {
      const char* option = arguments.clip ? "--clip" : arguments.bins.empty() ? "--tiles" : "--bins";
      const char* instead = arguments.bins.empty() ? "" : "; 'gpuimg hist' counts into bins";
      throw Error(ErrorKind::usage, fmt::format("{} needs --clahe{}", option, instead));
    }
    return std::nullopt;
  }
  ClaheOptions clahe;
  if (!arguments.tiles.empty()) {
    std::tie(clahe.tiles_x, clahe.tiles_y) = parse_tiles("--tiles", arguments.tiles);
  }
  clahe.clip = arguments.clip.value_or(clahe.clip);
  if (!std::isfinite(clahe.clip)) {
    throw Error(ErrorKind::usage,
                fmt::format("--clip: {} is not a limit; give a positive number, or 0 for no limit", clahe.clip));
  }
  clahe.full_bins = value_or(clahe.full_bins, "--bins", arguments.bins, kClaheBinNames);
  clahe.color = options.color;
  clahe.luma = options.luma;
  clahe.strength = options.strength;
  return clahe;
}

class EqualizeStep final : public ImageStep {
 public:
  explicit EqualizeStep(std::shared_ptr<const Arguments> arguments)
      : arguments_(std::move(arguments)), options_(checked_options(*arguments_)) {
    options_.selection = checked_selection(arguments_->selection);
    clahe_ = checked_clahe(*arguments_, options_);
    if (arguments_->clahe) {
      reject_options_with_clahe(*arguments_);
    } else if (!arguments_->match.empty()) {
      reject_options_with_match(*arguments_);
    } else if (!arguments_->apply.empty()) {
      reject_options_with_apply(*arguments_);
    }
  }

  [[nodiscard]] std::string_view name() const override { return "equalize"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override {
    OperationTraits traits = clahe_ ? traits_of(*clahe_, input) : traits_of(options_, input);
    traits.reads_all_first |= options_.selection.region.has_value();  // the region is relative to the whole image
    return traits;
  }
  void note_options(Verbosity verbosity) const override {
    const bool uses_luma = options_.color == EqualizeColor::luma || options_.color == EqualizeColor::joint;
    note_no_effect(options_.luma != EqualizeOptions().luma && !uses_luma, "--luma",
                   "--color " + arguments_->color + " does not use it", verbosity);
  }
  [[nodiscard]] std::vector<std::string> side_files() const override {
    return arguments_->lut.empty() ? std::vector<std::string>{} : std::vector<std::string>{arguments_->lut};
  }
  [[nodiscard]] RowsWhen rows_when() const override {
    return given_ && !clahe_ ? RowsWhen::on_host : RowsWhen::too_large;  // given tables need only one pass
  }

  void prepare(Worker& worker) override {
    mask_ = load_mask(arguments_->selection.mask, worker);
    if (!arguments_->reference.empty()) {
      given_ = tables_of_reference(arguments_->reference, options_, worker);
    } else if (!arguments_->apply.empty()) {
      given_ = GivenTables{level_tables_from_csv(worker.loader.read(arguments_->apply).span(), arguments_->apply),
                           printable_name(arguments_->apply)};
      options_.color = color_for(*given_, *arguments_);
      if (!arguments_->luma.empty() && options_.color != EqualizeColor::luma) {
        worker.report.note(fmt::format("--luma has no effect: --color {} applies a table without it",
                                       name_of(options_.color, kColorNames)));
      }
    }
    if (!arguments_->match.empty()) {
      match_ = counts_to_match(arguments_->match, options_, worker);
      options_.match = &match_->counts;
    }
    options_.tables = given_ ? &given_->tables : nullptr;
  }

  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& worker) const override {
    if (given_) {
      check_fit(*given_, options_.color, input.shape.format, input_name(input.path));
    }
    if (match_) {
      check_fit(*match_, options_.color, input.shape.format, input_name(input.path));
    }
    if (uses_luma()) {
      worker.loader.note_luma_of(input.shape.format, input.file.metadata, input.path);
    }
    if (clahe_) {
      note_small_tiles(input, worker);
      return {{[this](Backend& backend, const Picture& picture, const Picture* mask) {
                 return clahe_equalized(backend, picture, mask);
               },
               mask_, name(), traits(input.shape), fit_of(selecting(*clahe_))}};
    }
    const auto tables = arguments_->lut.empty() ? nullptr : std::make_shared<LevelTables>();
    StepOfImage made{{[this, tables](Backend& backend, const AttemptPicture& picture, const Picture* mask) {
                        return equalized(backend, picture, mask, tables.get());
                      },
                      mask_, name(), traits(input.shape), fit_of(options_)}};
    if (tables != nullptr) {
      made.save_more = [this, tables](OutputWriter& writer) {
        writer.save(arguments_->lut, [&] { return level_tables_to_csv(*tables); });
      };
    }
    return made;
  }

 private:
  /// Prints a note if a tile has fewer pixels than bins, which makes most levels white.
  void note_small_tiles(const StepInput& input, Worker& worker) const {
    const ImageShape& shape = input.shape;
    const TileGrid grid = tile_grid(shape.width, shape.height, clahe_->tiles_x, clahe_->tiles_y);
    const std::int64_t pixels = std::int64_t{grid.tile_width} * grid.tile_height;
    const std::int64_t bins = clahe_->full_bins ? shape.format.max_value() + std::int64_t{1} : 256;
    if (pixels < bins) {
      worker.report.note(fmt::format("{}: a tile has only {} pixel{} for {} bins; use fewer --tiles",
                                     input_name(input.path), pixels, pixels == 1 ? "" : "s", bins));
    }
  }

  [[nodiscard]] ClaheOptions selecting(ClaheOptions options) const {
    options.selection = options_.selection;
    return options;
  }

  Picture clahe_equalized(Backend& backend, const Picture& picture, const Picture* mask) const {
    ClaheOptions options = selecting(*clahe_);
    options.selection.mask = mask;
    return backend.apply(picture, options);
  }

  Picture equalized(Backend& backend, const AttemptPicture& picture, const Picture* mask, LevelTables* used) const {
    EqualizeOptions options = options_;
    options.selection.mask = mask;
    Picture* const own = picture.own();
    return own != nullptr ? backend.equalize(std::move(*own), options, used) : backend.equalize(picture, options, used);
  }

  [[nodiscard]] bool uses_luma() const {
    const bool counts_luma = options_.color == EqualizeColor::joint && !given_;
    return counts_luma || options_.color == EqualizeColor::luma || options_.color == EqualizeColor::ycbcr;
  }

  std::shared_ptr<const Arguments> arguments_;
  EqualizeOptions options_;
  std::optional<ClaheOptions> clahe_;
  SharedMask mask_;
  std::optional<GivenTables> given_;
  std::optional<CountsToMatch> match_;
};

void add_clahe_options(CommandParser& parser, Arguments& arguments) {
  const ClaheOptions defaults;
  parser.flag(
      {"--clahe",
       "equalize each part of the image by its surroundings (CLAHE, as in OpenCV); best for night and backlit photos"},
      arguments.clahe);
  parser.text({"--tiles",
               fmt::format("with --clahe: tiles across and down, 1 to {} each [{}x{}]", kMaxTiles, defaults.tiles_x,
                           defaults.tiles_y),
               "COLSxROWS"},
              arguments.tiles);
  parser.number({"--clip", fmt::format("with --clahe: contrast limit; 0 is no limit [{:.1f}]", defaults.clip), "LIMIT"},
                arguments.clip);
  parser.text({"--bins",
               with_choices("with --clahe of 16-bit images: number of bins", kClaheBinNames,
                            name_of(defaults.full_bins, kClaheBinNames)),
               "BINS"},
              arguments.bins);
}

void add_table_options(CommandParser& parser, Arguments& arguments) {
  parser.text({"--lut", "also write the look-up table to FILE.csv; for one image only", "FILE.csv"}, arguments.lut);
  parser.text(
      {.names = "--match",
       .description = "give every image the histogram of image REF, or of a .json file that 'gpuimg hist' wrote",
       .type_name = "REF",
       .reads_file = true},
      arguments.match);
  parser.text({.names = "--reference",
               .description = "make one table for all images, from a histogram that 'gpuimg hist' wrote",
               .type_name = "FILE.json",
               .reads_file = true},
              arguments.reference);
  parser.text({.names = "--apply",
               .description = "apply this table, which --lut wrote, instead of computing one",
               .type_name = "FILE.csv",
               .reads_file = true},
              arguments.apply);
}

RunCommand declare(CommandParser& parser) {
  const EqualizeOptions defaults;
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_formats("."))});
  parser.text(
      {"--formula",
       with_choices("how new levels are computed", kFormulaNames, name_of(defaults.formula.kind, kFormulaNames)),
       "NAME"},
      arguments->formula);
  parser.text({"--percent",
               fmt::format("the percentiles that --formula stretch maps to black and white [{}]",
                           percentiles_text(defaults.formula.range)),
               "LOW,HIGH"},
              arguments->percent);
  parser.text(
      {"--color", with_choices("what is equalized in a color image", kColorNames, name_of(defaults.color, kColorNames)),
       "MODE"},
      arguments->color);
  add_luma_option(parser, arguments->luma, defaults.luma);
  parser.number(
      {"--strength", fmt::format("blend with the input: 0 is the input, 1 is fully equalized [{}]", defaults.strength),
       "S"},
      arguments->strength);
  add_clahe_options(parser, *arguments);
  add_table_options(parser, *arguments);
  add_selection_options(parser, arguments->selection);
  add_format_option(parser, arguments->image_output.format,
                    with_choices("format of the output", kImageFormats.names, "by the extension of OUT; png for -"));
  add_compression_options(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  parser.declare_step([arguments] { return std::make_shared<EqualizeStep>(arguments); });
  return [arguments, &parser](const GlobalOptions& globals) {
    PhotoJob job(std::make_shared<EqualizeStep>(arguments), arguments->image_output);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::equalize

namespace gpuimg {

Command equalize_command() {
  return operation_command("equalize", commands::equalize::kExamples, commands::equalize::declare);
}

}  // namespace gpuimg
