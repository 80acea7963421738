// gpuimg integral IN… OUT.npy|OUT.png|OUT.csv
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <utility>

#include "batch/batch_command.hpp"
#include "commands.hpp"
#include "files/npy.hpp"
#include "files/printable_name.hpp"
#include "image_job.hpp"
#include "image_output_options.hpp"
#include "option_values.hpp"
#include "sum_table_text.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg integral in.png table.npy\n"
    "  gpuimg integral --layout inclusive --square --type f64 in.png squares.npy\n"
    "  gpuimg integral --channel g in.png preview.png\n"
    "  gpuimg integral --recursive photos/ tables/";

struct Arguments {
  BatchArguments files;
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
  const std::string ending = is_untyped_stream(output) ? "npy" : file_ending(output);
  if (ending != "npy" && ending != "png" && ending != "csv") {
    throw Error(ErrorKind::usage, printable_name(output) + ": a summed-area table is written as .npy, .png or .csv");
  }
  return ending;
}

class IntegralJob final : public ImageJob {
 public:
  explicit IntegralJob(const Arguments& arguments)
      : arguments_(arguments),
        options_(checked_options(arguments)),
        write_options_(checked_write_options(arguments.image_output)) {}

  void check_name(const std::string& output) const override { (void)checked_ending(output); }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_without_effect(arguments_.image_output, output, verbosity);
  }
  [[nodiscard]] bool is_binary(const std::string& output) const override { return checked_ending(output) != "csv"; }
  [[nodiscard]] std::string ending_for(const std::string& /*input*/, const std::string& asked) const override {
    return asked.empty() ? "npy" : ending_asked(asked, {"npy", "png", "csv"});
  }
  [[nodiscard]] std::uint64_t result_bytes_per_pixel(std::uint64_t /*input_bytes*/) const override { return 8; }

  InOrder run(CommandContext& context, const ItemPaths& paths) const override {
    const std::string ending = checked_ending(paths.output);
    DecodedImage decoded = context.load(paths.input);
    if (options_.channel == Channel::luma) {
      context.note_luma_of(decoded, paths.input);
    }
    Image image = std::move(decoded.image);
    if (ending == "csv") {
      check_table_fits_csv(image.width(), image.height(), options_.layout);
    }
    const Image table = context.process(
        {std::move(image), std::nullopt},
        [&](Backend& backend, const Picture& picture, const Picture*) { return backend.integral(picture, options_); });
    if (ending == "npy") {
      context.save(paths.output, [&] { return encode_npy(table.view()); });
    } else if (ending == "csv") {
      context.save(paths.output, [&] { return table_csv(table.view()); });
    } else {
      context.save_image(paths.output, table_preview(table.view()).view(), write_options_);
    }
    return {};
  }

 private:
  const Arguments& arguments_;
  IntegralOptions options_;
  WriteOptions write_options_;
};

}  // namespace

Command add_integral(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = app.add_subcommand("integral", "sum an image into a summed-area table (integral image)");
  parser->footer(kExamples);
  add_batch_options(*parser, arguments->files, "images or folders, or - for standard input",
                    ".npy (exact), .png (16-bit preview), .csv or a folder, or - for .npy");
  parser->add_option("--layout", arguments->layout, "padded (h+1 x w+1) or inclusive (h x w) [padded]")
      ->type_name("NAME");
  parser->add_option("--type", arguments->type, "u32, u64, f32 or f64 [narrowest of u32, u64]")->type_name("TYPE");
  parser->add_option("--channel", arguments->channel, "luma, r, g, b or a [luma]")->type_name("NAME");
  parser->add_option("--luma", arguments->luma, "bt601, bt601-trunc, opencv or bt709 [bt601]")->type_name("NAME");
  parser->add_flag("--square", arguments->square, "sum the squares");
  parser->add_flag("--allow-wrap", arguments->allow_wrap, "let a forced integer type wrap around");
  add_image_output_options(*parser, arguments->image_output);
  return {parser, [arguments, parser](const GlobalOptions& globals) {
            IntegralJob job(*arguments);
            return run_job(job, *parser, arguments->files, globals);
          }};
}

}  // namespace gpuimg
