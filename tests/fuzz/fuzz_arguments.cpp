// Fuzzes the command line: parses arguments separated by NUL and creates the steps, but runs nothing. Arguments must be
// accepted, answered (--help) or rejected with exit code 2; option values must be accepted or rejected with
// Error{usage}.
#include <algorithm>
#include <cstdlib>

#include "batch/batch_command.hpp"
#include "batch/outputs.hpp"
#include "cli/command_line.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "commands/commands.hpp"
#include "commands/hist.hpp"
#include "commands/hsl.hpp"
#include "commands/photo_job.hpp"
#include "engine/backend_choice.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"

namespace {

using namespace gpuimg;

template <class Work>
void taken_or_rejected(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::usage, "rejected as something else than usage");
  }
}

/// Includes empty arguments, which a shell can pass.
std::vector<std::string> arguments_in(std::string_view text) {
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    arguments.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return arguments;
}

void parse_values(const std::string& text) {
  taken_or_rejected([&] { (void)parse_region("--roi", text); });
  taken_or_rejected([&] { (void)parse_box("--box", text); });
  taken_or_rejected([&] { (void)parse_size("--size", text); });
  taken_or_rejected([&] { (void)parse_byte_size("--max-memory", text); });
  taken_or_rejected([&] { (void)OutputTemplate(text).name_for({"a/b.png", "b.png"}, 1); });
  taken_or_rejected([&] { (void)parse_shard(text, [&](const char*) { return text.c_str(); }); });
  taken_or_rejected([&] { (void)value_named("--color", text, kColorNames); });
  taken_or_rejected([&] { (void)image_format("a.png", text); });
  taken_or_rejected([&] { (void)parse_color("--background", text); });
}

/// Options of batch runs and of two operations, with values drawn from a few texts.
void make_jobs(const std::vector<std::string>& arguments) {
  const auto text = [&](std::size_t i) { return i < arguments.size() ? arguments[i] : std::string(); };
  BatchArguments batch;
  batch.jobs = text(0);
  batch.devices = text(2);
  batch.max_errors = text(3);
  batch.shard = text(4).empty() ? "" : "1/" + text(4);
  taken_or_rejected([&] { (void)checked(batch); });
  commands::hist::Arguments hist;
  hist.channel = text(0).empty() ? hist.channel : text(0);
  hist.format = text(1);
  hist.bins = std::atoi(text(2).c_str());
  hist.selection.region = text(3);
  taken_or_rejected([&] {
    const auto job = commands::hist::make_job(hist);
    job->check_name(text(4));
    (void)job->extension_for(text(4));
  });
  commands::hsl::Arguments hsl;
  hsl.encoding = text(0);
  hsl.inverse = !text(1).empty();
  hsl.image_output.depth = text(1);
  hsl.image_output.background = text(3);
  hsl.image_output.quality = text(2);
  hsl.planes = text(2).size() % 2 == 1;
  hsl.image_output.subsampling = text(3);
  if (!text(2).empty()) {
    hsl.hue = std::strtod(text(2).c_str(), nullptr);
  }
  taken_or_rejected([&] {
    const auto job = commands::hsl::make_job(hsl);
    job->check_name(text(4));
    (void)job->files_of(text(4));
    (void)job->extension_for(text(4));
  });
}

/// Makes the calls that a run makes to its job before it opens a file, for several image sizes.
void ask(const ImageJob& job, const GlobalOptions& globals, const std::string& output) {
  (void)options_for(job.operations(), globals);
  (void)job.side_files();
  codecs::DeclaredImage image;
  image.height = 5;
  for (const std::uint64_t width : {1, 7, 3000}) {
    image.width = width;
    (void)job.extra_bytes(image, output);
  }
}

/// Creates a step if the command maps images to images. Any other command checks its options; if it has a job that
/// processes each image, ask() calls the job.
void make_steps(const CommandParser& last, const GlobalOptions& globals, const RunCommand& run) {
  taken_or_rejected([&] {
    if (last.step_place() == StepPlace::anywhere) {
      const ImageOutputArguments output;
      PhotoJob job(last.make_step(), output);
      job.run_after(last.earlier_steps());
      ask(job, globals, "a.png");
    } else if (last.step_place() == StepPlace::last || last.name() == "compare") {
      GlobalOptions taking = globals;
      taking.verbosity = Verbosity::quiet;
      taking.take_job = [&](ImageJob& job) { ask(job, globals, "a.csv"); };
      (void)run(taking);
    }
  });
}

/// All commands, modified so that they create their steps but do not run.
std::vector<Command> commands_of_steps() {
  std::vector<Command> commands = all_commands();
  for (Command& command : commands) {
    command.declare = [declare = command.declare](CommandParser& parser) -> RunCommand {
      return [run = declare(parser), &parser](const GlobalOptions& globals) {  // the lambda owns the parsed arguments
        make_steps(parser, globals, run);
        return ExitCode::ok;
      };
    };
  }
  return commands;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> arguments = arguments_in({reinterpret_cast<const char*>(data), size});
  std::vector<const char*> argv = {"gpuimg"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
    parse_values(argument);
  }
  CommandLine line(commands_of_steps(), version_text);
  const auto ended = line.parse(static_cast<int>(argv.size()), argv.data());
  fuzz::demand(!ended || *ended == ExitCode::ok || *ended == ExitCode::usage, "another exit code");
  if (!ended) {
    (void)line.run();
  }
  make_jobs(arguments);
  return 0;
}
