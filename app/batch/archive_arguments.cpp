// What a run over an archive refuses before it begins.
#include "batch/archive_arguments.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "batch/inputs.hpp"
#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

bool is_tar_name(const std::string& path) {
  constexpr std::array<std::string_view, 5> kEndings = {".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.size() > ending.size() && path.ends_with(ending); });
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::usage, what); }

}  // namespace

bool names_archive(const BatchArguments& arguments, const NamedPaths& named) {
  return arguments.tar || std::any_of(named.inputs.begin(), named.inputs.end(), [](const std::string& input) {
           return is_tar_name(input) && !is_folder_name(input);
         });
}

void check_archive_arguments(const ImageJob& job, const BatchArguments& arguments, const GlobalOptions& globals,
                             const NamedPaths& named) {
  const bool records = !arguments.manifest.empty() || !arguments.resume.empty() || !arguments.retry_failed.empty();
  if (records || !arguments.shard.empty() || arguments.skip_existing || arguments.dry_run || globals.in_place ||
      globals.all_pages || has_fields(arguments.output)) {
    refuse(
        "an archive is processed as a whole: --manifest, --resume, --retry-failed, --shard, --skip-existing, "
        "--dry-run, --in-place, --page all and templates are for files");
  }
  if (!job.side_files().empty()) {
    refuse("--lut writes one table; use it with one image");
  }
  if (named.inputs.size() != 1 || !arguments.files_from.empty()) {
    refuse("an archive is the only IN; give one at a time");
  }
  const std::string& output = named.output;
  if (job.merges()) {
    return;
  }
  if (output.empty()) {
    refuse("OUT is missing: name the archive to write, or - for standard output");
  }
  const bool is_plain_tar = output.ends_with(".tar") || is_stream(output) || arguments.tar;
  if (!is_plain_tar) {
    refuse(is_tar_name(output)
               ? printable_name(output) + ": gpuimg writes .tar; compress it afterwards, as in '- | zstd'"
               : printable_name(output) + ": the images of an archive go into another; name a .tar");
  }
}

void check_archive_output(ImageJob& job, const NamedPaths& named, const GlobalOptions& globals) {
  CommandContext context(globals);
  const std::string target = named.output.empty() ? "-" : named.output;
  if (job.merges()) {
    job.check_name(named.output);
    job.note_options(target, globals.verbosity);
  }
  context.check_output_file(target, named.inputs.front(), !job.merges() || job.is_binary(target));
  if (!is_stream(target)) {
    (void)remove_stale_temporaries(folder_of(target));
  }
}

}  // namespace gpuimg
