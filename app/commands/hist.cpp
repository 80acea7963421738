// gpuimg hist IN… [OUT.csv|OUT.json|OUT.svg|-]
#include <CLI/CLI.hpp>

#include <memory>

#include "batch/batch_command.hpp"
#include "cli/number_options.hpp"
#include "cli/option_values.hpp"
#include "cli/output_forms.hpp"
#include "commands/commands.hpp"
#include "commands/hist_job.hpp"

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
  CLI::App* parser = app.add_subcommand("hist", "count how often each level occurs (histogram)");
  parser->footer(kExamples);
  add_batch_options(*parser, arguments->files, "images and folders; - is standard input",
                    "a .csv, .json or .svg file, or a folder; - is standard output; without OUT a chart is printed on "
                    "a terminal, CSV elsewhere");
  parser
      ->add_option("--channel", arguments->channel,
                   with_choices("what is counted", kHistogramChannelNames, arguments->channel))
      ->type_name("NAME");
  parser
      ->add_option("--luma", arguments->luma,
                   with_choices("how luma is computed from red, green and blue", kLumaNames, arguments->luma))
      ->type_name("NAME");
  parser->get_option("OUT")->option_text("[OUT]");
  add_number(*parser, "--bins", arguments->bins, "count into N bins of equal width, from 2 [one per level]")
      ->type_name("N");
  parser->add_flag("--cumulative", arguments->cumulative, "write running sums");
  parser->add_flag("--normalize", arguments->normalize, "write shares of the pixels counted, not counts");
  add_format_option(*parser, arguments->form,
                    "form of the output\ncsv    a line per bin\njson   counts and statistics\nsvg    a plot\n"
                    "chart  a plot in characters\n[the ending of OUT; csv for -]");
  parser->add_flag("--chart", arguments->chart, "the same as --format chart");
  parser->add_flag("--log", arguments->log, "make the counts in the SVG plot logarithmic");
  parser->add_option("--title", arguments->title, "title of the SVG plot [the name of the image]")->type_name("TEXT");
  parser->add_flag("--merge", arguments->merge, "add all images, and .json files that hist wrote, into one OUT");
  add_selection_options(*parser, arguments->selection);
  return {parser, [arguments, parser](const GlobalOptions& globals) {
            arguments->json = globals.json;
            return run_job(*make_hist_job(*arguments), *parser, arguments->files, globals);
          }};
}

}  // namespace gpuimg
