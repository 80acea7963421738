// gpuimg hist IN… [OUT.csv|OUT.json|OUT.svg|-]
#include <CLI/CLI.hpp>

#include <memory>

#include "batch/batch_command.hpp"
#include "commands.hpp"
#include "hist_job.hpp"
#include "number_options.hpp"
#include "output_forms.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg hist in.jpg                     a chart on a terminal, CSV into a pipe\n"
    "  gpuimg hist --channel rgb --log in.png plot.svg\n"
    "  gpuimg hist --bins 32 --normalize --roi 0,0,640,480 in.png counts.csv\n"
    "  gpuimg hist --merge photos/ total.json";

}  // namespace

Command add_hist(CLI::App& app) {
  auto arguments = std::make_shared<HistArguments>();
  CLI::App* parser = app.add_subcommand("hist", "count how often each level occurs");
  parser->footer(kExamples);
  add_batch_options(*parser, arguments->files, "images or folders, or - for standard input",
                    ".csv, .json, .svg or a folder; without it a chart on a terminal, else CSV");
  parser->add_option("--channel", arguments->channel, "luma, r, g, b, a, rgb, h, s or l [luma]")->type_name("NAME");
  parser->add_option("--luma", arguments->luma, "bt601, bt601-trunc, opencv or bt709 [bt601]")->type_name("NAME");
  add_number(*parser, "--bins", arguments->bins, "bins of equal width [one a level]")->type_name("N");
  parser->add_flag("--cumulative", arguments->cumulative, "running sums");
  parser->add_flag("--normalize", arguments->normalize, "divide by the number of pixels counted");
  add_format_option(*parser, arguments->form, "csv, json, svg or chart [by the ending of OUT]");
  parser->add_flag("--chart", arguments->chart, "print the chart even where standard output is no terminal");
  parser->add_flag("--log", arguments->log, "logarithmic counts in the SVG plot");
  parser->add_option("--title", arguments->title, "title of the SVG plot [the file's name]")->type_name("TEXT");
  parser->add_flag("--merge", arguments->merge, "add all images, and .json files of hist, into one OUT");
  add_selection_options(*parser, arguments->selection);
  return {parser, [arguments, parser](const GlobalOptions& globals) {
            arguments->json = globals.json;
            return run_job(*make_hist_job(*arguments), *parser, arguments->files, globals);
          }};
}

}  // namespace gpuimg
