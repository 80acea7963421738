// The names that other tools, and other spellings, use for our subcommands and options.
#include "cli/name_synonyms.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/option_values.hpp"
#include "cli/suggestions.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

const std::vector<Synonym> kSubcommandSynonyms = {
    {"histogram", "hist"},
    {"histo", "hist"},
    {"count", "hist"},
    {"equalise", "equalize"},
    {"equalization", "equalize"},
    {"equalizehist", "equalize"},
    {"eq", "equalize"},
    {"normalize", "equalize"},
    {"integral-image", "integral"},
    {"summed-area", "integral"},
    {"summed-area-table", "integral"},
    {"sat", "integral"},
    {"sum", "integral"},
    {"hls", "hsl"},
    {"hsv", "hsl"},
    {"saturate", "hsl"},
    {"adjust", "hsl"},
    {"diff", "compare"},
    {"cmp", "compare"},
    {"difference", "compare"},
    {"psnr", "compare"},
    {"benchmark", "bench"},
    {"check", "doctor"},
    {"devices", "doctor"},
    {"identify", "info"},
    {"describe", "info"},
    {"inspect", "info"},
    {"summary", "report"},
};

const std::vector<Synonym> kOptionSynonyms = {
    {"--colour", "--color"},
    {"--mode", "--color"},
    {"--method", "--formula"},
    {"--algorithm", "--formula"},
    {"--amount", "--strength"},
    {"--out", "--output"},
    {"--outfile", "--output"},
    {"--outdir", "--output"},
    {"--out-dir", "--output"},
    {"--output-dir", "--output"},
    {"--type", "--format"},
    {"--ext", "--format"},
    {"--extension", "--format"},
    {"--to", "--format"},
    {"-R", "--recursive"},
    {"--recurse", "--recursive"},
    {"--overwrite", "--force"},
    {"--replace", "--force"},
    {"--yes", "--force"},
    {"-y", "--force"},
    {"--inplace", "--in-place"},
    {"-i", "--in-place"},
    {"--no-clobber", "--skip-existing"},
    {"--skip", "--skip-existing"},
    {"--continue", "--resume"},
    {"--workers", "--jobs"},
    {"--parallel", "--jobs"},
    {"-t", "--threads"},
    {"--cores", "--threads"},
    {"--gpu", "--backend"},
    {"--cpu", "--backend"},
    {"--cuda", "--backend"},
    {"--gpus", "--devices"},
    {"--silent", "--quiet"},
    {"--debug", "--verbose"},
    {"-V", "--version"},
    {"--region", "--roi"},
    {"--crop", "--roi"},
    {"--rect", "--roi"},
    {"--channels", "--channel"},
    {"--normalise", "--normalize"},
    {"--cdf", "--cumulative"},
    {"--combine", "--merge"},
    {"--logarithmic", "--log"},
    {"--log-scale", "--log"},
    {"--dtype", "--type"},
    {"--squared", "--square"},
    {"--bits", "--depth"},
    {"--encoding", "--encode"},
    {"--brightness", "--lightness"},
    {"--sat", "--saturation"},
    {"--compression", "--png-level"},
    {"-q:v", "--quality"},
    {"--chroma", "--subsampling"},
    {"--sampling", "--subsampling"},
    {"--dryrun", "--dry-run"},
    {"--simulate", "--dry-run"},
};

std::vector<std::string> option_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* parser : app.get_subcommands(nullptr)) {
    names.push_back(parser->get_name());
  }
  return names;
}

/// The subcommands that have the option.
std::vector<std::string> subcommands_with(const std::string& option, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* parser : app.get_subcommands(nullptr)) {
    const std::vector<std::string> options = option_names(*parser);
    if (std::find(options.begin(), options.end(), option) != options.end()) {
      names.push_back(parser->get_name());
    }
  }
  return names;
}

}  // namespace

std::string subcommand_list(const CLI::App& app) { return listed(subcommand_names(app)); }

std::string unknown_subcommand(const std::string& name, const CLI::App& app) {
  return "unknown subcommand " + printable_name(name) + did_you_mean(name, subcommand_names(app), kSubcommandSynonyms);
}

std::string unknown_option(const std::string& argument, const CLI::App& app) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::string unknown = "unknown option " + printable_name(name);
  if (const auto others = subcommands_with(name, app); !others.empty()) {
    return unknown + " here; it belongs to " + fmt::format("{}", fmt::join(others, " and "));
  }
  const auto chosen = app.get_subcommands();
  std::vector<std::string> known = option_names(app);
  const std::vector<std::string> more = chosen.empty() ? subcommand_names(app) : option_names(*chosen.front());
  known.insert(known.end(), more.begin(), more.end());
  return unknown + did_you_mean(name, known, kOptionSynonyms);
}

}  // namespace gpuimg
