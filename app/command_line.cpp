// From argv to an exit code: docs/cli.md.
#include "command_line.hpp"

#include <fmt/format.h>
#include <tbb/info.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bracketed_names.hpp"
#include "commands.hpp"
#include "files/output_file.hpp"
#include "files/printable_name.hpp"
#include "global_options.hpp"
#include "messages.hpp"
#include "refused_thread.hpp"
#include "suggestions.hpp"
#include "version.hpp"

namespace gpuimg {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 good, 1 some images failed, 2 usage, 3 input, 4 output, 5 backend, 6 memory, 70 internal error,\n"
    "75 stopped early, 130 interrupted.\n"
    "'gpuimg SUBCOMMAND --help' lists the options of a subcommand, with examples.";

constexpr const char* kGlobalOptions =
    "\n\nGlobal options, such as --backend, --threads, --timing, --force and --quiet: see 'gpuimg --help'.";

std::vector<std::string> option_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string first_word(const std::string& argument) { return argument.substr(0, argument.find('=')); }

/// What to say of arguments that no option or positional took.
std::string describe_left_over(const CLI::App& app, const std::vector<Command>& commands) {
  const std::vector<std::string> left_over = app.remaining(true);
  const auto chosen = app.get_subcommands();
  const std::string argument = left_over.empty() ? std::string() : plain_name(left_over.front());
  if (argument.size() > 1 && argument.front() == '-') {
    std::vector<std::string> known = option_names(app);
    for (const CLI::App* parser : chosen) {
      const std::vector<std::string> more = option_names(*parser);
      known.insert(known.end(), more.begin(), more.end());
    }
    return "unknown option " + printable_name(first_word(argument)) + did_you_mean(first_word(argument), known);
  }
  if (chosen.empty()) {
    std::vector<std::string> known;
    for (const Command& command : commands) {
      known.push_back(command.parser->get_name());
    }
    return "unknown subcommand " + printable_name(argument) + did_you_mean(argument, known);
  }
  return "unexpected argument " + printable_name(argument);
}

/// CLI11 words a value that is no number "Could not convert: --bins = many", and a missing value
/// "--bins: 1 required N missing".
std::string in_our_words(const CLI::ParseError& problem) {
  const std::string text = problem.what();
  constexpr std::string_view kConversion = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(kConversion) && equals != std::string::npos) {
    const std::string option = text.substr(kConversion.size(), equals - kConversion.size());
    return option + ": '" + text.substr(equals + 3) + "' is not a number that it takes";
  }
  if (text.starts_with("--") && text.ends_with(" missing")) {
    return text.substr(0, text.find(':')) + " needs a value";
  }
  return text;
}

std::string describe(const CLI::App& app, const std::vector<Command>& commands, const CLI::ParseError& problem) {
  const bool nothing_chosen = app.get_subcommands().empty();
  if (!app.remaining(true).empty()) {
    return describe_left_over(app, commands);
  }
  if (nothing_chosen) {
    return "no subcommand";
  }
  return in_our_words(problem);
}

ExitCode report(const CLI::App& app, const std::vector<Command>& commands, const CLI::ParseError& problem) {
  const auto chosen = app.get_subcommands();
  const std::string name = chosen.empty() ? "" : chosen.front()->get_name() + " ";
  print_error(describe(app, commands, problem) + "; see 'gpuimg " + name + "--help'");
  return ExitCode::usage;
}

/// --help and --version
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

/// A variable of a script that is not set must not pass for an option that was left out.
void refuse_empty_values(CLI::App& parser) {
  for (CLI::Option* option : parser.get_options()) {
    if (!option->get_positional() && option->get_expected_min() > 0) {
      option->check([](const std::string& value) { return value.empty() ? "needs a value, and '' is none" : ""; });
    }
  }
}

/// CLI11 would take the next argument for the value of "--option=".
void refuse_missing_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw Error(ErrorKind::usage, std::string(argument.substr(0, argument.size() - 1)) +
                                        " needs a value, and there is none behind its =");
    }
  }
}

}  // namespace

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>(
          "Luminance histograms, equalization, integral images and HSL of images, on a CPU or an NVIDIA GPU.")) {
  CLI::App& app = *app_;
  app.name("gpuimg");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.fallthrough();
  add_global_options(app, arguments_);
  commands_ = {add_hist(app),   add_equalize(app), add_integral(app), add_hsl(app),
               add_report(app), add_bench(app),    add_doctor(app)};
  for (const Command& command : commands_) {
    command.parser->fallthrough();
    command.parser->footer(command.parser->get_footer() + kGlobalOptions);
    refuse_empty_values(*command.parser);
    take_bracketed_names(*command.parser);
  }
  refuse_empty_values(app);
}

CommandLine::~CommandLine() = default;

std::optional<ExitCode> CommandLine::parse(int argc, const char* const* argv) {
  try {
    refuse_missing_values(argc, argv);
    app_->parse(with_bracketed_names(*app_, argc, argv));
    options_ = validated(arguments_);
    return std::nullopt;
  } catch (const CLI::Success& asked) {
    return answer(*app_, asked);
  } catch (const CLI::ParseError& problem) {
    return report(*app_, commands_, problem);
  } catch (const Error& error) {
    print_error(error.what());
    return exit_code_of(error.kind());
  }
}

/// More threads than processors gain nothing, so none are started.
void CommandLine::limit_threads() {
  const int processors = tbb::info::default_concurrency();
  if (options_.threads <= processors) {
    return;
  }
  const std::string fact =
      fmt::format("{}: more threads than processors gain nothing; starting {}", options_.threads, processors);
  if (arguments_.threads.empty()) {  // often set once for several machines
    print_detail(options_.verbosity, "GPUIMG_THREADS=" + fact);
  } else {
    print_note(options_.verbosity, "--threads " + fact);
  }
  options_.threads = processors;
}

ExitCode CommandLine::run() {
  const auto chosen =
      std::find_if(commands_.begin(), commands_.end(), [](const Command& command) { return command.parser->parsed(); });
  try {
    limit_threads();
    return chosen->run(options_);
  } catch (const OutputClosed&) {
    return ExitCode::ok;  // whoever read our output has read enough
  } catch (const Error& error) {
    print_error(error.what());
    return exit_code_of(error.kind());
  } catch (const std::runtime_error& failure) {
    if (!is_refused_thread(failure)) {
      throw;
    }
    print_error("no thread can be started; use --threads 1, or a machine with more memory");
    return ExitCode::out_of_memory;
  }
}

ExitCode run_command_line(int argc, char** argv) {
  CommandLine line;
  const std::optional<ExitCode> ended = line.parse(argc, argv);
  return ended ? *ended : line.run();
}

}  // namespace gpuimg
