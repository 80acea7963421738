// gpuimg threshold IN… OUT: black and white images.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "batch/batch_command.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/photo_job.hpp"
#include "commands/side_inputs.hpp"
#include "io/output_file.hpp"
#include "text/json.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::threshold {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg threshold --value 50% --invert in.png mask.png\n"
    "  gpuimg threshold --method sauvola scan.png text.png     a scanned page\n"
    "  gpuimg threshold --flatten 101 --classes 4 scan.png gray.png\n"
    "  gpuimg threshold --method bradley --recursive photos/ pages/";

struct Arguments {
  BatchArguments files;
  std::string method = name_of(ThresholdOptions().method, kMethodNames);
  std::string channel = name_of(ThresholdOptions().channel, kPlainChannelNames);
  std::string luma = name_of(ThresholdOptions().luma, kLumaNames);
  std::string value;  ///< empty: Otsu's threshold
  std::optional<int> classes;
  std::string flatten;  ///< empty: do not flatten
  std::string window;   ///< empty: the default
  std::optional<double> offset;
  std::optional<int> sensitivity;
  std::optional<double> k;
  std::optional<double> r;
  bool invert = false;
  std::string bits;  ///< --depth
  SelectionArguments selection;
  ImageOutputArguments image_output;
};

/// Rejects parameters of other methods, and values out of range.
void check_parameters(const Arguments& arguments, ThresholdMethod method) {
  const auto reject_unless = [&](bool is_given, bool has, const char* option, const char* of) {
    if (is_given && !has) {
      throw Error(ErrorKind::usage, fmt::format("{} applies to --method {}, not to {}", option, of, arguments.method));
    }
  };
  reject_unless(!arguments.value.empty(), !has_window(method), "--value", "otsu");
  reject_unless(arguments.classes.has_value(), !has_window(method), "--classes", "otsu");
  reject_unless(!arguments.window.empty(), has_window(method), "--window",
                "mean, bradley, niblack, sauvola, wolf or nick");
  reject_unless(arguments.offset.has_value(), method == ThresholdMethod::mean, "--offset", "mean");
  reject_unless(arguments.sensitivity.has_value(), method == ThresholdMethod::bradley, "--sensitivity", "bradley");
  reject_unless(arguments.k.has_value(), needs_squares(method), "--k", "niblack, sauvola, wolf or nick");
  reject_unless(arguments.r.has_value(), method == ThresholdMethod::sauvola, "--r", "sauvola");
  const auto reject_if = [](bool is_wrong, const std::string& why) {
    if (is_wrong) {
      throw Error(ErrorKind::usage, why);
    }
  };
  expect_within(kSensitivityLimits, "--sensitivity", arguments.sensitivity.value_or(0));
  expect_within(kClassLimits, "--classes", arguments.classes.value_or(2));
  const int classes = arguments.classes.value_or(2);
  reject_if(classes != 2 && !arguments.value.empty(), fmt::format("--value needs 2 classes, not {}", classes));
  reject_if(classes != 2 && arguments.image_output.compression == "g4",
            fmt::format("--compression g4 needs 2 classes, not {}", classes));
  reject_if(classes != 2 && arguments.bits == "1", fmt::format("--depth 1 needs 2 classes, not {}", classes));
  reject_if(!std::isfinite(arguments.offset.value_or(0.0)), "--offset: must be a number of levels");
  reject_if(!std::isfinite(arguments.k.value_or(0.0)), "--k: must be a number");
  const double r = arguments.r.value_or(1.0);
  reject_if(!std::isfinite(r) || r <= 0.0, "--r: must be a number greater than 0");
  (void)checked_bilevel_bits(arguments.bits);
}

/// --value: a level, or a percentage of the range, which works for images of any depth.
struct GivenLevel {
  double number = 0.0;
  bool is_percent = false;

  /// The level for images of this format. Throws Error{usage} if the format does not have the level.
  [[nodiscard]] std::uint32_t of(PixelFormat format, const std::string& image) const {
    const std::uint32_t v_max = format.max_value();
    if (!is_percent && number > v_max) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: --value {} is not one of its levels, 0 to {}; give a percentage for "
                              "images of any depth",
                              image, number, v_max));
    }
    return static_cast<std::uint32_t>(is_percent ? std::floor(number * v_max / 100.0 + 0.5) : number);
  }
};

std::optional<GivenLevel> checked_value(const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  GivenLevel level;
  level.is_percent = text.ends_with('%');
  const std::string number = text.substr(0, text.size() - (level.is_percent ? 1 : 0));
  level.number = level.is_percent ? parse_number<double>("--value", number) : parse_number<int>("--value", number);
  if (!(level.number >= 0.0 && level.number <= (level.is_percent ? 100.0 : 65535.0))) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--value: '{}' is neither a level (0 to 255, for 16 bits 0 to 65535) nor a percentage (0% to 100%)",
                    text));
  }
  return level;
}

ThresholdOptions checked_options(const Arguments& arguments) {
  ThresholdOptions options;
  options.method = value_named("--method", arguments.method, kMethodNames);
  check_parameters(arguments, options.method);
  options.channel = value_named("--channel", arguments.channel, kPlainChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  if (!arguments.window.empty()) {
    options.window = parse_window("--window", arguments.window);
  }
  options.classes = arguments.classes.value_or(options.classes);
  options.offset = arguments.offset;
  options.range = arguments.r;
  options.invert = arguments.invert;
  options.sensitivity = arguments.sensitivity.value_or(options.sensitivity);
  options.k = arguments.k;
  options.selection = checked_selection(arguments.selection, options.channel);
  validate(options);
  return options;
}

/// The thresholds between the classes: "60, 120".
std::string text_of(const ClassLevels& levels, int classes) {
  return fmt::format("{}", fmt::join(levels.begin(), levels.begin() + classes - 1, ", "));
}

/// Prefix of the thresholds of an image in the manifest.
std::string_view result_name(int classes) { return classes == 2 ? "threshold " : "thresholds "; }

/// Divides an image by its background: --flatten.
class FlattenStep final : public ImageStep {
 public:
  explicit FlattenStep(const Arguments& arguments) {
    options_.statistic = WindowStatistic::flat;
    options_.border = Border::cut;
    options_.size = parse_window("--flatten", arguments.flatten);
    options_.count_transparent = checked_options(arguments).selection.count_transparent;
  }

  [[nodiscard]] std::string_view name() const override { return "flatten"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return traits_of(options_, input); }
  [[nodiscard]] StepOfImage for_image(const StepInput& /*input*/, Worker& /*worker*/) const override {
    StepOfImage made{{[options = options_](Backend& backend, const Picture& picture, const Picture*) {
      return backend.apply(picture, options);
    }}};
    made.step.check_fit = fit_of(options_);
    return made;
  }

 private:
  WindowOptions options_;
};

class ThresholdStep final : public ImageStep {
 public:
  explicit ThresholdStep(const Arguments& arguments)
      : options_(checked_options(arguments)),
        value_(checked_value(arguments.value)),
        flatten_(arguments.flatten.empty() ? nullptr : std::make_shared<FlattenStep>(arguments)),
        mask_path_(arguments.selection.mask) {}

  [[nodiscard]] std::string_view name() const override { return "threshold"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override {
    OperationTraits traits = traits_of(options_, input);
    const bool has_places = options_.selection.region || !mask_path_.empty();
    traits.reads_all_first = traits.reads_all_first || has_places;  // a band between steps does not know its position
    return traits;
  }
  [[nodiscard]] std::shared_ptr<ImageStep> before() const override { return flatten_; }
  [[nodiscard]] bool is_bilevel() const override { return options_.classes == 2; }
  void note_options(Verbosity verbosity) const override {
    note_no_effect(options_.luma != ThresholdOptions().luma && options_.channel != Channel::luma, "--luma",
                   "luma is not compared", verbosity);
    note_no_effect(flatten_ != nullptr && options_.channel == Channel::alpha, "--flatten", "alpha is not divided",
                   verbosity);
  }

  void prepare(Worker& worker) override { mask_ = load_mask(mask_path_, worker); }

  [[nodiscard]] StepOfImage for_image(const StepInput& input, Worker& worker) const override {
    if (options_.channel == Channel::luma) {
      worker.loader.note_luma_of(input.shape.format, input.file.metadata, input.path);
    }
    note_dropped_alpha(input, worker);
    ThresholdOptions options = options_;
    if (has_window(options.method)) {
      options.window =
          window_of(input.shape.width, input.shape.height, options);  // so that bands get the window of the whole image
    }
    const std::string shown = input_name(input.path);
    if (value_) {
      options.levels = ClassLevels{value_->of(input.shape.format, shown)};
    }
    const auto levels = std::make_shared<ClassLevels>();
    StepOfImage made{{[options, levels](Backend& backend, const Picture& picture, const Picture* mask) {
                        ThresholdOptions of_picture = options;
                        of_picture.used_levels = levels.get();
                        of_picture.selection.mask = mask;
                        return backend.apply(picture, of_picture);
                      },
                      mask_,
                      {},
                      {},
                      fit_of(options)}};
    if (!has_window(options.method)) {
      made.save_more = [levels, shown, classes = options.classes, &worker](OutputWriter&) {
        const std::string text = text_of(*levels, classes);
        worker.report.detail(
            fmt::format("{}: the {} {}", shown, classes == 2 ? "threshold is" : "thresholds are", text));
        worker.report.keep_result(fmt::format("{}{}", result_name(classes), text));
      };
    }
    return made;
  }

 private:
  void note_dropped_alpha(const StepInput& input, Worker& worker) const {
    if (input.shape.format.has_alpha() && options_.channel != Channel::alpha) {
      const bool skips = !options_.selection.count_transparent;
      worker.report.note(fmt::format("{}: alpha is left out{}", input_name(input.path),
                                     skips ? "; fully transparent pixels are white" : ""));
    }
  }

  ThresholdOptions options_;
  std::optional<GivenLevel> value_;
  std::shared_ptr<FlattenStep> flatten_;  ///< may be null
  std::string mask_path_;                 ///< empty: none
  SharedMask mask_;
};

class ThresholdJob final : public PhotoJob {
 public:
  ThresholdJob(const Arguments& arguments, bool prints_json)
      : PhotoJob(std::make_shared<ThresholdStep>(arguments), arguments.image_output,
                 arguments.classes.value_or(2) != 2 ? BilevelBits::none : checked_bilevel_bits(arguments.bits)),
        classes_(arguments.classes.value_or(2)),
        format_(arguments.image_output.format),
        has_threshold_(arguments.method == name_of(ThresholdMethod::otsu, kMethodNames)),
        prints_json_(prints_json) {}

  void check_name(const std::string& output) const override {
    reject_bitmap(output);
    PhotoJob::check_name(output);
  }

  void note_options(const std::string& output, Verbosity verbosity) const override {
    reject_bitmap(output);
    PhotoJob::note_options(output, verbosity);
  }

  [[nodiscard]] bool prints_json_lines() const override { return has_threshold_; }

  /// With --json, prints the thresholds on standard output, or on standard error if the image goes to standard output.
  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    InOrder done = PhotoJob::run(worker, paths);
    const std::string result = worker.report.take_result();
    worker.report.keep_result(result);
    if (!prints_json_ || !has_threshold_) {
      return done;
    }
    JsonWriter json;
    json.begin_object(JsonWriter::Layout::line).key("name").text(shown_input(paths));
    const std::string levels = result.substr(result_name(classes_).size());
    if (classes_ == 2) {
      json.key("threshold").literal(levels).end();
    } else {
      json.key("thresholds").literal("[" + levels + "]").end();
    }
    return [text = json.take(), to_stderr = is_standard_output(paths.output)] {
      to_stderr ? print_report(text) : write_text(text);
    };
  }

 private:
  void reject_bitmap(const std::string& output) const {
    if (classes_ != 2 && (format_.empty() ? file_extension(output) : format_) == "pbm") {
      throw Error(ErrorKind::usage,
                  fmt::format("--classes: pbm has 2 levels, not {}; use another format, such as pgm or png", classes_));
    }
  }

  int classes_;
  std::string format_;  ///< empty if the extension of OUT names it
  bool has_threshold_;  ///< one threshold (or set of thresholds) for the whole image
  bool prints_json_;
};

void add_parameters(CommandParser& parser, Arguments& arguments) {
  const ThresholdOptions defaults;
  parser.text({"--value", "use this threshold instead of Otsu's: a level, or a percentage of the range", "N|N%"},
              arguments.value);
  parser.number(
      {"--classes", "gray levels of the result, 2 to 16, with Otsu's thresholds between them; pbm has 2 [2]", "N"},
      arguments.classes);
  parser.text({"--flatten",
               "first divide the image by its background: the mean of a window with these sides in pixels, "
               "odd, and larger than dark areas [do not divide]",
               "K|WxH"},
              arguments.flatten);
  parser.text({"--window",
               "sides of the window in pixels, odd; dark areas larger than the window become hollow [31; with "
               "--method bradley an eighth of the width]",
               "K|WxH"},
              arguments.window);
  parser.number(
      {"--offset",
       "with --method mean: pixels darker than the mean by C levels or more become black [10; for 16 bits 2570]", "C"},
      arguments.offset);
  parser.number(
      {"--sensitivity",
       fmt::format("with --method bradley: pixels darker than the mean by T percent become black, 0 to 100 [{}]",
                   defaults.sensitivity),
       "T"},
      arguments.sensitivity);
  parser.number({"--k", "weight of the deviation [niblack and sauvola 0.2, wolf 0.5, nick -0.2]", "K"}, arguments.k);
  parser.number(
      {"--r", "with --method sauvola: the deviation at which the mean is the threshold [half the range]", "R"},
      arguments.r);
  parser.flag({"--invert", "swap black and white"}, arguments.invert);
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = fmt::format("a {} file, or a folder; - is standard output", listed_image_formats("."))});
  parser.text({"--method", with_choices("what a pixel is compared with", kMethodNames, arguments->method), "NAME"},
              arguments->method);
  add_parameters(parser, *arguments);
  parser.text({"--channel", with_choices("what is compared", kPlainChannelNames, arguments->channel), "NAME"},
              arguments->channel);
  add_luma_option(parser, arguments->luma, ThresholdOptions().luma);
  add_selection_options(parser, arguments->selection);
  add_bilevel_options(parser, arguments->bits, arguments->image_output);
  parser.declare_step([arguments] { return std::make_shared<ThresholdStep>(*arguments); });
  return [arguments, &parser](const GlobalOptions& globals) {
    ThresholdJob job(*arguments, globals.json);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::threshold

namespace gpuimg {

Command threshold_command() {
  return operation_command("threshold", commands::threshold::kExamples, commands::threshold::declare);
}

}  // namespace gpuimg
