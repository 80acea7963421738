// Turns CLI11's errors into messages in our own words, and errors of a run into exit codes.
#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/argument_order.hpp"
#include "cli/cli11_bracket_workaround.hpp"
#include "cli/global_options.hpp"
#include "cli/messages.hpp"
#include "cli/name_synonyms.hpp"
#include "cli/refused_thread.hpp"
#include "io/control_group.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

std::vector<Choice> exit_codes() {
  std::vector<Choice> codes;
  for (const ExitCodeMeaning& one : kExitCodes) {
    codes.push_back({std::to_string(static_cast<int>(one.code)), std::string(one.meaning)});
  }
  return codes;
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

/// Explains an argument that no option or positional took.
std::string describe_left_over(const CLI::App& app) {
  const std::string argument = without_bracket_mark(app.remaining(true).front());
  const auto chosen = app.get_subcommands();
  if (argument.size() > 1 && argument.front() == '-') {
    return unknown_option(argument, app);
  }
  if (!chosen.empty()) {
    const std::string command = chosen.front()->get_name();
    return "unexpected argument " + printable_name(argument) +
           (takes_many_names(*chosen.front()) ? " before '" + command + "'; write it after" : "");
  }
  if (is_file_name(argument)) {
    return printable_name(argument) + ": has no subcommand before it; say what to do, as in 'gpuimg hist " +
           printable_name(argument) + "'";
  }
  return unknown_subcommand(argument, app);
}

/// Rewords CLI11's messages. Its text for a flag with a value: "Could not convert: --force = maybe"; for a missing
/// value:
/// "--bins: 1 required N missing"; for a missing positional: "MANIFEST is required"; for an option given twice:
/// "--bins: At Most 1 required but received 2".
std::string in_our_words(const CLI::ParseError& problem) {
  const std::string text = problem.what();
  constexpr std::string_view kConversion = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(kConversion) && equals != std::string::npos) {
    const std::string option = text.substr(kConversion.size(), equals - kConversion.size());
    return option + " takes no value, and '" + text.substr(equals + 3) + "' is given";
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

std::string describe(const CLI::App& app, const CLI::ParseError& problem) {
  if (!app.remaining(true).empty()) {
    return describe_left_over(app);
  }
  return app.get_subcommands().empty() ? "no subcommand: name one of " + subcommand_list(app) : in_our_words(problem);
}

ExitCode report(const CLI::App& app, const CLI::ParseError& problem) {
  const auto chosen = app.get_subcommands();
  const std::string name = chosen.empty() ? "" : chosen.front()->get_name() + " ";
  print_error(describe(app, problem) + "; see 'gpuimg " + name + "--help'");
  return ExitCode::usage;
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

/// Refuses what CLI11 misreads: it would use the next argument as the value of "--option=", and from 2.4 on it takes
/// "--" and a control character for the name of a file.
void refuse_misread_arguments(const CLI::App& app, int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--") && static_cast<unsigned char>(argument[2]) <= ' ') {
      throw Error(ErrorKind::usage, unknown_option(std::string(argument), app) + "; see 'gpuimg --help'");
    }
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw Error(ErrorKind::usage,
                  std::string(argument.substr(0, argument.size() - 1)) + " needs a value, but nothing follows the =");
    }
  }
}

}  // namespace

CommandLine::CommandLine(const std::vector<Command>& commands, std::function<std::string()> version_text)
    : parser_("gpuimg", "Histograms, equalization, integral images and HSL of images, on a CPU or a GPU.") {
  CLI::App& app = parser_.app();
  app.require_subcommand(1);
  app.fallthrough();
  parser_.version(std::move(version_text));
  add_global_options(parser_, arguments_);
  for (const Command& command : commands) {
    CommandParser& parser = parser_.add_subcommand(command.name, command.description);
    commands_.push_back({&parser, command.declare(parser)});
    parser.set_examples(command.examples);
  }
  parser_.set_exit_codes(exit_codes());
}

std::optional<ExitCode> CommandLine::parse(int argc, const char* const* argv) {
  try {
    CLI::App& app = parser_.app();
    refuse_misread_arguments(app, argc, argv);
    app.parse(with_bracket_marks(app, argc, subcommand_first(app, argc, argv).data()));
    options_ = validated(arguments_);
    note_without_effect(arguments_, options_);
    return std::nullopt;
  } catch (const CLI::Success& asked) {
    return answer(parser_.app(), asked);
  } catch (const CLI::ParseError& problem) {
    return report(parser_.app(), problem);
  } catch (const Error& error) {
    print_error(error.what());
    return exit_code_of(error.kind());
  }
}

/// Starts no more threads than there are processors: more gain nothing. By default, no more than the CPU quota of the
/// control groups either: the kernel stops more threads for the rest of each period.
void CommandLine::limit_threads() {
  const int processors = tbb::info::default_concurrency();
  if (options_.threads == 0) {
    const int allowed = group_processors().value_or(processors);
    if (allowed < processors) {
      options_.threads = allowed;
      print_detail(
          options_.verbosity,
          fmt::format("the CPU quota of the control group amounts to {} of {} processors; starting {} thread{}",
                      allowed, processors, allowed, allowed == 1 ? "" : "s"));
    }
  }
  if (options_.threads <= processors) {
    return;
  }
  const std::string fact =
      fmt::format("{}: more threads than processors gain nothing; starting {}", options_.threads, processors);
  if (arguments_.threads.empty()) {  // often set once for several machines: no note
    print_detail(options_.verbosity, "GPUIMG_THREADS=" + fact);
  } else {
    print_note(options_.verbosity, "--threads " + fact);
  }
  options_.threads = processors;
}

ExitCode CommandLine::run() {
  const auto chosen = std::find_if(commands_.begin(), commands_.end(),
                                   [](const DeclaredCommand& command) { return command.parser->app().parsed(); });
  try {
    limit_threads();
    return chosen->run(options_);
  } catch (const OutputClosed&) {
    return ExitCode::ok;  // the reader has read enough
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

}  // namespace gpuimg
