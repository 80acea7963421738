// gpuimg integral IN… OUT: summed-area tables, and the statistics of windows that they are used for (window_job.hpp).
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "cli/pixel_options.hpp"
#include "codecs/npy/npy.hpp"
#include "commands/commands.hpp"
#include "commands/window_job.hpp"
#include "engine/backend_choice.hpp"
#include "engine/image_job.hpp"
#include "report/sum_table_text.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg integral in.png table.npy\n"
    "  gpuimg integral --layout inclusive --square --type f64 in.png squares.npy\n"
    "  gpuimg integral --mean 31 in.png blurred.png\n"
    "  gpuimg integral --recursive photos/ tables/";

struct Arguments {
  BatchArguments files;
  std::string layout;  ///< empty: the default
  std::string type;
  std::string channel = name_of(IntegralOptions().channel, kPlainChannelNames);
  std::string luma = name_of(IntegralOptions().luma, kLumaNames);
  bool square = false;
  bool allow_wrap = false;
  WindowArguments window;
  ImageOutputArguments image_output;
};

IntegralOptions checked_options(const Arguments& arguments) {
  IntegralOptions options;
  if (!arguments.layout.empty()) {
    options.layout = value_named("--layout", arguments.layout, kLayoutNames);
  }
  if (!arguments.type.empty()) {
    options.type = value_named("--type", arguments.type, kTableTypeNames);
  }
  options.channel = value_named("--channel", arguments.channel, kPlainChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  options.square = arguments.square;
  options.allow_wrap = arguments.allow_wrap;
  return options;
}

enum class Form { npy, png, csv, tiff };

const OutputForms<Form> kForms = with_table_codec({"a summed-area table",
                                                   {{"npy", Form::npy, "exact"},
                                                    {"png", Form::png, "a preview in 16-bit gray"},
                                                    {"csv", Form::csv, "exact, up to 4,000,000 entries"}},
                                                   Form::npy},
                                                  Form::tiff, "u32, f32 or f64");

/// Begins an .npy file of the table.
CommandContext::OpenWriter npy_writer(const OperationInput& input, const IntegralOptions& options) {
  const Sample entry = table_sample(input.width(), input.height(), input.format(), options);
  const int width = table_width(input.width(), options.layout);
  const int height = table_height(input.height(), options.layout);
  return codecs::npy_opener(width, height, {entry, 1});
}

class IntegralJob final : public ImageJob {
 public:
  explicit IntegralJob(const Arguments& arguments)
      : arguments_(arguments),
        options_(checked_options(arguments)),
        write_options_(checked_write_options(arguments.image_output)) {}

  void check_name(const std::string& output) const override {
    if (form_of(output) == Form::tiff && options_.type == Sample::u64) {
      throw Error(ErrorKind::usage, "--type: u64 needs an .npy or .csv output; a TIFF holds u32, f32 or f64");
    }
  }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_ending(kForms, asked_form(), output, verbosity);
    note_no_effect(options_.luma != IntegralOptions().luma && options_.channel != Channel::luma, "--luma",
                   "luma is not summed", verbosity);
    const bool may_wrap = options_.type == Sample::u32 || options_.type == Sample::u64;
    note_no_effect(options_.allow_wrap && !may_wrap, "--allow-wrap", "only --type u32 and u64 can wrap", verbosity);
    const bool is_png = form_of(output) == Form::png;
    note_without_effect(arguments_.image_output, output, is_png ? std::optional(codecs::FileFormat::png) : std::nullopt,
                        verbosity);
  }
  [[nodiscard]] bool is_binary(const std::string& output) const override { return form_of(output) != Form::csv; }
  [[nodiscard]] std::string ending_for(const std::string& /*input*/) const override {
    return asked_form().empty() ? "npy" : asked_form();
  }
  [[nodiscard]] HeldBeside held_beside(const codecs::DeclaredImage& image, const std::string& output) const override {
    constexpr std::uint64_t kLongestText = 21;  // of a sum, with its comma
    constexpr std::uint64_t kPreview = 2;
    const std::uint64_t sum = sum_bytes(image);
    const Form form = form_of(output);
    return {sum, form == Form::npy ? 0 : form == Form::csv ? kLongestText : form == Form::png ? kPreview : sum};
  }
  [[nodiscard]] bool visits_rows(const std::string& output) const override { return form_of(output) == Form::npy; }

  InOrder run(CommandContext& context, const ItemPaths& paths) const override {
    const Form form = form_of(paths.output);
    codecs::DecodedImage decoded = form == Form::npy ? context.load_rows(paths, *this, CommandContext::RowsWhen::always)
                                                     : context.load(paths.input);
    if (options_.channel == Channel::luma) {
      context.note_luma_of(decoded, paths.input);
    }
    if (form == Form::csv) {
      check_table_fits_csv(decoded.width(), decoded.height(), options_.layout);
    }
    IntegralOptions options = options_;
    if (form == Form::tiff && !options.type &&
        table_sample(decoded.width(), decoded.height(), decoded.format(), options) == Sample::u64) {
      options.type = Sample::f64;
    }
    OperationInput input(std::move(decoded));
    const auto sum = [&](Backend& backend, const Picture& picture, const Picture*) {
      return backend.integral(picture, options);
    };
    if (form == Form::npy) {
      const auto open = npy_writer(input, options);
      context.write_result(std::move(input), paths.output, open, sum);
      return {};
    }
    const Image table = context.process(std::move(input), sum);
    if (form == Form::tiff) {
      constexpr std::string_view kSums = "sums";
      context.save(paths.output, [&] { return codecs::table_codec()->encode_table(table.view(), {&kSums, 1}); });
    } else if (form == Form::csv) {
      context.save(paths.output, [&] { return table_csv(table.view()); });
    } else {
      context.save_image(paths.output, table_preview(table.view()).view(), write_options_);
    }
    return {};
  }

 private:
  [[nodiscard]] std::uint64_t sum_bytes(const codecs::DeclaredImage& image) const {
    const std::uint64_t level = std::max<std::uint64_t>(image.decoded.max_value(), 1);
    const std::uint64_t most = options_.square ? level * level : level;
    const bool fits_u32 = image.pixels() <= std::numeric_limits<std::uint32_t>::max() / most;
    return sample_bytes(options_.type.value_or(fits_u32 ? Sample::u32 : Sample::u64));
  }
  [[nodiscard]] const std::string& asked_form() const { return arguments_.image_output.format; }
  [[nodiscard]] Form form_of(const std::string& output) const { return output_form(kForms, asked_form(), output); }

  const Arguments& arguments_;
  IntegralOptions options_;
  codecs::WriteOptions write_options_;
};

void refuse_table_options(const Arguments& arguments) {
  const auto refuse = [](bool is_given, const char* option) {
    if (is_given) {
      throw Error(
          ErrorKind::usage,
          std::string(option) + " goes without --mean, --variance and --deviation: it is of summed-area tables");
    }
  };
  refuse(!arguments.layout.empty(), "--layout");
  refuse(!arguments.type.empty(), "--type");
  refuse(arguments.square, "--square");
  refuse(arguments.allow_wrap, "--allow-wrap");
}

/// Only the mean is an image like the input.
void refuse_photo_options(const ImageOutputArguments& output) {
  const auto refuse = [](bool is_given, const char* option) {
    if (is_given) {
      throw Error(ErrorKind::usage, std::string(option) + " goes with --mean: without it, OUT holds numbers");
    }
  };
  refuse(!output.quality.empty(), "--quality");
  refuse(!output.subsampling.empty(), "--subsampling");
  refuse(output.strip, "--strip");
  refuse(!output.background.empty(), "--background");
  refuse(!output.depth.empty(), "--depth");
}

std::unique_ptr<ImageJob> make_job(const Arguments& arguments) {
  if (!arguments.window.mean) {
    refuse_photo_options(arguments.image_output);
  }
  if (!arguments.window.any()) {
    if (!arguments.window.border.empty()) {
      (void)value_named("--border", arguments.window.border, kBorderNames);
      throw Error(ErrorKind::usage, "--border goes with --mean, --variance or --deviation");
    }
    return std::make_unique<IntegralJob>(arguments);
  }
  refuse_table_options(arguments);
  WindowOptions options = checked_window(arguments.window);
  options.channel = value_named("--channel", arguments.channel, kPlainChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  return make_window_job(options, arguments.image_output);
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(
      parser, arguments->files,
      {.input = "images and folders; - is standard input",
       .output = "a .npy, .png, .csv or .tif file, with --mean any image, or a folder; - is standard output"});
  parser.text(
      {"--layout", with_choices("size of the table", kLayoutNames, name_of(IntegralOptions().layout, kLayoutNames)),
       "NAME"},
      arguments->layout);
  parser.text(
      {"--type", with_choices("type of the sums", kTableTypeNames, "the narrower of u32 and u64 that holds every sum"),
       "TYPE"},
      arguments->type);
  parser.text({"--channel", with_choices("what is summed", kPlainChannelNames, arguments->channel), "NAME"},
              arguments->channel);
  add_luma_option(parser, arguments->luma, IntegralOptions().luma);
  parser.flag({"--square", "sum squared values"}, arguments->square);
  parser.flag({"--allow-wrap", "let sums wrap around in the integer type that --type names"}, arguments->allow_wrap);
  add_window_options(parser, arguments->window);
  add_format_option(parser, arguments->image_output.format,
                    with_choices("form of the output; with --mean that of an image", kForms.names,
                                 "the ending of OUT; npy for -, png with --mean"));
  add_png_option(parser, arguments->image_output);
  add_lossy_options(parser, arguments->image_output);
  add_metadata_option(parser, arguments->image_output);
  add_conversion_options(parser, arguments->image_output);
  return [arguments, &parser](const GlobalOptions& globals) {
    const GlobalOptions restricted = arguments->window.any() ? options_for("--mean, --variance and --deviation",
                                                                           backends_with(WindowOptions()), globals)
                                                             : globals;
    return run_job(*make_job(*arguments), parser, arguments->files, restricted);
  };
}

}  // namespace

Command integral_command() { return operation_command("integral", kExamples, declare); }

}  // namespace gpuimg
