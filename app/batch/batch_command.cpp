// Decides between a single file and a batch, and runs it.
#include "batch/batch_command.hpp"

#include <filesystem>
#include <utility>

#include "backends/backends.hpp"
#include "batch/archive.hpp"
#include "batch/archive_arguments.hpp"
#include "batch/inputs.hpp"
#include "batch/outputs.hpp"
#include "batch/plan.hpp"
#include "batch/progress.hpp"
#include "batch/session.hpp"
#include "batch/stop_signal.hpp"
#include "cli/messages.hpp"
#include "codecs/declared_image.hpp"
#include "engine/backend_choice.hpp"
#include "engine/host_memory.hpp"
#include "engine/image_memory.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void demand(const std::string& what, const CommandParser& parser) {
  throw Error(ErrorKind::usage, what + "; see 'gpuimg " + parser.name() + " --help'");
}

/// The last name is OUT, unless --output gives it, a histogram is printed, or images are replaced in place.
NamedPaths named_paths(const CommandParser& parser, const BatchArguments& arguments, const ImageJob& job,
                       bool in_place) {
  NamedPaths named;
  named.inputs = arguments.paths;
  const bool has_list = !arguments.files_from.empty();
  if (named.inputs.empty() && !has_list) {
    demand("IN is missing: name an image or a folder, or - for standard input", parser);
  }
  if (in_place && arguments.output.empty() && !job.may_print()) {
    InPlaceNames own = in_place_names(arguments.paths, has_list);
    return {std::move(own.inputs), std::move(own.output), own.each_is_its_own};
  }
  if (!arguments.output.empty()) {
    named.output = has_fields(arguments.output) ? "" : arguments.output;
  } else if (names_output(arguments)) {
    named.output = std::move(named.inputs.back());
    named.inputs.pop_back();
  } else if (!job.may_print()) {
    demand("OUT is missing: name the file or folder to write after " +
               (has_list ? std::string("--files-from") : printable_name(named.inputs.front())) +
               ", or - for standard output",
           parser);
  }
  return named;
}

/// The files that options name: what text must not replace, beside IN.
std::vector<std::string> files_of_options(const CommandParser& parser, const BatchArguments& arguments) {
  std::vector<std::string> files = {arguments.files_from, arguments.resume, arguments.retry_failed};
  for (const GivenOption& option : parser.given_options()) {
    if (option.reads_file) {
      files.insert(files.end(), option.values.begin(), option.values.end());
    }
  }
  std::erase(files, "");
  return files;
}

bool is_one_file(const BatchArguments& arguments, const NamedPaths& named, const ImageJob& job) {
  return !asks_for_batch(arguments) && !job.merges_one() && named.inputs.size() == 1 &&
         !is_folder_name(named.inputs.front()) && !is_folder_name(named.output);
}

/// Shows the progress of the image if the job tells it. Returns what run() does.
InOrder run_watched(const ImageJob& job, CommandContext& context, const ItemPaths& paths,
                    const GlobalOptions& globals) {
  Progress progress(job.can_be_watched() ? progress_mode(globals) : ProgressMode::none, 1);
  if (progress.is_shown()) {
    progress.update({.total = 1, .part = 0.0});
    context.watch_with([&](double part) { progress.update({.total = 1, .part = part}); });
  }
  progress.start();
  InOrder add;
  try {
    add = job.run(context, paths);
  } catch (...) {
    context.watch_with(nullptr);
    progress.update({.total = 1, .failed = 1});
    throw;
  }
  progress.update({.total = 1, .done = 1, .part = 1.0});
  context.watch_with(nullptr);
  return add;
}

/// Throws Error{out_of_memory} for an image that needs more than --max-memory or the control group leaves; nothing is
/// known of a pipe.
void check_memory(const ImageJob& job, const ItemPaths& paths, const GlobalOptions& globals) {
  const std::optional<MostMemory> most = memory_for_one(globals.max_memory);
  if (!most || paths.input == "-") {
    return;
  }
  if (globals.max_memory) {
    return_freed_memory();
  }
  GlobalOptions options = globals;
  options.threads = processors(globals);
  std::uint64_t file_bytes = 0;
  std::int64_t mtime_ns = 0;
  (void)read_file_facts(paths.input, file_bytes, mtime_ns);
  const codecs::DeclaredImage declared = codecs::declared_image_in(paths.input, {globals.page});
  if (declared.pixels() == 0 || declared.pixels() > globals.max_pixels) {
    return;  // the decoder refuses it
  }
  const std::uint64_t room = memory_for_images(globals.max_memory);
  if (const ImageMemory memory = memory_of(job, paths, file_bytes, declared, options, room);
      memory.bytes > most->bytes) {
    throw Error(ErrorKind::out_of_memory, printable_name(paths.input) + ": " + why_too_large(memory.bytes, *most));
  }
}

ExitCode run_one(ImageJob& job, const NamedPaths& named, const GlobalOptions& globals) {
  const ItemPaths paths{named.inputs.front(), named.output};
  const std::string target = paths.output.empty() ? "-" : paths.output;
  job.note_options(target, globals.verbosity);
  if (globals.json && !globals.timing && !(job.may_print() && is_standard_output(target))) {
    print_note(globals.verbosity, std::string("--json has no effect: nothing is printed; ") +
                                      (job.may_print() ? "give OUT the ending .json, or omit OUT" : "add --timing"));
  }
  job.check_name(paths.output);
  const StopSignal stop(nullptr);  // before other threads start: they inherit the signal mask
  CommandContext context(globals);
  for (const std::string& file : job.files_of(target)) {
    context.check_output_file(file, paths.input, job.is_binary(file));
  }
  for (const std::string& file : job.side_files()) {
    if (std::filesystem::path(file).lexically_normal() == std::filesystem::path(target).lexically_normal()) {
      throw Error(ErrorKind::usage, "--lut: the table and OUT are the same file; name two");
    }
    context.check_output_file(file, paths.input, false);
  }
  job.prepare(context);
  check_memory(job, paths, globals);
  if (const InOrder add = run_watched(job, context, paths, globals)) {
    add();
  }
  if (job.merges() && job.has_merged()) {
    job.finish(context, paths.output);
  }
  context.finish();
  context.print_times();
  return ExitCode::ok;
}

}  // namespace

ExitCode run_job(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                 const GlobalOptions& all_globals) {
  const DeviceList devices = checked(arguments).devices;
  const Operation* operation = find_operation(parser.name());
  GlobalOptions globals = operation != nullptr ? options_for(*operation, all_globals) : all_globals;
  globals.named_inputs = files_of_options(parser, arguments);
  const NamedPaths named = named_paths(parser, arguments, job, globals.in_place);
  note_folder_options(arguments, named.inputs, globals.verbosity);
  note_no_effect(!arguments.devices.empty() && globals.backend == BackendKind::cpu && !globals.verify, "--devices",
                 "the backend is the CPU", globals.verbosity);
  if (names_archive(arguments, named)) {
    return run_archive(job, arguments, globals, named);
  }
  if (!globals.all_pages && is_one_file(arguments, named, job)) {
    expect_work(work_per_device(devices, globals, 1, 1));
    if (!arguments.devices.empty()) {
      globals.device = devices_of(devices, globals, globals.backend).front();
    }
    return run_one(job, named, globals);
  }
  return BatchSession(job, parser, arguments, globals).run(named);
}

}  // namespace gpuimg
