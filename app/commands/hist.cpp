// gpuimg hist IN… [OUT.csv|OUT.json|OUT.svg|-]: counts the levels of an image and writes the histogram, or adds it to
// the sum of a run.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "batch/batch_command.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "commands/commands.hpp"
#include "commands/hist.hpp"
#include "commands/side_inputs.hpp"
#include "report/histogram_file.hpp"
#include "report/histogram_plots.hpp"
#include "report/histogram_report.hpp"
#include "report/level_check.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::hist {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg hist in.jpg                     a chart on a terminal, CSV into a pipe\n"
    "  gpuimg hist --channel rgb --log in.png plot.svg\n"
    "  gpuimg hist --merge photos/ total.json\n"
    "  gpuimg hist -r photos/ stats.csv --table";

enum class Format { csv, json, svg, chart, summary };

/// The formats of files. Chart and summary are missing: they have no extension, so only --format names them.
const OutputFormats<Format> kFileFormats = {
    "a histogram", {{"csv", Format::csv}, {"json", Format::json}, {"svg", Format::svg}}, Format::csv};

const OutputFormats<Format> kAllFormats = {
    "a histogram",
    {{"csv", Format::csv, "a line per bin"},
     {"json", Format::json, "counts and statistics"},
     {"svg", Format::svg, "a plot", {"plot", "graph"}},
     {"chart", Format::chart, "a plot in characters", {"txt", "text", "terminal"}},
     {"summary", Format::summary, "means and deviations to paste", {"mean", "stats"}}},
    Format::csv};

/// True if --json applies. Throws Error{usage} if another format is also requested.
bool prints_json(const Arguments& arguments, const std::string& output) {
  if (!arguments.json || !(output.empty() || is_standard_output(output))) {
    return false;
  }
  if (arguments.chart || arguments.summary || !(arguments.format.empty() || arguments.format == "json")) {
    throw Error(ErrorKind::usage, "--json cannot be combined with " +
                                      (arguments.chart     ? "--chart"
                                       : arguments.summary ? "--summary"
                                                           : "--format " + arguments.format) +
                                      " on standard output; give only one of them, or name OUT");
  }
  return true;
}

/// The output format: from the options or the extension of `output`. If neither names one: a chart with --overlay, or
/// without OUT on a terminal; otherwise CSV. An empty `output` means that OUT is missing.
Format format_of(const Arguments& arguments, const std::string& output) {
  if (prints_json(arguments, output)) {
    return Format::json;
  }
  if (arguments.chart || arguments.summary) {
    return arguments.chart ? Format::chart : Format::summary;
  }
  if (!arguments.format.empty()) {
    return output_format(kAllFormats, arguments.format, output);
  }
  if (arguments.overlay && (output.empty() || is_untyped_stream(output))) {
    return Format::chart;
  }
  return output.empty() && terminal_at(STDOUT_FILENO).is_terminal ? Format::chart
                                                                  : output_format(kFileFormats, "", output);
}

HistogramOptions checked_options(const Arguments& arguments) {
  HistogramOptions options;
  options.channels = value_named("--channel", arguments.channel, kHistogramChannelNames);
  options.luma = value_named("--luma", arguments.luma, kLumaNames);
  if (arguments.bins) {
    expect_within(kHslBinLimits, "--bins", *arguments.bins);
    options.hsl_bins = *arguments.bins;
  }
  validate(options);
  return options;
}

/// "MIN,MAX" or "auto".
PlotRange parse_range(const std::string& text) {
  if (text == "auto") {
    return {true, {}};
  }
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw Error(ErrorKind::usage, "--range: '" + text + "' is not MIN,MAX or auto; give levels, such as 0,4095");
  }
  const int first = parse_number<int>("--range", text.substr(0, comma));
  const int last = parse_number<int>("--range", text.substr(comma + 1));
  if (first < 0 || first >= last || last > 65535) {
    throw Error(ErrorKind::usage, "--range: '" + text + "' is not two rising levels from 0 to 65535");
  }
  return {false, {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)}};
}

ReportOptions report_options_of(const Arguments& arguments, const HistogramOptions& options) {
  ReportOptions report_options;
  report_options.bins = arguments.bins;
  if (!arguments.range.empty()) {
    report_options.range = parse_range(arguments.range);
  }
  report_options.cumulative = arguments.cumulative;
  report_options.normalize = arguments.normalize;
  report_options.luma = options.luma;
  report_options.count_transparent = options.selection.count_transparent;
  report_options.region = options.selection.region;
  report_options.masked = !arguments.selection.mask.empty();
  return report_options;
}

[[noreturn]] void reject_other_options(const std::string& input, const std::string& option, const std::string& theirs,
                                       const std::string& ours) {
  throw Error(
      ErrorKind::unsupported,
      fmt::format("{0}: was counted with {1} {2}, but this run counts with {1} {3}; count both with the same {1}",
                  printable_name(input), option, theirs.empty() ? "(unknown)" : theirs, ours));
}

TerminalStyle style_of_stdout() {
  const Terminal terminal = terminal_at(STDOUT_FILENO);
  return {terminal.columns, terminal.color, terminal.utf8, terminal.rows};
}

class HistJob final : public ImageJob {
 public:
  explicit HistJob(const Arguments& arguments)
      : arguments_(arguments), options_(checked_options(arguments)), checks_(level_checks(arguments.fail_if)) {
    options_.selection = checked_selection(arguments.selection, options_.channels.front());
    if (!checks_.empty() && options_.channels.front() == Channel::hue) {
      throw Error(ErrorKind::usage, "--fail-if: hue is circular, so it has no limits; choose another --channel");
    }
    for (const LevelCheck& check : checks_) {
      if (check.is_of_image() && arguments.merge) {
        throw Error(ErrorKind::usage,
                    fmt::format("--fail-if '{}': a sum of images has no such value; leave --merge out", check.text()));
      }
    }
  }

  void check_name(const std::string& output) const override {
    if (arguments_.overlay && !is_plot(format_of(arguments_, output))) {
      throw Error(ErrorKind::usage,
                  "--overlay draws a chart or an SVG plot; give OUT the extension .svg, or add --chart");
    }
  }
  void note_options(const std::string& output, Verbosity verbosity) const override;
  [[nodiscard]] bool may_print() const override { return true; }
  [[nodiscard]] bool is_binary(const std::string& /*output*/) const override { return false; }
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override {
    const bool is_text =
        arguments_.chart || arguments_.summary || arguments_.format == "chart" || arguments_.format == "summary";
    return is_text ? "txt" : arguments_.format.empty() ? "csv" : arguments_.format;
  }
  [[nodiscard]] std::vector<std::string> input_extensions() const override {
    std::vector<std::string> extensions = ImageJob::input_extensions();
    if (arguments_.merge) {
      extensions.emplace_back("json");
    }
    return extensions;
  }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image,
                                       const std::string& /*output*/) const override {
    return held_by_steps(image);
  }
  [[nodiscard]] std::vector<OperationTraits> operations() const override { return followed_by(traits_of(options_)); }
  [[nodiscard]] bool visits_rows(const std::string& /*output*/) const override {
    return !arguments_.merge && steps_.takes_bands();
  }
  [[nodiscard]] bool merges() const override { return joins() || only_checks() || prints(); }
  [[nodiscard]] bool merges_one() const override { return joins(); }
  [[nodiscard]] bool adds_up() const override { return arguments_.merge; }
  [[nodiscard]] bool can_resume() const override { return !joins() && !prints(); }
  void check_several() const override {
    if (prints() && format_of(arguments_, "") == Format::svg) {
      throw Error(ErrorKind::usage,
                  "--format svg: standard output takes the plot of one image; add --overlay, or name a folder as OUT");
    }
  }

  void prepare(Worker& worker) override {
    ImageJob::prepare(worker);
    mask_ = load_mask(arguments_.selection.mask, worker);
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    if (arguments_.merge && paths.page.number == 0) {
      Bytes bytes = worker.loader.read(paths.input);
      if (looks_like_json(bytes.span())) {
        return adding(checked_file(bytes, paths.input), paths.input);
      }
      codecs::DecodedImage decoded = worker.loader.decode(bytes, paths.input);
      bytes = {};  // freed before the pixels are counted
      return taken(worker, paths, std::move(decoded));
    }
    return taken(worker, paths, load_rows(worker, paths, rows_when(RowsWhen::always)));
  }

  [[nodiscard]] bool has_merged() const override {
    return sum_->images() > 0 || !overlaid_->empty() || !printed_->empty();
  }
  void finish(Worker& worker, const std::string& output) const override {
    if (prints()) {
      return worker.writer.save("-", [&] { return *printed_; });
    }
    if (arguments_.overlay) {
      return save(worker, output, overlay(*overlaid_, report_options_of(arguments_, options_)));
    }
    ImageFacts facts;
    facts.name = std::to_string(sum_->images()) + " images";
    facts.is_sum = true;
    facts.images = sum_->images();
    facts.pixels = sum_->pixels();
    finish_report(worker, output, sum_->total(), facts);
  }

 private:
  /// Counts an image, then adds it to the common output or writes its own output.
  InOrder taken(Worker& worker, const ItemPaths& paths, codecs::DecodedImage decoded) const {
    const ImageSteps::OfImage before = steps_.for_image(decoded, paths.input, worker);
    const ImageShape& shape = before.result;
    if (options_.channels.front() == Channel::luma) {
      worker.loader.note_luma_of(shape.format, decoded.metadata, paths.input);
    }
    ImageFacts facts = facts_of_image(shown_input(paths), shape.width, shape.height, shape.format);
    facts.pages = static_cast<int>(decoded.pages);
    Histogram histogram = counted(worker, std::move(decoded), before.steps);
    save_side_files(before, worker);
    if (arguments_.overlay) {
      return drawing({std::move(histogram), facts});
    }
    if (arguments_.merge) {
      const std::uint64_t pixels = static_cast<std::uint64_t>(facts.width) * static_cast<std::uint64_t>(facts.height);
      return adding({std::move(histogram), options_.luma, false, 1, pixels}, paths.input);
    }
    if (prints()) {
      return printing(worker, histogram, facts);
    }
    finish_report(worker, paths.output, histogram, facts);
    return {};
  }

  /// True if all images share one output.
  [[nodiscard]] bool joins() const { return arguments_.merge || arguments_.overlay; }

  [[nodiscard]] InOrder drawing(OverlaidImage image) const {
    reject_if_met(checks_, make_report(image.histogram, report_options_of(arguments_, options_), image.facts));
    return [images = overlaid_.get(), one = std::make_shared<const OverlaidImage>(std::move(image))] {
      if (images->size() == kMaxOverlaid) {
        throw Error(ErrorKind::usage, fmt::format("is not drawn: --overlay draws up to {} images", kMaxOverlaid));
      }
      images->push_back(*one);
    };
  }

  /// True if only checks are requested: --fail-if without OUT.
  [[nodiscard]] bool only_checks() const { return !checks_.empty() && !arguments_.has_output; }

  /// True if the histogram of each image is printed, one after another: there is no OUT.
  [[nodiscard]] bool prints() const { return !joins() && !only_checks() && !arguments_.has_output; }

  [[nodiscard]] InOrder printing(Worker& worker, const Histogram& histogram, const ImageFacts& facts) const {
    const HistogramReport report = written_report(histogram, facts, "");
    std::string text = worker.writer.encoded([&] { return text_of(report, format_of(arguments_, ""), "-"); });
    return
        [printed = printed_.get(), text = std::make_shared<const std::string>(std::move(text))] { *printed += *text; };
  }

  Histogram counted(Worker& worker, codecs::DecodedImage decoded, const Steps& before) const {
    const auto count = [&](Backend& backend, const Picture& picture, const Picture* mask_picture) {
      HistogramOptions options = options_;
      options.selection.mask = mask_picture;
      return backend.histogram(picture, options);
    };
    return worker.executor.count(OperationInput(std::move(decoded)), before,
                                 {count, mask_, "hist", fit_of(options_), traits_of(options_).only_on});
  }

  /// Reads a histogram of an earlier run. Throws Error{unsupported} if it was counted with other options.
  [[nodiscard]] HistogramFile checked_file(const Bytes& bytes, const std::string& input) const {
    HistogramFile file = histogram_from_json(bytes.span(), input);
    std::vector<Channel> channels;
    for (const ChannelHistogram& channel : file.histogram.channels) {
      channels.push_back(channel.channel);
    }
    if (channels != options_.channels) {
      reject_other_options(input, "--channel", name_of(channels, kHistogramChannelNames),
                           name_of(options_.channels, kHistogramChannelNames));
    }
    if (channels.front() == Channel::luma && file.luma != options_.luma) {
      reject_other_options(input, "--luma", name_of(file.luma, kLumaNames), name_of(options_.luma, kLumaNames));
    }
    if (file.count_transparent != options_.selection.count_transparent) {
      reject_other_options(input, "--transparent", name_of(file.count_transparent, kTransparentNames),
                           name_of(options_.selection.count_transparent, kTransparentNames));
    }
    return file;
  }

  [[nodiscard]] InOrder adding(HistogramFile file, const std::string& input) const {
    return [sum = sum_.get(), input, file = std::make_shared<const HistogramFile>(std::move(file))] {
      sum->add(file->histogram, file->images, file->pixels, input);
    };
  }

  void finish_report(Worker& worker, const std::string& output, const Histogram& histogram,
                     const ImageFacts& facts) const {
    const HistogramReport report = written_report(histogram, facts, output);
    if (!only_checks()) {
      save(worker, output, report);
    }
  }

  /// The report to write. Throws Error{check_failed}.
  [[nodiscard]] HistogramReport written_report(const Histogram& histogram, const ImageFacts& facts,
                                               const std::string& output) const {
    ReportOptions options = report_options_of(arguments_, options_);
    HistogramReport report = make_report(histogram, options, facts);
    reject_if_met(checks_, report);
    if (is_plot(format_of(arguments_, output)) || !options.range || options.bins) {
      return report;
    }
    options.range.reset();  // data files contain all levels, unless --bins divides the range
    return make_report(histogram, options, facts);
  }

  void save(Worker& worker, const std::string& output, const HistogramReport& report) const {
    const std::string target = output.empty() ? "-" : output;
    worker.writer.save(target, [&] { return text_of(report, format_of(arguments_, output), target); });
  }

  static bool is_plot(Format format) { return format == Format::svg || format == Format::chart; }

  [[nodiscard]] std::string text_of(const HistogramReport& report, Format format, const std::string& target) const {
    switch (format) {
      case Format::csv: return to_csv(report);
      case Format::json: return to_json(report);
      case Format::svg: return to_svg(report, {arguments_.log, arguments_.title});
      case Format::summary: return to_summary(report);
      case Format::chart: break;
    }
    TerminalStyle style = is_standard_output(target) ? style_of_stdout() : TerminalStyle{};
    style.log = arguments_.log;
    return to_terminal(report, style);
  }

  const Arguments& arguments_;
  HistogramOptions options_;
  std::vector<LevelCheck> checks_;
  SharedMask mask_;
  std::unique_ptr<std::string> printed_ = std::make_unique<std::string>();  ///< text of the images so far
  std::unique_ptr<HistogramSum> sum_ = std::make_unique<HistogramSum>();
  std::unique_ptr<std::vector<OverlaidImage>> overlaid_ = std::make_unique<std::vector<OverlaidImage>>();
};

void HistJob::note_options(const std::string& output, Verbosity verbosity) const {
  note_misleading_extension(kAllFormats, arguments_.format, output, verbosity);
  note_no_effect(only_checks() && arguments_.json, "--json", "--fail-if without OUT prints nothing", verbosity);
  const Format format = format_of(arguments_, arguments_.has_output ? output : "");
  note_no_effect(arguments_.log && !is_plot(format), "--log", "it applies only to plots", verbosity);
  note_no_effect(!arguments_.range.empty() && !is_plot(format) && checks_.empty() && !arguments_.bins, "--range",
                 "it applies only to plots, checks and --bins", verbosity);
  note_no_effect(!arguments_.title.empty() && format != Format::svg, "--title", "it applies only to SVG plots",
                 verbosity);
  note_no_effect(!arguments_.columns.empty(), "--columns", "it needs --table", verbosity);
  note_no_effect(arguments_.total, "--total", "it needs --table", verbosity);
  note_no_effect(options_.luma != HistogramOptions().luma && options_.channels.front() != Channel::luma, "--luma",
                 "luma is not counted", verbosity);
}

/// True if the last name is an existing file that a histogram must not replace, so it is an input rather than OUT. A
/// .json file may be an earlier sum, which --merge replaces, so it counts as an input only if another format is given.
bool is_input(const std::string& name, const Arguments& arguments) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(name, failed)) {
    return false;
  }
  const std::string extension = file_extension(name);
  const bool is_another_format =
      arguments.chart || arguments.summary || (!arguments.format.empty() && arguments.format != "json");
  return codecs::is_image_extension(extension) || !codecs::binary_format_of(name).empty() ||
         (arguments.merge && extension == "json" && is_another_format);
}

/// Rejects a folder as the last name if one file is written for all images, and explains that the last name is OUT.
void reject_folder_as_output(const Arguments& arguments) {
  const char* option = arguments.table     ? "--table"
                       : arguments.merge   ? "--merge"
                       : arguments.overlay ? "--overlay"
                                           : nullptr;
  const BatchArguments& files = arguments.files;
  std::error_code failed;
  if (option != nullptr && files.output.empty() && arguments.has_output &&
      std::filesystem::is_directory(files.paths.back(), failed)) {
    throw Error(ErrorKind::usage, fmt::format("{}: the last name is OUT, and {} writes one file, not a folder; add the "
                                              "name of a file as OUT, or print with -o -",
                                              printable_name(files.paths.back()), option));
  }
}

/// Prints a note with alternatives if the histogram of each image of a folder is printed.
void note_folder_is_printed(const Arguments& arguments, const GlobalOptions& globals) {
  const bool joins = arguments.table || arguments.merge || arguments.overlay || !arguments.fail_if.empty() ||
                     arguments.format == "svg";  // rejected later
  std::error_code failed;
  const auto& paths = arguments.files.paths;
  const auto folder = std::find_if(
      paths.begin(), paths.end(), [&](const std::string& path) { return std::filesystem::is_directory(path, failed); });
  if (!joins && !arguments.has_output && folder != paths.end() && !std::filesystem::is_empty(*folder, failed)) {
    print_note(globals.verbosity, fmt::format("{}: hist prints one histogram after another; use --table for a row per "
                                              "image, --merge for their sum, or a folder as OUT for a file per image",
                                              printable_name(*folder)));
  }
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(
      parser, arguments->files,
      {.input = "images and folders; - is standard input",
       .output = "a .csv, .json or .svg file; with --table a .csv or .jsonl file; or a folder; - is "
                 "standard output. Without OUT, or if the last name is an image, hist prints a chart of each image "
                 "on a terminal, and CSV to a pipe or file",
       .output_usage = "[OUT]",
       .other_extensions = {"json"}});
  parser.text({"--channel", with_choices("what is counted", kHistogramChannelNames, arguments->channel), "NAME"},
              arguments->channel);
  add_luma_option(parser, arguments->luma, HistogramOptions().luma);
  parser.number({"--bins", "divide --range into N bins of equal width, 2 or more [one bin per level]", "N"},
                arguments->bins);
  parser.flag({"--cumulative", "write running sums instead of counts"}, arguments->cumulative);
  parser.flag({"--normalize", "write shares of the counted pixels instead of counts"}, arguments->normalize);
  add_format_option(parser, arguments->format,
                    with_choices("format of the output", kAllFormats.names, "by the extension of OUT; csv for -"));
  parser.flag({"--chart", "the same as --format chart"}, arguments->chart);
  parser.flag(
      {"--summary", "the same as --format summary: mean and deviation of each channel, to paste into a program"},
      arguments->summary);
  parser.flag({"--log", "draw the counts of the chart and the SVG plot on a logarithmic scale"}, arguments->log);
  parser.text({"--title", "title of the SVG plot [the name of the image]", "TEXT"}, arguments->title);
  parser.text({"--range",
               "levels that the chart, the SVG plot and --bins cover, such as 0,4095; the ends count as clipped. auto "
               "ends at the smallest 2^k - 1 that covers all levels [all levels]",
               "MIN,MAX|auto"},
              arguments->range);
  parser.flag({"--overlay", "draw up to 8 images into one chart or SVG plot"}, arguments->overlay);
  parser.flag({"--merge", "add all images, and .json files that hist wrote, into one OUT"}, arguments->merge);
  parser.flag({"--table", "write statistics, a row per image, into one OUT: .csv, or .jsonl for JSON lines"},
              arguments->table);
  parser.text({"--columns", "with --table: only these columns, such as folder,file,page,luma_mean", "NAMES"},
              arguments->columns);
  parser.flag({"--total", "with --table: add a last row for all images together"}, arguments->total);
  parser.list({"--fail-if",
               "fail (exit code 1) if a statistic is beyond a limit, as in 'clipped>1%' or 'mean<20'; may be repeated; "
               "without OUT, the histogram is not printed",
               "CHECK"},
              arguments->fail_if);
  add_selection_options(parser, arguments->selection);
  parser.declare_step();
  return [arguments, &parser](const GlobalOptions& globals) {
    arguments->json = globals.json;
    arguments->files.all_are_inputs =
        !arguments->files.paths.empty() && is_input(arguments->files.paths.back(), *arguments);
    arguments->has_output = names_output(arguments->files);
    reject_folder_as_output(*arguments);
    note_folder_is_printed(*arguments, globals);
    const auto job = arguments->table ? make_table_job(*arguments) : make_job(*arguments);
    return run_job(*job, parser, arguments->files, globals);
  };
}

}  // namespace

std::unique_ptr<ImageJob> make_job(const Arguments& arguments) {
  reject_together(arguments.overlay && arguments.merge, "--overlay", "--merge");
  reject_together(arguments.overlay && arguments.channel == "rgb", "--overlay", "--channel rgb");
  const bool sums_up = arguments.summary || arguments.format == "summary";
  reject_together(sums_up && arguments.chart, "--summary", "--chart");
  reject_together(sums_up && arguments.overlay, "--summary", "--overlay");
  reject_together(sums_up && arguments.channel == "h", "--summary", "--channel h");
  reject_together(arguments.summary && !arguments.format.empty() && arguments.format != "summary", "--summary",
                  "--format " + arguments.format);
  reject_together(arguments.chart && !arguments.format.empty() && arguments.format != "chart", "--chart",
                  "--format " + arguments.format);
  return std::make_unique<HistJob>(arguments);
}

}  // namespace gpuimg::commands::hist

namespace gpuimg {

Command hist_command() { return operation_command("hist", commands::hist::kExamples, commands::hist::declare); }

}  // namespace gpuimg
