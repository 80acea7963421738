// Declares the program, checks the number of threads, and turns the errors of a run into exit codes.
#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/global_options.hpp"
#include "cli/messages.hpp"
#include "io/control_group.hpp"
#include "io/output_file.hpp"

namespace gpuimg {
namespace {

std::vector<Choice> exit_codes() {
  std::vector<Choice> codes;
  for (const ExitCodeMeaning& one : kExitCodes) {
    codes.push_back({std::to_string(static_cast<int>(one.code)), std::string(one.meaning)});
  }
  return codes;
}

}  // namespace

CommandLine::CommandLine(const std::vector<Command>& commands, std::function<std::string()> version_text)
    : parser_("gpuimg", "Histograms, equalization, integral images and HSL of images, on a CPU or a GPU.") {
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
    if (const auto answered = parser_.parse(argc, argv)) {
      return answered;
    }
    options_ = validated(arguments_);
    note_without_effect(arguments_, options_);
    return std::nullopt;
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
                                   [](const DeclaredCommand& command) { return command.parser->is_chosen(); });
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
