// gpuimg hist IN… [OUT.csv|OUT.json|OUT.svg|-]: declares the options; hist_job.hpp does the work.

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "cli/pixel_options.hpp"
#include "codecs/codec.hpp"
#include "codecs/format_detection.hpp"
#include "commands/commands.hpp"
#include "commands/hist_job.hpp"
#include "text/path_names.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg hist in.jpg                     a chart on a terminal, CSV into a pipe\n"
    "  gpuimg hist --channel rgb --log in.png plot.svg\n"
    "  gpuimg hist --merge photos/ total.json\n"
    "  gpuimg hist -r photos/ stats.csv --table";

/// True if the last name is an input, although OUT may stand there: the file exists, and a histogram must not replace
/// it. A .json file may be an earlier sum, which --merge writes again, but not in another form.
bool is_input(const std::string& name, const HistArguments& arguments) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(name, failed)) {
    return false;
  }
  const std::string ending = file_ending(name);
  const bool is_another_form = arguments.chart || (!arguments.form.empty() && arguments.form != "json");
  return codecs::is_image_ending(ending) || !codecs::binary_format_of(name).empty() ||
         (arguments.merge && ending == "json" && is_another_form);
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<HistArguments>();
  add_batch_options(parser, arguments->files,
                    {.input = "images and folders; - is standard input",
                     .output = "a .csv, .json or .svg file, with --table .csv or .jsonl, or a folder; - is standard "
                               "output; without OUT, or if the last name is that of an image, a chart of each image is "
                               "printed on a terminal, CSV elsewhere",
                     .output_usage = "[OUT]",
                     .other_endings = {"json"}});
  parser.text({"--channel", with_choices("what is counted", kHistogramChannelNames, arguments->channel), "NAME"},
              arguments->channel);
  add_luma_option(parser, arguments->luma, HistogramOptions().luma);
  parser.number({"--bins", "count into N bins of equal width, from 2 [one per level]", "N"}, arguments->bins);
  parser.flag({"--cumulative", "write running sums"}, arguments->cumulative);
  parser.flag({"--normalize", "write shares of the pixels counted, not counts"}, arguments->normalize);
  add_format_option(parser, arguments->form, hist_format_help());
  parser.flag({"--chart", "the same as --format chart"}, arguments->chart);
  parser.flag({"--log", "make the counts in the chart and the SVG plot logarithmic"}, arguments->log);
  parser.text({"--title", "title of the SVG plot [the name of the image]", "TEXT"}, arguments->title);
  parser.text({"--range",
               "levels that the chart and the SVG plot show, such as 0,4095, and whose ends count as clipped; auto: to "
               "the smallest 2^k - 1 that holds all [all levels]",
               "MIN,MAX"},
              arguments->range);
  parser.flag({"--overlay", "draw up to 8 images into one chart or SVG plot"}, arguments->overlay);
  parser.flag({"--merge", "add all images, and .json files that hist wrote, into one OUT"}, arguments->merge);
  parser.flag({"--table", "write statistics, a row per image, into one OUT: .csv, or .jsonl for JSON lines"},
              arguments->table);
  parser.list({"--fail-if",
               "fail (exit code 1) if a statistic is beyond a limit, as in 'clipped>1%' or 'mean<20'; may be repeated; "
               "without OUT nothing is printed",
               "CHECK"},
              arguments->fail_if);
  add_selection_options(parser, arguments->selection);
  return [arguments, &parser](const GlobalOptions& globals) {
    arguments->json = globals.json;
    arguments->files.all_are_inputs =
        !arguments->files.paths.empty() && is_input(arguments->files.paths.back(), *arguments);
    arguments->has_output = names_output(arguments->files);
    const auto job = arguments->table ? make_hist_table_job(*arguments) : make_hist_job(*arguments);
    return run_job(*job, parser, arguments->files, globals);
  };
}

}  // namespace

Command hist_command() { return operation_command("hist", kExamples, declare); }

}  // namespace gpuimg
