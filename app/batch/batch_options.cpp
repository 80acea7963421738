// Declares and checks the options of batch runs.
#include "batch/batch_options.hpp"

#include <sys/stat.h>
#include <tbb/info.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "gpuimg/error.hpp"

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

void refuse_standard_stream(const char* option, const std::string& file) {
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
       "read files that match this pattern in folders; may be repeated [files with the ending of an image]");
  list("--exclude", arguments.exclude, "skip files and folders that match this pattern; may be repeated");
}

void add_input_options(CommandParser& parser, InputArguments& arguments) {
  parser.text({"--files-from", "read input names from FILE, one per line; - is standard input", "FILE", kGroup},
              arguments.files_from);
  parser.flag(
      {.names = "-0,--null", .description = "names in that list end with NUL, as from find -print0", .group = kGroup},
      arguments.nul);
  add_folder_options(parser, arguments);
}

void add_pace_options(CommandParser& parser, BatchArguments& arguments) {
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
    parser.text({name, what, type, kGroup}, value);
  };
  text("-j,--jobs", arguments.jobs, "process N images at a time [as many as threads]", "N");
  parser.text({"--devices",
               {"CUDA devices that share the images: numbers with commas between, such as 0,1, or one of",
                {{"all", "every device that the driver shows"}},
                "the one of --device"},
               "LIST",
               kGroup},
              arguments.devices);
  parser.flag(
      {.names = "--fail-fast", .description = "stop starting new images after the first failure", .group = kGroup},
      arguments.fail_fast);
  text("--max-errors", arguments.max_errors, "stop starting new images after N failures", "N");
}

void add_batch_options(CommandParser& parser, BatchArguments& arguments, const BatchPositionals& positionals) {
  std::vector<std::string> endings = codecs::readable_endings();
  endings.insert(endings.end(), positionals.other_endings.begin(), positionals.other_endings.end());
  parser.positionals({.name = "IN", .description = positionals.input, .usage = "IN...", .endings = endings},
                     arguments.paths);
  // For --help only: the last name is OUT, but that is known only after all names were parsed.
  parser.positional({"OUT", positionals.output, positionals.output_usage}, arguments.shown_output);
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
    parser.text({name, what, type, kGroup}, value);
  };
  const auto flag = [&](const char* name, bool& value, const char* what) {
    parser.flag({.names = name, .description = what, .group = kGroup}, value);
  };
  add_input_options(parser, arguments);
  text("-o,--output", arguments.output,
       "OUT; all other names are then inputs. With fields in braces, a template for each output:\n"
       "{dir}    folder of the input\n"
       "{rel}    that folder, relative to IN\n"
       "{name}   name of the input\n"
       "{stem}   name without the ending\n"
       "{ext}    ending of the input\n"
       "{index}  1, 2, 3 ... in order of the names\n"
       "{page}   number of the page",
       "OUT");
  flag("--tar", arguments.tar, "IN is a tar archive, and OUT another, whatever their names; for -");
  flag("--skip-existing", arguments.skip_existing, "skip inputs whose output exists");
  flag("-n,--dry-run", arguments.dry_run, "print the plan; write nothing");
  add_pace_options(parser, arguments);
  text("--manifest", arguments.manifest, "record the run in FILE, as JSON lines", "FILE");
  text("--resume", arguments.resume, "continue the run of manifest FILE: skip unchanged images that are done", "FILE");
  text("--retry-failed", arguments.retry_failed, "process the images again that failed according to manifest FILE",
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
  refuse_together(arguments.fail_fast && !arguments.max_errors.empty(), "--fail-fast", "--max-errors");
  refuse_together(!arguments.resume.empty() && !arguments.retry_failed.empty(), "--resume", "--retry-failed");
  refuse_standard_stream("--manifest", arguments.manifest);
  refuse_standard_stream("--resume", arguments.resume);
  refuse_standard_stream("--retry-failed", arguments.retry_failed);
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

}  // namespace gpuimg
