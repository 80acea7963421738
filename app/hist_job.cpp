// Counts an image and says what was counted, or adds it to a sum.
#include "hist_job.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "files/printable_name.hpp"
#include "histogram/csv.hpp"
#include "histogram/histogram_sum.hpp"
#include "histogram/json.hpp"
#include "histogram/json_reader.hpp"
#include "histogram/report.hpp"
#include "histogram/svg_plot.hpp"
#include "histogram/terminal_chart.hpp"
#include "option_values.hpp"

namespace gpuimg {
namespace {

enum class Form { csv, json, svg, chart };

const NamedValues<Form> kFormNames = {
    {"csv", Form::csv}, {"json", Form::json}, {"svg", Form::svg}, {"chart", Form::chart}};

/// What the output is: asked for, named by its ending, or by what standard output is. An empty name is no OUT given.
Form form_of(const HistArguments& arguments, const std::string& output) {
  if (arguments.chart) {
    return Form::chart;
  }
  if (!arguments.form.empty()) {
    return value_named("--format", arguments.form, kFormNames);
  }
  if (output.empty() || is_untyped_stream(output)) {
    return output.empty() && stdout_is_terminal() ? Form::chart : Form::csv;
  }
  const std::string ending = file_ending(output);
  for (const auto& [name, form] : kFormNames) {
    if (ending == name && form != Form::chart) {
      return form;
    }
  }
  throw Error(ErrorKind::usage, printable_name(output) + ": a histogram is written as .csv, .json or .svg");
}

HistogramOptions checked_options(const HistArguments& arguments) {
  HistogramOptions options;
  options.channels = value_named("--channel", arguments.channel, kHistogramChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  if (arguments.bins) {
    if (*arguments.bins < 2 || *arguments.bins > 65536) {
      throw Error(ErrorKind::usage, "--bins: " + std::to_string(*arguments.bins) + " is not from 2 to 65536");
    }
    options.hsl_bins = *arguments.bins;
  }
  return options;
}

ReportOptions report_options_of(const HistArguments& arguments, const HistogramOptions& options) {
  ReportOptions report_options;
  report_options.bins = arguments.bins;
  report_options.cumulative = arguments.cumulative;
  report_options.normalize = arguments.normalize;
  report_options.luma = options.luma;
  report_options.count_transparent = options.selection.count_transparent;
  report_options.region = options.selection.region;
  report_options.masked = !arguments.selection.mask.empty();
  return report_options;
}

class HistJob final : public ImageJob {
 public:
  explicit HistJob(const HistArguments& arguments) : arguments_(arguments), options_(checked_options(arguments)) {
    options_.selection = checked_selection(arguments.selection);
  }

  void check_name(const std::string& output) const override { (void)form_of(arguments_, output); }
  [[nodiscard]] bool may_print() const override { return true; }
  [[nodiscard]] bool is_binary(const std::string& /*output*/) const override { return false; }
  [[nodiscard]] std::string ending_for(const std::string& /*input*/, const std::string& asked) const override {
    const std::vector<std::string> endings = {"csv", "json", "svg"};
    const bool named = std::find(endings.begin(), endings.end(), arguments_.form) != endings.end();
    return !asked.empty() ? ending_asked(asked, endings) : named ? arguments_.form : "csv";
  }
  [[nodiscard]] std::vector<std::string> input_endings() const override {
    std::vector<std::string> endings = ImageJob::input_endings();
    if (arguments_.merge) {
      endings.emplace_back("json");
    }
    return endings;
  }
  [[nodiscard]] std::uint64_t result_bytes_per_pixel(std::uint64_t /*input_bytes*/) const override { return 1; }
  [[nodiscard]] bool merges() const override { return arguments_.merge; }

  void prepare(CommandContext& context) override { mask_ = load_mask(arguments_.selection, context); }

  InOrder run(CommandContext& context, const ItemPaths& paths) const override {
    const Bytes bytes = context.read(paths.input);
    if (arguments_.merge && looks_like_json(bytes.span())) {
      return adding(checked_file(bytes, paths.input), paths.input);
    }
    DecodedImage decoded = context.decode(bytes, paths.input);
    if (options_.channels.front() == Channel::luma) {
      context.note_luma_of(decoded, paths.input);
    }
    const ImageFacts facts = facts_of(decoded.image, paths.input);
    Histogram histogram = counted(context, std::move(decoded.image));
    if (arguments_.merge) {
      const std::uint64_t pixels = static_cast<std::uint64_t>(facts.width) * static_cast<std::uint64_t>(facts.height);
      return adding({std::move(histogram), options_.luma, false, 1, pixels}, paths.input);
    }
    save(context, paths.output, histogram, facts);
    return {};
  }

  void finish(CommandContext& context, const std::string& output) override {
    if (sum_->images() == 0) {
      throw Error(ErrorKind::read, "nothing could be summed; no output was written");
    }
    ImageFacts facts;
    facts.name = std::to_string(sum_->images()) + " images";
    facts.is_sum = true;
    facts.images = sum_->images();
    facts.pixels = sum_->pixels();
    save(context, output, sum_->total(), facts);
  }

 private:
  static ImageFacts facts_of(const Image& image, const std::string& input) {
    return {input == "-" ? "standard input" : input, image.width(), image.height(),
            static_cast<int>(8 * sample_bytes(image.format().sample)), image.format().channels};
  }

  Histogram counted(CommandContext& context, Image image) const {
    HistogramOptions options = options_;
    return context.count({std::move(image), copy_of(mask_)},
                         [&](Backend& backend, const Picture& picture, const Picture* mask_picture) {
                           options.selection.mask = mask_picture;
                           return backend.histogram(picture, options);
                         });
  }

  /// A histogram counted before must have been counted as this run counts.
  [[nodiscard]] HistogramFile checked_file(const Bytes& bytes, const std::string& input) const {
    HistogramFile file = histogram_from_json(bytes.span(), input);
    std::vector<Channel> channels;
    for (const ChannelHistogram& channel : file.histogram.channels) {
      channels.push_back(channel.channel);
    }
    const bool luma_fits = options_.channels.front() != Channel::luma || file.luma == options_.luma;
    if (channels != options_.channels || !luma_fits || file.count_transparent != options_.selection.count_transparent) {
      throw Error(ErrorKind::unsupported, printable_name(input) + ": was counted with another --channel, --luma or " +
                                              "--transparent than this run counts with; give the same");
    }
    return file;
  }

  [[nodiscard]] InOrder adding(HistogramFile file, const std::string& input) const {
    return [sum = sum_.get(), input, file = std::make_shared<const HistogramFile>(std::move(file))] {
      sum->add(file->histogram, file->images, file->pixels, input);
    };
  }

  void save(CommandContext& context, const std::string& output, const Histogram& histogram,
            const ImageFacts& facts) const {
    const std::string target = output.empty() ? "-" : output;
    context.save(target, [&] {
      return text_of(make_report(histogram, report_options_of(arguments_, options_), facts),
                     form_of(arguments_, output), target);
    });
  }

  [[nodiscard]] std::string text_of(const HistogramReport& report, Form form, const std::string& target) const {
    switch (form) {
      case Form::csv: return to_csv(report);
      case Form::json: return to_json(report);
      case Form::svg: return to_svg(report, {arguments_.log, arguments_.title});
      case Form::chart: break;
    }
    TerminalStyle style;
    style.columns = terminal_columns();
    style.color = target == "-" && stdout_wants_color();
    return to_terminal(report, style);
  }

  const HistArguments& arguments_;
  HistogramOptions options_;
  std::optional<Image> mask_;
  std::unique_ptr<HistogramSum> sum_ = std::make_unique<HistogramSum>();
};

}  // namespace

std::unique_ptr<ImageJob> make_hist_job(const HistArguments& arguments) { return std::make_unique<HistJob>(arguments); }

}  // namespace gpuimg
