// gpuimg hist IN [OUT.csv|OUT.json|OUT.svg|-]
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "command_context.hpp"
#include "commands.hpp"
#include "files/printable_name.hpp"
#include "histogram/csv.hpp"
#include "histogram/json.hpp"
#include "histogram/report.hpp"
#include "histogram/svg_plot.hpp"
#include "histogram/terminal_chart.hpp"
#include "option_values.hpp"
#include "selection_options.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg hist in.jpg                     a chart on a terminal, CSV into a pipe\n"
    "  gpuimg hist --channel rgb --log in.png plot.svg\n"
    "  gpuimg hist --bins 32 --normalize --roi 0,0,640,480 in.png counts.csv";

enum class Form { csv, json, svg, chart };

const NamedValues<Form> kFormNames = {
    {"csv", Form::csv}, {"json", Form::json}, {"svg", Form::svg}, {"chart", Form::chart}};

struct Arguments {
  std::string input;
  std::string output = "-";
  std::string channel = "luma";
  std::string luma = "bt601";
  std::optional<int> bins;
  bool cumulative = false;
  bool normalize = false;
  std::string form;
  bool chart = false;
  bool log = false;
  std::string title;
  SelectionArguments selection;
};

/// What the output is: asked for, named by its ending, or by what standard output is.
Form form_of(const Arguments& arguments, bool output_given) {
  if (arguments.chart) {
    return Form::chart;
  }
  if (!arguments.form.empty()) {
    return value_named("--format", arguments.form, kFormNames);
  }
  if (arguments.output == "-") {
    return !output_given && stdout_is_terminal() ? Form::chart : Form::csv;
  }
  const std::string ending = file_ending(arguments.output);
  for (const auto& [name, form] : kFormNames) {
    if (ending == name && form != Form::chart) {
      return form;
    }
  }
  throw Error(ErrorKind::usage, printable_name(arguments.output) + ": a histogram is written as .csv, .json or .svg");
}

HistogramOptions checked_options(const Arguments& arguments) {
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

std::string text_of(const HistogramReport& report, Form form, const Arguments& arguments) {
  switch (form) {
    case Form::csv: return to_csv(report);
    case Form::json: return to_json(report);
    case Form::svg: return to_svg(report, {arguments.log, arguments.title});
    case Form::chart: break;
  }
  TerminalStyle style;
  style.columns = terminal_columns();
  style.color = arguments.output == "-" && stdout_wants_color();
  return to_terminal(report, style);
}

void run(const Arguments& arguments, bool output_given, const GlobalOptions& globals) {
  HistogramOptions options = checked_options(arguments);
  const Form form = form_of(arguments, output_given);
  options.selection = checked_selection(arguments.selection);

  CommandContext context(globals);
  context.check_output_file(arguments.output, arguments.input, false);
  std::optional<Image> mask = load_mask(arguments.selection, context);
  DecodedImage decoded = context.load(arguments.input);
  if (options.channels.front() == Channel::luma) {
    context.note_luma_of(decoded, arguments.input);
  }
  Image image = std::move(decoded.image);
  const ImageFacts facts{arguments.input == "-" ? "standard input" : arguments.input, image.width(), image.height(),
                         static_cast<int>(8 * sample_bytes(image.format().sample)), image.format().channels};
  ReportOptions report_options;
  report_options.bins = arguments.bins;
  report_options.cumulative = arguments.cumulative;
  report_options.normalize = arguments.normalize;
  report_options.luma = options.luma;
  report_options.count_transparent = options.selection.count_transparent;
  report_options.region = options.selection.region;
  report_options.masked = mask.has_value();
  const Histogram histogram = context.count({std::move(image), std::move(mask)},
                                            [&](Backend& backend, const Picture& picture, const Picture* mask_picture) {
                                              options.selection.mask = mask_picture;
                                              return backend.histogram(picture, options);
                                            });
  context.save(arguments.output,
               [&] { return text_of(make_report(histogram, report_options, facts), form, arguments); });
  context.finish();
}

}  // namespace

Command add_hist(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = app.add_subcommand("hist", "count how often each level occurs");
  parser->footer(kExamples);
  parser->add_option("IN", arguments->input, "image, or - for standard input")->required();
  CLI::Option* output = parser->add_option("OUT", arguments->output,
                                           ".csv, .json or .svg; without it a chart on a terminal, else CSV on "
                                           "standard output");
  parser->add_option("--channel", arguments->channel, "luma, r, g, b, a, rgb, h, s or l [luma]")->type_name("NAME");
  parser->add_option("--luma", arguments->luma, "bt601, bt601-trunc, opencv or bt709 [bt601]")->type_name("NAME");
  parser->add_option("--bins", arguments->bins, "bins of equal width [one a level]")->type_name("N");
  parser->add_flag("--cumulative", arguments->cumulative, "running sums");
  parser->add_flag("--normalize", arguments->normalize, "divide by the number of pixels counted");
  parser->add_option("--format", arguments->form, "csv, json, svg or chart [by the ending of OUT]")->type_name("NAME");
  parser->add_flag("--chart", arguments->chart, "print the chart even where standard output is no terminal");
  parser->add_flag("--log", arguments->log, "logarithmic counts in the SVG plot");
  parser->add_option("--title", arguments->title, "title of the SVG plot [the file's name]")->type_name("TEXT");
  add_selection_options(*parser, arguments->selection);
  return {parser, [arguments, output](const GlobalOptions& globals) { run(*arguments, output->count() > 0, globals); }};
}

}  // namespace gpuimg
