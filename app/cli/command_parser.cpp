// Declares options to CLI11, adds checks that CLI11 lacks, and rewords its errors. This is the only file that includes
// CLI11, which is slow to compile.
#include "cli/command_parser.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <sstream>
#include <string_view>

#include "cli/help.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

// Names and spellings that other tools use for our subcommands and options. A suggestion may have several words; it is
// offered where the first word exists.
const std::vector<Synonym> kSubcommandSynonyms = {
    {"histogram", "hist"},
    {"histo", "hist"},
    {"count", "hist"},
    {"stats", "hist"},
    {"statistics", "hist"},
    {"equalise", "equalize"},
    {"equalization", "equalize"},
    {"equalizehist", "equalize"},
    {"eq", "equalize"},
    {"normalize", "equalize"},
    {"clahe", "equalize --clahe"},
    {"levels", "equalize --formula stretch"},
    {"level", "equalize --formula stretch"},
    {"auto-level", "equalize --formula stretch"},
    {"auto-levels", "equalize --formula stretch"},
    {"autolevel", "equalize --formula stretch"},
    {"autocontrast", "equalize --formula stretch"},
    {"contrast", "equalize --formula stretch"},
    {"stretch", "equalize --formula stretch"},
    {"blur", "integral --mean"},
    {"boxblur", "integral --mean"},
    {"box-blur", "integral --mean"},
    {"binarize", "threshold"},
    {"binarise", "threshold"},
    {"otsu", "threshold"},
    {"bw", "threshold"},
    {"straighten", "deskew"},
    {"unskew", "deskew"},
    {"speckle", "despeckle"},
    {"remove-specks", "despeckle"},
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
    {"dedupe", "duplicates"},
    {"duplicate", "duplicates"},
    {"similar", "duplicates"},
    {"phash", "duplicates"},
    {"benchmark", "bench"},
    {"check", "doctor"},
    {"devices", "doctor"},
    {"identify", "info"},
    {"describe", "info"},
    {"inspect", "info"},
    {"summary", "report"},
    {"transcode", "convert"},
    {"reencode", "convert"},
    {"save", "convert"},
    {"scale", "resize"},
    {"rescale", "resize"},
    {"thumbnail", "resize"},
    {"thumb", "resize"},
    {"shrink", "resize"},
    {"downscale", "resize"},
    {"enlarge", "resize --enlarge"},
    {"upscale", "resize --enlarge"},
    {"pad", "resize --fit pad"},
    {"mirror", "flip"},
    {"turn", "rotate"},
};

const std::vector<Synonym> kOptionSynonyms = {
    {"--colour", "--color"},
    {"--mode", "--color"},
    {"--stretch", "--formula stretch"},
    {"--auto", "--formula stretch"},
    {"--auto-level", "--formula stretch"},
    {"--auto-levels", "--formula stretch"},
    {"--autocontrast", "--formula stretch"},
    {"--levels", "--formula stretch"},
    {"--clip-limit", "--clip"},
    {"--cliplimit", "--clip"},
    {"--h", "--filter-strength"},
    {"--h", "--hue"},
    {"--sigma", "--filter-strength"},
    {"--noise", "--filter-strength"},
    {"--threshold", "--value"},
    {"--method", "--formula"},
    {"--method", "--filter"},
    {"--interpolation", "--filter"},
    {"--resample", "--filter"},
    {"--upscale", "--enlarge"},
    {"--anchor", "--gravity"},
    {"--center", "--gravity"},
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
    {"--preserve", "--preserve-times"},
    {"--keep-times", "--preserve-times"},
    {"--keep-mtime", "--preserve-times"},
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
    {"--region", "--box"},
    {"--crop", "--box"},
    {"--rect", "--box"},
    {"--roi", "--box"},
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
    {"--compress", "--compression"},
    {"-q:v", "--quality"},
    {"--chroma", "--subsampling"},
    {"--sampling", "--subsampling"},
    {"--dryrun", "--dry-run"},
    {"--simulate", "--dry-run"},
};

// Options that gpuimg does not have, with an explanation. A suggestion by spelling would mislead here.
const std::vector<Synonym> kNotOffered = {
    {"--scale", "to change the size, use gpuimg resize --size P%"},
    {"--progressive", "gpuimg writes JPEG in one scan only"},
    {"--width", "to set the width, use gpuimg resize --size Wx, such as 800x"},
    {"--height", "to set the height, use gpuimg resize --size xH, such as x600"},
    {"--max", "gpuimg resize --size 800x800 makes the longer side 800"},
    {"--max-size", "gpuimg resize --size 800x800 makes the longer side 800"},
    {"--long-edge", "gpuimg resize --size 800x800 makes the longer side 800"},
    {"--angle", "the angle is a word before IN, as in gpuimg rotate 90 IN OUT"},
    {"--degrees", "the angle is a word before IN, as in gpuimg rotate 90 IN OUT"},
    {"--horizontal", "the axis is a word before IN, as in gpuimg flip horizontal IN OUT"},
    {"--vertical", "the axis is a word before IN, as in gpuimg flip vertical IN OUT"},
    {"--grayscale", "gpuimg hsl --saturation 0 makes an image gray"},
    {"--gray", "gpuimg hsl --saturation 0 makes an image gray"},
    {"--then", "the step is the next word, as in --then threshold"},
};

std::string why_not_offered(const std::string& name) {
  const auto found =
      std::find_if(kNotOffered.begin(), kNotOffered.end(), [&](const Synonym& known) { return known.word == name; });
  return found == kNotOffered.end() ? "" : ": " + found->name;
}

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

/// "hist, equalize, … or version".
std::string subcommand_list(const CLI::App& app) { return listed(subcommand_names(app)); }

/// "unknown subcommand equalise (did you mean equalize?)".
std::string unknown_subcommand(const std::string& name, const CLI::App& app) {
  return "unknown subcommand " + printable_name(name) + did_you_mean(name, subcommand_names(app), kSubcommandSynonyms);
}

/// The subcommand (or subcommand and option) that the user meant by `option`: --clahe means equalize --clahe. May be
/// empty.
std::string subcommand_meant(const std::string& option, const CLI::App& app, const CLI::App* chosen) {
  const std::string name = known_word(option.substr(std::min(option.find_first_not_of('-'), option.size())),
                                      subcommand_names(app), kSubcommandSynonyms);
  return chosen != nullptr && name == chosen->get_name() ? "" : name;
}

/// "unknown option --colour (did you mean --color?)". Otherwise names the subcommands that have the option, or says why
/// none has it.
std::string unknown_option(const std::string& argument, const CLI::App& app, const CLI::App* chosen) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::string unknown = "unknown option " + printable_name(name);
  std::vector<std::string> known = option_names(app);
  const std::vector<std::string> more = chosen == nullptr ? subcommand_names(app) : option_names(*chosen);
  known.insert(known.end(), more.begin(), more.end());
  const std::string same = known_word(name, known, kOptionSynonyms);
  if (const auto others = subcommands_with(name, app); !others.empty()) {
    return printable_name(name) + " is an option of " + listed(others, "and") +
           (chosen == nullptr ? "" : ", not of " + chosen->get_name()) +
           (same.empty() ? "" : " (did you mean " + same + "?)");
  }
  if (same.empty()) {
    if (const std::string meant = subcommand_meant(name, app, chosen); !meant.empty()) {
      return unknown + " (did you mean " + meant + "?)";
    }
    if (const std::string why = why_not_offered(name); !why.empty()) {
      return unknown + why;
    }
  }
  return unknown + did_you_mean(name, known, kOptionSynonyms);
}

std::string unknown_option(const std::string& argument, const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return unknown_option(argument, app, chosen.empty() ? nullptr : chosen.front());
}

/// App::get_option_no_throw is not used: it is noexcept but allocates, so running out of memory would end the process.
bool takes_value(const CLI::App& parser, const std::string& argument) {
  const auto options = parser.get_options();
  return std::any_of(options.begin(), options.end(), [&](const CLI::Option* option) {
    return option->get_expected_min() > 0 && option->check_name(argument);
  });
}

bool is_subcommand(const CLI::App& app, const std::string& name) {
  const auto parsers = app.get_subcommands(nullptr);
  return std::any_of(parsers.begin(), parsers.end(),
                     [&](const CLI::App* parser) { return parser->get_name() == name; });
}

/// True if `argument` is an option of the program or of any subcommand and takes the next argument as its value.
bool takes_next(const CLI::App& app, const std::string& argument) {
  const auto parsers = app.get_subcommands(nullptr);
  return argument.starts_with('-') &&
         (takes_value(app, argument) || std::any_of(parsers.begin(), parsers.end(), [&](const CLI::App* parser) {
            return takes_value(*parser, argument);
          }));
}

/// `argv` with its first non-option argument moved to the front if that is a subcommand, because CLI11 allows no option
/// before the subcommand's name. Values of options are skipped.
std::vector<const char*> subcommand_first(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  for (std::size_t i = 1; i < arguments.size() && std::string_view(arguments[i]) != "--"; ++i) {
    const bool is_name = arguments[i][0] != '-' && !(i > 1 && takes_next(app, arguments[i - 1]));
    if (is_name) {
      if (is_subcommand(app, arguments[i])) {
        const auto first = arguments.begin() + 1;
        const auto here = first + static_cast<std::ptrdiff_t>(i - 1);
        std::rotate(first, here, here + 1);
      }
      break;
    }
  }
  return arguments;
}

/// CLI11 parses [a,b] as a list, even if it is a file name. Therefore this control character is appended to arguments
/// that begin with '[', so that they no longer end with ']'. The positional that receives the argument removes the
/// mark.
constexpr char kMark = '\x01';

/// argv[1] and later, with marks, in the reverse order that CLI::App::parse expects.
std::vector<std::string> with_bracket_marks(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool only_names = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const bool is_name = only_names || !takes_next(app, argv[i - 1]);
    only_names = only_names || argument == "--";
    if (is_name && argument.starts_with('[')) {
      argument += kMark;
    }
    arguments.push_back(std::move(argument));
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

/// The argument as the user typed it.
std::string without_bracket_mark(std::string argument) {
  if (argument.starts_with('[') && argument.ends_with(kMark)) {
    argument.pop_back();
  }
  return argument;
}

bool is_file_name(const std::string& argument) {
  return argument == "-" || argument.find_first_of("./\\") != std::string::npos ||
         ::access(argument.c_str(), F_OK) == 0;
}

bool takes_many_names(const CLI::App& parser) {
  const auto options = parser.get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->get_positional() && option->get_expected_max() >= CLI::detail::expected_max_vector_size;
  });
}

/// Restores "-quality" from "-uality": CLI11 parses the first letter as the option -q, and leaves the remainder.
std::string as_typed(const std::string& argument, std::span<const char* const> words) {
  const bool is_rest = argument.size() > 2 && argument[0] == '-' && argument[1] != '-';
  for (const std::string word : words) {
    if (is_rest && word.starts_with('-') && !word.starts_with("--") && word.ends_with(argument.substr(1))) {
      return word;
    }
  }
  return argument;
}

/// Explains an argument that no option or positional took.
std::string describe_left_over(const CLI::App& app, std::span<const char* const> words) {
  const std::string argument = as_typed(without_bracket_mark(app.remaining(true).front()), words);
  const auto chosen = app.get_subcommands();
  if (argument.size() > 1 && argument.front() == '-') {
    return unknown_option(argument, app);
  }
  if (!chosen.empty()) {
    const std::string command = chosen.front()->get_name();
    return "unexpected argument " + printable_name(argument) +
           (takes_many_names(*chosen.front()) ? " before '" + command + "'; write it after " + command : "");
  }
  if (is_file_name(argument)) {
    return printable_name(argument) + ": has no subcommand before it; name one, as in 'gpuimg hist " +
           printable_name(argument) + "'";
  }
  return unknown_subcommand(argument, app);
}

/// Rewords CLI11's messages:
///  - flag with a value: "Could not convert: --force = maybe"
///  - missing value: "--bins: 1 required N missing"
///  - missing positional: "MANIFEST is required"
///  - option given twice: "--bins: At Most 1 required but received 2"
std::string in_our_words(const CLI::ParseError& problem) {
  const std::string text = problem.what();
  constexpr std::string_view kConversion = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(kConversion) && equals != std::string::npos) {
    const std::string option = text.substr(kConversion.size(), equals - kConversion.size());
    return option + " takes no value, but '" + text.substr(equals + 3) + "' is given";
  }
  if (text.ends_with(" is required")) {
    return text.substr(0, text.find(' ')) + " is missing";
  }
  if (text.find(": At Most 1 required") != std::string::npos) {
    return text.substr(0, text.find(':')) + " is given more than once; give it once";
  }
  if (text.starts_with("--") && text.ends_with(" missing")) {
    return text.substr(0, text.find(':')) + " needs a value";
  }
  return text;
}

std::string describe(const CLI::App& app, const CLI::ParseError& problem, std::span<const char* const> words) {
  if (!app.remaining(true).empty()) {
    return describe_left_over(app, words);
  }
  return app.get_subcommands().empty() ? "no subcommand: name one of " + subcommand_list(app) : in_our_words(problem);
}

[[noreturn]] void reject(const CLI::App& app, const CLI::ParseError& problem, std::span<const char* const> words) {
  const auto chosen = app.get_subcommands();
  const std::string name = chosen.empty() ? "" : chosen.front()->get_name() + " ";
  throw Error(ErrorKind::usage, describe(app, problem, words) + "; see 'gpuimg " + name + "--help'");
}

/// Prints what --help or --version asks for.
ExitCode answer(const CLI::App& app, const CLI::Success& asked) {
  std::ostringstream text;
  app.exit(asked, text, text);
  try {
    write_text(text.str());
  } catch (const OutputClosed&) {
  } catch (const Error& error) {
    print_error(error.what());
    return exit_code_of(error.kind());
  }
  return ExitCode::ok;
}

/// "80" from "-q 80", "-q80" and "-q=80", which set the quality in other tools. Empty for anything else, and if a file
/// has that name.
std::string quality_after_q(int argc, const char* const* argv, int at) {
  const std::string_view argument = argv[at];
  if (!argument.starts_with("-q")) {
    return "";
  }
  const bool is_next = argument == "-q" && at + 1 < argc;
  const std::string text(is_next ? argv[at + 1] : argument.substr(argument.starts_with("-q=") ? 3 : 2));
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number && !(is_next && ::access(text.c_str(), F_OK) == 0) ? text : "";
}

/// True if the subcommand takes a word before its inputs, such as the angle of rotate.
bool begins_with_word(const CLI::App& app, const std::string& subcommand) {
  for (const CLI::App* parser : app.get_subcommands(nullptr)) {
    if (parser->get_name() == subcommand) {
      const auto options = parser->get_options();
      const auto first =
          std::find_if(options.begin(), options.end(), [](const auto* one) { return one->get_positional(); });
      return first != options.end() && (*first)->get_name(true) != "IN";
    }
  }
  return false;
}

/// Rejects arguments that CLI11 misreads. CLI11 uses the next argument as the value of "--option=". From version 2.4
/// on, it reads "--" followed by a control character as a file name. It also reads a number after -q as a file name.
void reject_misread_arguments(const CLI::App& app, int argc, const char* const* argv) {
  bool is_word_next = argc > 1 && begins_with_word(app, argv[1]);
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--then" && i + 1 < argc) {
      is_word_next = begins_with_word(app, argv[i + 1]);
    }
    if (argument.starts_with("--") && static_cast<unsigned char>(argument[2]) <= ' ') {
      throw Error(ErrorKind::usage, unknown_option(std::string(argument), app) + "; see 'gpuimg --help'");
    }
    if (const std::string quality = is_word_next ? "" : quality_after_q(argc, argv, i); !quality.empty()) {
      throw Error(ErrorKind::usage, "-q is --quiet, which takes no value; did you mean --quality " + quality + "?");
    }
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw Error(ErrorKind::usage,
                  std::string(argument.substr(0, argument.size() - 1)) + " needs a value, but nothing follows the =");
    }
  }
}

constexpr const char* kOperationGroup = "Options";
constexpr const char* kOutputGroup = "Output";  ///< group of the options with OptionSpec::is_of_run, in the model

const OptionModel kHelpOption = {{"-h", "--help"}, "print this text", "", kOperationGroup, ""};

/// The names that --help shows: all short names and the first long name. Later long names exist for compatibility.
std::vector<std::string> shown_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  names.push_back("--" + option.get_lnames().front());
  return names;
}

/// Lets CLI11 print our --help.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(const CommandParser& program) : program_(program) {}

  std::string make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const override {
    return app->get_parent() == nullptr ? program_help(program_.program())
                                        : subcommand_help(program_.name(), program_.subcommand(app->get_name()));
  }

 private:
  const CommandParser& program_;
};

}  // namespace

CommandParser::CommandParser(const std::string& name, const std::string& description)
    : app_(std::make_shared<CLI::App>(description, name)), model_{name, description, {}, {kHelpOption},
                                                                  {},   {},          {}, false} {
  app_->set_help_flag("-h,--help");
  app_->formatter(std::make_shared<HelpFormatter>(*this));
  app_->require_subcommand(1);
  app_->fallthrough();
}

CommandParser::CommandParser(std::shared_ptr<CLI::App> app, CommandModel model, const CommandParser* program)
    : app_(std::move(app)), model_(std::move(model)), program_(program) {}

CommandParser::~CommandParser() = default;

CommandParser& CommandParser::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* child = app_->add_subcommand(name, description);
  child->fallthrough();
  subcommands_.push_back(std::unique_ptr<CommandParser>(new CommandParser(
      app_->get_subcommand_ptr(child), {name, description, {}, {kHelpOption}, {}, {}, {}, false}, this)));
  return *subcommands_.back();
}

void CommandParser::positional(const PositionalSpec& spec, std::string& value) {
  finish(*app_->add_option(spec.name, value), spec);
}

void CommandParser::positionals(const PositionalSpec& spec, std::vector<std::string>& values) {
  finish(*app_->add_option(spec.name, values), spec);
}

void CommandParser::required_positionals(const PositionalSpec& spec, std::vector<std::string>& values) {
  finish(*app_->add_option(spec.name, values), spec).required();
}

CLI::Option& CommandParser::finish(CLI::Option& option, const PositionalSpec& spec) {
  option.transform(without_bracket_mark);
  model_.positionals.push_back({spec.name, spec.description, spec.usage.empty() ? spec.name : spec.usage, spec.choices,
                                spec.extensions, spec.names_subcommand});
  return option;
}

CLI::Option& CommandParser::finish(CLI::Option& option, const OptionSpec& spec) {
  option.group(spec.group.empty() ? kOperationGroup : spec.group);
  if (option.get_expected_min() > 0) {
    // An empty value, as from an unset variable in a script, must not be treated as if the option were omitted.
    option.check([](const std::string& value) { return value.empty() ? "needs a value, but '' is empty" : ""; });
  }
  if (spec.reads_file) {
    file_options_.push_back(option.get_lnames().front());
  }
  if (spec.is_of_end) {
    end_options_.push_back(option.get_lnames().front());
  }
  if (spec.is_of_run) {
    run_options_.push_back(option.get_lnames().front());
  }
  model_.options.push_back({shown_names(option), spec.description, spec.type_name, option.get_group(), spec.variable});
  if (spec.is_of_run) {
    model_.options.back().is_of_run = true;
    model_.options.back().group = kOutputGroup;
  }
  return option;
}

void CommandParser::flag(const OptionSpec& spec, bool& value) { finish(*app_->add_flag(spec.names, value), spec); }

void CommandParser::flag_or_text(const OptionSpec& spec, std::string& value) {
  finish(*app_->add_flag(spec.names, value), spec);
}

void CommandParser::text(const OptionSpec& spec, std::string& value) {
  finish(*app_->add_option(spec.names, value), spec);
}

void CommandParser::list(const OptionSpec& spec, std::vector<std::string>& values) {
  finish(*app_->add_option(spec.names, values), spec).allow_extra_args(false);
  model_.options.back().repeats = true;
}

template <class Number, class Target>
void CommandParser::add_number(const OptionSpec& spec, Target& value) {
  const auto read = [&value, name = spec.names](const std::string& text) { value = parse_number<Number>(name, text); };
  finish(*app_->add_option_function<std::string>(spec.names, read), spec);
}

void CommandParser::number(const OptionSpec& spec, int& value) { add_number<int>(spec, value); }
void CommandParser::number(const OptionSpec& spec, double& value) { add_number<double>(spec, value); }
void CommandParser::number(const OptionSpec& spec, std::optional<int>& value) { add_number<int>(spec, value); }
void CommandParser::number(const OptionSpec& spec, std::optional<double>& value) { add_number<double>(spec, value); }

void CommandParser::factor(const OptionSpec& spec, std::optional<double>& value) {
  const auto read = [&value, name = spec.names](const std::string& text) { value = parse_factor(name, text); };
  finish(*app_->add_option_function<std::string>(spec.names, read), spec);
}

void CommandParser::version(std::function<std::string()> text) {
  app_->set_version_flag("-V,--version", std::move(text));
  model_.options.push_back({{"-V", "--version"}, "print the version, and what is built in", "", kOperationGroup, ""});
}

void CommandParser::set_examples(const std::string& text) { model_.examples = text; }

void CommandParser::set_exit_codes(std::vector<Choice> codes) { model_.exit_codes = std::move(codes); }

std::optional<ExitCode> CommandParser::parse(int argc, const char* const* argv) {
  try {
    reject_misread_arguments(*app_, argc, argv);
    app_->parse(with_bracket_marks(*app_, argc, subcommand_first(*app_, argc, argv).data()));
    return std::nullopt;
  } catch (const CLI::Success& asked) {
    return answer(*app_, asked);
  } catch (const CLI::ParseError& problem) {
    reject(*app_, problem, {argv, static_cast<std::size_t>(argc)});
  }
}

bool CommandParser::is_chosen() const { return app_->parsed(); }

void CommandParser::declare_step(MakeStep make) {
  step_place_ = make ? StepPlace::anywhere : StepPlace::last;
  model_.is_step = true;
  model_.is_last_step = !make;
  make_step_ = std::move(make);
}

CommandParser* CommandParser::find_subcommand(const std::string& name) const {
  const auto found = std::find_if(subcommands_.begin(), subcommands_.end(),
                                  [&](const auto& subcommand) { return subcommand->name() == name; });
  return found == subcommands_.end() ? nullptr : found->get();
}

std::string CommandParser::subcommand_meant_by(const std::string& word) const {
  return did_you_mean(word, subcommand_names(*app_), kSubcommandSynonyms);
}

OptionOwner CommandParser::owner_of(const std::string& option) const {
  for (const CLI::Option* known : app_->get_options()) {
    if (known->get_lnames().empty() || !known->check_name(option)) {
      continue;
    }
    const std::string& name = known->get_lnames().front();
    const bool is_of_run = std::find(run_options_.begin(), run_options_.end(), name) != run_options_.end();
    const bool is_of_step = program_ != nullptr && known->get_group() == kOperationGroup && !is_of_run;
    return is_of_step ? OptionOwner::step : OptionOwner::run;
  }
  return OptionOwner::nobody;
}

void CommandParser::reject_option(const std::string& argument) const {
  throw Error(ErrorKind::usage, unknown_option(argument, *program_parser().app_, app_.get()) + "; see 'gpuimg " +
                                    model_.name + " --help'");
}

std::size_t CommandParser::words() const {
  return static_cast<std::size_t>(std::count_if(model_.positionals.begin(), model_.positionals.end(),
                                                [](const auto& positional) { return !positional.choices.empty(); }));
}

bool CommandParser::takes_value(const std::string& option) const { return gpuimg::takes_value(*app_, option); }

std::string CommandParser::step_text() const {
  std::string text = model_.name;
  for (const PositionalModel& positional : model_.positionals) {
    const CLI::Option* known = positional.choices.empty() ? nullptr : app_->get_option(positional.name);
    for (const std::string& word : known != nullptr ? known->results() : std::vector<std::string>()) {
      text.append(" ").append(printable_name(word));
    }
  }
  for (const OptionModel& option : model_.options) {
    const std::string& name = option.names.back();
    if (option.group != kOperationGroup || option.is_of_run || name == "--help") {
      continue;
    }
    const CLI::Option* known = app_->get_option(name);
    if (known->count() > 0) {
      for (const std::string& value : known->results()) {
        text += " " + name + (option.takes_value() ? " " + printable_name(value) : "");
      }
    } else if (const std::string absent = default_of(option.text); option.takes_value() && !absent.empty()) {
      text += fmt::format(" {} [{}]", name, absent);
    }
  }
  return text;
}

std::string CommandParser::name() const { return model_.name; }

std::vector<GivenOption> CommandParser::given_options() const {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : app_->get_options()) {
    const std::string positional = option->get_positional() ? option->get_name() : "";
    const bool is_choice = std::any_of(model_.positionals.begin(), model_.positionals.end(), [&](const auto& model) {
      return model.name == positional && !model.choices.empty();
    });
    if (is_choice && option->count() > 0) {
      given.push_back({positional, option->results()});
    }
    const bool is_of_operation = option->get_group() == kOperationGroup && !option->get_lnames().empty();
    if (is_of_operation && option->count() > 0) {
      const std::string& name = option->get_lnames().front();
      const auto is_among = [&](const auto& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
      };
      given.push_back({name, option->results(), is_among(file_options_), is_among(end_options_)});
    }
  }
  std::sort(given.begin(), given.end(), [](const GivenOption& a, const GivenOption& b) { return a.name < b.name; });
  return given;
}

CommandModel CommandParser::program() const {
  const CommandParser& parser = program_parser();
  std::vector<Choice> names;
  for (const auto& subcommand : parser.subcommands_) {
    names.push_back({subcommand->model_.name, subcommand->model_.description});
  }
  CommandModel whole = parser.model_;
  for (const auto& subcommand : parser.subcommands_) {
    whole.subcommands.push_back(subcommand->model_);
    for (PositionalModel& positional : whole.subcommands.back().positionals) {
      positional.choices = positional.names_subcommand ? names : positional.choices;
    }
  }
  return whole;
}

CommandModel CommandParser::subcommand(const std::string& name) const {
  const auto& subcommands = program_parser().subcommands_;
  const auto found = std::find_if(subcommands.begin(), subcommands.end(),
                                  [&](const auto& subcommand) { return subcommand->name() == name; });
  if (found == subcommands.end()) {
    throw Error(ErrorKind::usage, unknown_subcommand(name, *program_parser().app_) + "; see 'gpuimg --help'");
  }
  return (*found)->model_;
}

std::string cli11_version() { return CLI11_VERSION; }

}  // namespace gpuimg
