// Declares and checks the options of batch runs. Then runs the job over a single file, many files or an archive.
#include "batch/batch_command.hpp"

#include <sys/stat.h>
#include <tbb/info.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "backends/backends.hpp"
#include "batch/inputs.hpp"
#include "batch/outputs.hpp"
#include "batch/plan.hpp"
#include "batch/progress.hpp"
#include "batch/session.hpp"
#include "batch/stop_signal.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "engine/backend_choice.hpp"
#include "engine/memory.hpp"
#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr int kMaxJobs = 4096;
constexpr const char* kGroup = "Many images (docs/batch.md)";

std::uint64_t number_from(const std::string& option, std::string_view text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || stop != text.data() + text.size() || number < min || number > max) {
    throw Error(ErrorKind::usage, option + ": '" + std::string(text) + "' is not a whole number from " +
                                      std::to_string(min) + " to " + std::to_string(max));
  }
  return number;
}

bool is_file(const std::string& path) {
  struct stat found {};
  return path == "-" || (::stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode));
}

void reject_standard_stream(const char* option, const std::string& file) {
  if (file == "-") {
    throw Error(ErrorKind::usage, std::string(option) +
                                      " -: standard input and output are for images and results; name "
                                      "a file, such as run.jsonl");
  }
}

}  // namespace

void add_folder_options(CommandParser& parser, InputArguments& arguments) {
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* what) {
    parser.list({name, what, "GLOB", kGroup}, values);
  };
  parser.flag({.names = "-r,--recursive", .description = "read subfolders too", .group = kGroup}, arguments.recursive);
  list("--include", arguments.include,
       "in folders, read files that match this pattern; may be repeated [files with the extension of an image]");
  list("--exclude", arguments.exclude, "skip files and folders that match this pattern; may be repeated");
}

void add_input_options(CommandParser& parser, InputArguments& arguments) {
  parser.text({"--files-from", "read input names from FILE, one per line; - is standard input", "FILE", kGroup},
              arguments.files_from);
  parser.flag({.names = "-0,--null",
               .description = "names in the list of --files-from end with NUL, as from find -print0",
               .group = kGroup},
              arguments.nul);
  add_folder_options(parser, arguments);
}

void add_pace_options(CommandParser& parser, BatchArguments& arguments) {
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
    parser.text({name, what, type, kGroup}, value);
  };
  text("-j,--jobs", arguments.jobs, "process N images at a time [as many as threads]", "N");
  parser.text({"--devices",
               {"CUDA devices that share the images: numbers separated by commas, such as 0,1, or",
                {{"all", "every device that the driver shows"}},
                "the device of --device"},
               "LIST",
               kGroup},
              arguments.devices);
  parser.flag(
      {.names = "--fail-fast", .description = "stop starting new images after the first failure", .group = kGroup},
      arguments.fail_fast);
  text("--max-errors", arguments.max_errors, "stop starting new images after N failures", "N");
}

void add_batch_options(CommandParser& parser, BatchArguments& arguments, const BatchPositionals& positionals) {
  std::vector<std::string> extensions = codecs::readable_extensions();
  extensions.insert(extensions.end(), positionals.other_extensions.begin(), positionals.other_extensions.end());
  parser.positionals({.name = "IN", .description = positionals.input, .usage = "IN...", .extensions = extensions},
                     arguments.paths);
  // Declared only for --help: the last name is OUT, but the parser cannot know which name is the last one.
  parser.positional({"OUT", positionals.output, positionals.output_usage}, arguments.shown_output);
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
    parser.text({name, what, type, kGroup}, value);
  };
  const auto flag = [&](const char* name, bool& value, const char* what) {
    parser.flag({.names = name, .description = what, .group = kGroup}, value);
  };
  add_input_options(parser, arguments);
  text("-o,--output", arguments.output,
       "the output; all other names are then inputs. With fields in braces, a template for each output:\n"
       "{dir}    folder of the input\n"
       "{rel}    that folder, relative to IN\n"
       "{name}   name of the input\n"
       "{stem}   name without its extension\n"
       "{ext}    extension of the input\n"
       "{index}  1, 2, 3 ... in order of the names\n"
       "{page}   number of the page",
       "OUT");
  flag("--tar", arguments.tar, "IN and OUT are tar archives, whatever their names; needed for -");
  flag("--skip-existing", arguments.skip_existing, "skip inputs whose output exists");
  flag("-n,--dry-run", arguments.dry_run, "print the plan; write nothing");
  add_pace_options(parser, arguments);
  text("--manifest", arguments.manifest, "record the run in FILE, as JSON lines", "FILE");
  text("--resume", arguments.resume, "continue the run of manifest FILE: skip unchanged images that are done", "FILE");
  text("--retry-failed", arguments.retry_failed, "process only the images that failed according to manifest FILE",
       "FILE");
  text("--shard", arguments.shard, "process part I of N; auto reads both from Slurm, MPI or Kubernetes", "I/N");
}

void check(const InputArguments& arguments) {
  if (arguments.nul && arguments.files_from.empty()) {
    throw Error(ErrorKind::usage, "--null needs --files-from: it separates the names in that list");
  }
}

BatchOptions checked(const BatchArguments& arguments) {
  BatchOptions options;
  if (!arguments.jobs.empty()) {
    options.jobs = static_cast<int>(number_from("--jobs", arguments.jobs, 1, kMaxJobs));
  }
  options.devices = parse_device_list(arguments.devices);
  reject_together(arguments.fail_fast && !arguments.max_errors.empty(), "--fail-fast", "--max-errors");
  reject_together(!arguments.resume.empty() && !arguments.retry_failed.empty(), "--resume", "--retry-failed");
  reject_standard_stream("--manifest", arguments.manifest);
  reject_standard_stream("--resume", arguments.resume);
  reject_standard_stream("--retry-failed", arguments.retry_failed);
  if (!arguments.max_errors.empty()) {
    options.max_errors =
        number_from("--max-errors", arguments.max_errors, 1, std::numeric_limits<std::uint32_t>::max());
  }
  if (arguments.fail_fast) {
    options.max_errors = 1;
  }
  check(static_cast<const InputArguments&>(arguments));
  options.shard = parse_shard(arguments.shard, [](const char* variable) { return std::getenv(variable); });
  return options;
}

void note_folder_options(const InputArguments& arguments, const std::vector<std::string>& inputs, Verbosity verbosity) {
  if (std::all_of(inputs.begin(), inputs.end(), is_file)) {
    const std::string why = "no folder is named";
    note_no_effect(arguments.recursive, "--recursive", why, verbosity);
    note_no_effect(!arguments.include.empty(), "--include", why, verbosity);
    note_no_effect(!arguments.exclude.empty(), "--exclude", why, verbosity);
  }
}

std::vector<std::string> listed_files(const InputArguments& arguments) {
  if (arguments.files_from.empty()) {
    return {};
  }
  return read_file_list(arguments.files_from, arguments.nul ? ListSeparator::nul : ListSeparator::line_break);
}

bool has_fields(const std::string& output) { return output.find_first_of("{}") != std::string::npos; }

bool names_output(const BatchArguments& arguments) {
  const std::size_t inputs = arguments.files_from.empty() ? 1 : 0;
  return !arguments.output.empty() || (!arguments.all_are_inputs && arguments.paths.size() > inputs);
}

bool asks_for_batch(const BatchArguments& arguments) {
  return !arguments.files_from.empty() || has_fields(arguments.output) || arguments.skip_existing ||
         arguments.dry_run || !arguments.manifest.empty() || !arguments.resume.empty() ||
         !arguments.retry_failed.empty() || !arguments.shard.empty();
}

int processors(const GlobalOptions& globals) {
  return globals.threads > 0 ? globals.threads : tbb::info::default_concurrency();
}

namespace {

[[noreturn]] void demand(const std::string& what, const CommandParser& parser) {
  throw Error(ErrorKind::usage, what + "; see 'gpuimg " + parser.name() + " --help'");
}

/// The last name is OUT, unless --output gives OUT, a histogram is printed, or images are replaced in place.
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

/// The files that options name. Text output must not replace them, as it must not replace IN.
std::vector<std::string> files_of_options(const CommandParser& parser, const BatchArguments& arguments) {
  std::vector<std::string> files = {arguments.files_from, arguments.resume, arguments.retry_failed};
  const auto add_files_of = [&](const std::vector<GivenOption>& options) {
    for (const GivenOption& option : options) {
      if (option.reads_file) {
        files.insert(files.end(), option.values.begin(), option.values.end());
      }
    }
  };
  add_files_of(parser.given_options());
  for (const EarlierStep& step : parser.earlier_steps()) {
    add_files_of(step.options);
  }
  std::erase(files, "");
  return files;
}

bool is_tar_name(const std::string& path) {
  constexpr std::array<std::string_view, 5> kExtensions = {".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst"};
  return std::any_of(kExtensions.begin(), kExtensions.end(), [&](std::string_view extension) {
    return path.size() > extension.size() && path.ends_with(extension);
  });
}

/// Rejects archives and compressed files as IN, if OUT is a file: otherwise a message about the name of OUT would hide
/// this problem. If OUT is a folder, only these inputs fail.
void reject_packed_inputs(const NamedPaths& named) {
  if (named.output.empty() || is_folder_name(named.output)) {
    return;
  }
  const std::vector<std::string> extensions = codecs::input_extensions();
  for (const std::string& input : named.inputs) {
    if (std::find(extensions.begin(), extensions.end(), file_extension(input)) == extensions.end()) {
      codecs::reject_packed(input);
    }
  }
}

[[noreturn]] void reject_for_archive(const std::string& what) { throw Error(ErrorKind::usage, what); }

/// True with --tar, or if an IN has the name of an archive.
bool names_archive(const BatchArguments& arguments, const NamedPaths& named) {
  return arguments.tar || std::any_of(named.inputs.begin(), named.inputs.end(), [](const std::string& input) {
           return is_tar_name(input) && !is_folder_name(input);
         });
}

/// Checks a run that reads several archives into one result. Throws Error.
void check_several_archives(const BatchArguments& arguments, const NamedPaths& named) {
  if (!arguments.files_from.empty()) {
    reject_for_archive("--files-from lists images; name archives as IN");
  }
  for (const std::string& input : named.inputs) {
    if (input == "-") {
      reject_for_archive("standard input is an archive; name no other input");
    }
    if (!arguments.tar && !is_tar_name(input)) {
      reject_for_archive(printable_name(input) +
                         ": is not an archive; name archives alone, or images and folders alone");
    }
    if (::access(input.c_str(), R_OK) != 0) {
      throw Error(ErrorKind::read, cannot_be_read(input, errno));
    }
  }
}

/// Throws Error{usage} for options that cannot be combined with an archive.
void check_archive_arguments(const ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                             const NamedPaths& named) {
  const bool records = !arguments.manifest.empty() || !arguments.resume.empty() || !arguments.retry_failed.empty();
  if (records || !arguments.shard.empty() || arguments.skip_existing || arguments.dry_run || globals.in_place ||
      globals.all_pages || has_fields(arguments.output)) {
    reject_for_archive(
        "an archive is processed as a whole: --manifest, --resume, --retry-failed, --shard, --skip-existing, "
        "--dry-run, --in-place, --page all and templates are for files");
  }
  if (!job.side_files().empty()) {
    reject_for_archive("--lut writes one table; use it with one image");
  }
  const bool are_several = named.inputs.size() != 1 || !arguments.files_from.empty();
  if (are_several && !job.merges()) {
    reject_for_archive("an archive must be the only input; name no other");
  }
  if (are_several) {
    check_several_archives(arguments, named);
  }
  const std::string& output = named.output;
  if (job.merges()) {
    return;
  }
  if (output.empty()) {
    reject_for_archive("OUT is missing: name the archive to write, or - for standard output");
  }
  const bool is_plain_tar = output.ends_with(".tar") || is_stream(output) || arguments.tar;
  if (!is_plain_tar) {
    reject_for_archive(is_tar_name(output)
                           ? printable_name(output) + ": gpuimg writes .tar; compress it afterwards, as in '- | zstd'"
                           : printable_name(output) +
                                 ": the images of an archive are written to another archive; name a .tar file as OUT");
  }
}

/// Prints a note about --preserve-times if no input has times to preserve, or if no output can have times.
void note_lost_times(const ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                     const NamedPaths& named) {
  const bool is_printed = job.may_print() && !names_output(arguments);
  const bool is_stream = is_printed || (!named.output.empty() && is_standard_output(named.output));
  const bool is_piped = named.inputs.size() == 1 && named.inputs.front() == "-";
  const char* why = is_stream      ? "standard output has no times"
                    : job.merges() ? "the images have one output"
                    : is_piped     ? "standard input has no times"
                                   : nullptr;
  if (why != nullptr) {
    note_no_effect(globals.preserve_times, "--preserve-times", why, globals.verbosity);
  }
}

bool is_one_file(const BatchArguments& arguments, const NamedPaths& named, const ImageJob& job) {
  return !asks_for_batch(arguments) && !job.merges_one() && named.inputs.size() == 1 &&
         !is_folder_name(named.inputs.front()) && !is_folder_name(named.output);
}

/// True if the pages of one file are written to one file.
bool joins_pages(const BatchArguments& arguments, const NamedPaths& named, const ImageJob& job) {
  const bool is_file = arguments.files_from.empty() && named.inputs.size() == 1 && !job.merges() &&
                       !is_folder_name(named.inputs.front()) && !is_folder_name(named.output);
  const codecs::Codec* format = codecs::codec_written_as(file_extension(named.output));
  return is_file && format != nullptr && format->open_page_joiner != nullptr && job.files_of(named.output).size() == 1;
}

/// Calls run() and returns its result. Shows the progress of the image if the job reports progress.
InOrder run_watched(const ImageJob& job, Worker& worker, const ItemPaths& paths, const GlobalOptions& globals) {
  Progress progress(job.can_be_watched() ? progress_mode(globals) : ProgressMode::none, 1);
  if (progress.is_shown()) {
    progress.update({.total = 1, .part = 0.0});
    worker.report.watch_with([&](double part) { progress.update({.total = 1, .part = part}); });
  }
  progress.start();
  InOrder add;
  try {
    add = job.run(worker, paths);
  } catch (...) {
    worker.report.watch_with(nullptr);
    progress.update({.total = 1, .failed = 1});
    throw;
  }
  progress.update({.total = 1, .done = 1, .part = 1.0});
  worker.report.watch_with(nullptr);
  return add;
}

}  // namespace

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
    return;  // the decoder will reject it
  }
  const std::uint64_t room = memory_for_images(globals.max_memory);
  if (const ImageMemory memory = memory_of(job, paths, file_bytes, declared, options, room);
      memory.bytes > most->bytes) {
    throw Error(ErrorKind::out_of_memory, printable_name(paths.input) + ": " + why_too_large(memory.bytes, *most));
  }
}

namespace {

/// True if the message begins with the name of a step, and so does not name the input.
bool is_of_operation(std::string_view message, const CommandParser& parser) {
  const std::string_view name = message.substr(0, message.find(": "));
  return name == parser.name() || name == "CLAHE" ||  // a part of equalize
         std::ranges::any_of(parser.earlier_steps(), [&](const EarlierStep& step) { return name == step.name; });
}

ExitCode run_one(ImageJob& job, const NamedPaths& named, const GlobalOptions& globals) {
  const ItemPaths paths{named.inputs.front(), named.output};
  const std::string target = paths.output.empty() ? "-" : paths.output;
  job.note_options(target, globals.verbosity);
  const bool prints_json = job.prints_json_lines() || (job.may_print() && is_standard_output(target));
  if (globals.json && !globals.timing && !prints_json) {
    print_note(globals.verbosity, std::string("--json has no effect: nothing is printed; ") +
                                      (job.may_print() ? "give OUT the extension .json, or omit OUT" : "add --timing"));
  }
  job.check_name(paths.output);
  const StopSignal stop(nullptr);  // must be constructed before other threads start: they inherit the signal mask
  Worker worker(globals);
  if (globals.preserve_times && !job.merges()) {
    worker.writer.preserve_times(times_of(paths.input));
  }
  for (const std::string& file : job.files_of(target)) {
    worker.writer.check(file, paths.input, job.is_binary(file));
  }
  for (const std::string& file : job.side_files()) {
    if (std::filesystem::path(file).lexically_normal() == std::filesystem::path(target).lexically_normal()) {
      throw Error(ErrorKind::usage, "--lut: the table and OUT are the same file; use two different names");
    }
    worker.writer.check(file, paths.input, false);
  }
  job.prepare(worker);
  check_memory(job, paths, globals);
  if (const InOrder add = run_watched(job, worker, paths, globals)) {
    add();
  }
  if (job.merges() && job.has_merged()) {
    job.finish(worker, paths.output);
  }
  if (stop.requested()) {
    return *stop.exit_code();  // reached only with SharedSignals, where the process continues
  }
  worker.writer.commit();
  worker.print_times();
  if (globals.on_end) {
    globals.on_end({ItemEnd::Status::done, paths.input, "", ""});
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode run_job(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                 const GlobalOptions& all_globals) {
  const DeviceList devices = checked(arguments).devices;
  job.run_after(parser.earlier_steps());
  if (all_globals.take_job) {
    all_globals.take_job(job);
    return ExitCode::ok;
  }
  GlobalOptions globals = options_for(job.operations(), all_globals);
  globals.named_inputs = files_of_options(parser, arguments);
  const NamedPaths named = named_paths(parser, arguments, job, globals.in_place);
  note_folder_options(arguments, named.inputs, globals.verbosity);
  note_no_effect(!arguments.devices.empty() && globals.backend == BackendKind::cpu && !globals.verify, "--devices",
                 "the backend is the CPU", globals.verbosity);
  note_lost_times(job, arguments, globals, named);
  const auto run_alone = [&globals] {
    if (globals.wait_until_alone) {
      globals.wait_until_alone(globals);
    }
  };
  if (names_archive(arguments, named)) {
    run_alone();
    check_archive_arguments(job, arguments, globals, named);
    return run_archive(job, arguments, globals, named);
  }
  if (!job.merges()) {
    reject_packed_inputs(named);
  }
  std::unique_ptr<ImageJob> joined;
  if (globals.all_pages && joins_pages(arguments, named, job)) {
    if (!job.side_files().empty()) {
      throw Error(ErrorKind::usage, "--lut writes one table; select one page with --page N");
    }
    joined = joined_pages(job, checked(arguments), globals);
  }
  ImageJob& whole = joined ? *joined : job;
  if ((joined || !globals.all_pages) && is_one_file(arguments, named, job)) {
    expect_work(work_per_device(devices, globals, 1, 1));
    if (!arguments.devices.empty()) {
      globals.device = devices_of(devices, globals, globals.backend).front();
    }
    try {
      return run_one(whole, named, globals);
    } catch (const Error& error) {
      if (is_of_operation(error.what(), parser)) {
        throw Error(error.kind(), input_name(named.inputs.front()) + ": " + error.what());
      }
      throw;
    }
  }
  run_alone();
  return run_files(whole, parser, arguments, globals, named);
}

}  // namespace gpuimg
