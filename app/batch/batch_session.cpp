// Gathers inputs and plans a batch.
#include "batch/batch_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "batch/inputs.hpp"
#include "batch/outputs.hpp"
#include "batch/parameter_hash.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "engine/item_outputs.hpp"
#include "io/output_file.hpp"
#include "io/output_stream.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Folder that receives the output tree; it is not searched for inputs.
std::optional<FileIdentity> output_folder(const NamedPaths& named) {
  return is_folder_name(named.output) ? identity_of(named.output) : std::nullopt;
}

/// A missing --resume manifest is not an error: a requeued job does not know whether it ran before.
std::optional<Manifest> manifest_to_continue(const BatchArguments& arguments) {
  if (!arguments.retry_failed.empty()) {
    return read_manifest(arguments.retry_failed);
  }
  if (arguments.resume.empty()) {
    return std::nullopt;
  }
  const bool is_missing = ::access(arguments.resume.c_str(), F_OK) != 0 && errno == ENOENT;
  return is_missing ? Manifest() : read_manifest_to_continue(arguments.resume);
}

/// True if gpuimg writes files with this extension, in any operation.
bool has_written_ending(const std::string& path) {
  constexpr std::array<std::string_view, 4> kTables = {"npy", "csv", "json", "svg"};
  const std::string ending = file_ending(path);
  return codecs::is_written_ending(ending) || std::find(kTables.begin(), kTables.end(), ending) != kTables.end();
}

/// Base of relative names; empty if the working folder was deleted.
std::string working_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

}  // namespace

BatchSession::BatchSession(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                           const GlobalOptions& globals)
    : job_(job),
      arguments_(arguments),
      globals_(globals),
      options_(checked(arguments)),
      operation_(parser.name()),
      parameters_(parameter_hash(parser, globals)),
      folder_(working_folder()),
      earlier_name_(arguments.resume.empty() ? arguments.retry_failed : arguments.resume) {
  if (!job.side_files().empty()) {
    throw Error(ErrorKind::usage, "--lut writes one table; use it with one image");
  }
  (void)OutputTemplate(arguments.output);  // rejects unknown fields before folders are read
  const bool continues = !arguments.resume.empty() || !arguments.retry_failed.empty();
  if (job.merges() && has_fields(arguments.output)) {
    throw Error(ErrorKind::usage, "all images have one output: give --output a name without braces");
  }
  if (!job.can_resume() && continues) {
    throw Error(ErrorKind::usage,
                "one result of all images needs every image; it cannot be combined with --resume or --retry-failed");
  }
  if (job.merges() && !arguments.retry_failed.empty()) {
    throw Error(ErrorKind::usage, "--retry-failed would leave out what is done; use --resume, which keeps it");
  }
  if (globals.in_place && !arguments.resume.empty()) {
    throw Error(ErrorKind::usage,
                "--resume cannot be combined with --in-place: an image that was replaced before the run ended would "
                "be changed twice; write to another folder");
  }
  refuse_together(globals.in_place && globals.all_pages, "--in-place", "--page all");
  earlier_ = manifest_to_continue(arguments);
  const auto identity = identity_of(arguments.manifest);
  continues_manifest_ = continues && !arguments.manifest.empty() &&
                        (arguments.manifest == earlier_name_ || (identity && identity == identity_of(earlier_name_)));
}

GatheredInputs BatchSession::gather(const NamedPaths& named) const {
  const InputSources sources{named.inputs,
                             listed_files(arguments_),
                             FileFilter(arguments_.include, arguments_.exclude, job_.input_endings()),
                             {arguments_.recursive, output_folder(named)}};
  GatheredInputs gathered = gather_inputs(sources);
  for (const std::string& note : gathered.notes) {
    print_note(globals_.verbosity, note);
  }
  if (globals_.all_pages) {
    gathered.files = with_pages(gathered.files);
  }
  return gathered;
}

OutputNaming BatchSession::naming_for(const NamedPaths& named, std::size_t inputs) const {
  if (job_.merges()) {
    return {[](const InputFile&, std::size_t) { return std::string(); },
            [](const std::string&) { return std::vector<std::string>(); }};
  }
  OutputNaming naming;
  naming.files_of = [this](const std::string& output) {
    return output.empty() ? std::vector<std::string>() : job_.files_of(output);
  };
  const auto is_plain_file = [](const std::string& path) { return !is_folder_name(path); };
  if (has_fields(arguments_.output)) {
    const OutputTemplate name(arguments_.output);
    naming.depends_on_list = name.has_index();
    naming.name_for = [name](const InputFile& input, std::size_t index) { return name.name_for(input, index); };
    naming.alternatives = alternatives_for_template(arguments_.output);
  } else if (named.each_is_its_own) {
    naming.name_for = [this](const InputFile& input, std::size_t) {
      return mirrored_name("", input.path, job_.ending_for(input.path));
    };
  } else if (named.output.empty()) {
    throw Error(ErrorKind::usage, "OUT is missing: name a folder for several images, or a template with --output");
  } else if (is_standard_output(named.output)) {
    throw Error(ErrorKind::usage,
                "standard output takes one result, without options that plan or record a run; name a "
                "file or folder as OUT");
  } else if (inputs == 1 && !globals_.all_pages && arguments_.files_from.empty() &&
             std::all_of(named.inputs.begin(), named.inputs.end(), is_plain_file) && is_plain_file(named.output)) {
    naming.name_for = [output = named.output](const InputFile&, std::size_t) { return output; };
  } else {
    naming.name_for = [this, folder = named.output](const InputFile& input, std::size_t) {
      return mirrored_name(folder, input.relative, job_.ending_for(input.relative));
    };
    naming.alternatives = alternatives_for_folder(named.output, job_.ending_for(""));
  }
  naming.name_for = [of_image = std::move(naming.name_for)](const InputFile& input, std::size_t index) {
    return input.lost.empty() ? of_image(input, index) : "";
  };
  return naming;
}

WorkPlan BatchSession::plan_for(const OutputNaming& naming, const std::vector<InputFile>& inputs) {
  PlanRules rules;
  rules.force = globals_.force;
  rules.in_place = globals_.in_place;
  rules.skip_existing = arguments_.skip_existing;
  rules.is_text = [this](const std::string& file) { return !job_.is_binary(file); };
  rules.named_inputs = globals_.named_inputs;
  rules.resume = arguments_.resume.empty() ? nullptr : &*earlier_;
  rules.retry_failed = arguments_.retry_failed.empty() ? nullptr : &*earlier_;
  rules.earlier_name = earlier_name_;
  rules.parameters = parameters_;
  rules.folder = folder_;
  WorkPlan plan = make_plan(inputs, naming, options_.shard, rules);
  for (const PlanItem& item : plan.items) {
    if (!job_.merges() && item.lost.empty()) {
      job_.check_name(item.output);
      if (item.state == PlanState::to_do && !job_.is_binary(item.output)) {
        check_text_output(item.output, {});
      }
    }
  }
  return plan;
}

void BatchSession::check_merged_output(const std::string& output, const std::vector<InputFile>& inputs) const {
  job_.check_name(output);
  if (output.empty() || is_standard_output(output)) {
    return;
  }
  const auto identity = identity_of(output);
  for (const InputFile& input : inputs) {
    if (identity && identity_of(input.path) == identity) {
      throw Error(ErrorKind::write,
                  printable_name(output) + ": cannot write: it is one of the inputs; use another name");
    }
  }
  if (!job_.is_binary(output)) {
    check_text_output(output, globals_.named_inputs);
  }
  check_output(output, "", {globals_.force || is_recorded(output), false});
}

void BatchSession::check_manifest() const {
  const std::string& name = arguments_.manifest;
  if (!name.empty() && !identity_of(name)) {  // ManifestWriter replaces nothing but a manifest
    check_text_output(name, {});
  }
}

bool BatchSession::is_recorded(const std::string& output) const {
  return earlier_ && earlier_->outputs.contains(recorded_path(folder_, output));
}

void BatchSession::demand_folder(const NamedPaths& named) const {
  const bool needs_none = job_.merges() || has_fields(arguments_.output) || named.each_is_its_own;
  // Before the question whether it is a folder: another shard may create that folder at any moment.
  const bool exists = identity_of(named.output).has_value();
  if (needs_none || named.output.empty() || is_folder_name(named.output)) {
    return;
  }
  const std::string name = printable_name(named.output);
  const bool is_folder_read = std::any_of(named.inputs.begin(), named.inputs.end(), is_folder_name);
  const bool several =
      globals_.all_pages || is_folder_read || named.inputs.size() > 1 || !arguments_.files_from.empty();
  if (several && has_written_ending(named.output) && !exists) {
    throw Error(ErrorKind::usage,
                fmt::format("{0}: OUT names a file, but several inputs need a folder; write {0}/ for a folder of that "
                            "name, or name another",
                            name));
  }
  if (several && (!is_folder_read || exists)) {
    throw Error(ErrorKind::usage,
                name + ": several inputs need a folder as OUT; name an existing folder, or end the name with /");
  }
}

void BatchSession::note_options(const std::string& merged, const WorkPlan& plan) const {
  if (job_.merges()) {
    return job_.note_options(merged, globals_.verbosity);
  }
  const auto is_like_first = [&](const PlanItem& item) {
    return file_ending(item.output) == file_ending(plan.items.front().output);
  };
  if (!plan.items.empty() && std::all_of(plan.items.begin(), plan.items.end(), is_like_first)) {
    job_.note_options(plan.items.front().output, globals_.verbosity);
  }
}

ExitCode BatchSession::run(const NamedPaths& named) {
  demand_folder(named);
  const GatheredInputs gathered = gather(named);
  if (job_.merges()) {
    check_merged_output(named.output, gathered.files);
    if (gathered.files.size() > 1) {
      job_.check_several();
    }
  }
  check_manifest();
  const OutputNaming naming = naming_for(named, gathered.files.size());
  const OriginalInputs originals = without_derived_inputs(gathered.files, naming);
  if (!originals.note.empty()) {
    print_note(globals_.verbosity, originals.note);
  }
  const WorkPlan plan = plan_for(naming, originals.files);
  if (!arguments_.shard.empty()) {
    print_detail(globals_.verbosity, fmt::format("shard {} by {}: {} of {} items", options_.shard.text(),
                                                 options_.shard.source, plan.shard_size, plan.total));
  }
  note_options(named.output, plan);
  if (arguments_.dry_run) {
    write_text(plan_text(plan));
    return ExitCode::ok;
  }
  note_if_not_recorded();
  return execute(named, plan);
}

void BatchSession::note_if_not_recorded() const {
  if (!earlier_name_.empty() && !continues_manifest_) {
    print_note(globals_.verbosity, fmt::format("{}: this run is not recorded there and cannot be resumed from it; add "
                                               "--manifest {}",
                                               earlier_name_, earlier_name_));
  }
}

}  // namespace gpuimg
