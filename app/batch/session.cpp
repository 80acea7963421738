// Gathers inputs, plans, executes the plan, reports the result and chooses the exit code. docs/batch.md, "Progress",
// "Failures" and "Manifest".
#include "batch/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "batch/batch_item.hpp"
#include "batch/inputs.hpp"
#include "batch/manifest.hpp"
#include "batch/memory_reserve.hpp"
#include "batch/outputs.hpp"
#include "batch/pipeline.hpp"
#include "batch/plan.hpp"
#include "cli/messages.hpp"
#include "cli/version.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "engine/backend_choice.hpp"
#include "engine/item_outputs.hpp"
#include "engine/memory.hpp"
#include "engine/worker.hpp"
#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "text/fnv_hash.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

std::string content_hash(const std::string& path) {
  if (path == "-") {
    throw Error(ErrorKind::usage, "standard input can be read only once; name a file that all images can share");
  }
  const Bytes bytes = read_input(path);
  return fmt::format("{:016x}", fnv_hash({reinterpret_cast<const char*>(bytes.data.get()), bytes.size}));
}

std::uint64_t hash_of_step(const std::string& name, const std::vector<GivenOption>& options, std::uint64_t hash) {
  hash = fnv_hash(name, hash);
  for (const GivenOption& option : options) {  // sorted, so that the order on the command line has no effect
    if (option.is_of_end) {
      continue;
    }
    const std::string value = fmt::format("{}", fmt::join(option.values, "\n"));
    hash = fnv_hash(fmt::format("\n{}={}", option.name, option.reads_file ? content_hash(value) : value), hash);
  }
  return hash;
}

/// All steps as a manifest records them: "denoise --then equalize".
std::string operation_of(const CommandParser& parser) {
  std::string text;
  for (const EarlierStep& step : parser.earlier_steps()) {
    text += step.name + " --then ";
  }
  return text + parser.name();
}

/// One line for each step, including default values; empty if there is only one step.
std::string steps_text(const CommandParser& parser) {
  std::string text;
  for (const EarlierStep& step : parser.earlier_steps()) {
    text += (text.empty() ? "" : "--then ") + step.text + "\n";
  }
  return text.empty() ? text : text + "--then " + parser.step_text() + "\n";
}

/// A hash of everything that affects the result for an image, except the inputs: the subcommand, its options as given,
/// and the content of the files that options name. It has 16 hexadecimal digits. A manifest stores the hash, and
/// --resume compares it. A change to the spelling of options here breaks --resume with older manifests. Throws
/// Error{read} if a file that an option names cannot be read, and Error{usage} if the file is standard input.
std::string parameter_hash(const CommandParser& parser, const GlobalOptions& globals, bool joins_pages) {
  std::uint64_t hash = hash_of_step(parser.name(), parser.given_options(), fnv_hash(""));
  for (const EarlierStep& step : parser.earlier_steps()) {
    hash = hash_of_step("\nafter " + step.name, step.options, hash);
  }
  hash = fnv_hash(globals.auto_orient ? "" : "\nno-auto-orient", hash);
  hash = fnv_hash(globals.lenient ? "\nlenient" : "", hash);
  hash = fnv_hash(globals.page > 0 ? fmt::format("\npage={}", globals.page) : "", hash);
  hash = fnv_hash(joins_pages ? "\npage=all" : "", hash);
  return fmt::format("{:016x}", hash);
}

std::string words_of(const std::vector<GivenOption>& options) {
  constexpr const char* kPlainCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";
  std::string words;
  for (const GivenOption& option : options) {
    for (const std::string& value : option.values) {
      const bool is_plain = value.find_first_not_of(kPlainCharacters) == std::string::npos;
      words += " --" + option.name + (value == "true" ? "" : " " + (is_plain ? value : shell_word(value)));
    }
  }
  return words;
}

/// What parameter_hash() covers, as readable text: "--mask m.png --then equalize --strength 0.5 --page 2".
std::string options_text(const CommandParser& parser, const GlobalOptions& globals) {
  std::string text;
  const std::vector<EarlierStep>& steps = parser.earlier_steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += words_of(steps[i].options) + " --then " + (i + 1 < steps.size() ? steps[i + 1].name : parser.name());
  }
  text += words_of(parser.given_options());
  const std::pair<bool, std::string> of_reading[] = {{!globals.auto_orient, "--no-auto-orient"},
                                                     {globals.lenient, "--lenient"},
                                                     {globals.all_pages, "--page all"},
                                                     {globals.page > 0, fmt::format("--page {}", globals.page)}};
  for (const auto& [is_given, word] : of_reading) {
    text += is_given ? " " + word : "";
  }
  return text.empty() ? text : text.substr(1);
}

/// Throws Error{read} if an input does not exist. The message also names OUT, because the user may have meant this
/// input as OUT.
void expect_inputs(const NamedPaths& named) {
  for (const std::string& input : named.inputs) {
    if (input != "-" && ::access(input.c_str(), F_OK) != 0) {
      throw Error(ErrorKind::read, fmt::format("{}; OUT is the last name, {}", cannot_be_read(input, errno),
                                               printable_name(named.output)));
    }
  }
}

/// The folder for the output tree. It is not searched for inputs.
std::optional<FileIdentity> output_folder(const NamedPaths& named) {
  return is_folder_name(named.output) ? identity_of(named.output) : std::nullopt;
}

/// Reads the manifest of --resume or --retry-failed. A missing --resume manifest is not an error: a requeued job does
/// not know whether it ran before.
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

/// True if any operation of gpuimg writes files with this extension.
bool has_written_extension(const std::string& path) {
  constexpr std::array<std::string_view, 4> kTables = {"npy", "csv", "json", "svg"};
  const std::string extension = file_extension(path);
  return codecs::is_written_extension(extension) ||
         std::find(kTables.begin(), kTables.end(), extension) != kTables.end();
}

/// The base folder of relative names; empty if the working folder was deleted.
std::string working_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

std::size_t items_to_do(const WorkPlan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.items.begin(), plan.items.end(),
                                                [](const PlanItem& item) { return item.state == PlanState::to_do; }));
}

/// Removes temporary files of killed runs from the output folders.
void remove_stale_outputs(const WorkPlan& plan, const ImageJob& job, const std::string& merged, Verbosity verbosity) {
  std::set<std::string> folders;
  if (!merged.empty() && !is_stream(merged)) {
    folders.insert(folder_of(merged));
  }
  for (const PlanItem& item : plan.items) {
    if (!item.output.empty()) {
      folders.insert(folder_of(job.files_of(item.output).front()));
    }
  }
  for (const std::string& folder : folders) {
    if (const std::size_t removed = remove_stale_temporaries(folder); removed > 0) {
      print_detail(verbosity, fmt::format("{}: removed {} temporary file{} of a killed run", printable_name(folder),
                                          removed, removed == 1 ? "" : "s"));
    }
  }
}

/// Asks the driver for a device. Returns false if there is none. If the driver fails, prints the reason under
/// --verbose.
bool probe_device(const BackendEntry& entry, Verbosity verbosity) {
  try {
    return entry.device_facts == nullptr || !entry.device_facts->devices().empty();
  } catch (const Error& error) {
    print_detail(verbosity, fmt::format("{} would be faster, but cannot be used: {}", entry.title, error.what()));
    return false;
  }
}

/// Returns, for example, "estimated 1.2 s on the CPU, 0.4 s with CUDA".
std::string text_of(const std::vector<BackendEstimate>& estimates) {
  std::string text;
  for (const BackendEstimate& estimate : estimates) {
    text += fmt::format("{}{:.1f} s {} {}", text.empty() ? "estimated " : ", ", estimate.ms / 1000.0,
                        estimate.backend->memory_is_host ? "on" : "with", estimate.backend->title);
  }
  return text;
}

/// Rethrows, but ignores a closed standard output: its reader has read enough.
void rethrow_unless_closed(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const OutputClosed&) {
  }
}

class BatchSession {
 public:
  BatchSession(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
               const GlobalOptions& globals);

  ExitCode run(const NamedPaths& named);

 private:
  /// Throws Error{usage} if OUT is a file name although several inputs need a folder.
  void demand_folder(const NamedPaths& named) const;
  [[nodiscard]] GatheredInputs gather(const NamedPaths& named) const;
  [[nodiscard]] bool splits_pages() const { return globals_.all_pages && !job_.joins_pages(); }
  [[nodiscard]] OutputNaming naming_for(const NamedPaths& named, std::size_t inputs) const;
  [[nodiscard]] WorkPlan plan_for(const OutputNaming& naming, const std::vector<InputFile>& inputs);

  /// Prints notes about options without effect: once for all outputs, and only if all have the same extension. `merged`
  /// is the output of --merge.
  void note_options(const std::string& merged, const WorkPlan& plan) const;
  /// True if the continued manifest states that gpuimg wrote this file, or was about to write it.
  [[nodiscard]] bool is_recorded(const std::string& output) const;
  /// Throws Error{usage} if --manifest has the extension of an image.
  void check_manifest() const;
  void check_merged_output(const std::string& output, const std::vector<InputFile>& inputs) const;

  /// The options for the workers: chooses the backend for `auto` once for all workers, and divides the threads among
  /// them.
  [[nodiscard]] GlobalOptions worker_options(const WorkPlan& plan, int jobs) const;
  [[nodiscard]] int jobs_for(const WorkPlan& plan) const;

  [[nodiscard]] RunSettings settings_for(int jobs, const GlobalOptions& worker) const;
  /// Prints a note if a resumed run is not recorded in the manifest from which it resumes.
  void note_if_not_recorded() const;
  /// Throws Error{write} if the output folder is also an input folder and --in-place is missing.
  void reject_own_folder(const NamedPaths& named) const;
  /// How the command continues an interrupted run: " with --resume FILE" or " with --skip-existing"; empty if it needs
  /// no further option.
  [[nodiscard]] std::string way_to_continue() const;
  [[nodiscard]] std::unique_ptr<ManifestWriter> open_manifest() const;
  [[nodiscard]] std::string first_line(const WorkPlan& plan, const std::string& merged) const;

  /// For merged images: writes the single output, unless the run ended early.
  void finish_merged(WorkerPool& pool, RunOutcome& outcome, const std::string& output, MemoryReserve& reserve);

  ExitCode execute(const NamedPaths& named, const WorkPlan& plan);
  [[nodiscard]] std::vector<std::string> failure_lines(const RunOutcome& outcome) const;
  void print_further_notes(const RunOutcome& outcome, MemoryReserve& reserve) const;
  void print_failures(const RunOutcome& outcome, MemoryReserve& reserve) const;
  [[nodiscard]] std::string summary(const RunOutcome& outcome, double seconds) const;
  [[nodiscard]] ExitCode concluded(const WorkPlan& plan, const RunOutcome& outcome, const StopSignal& stop) const;

  ImageJob& job_;
  const BatchArguments& arguments_;
  GlobalOptions globals_;
  BatchOptions options_;
  std::string operation_;
  std::string steps_text_;
  std::string parameters_;
  std::string options_text_;
  std::string folder_;               ///< the working folder
  std::string earlier_name_;         ///< from --resume or --retry-failed
  std::optional<Manifest> earlier_;  ///< from --resume or --retry-failed
  std::string manifest_name_;        ///< from --manifest, or else earlier_name_; empty if nothing is recorded
  bool continues_manifest_ = false;  ///< manifest_name_ is the file of --resume or --retry-failed
};

BatchSession::BatchSession(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                           const GlobalOptions& globals)
    : job_(job),
      arguments_(arguments),
      globals_(globals),
      options_(checked(arguments)),
      operation_(operation_of(parser)),
      steps_text_(steps_text(parser)),
      parameters_(parameter_hash(parser, globals, job.joins_pages())),
      options_text_(options_text(parser, globals)),
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
                "the result covers all images, but --resume and --retry-failed skip some images; omit these options");
  }
  if (job.merges() && !arguments.retry_failed.empty()) {
    throw Error(ErrorKind::usage,
                "--retry-failed would leave out the images that are done; use --resume, which keeps them");
  }
  if (globals.in_place && !arguments.resume.empty()) {
    throw Error(ErrorKind::usage,
                "--resume cannot be combined with --in-place: an image that was replaced before the run ended would "
                "be changed twice; write to another folder");
  }
  reject_together(globals.in_place && globals.all_pages, "--in-place", "--page all");
  earlier_ = manifest_to_continue(arguments);
  // Shards that continue one manifest must not append to the same file.
  manifest_name_ = arguments.manifest.empty() && arguments.shard.empty() ? earlier_name_ : arguments.manifest;
  const auto identity = identity_of(manifest_name_);
  continues_manifest_ = continues && !manifest_name_.empty() &&
                        (manifest_name_ == earlier_name_ || (identity && identity == identity_of(earlier_name_)));
}

GatheredInputs BatchSession::gather(const NamedPaths& named) const {
  const InputSources sources{named.inputs,
                             listed_files(arguments_),
                             FileFilter(arguments_.include, arguments_.exclude, job_.input_extensions()),
                             {arguments_.recursive, output_folder(named), globals_.verbosity == Verbosity::verbose},
                             job_.adds_up()};
  GatheredInputs gathered = gather_inputs(sources);
  for (const std::string& note : gathered.notes) {
    print_note(globals_.verbosity, note);
  }
  for (const std::string& name : gathered.names) {
    print_detail(globals_.verbosity, name);
  }
  if (globals_.preserve_times) {  // done before anything is read, because reading can change the access time
    for (InputFile& file : gathered.files) {
      file.times = times_of(file.path);
    }
  }
  if (splits_pages()) {
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
      return mirrored_name("", input.path, job_.extension_for(input.path));
    };
  } else if (named.output.empty()) {
    throw Error(ErrorKind::usage, "OUT is missing: name a folder for several images, or a template with --output");
  } else if (is_standard_output(named.output)) {
    throw Error(ErrorKind::usage,
                "standard output takes the result of one image only, and cannot be combined with options that plan or "
                "record a run; name a file or folder as OUT");
  } else if (inputs == 1 && !splits_pages() && arguments_.files_from.empty() &&
             std::all_of(named.inputs.begin(), named.inputs.end(), is_plain_file) && is_plain_file(named.output)) {
    naming.name_for = [output = named.output](const InputFile&, std::size_t) { return output; };
  } else {
    naming.name_for = [this, folder = named.output](const InputFile& input, std::size_t) {
      return mirrored_name(folder, input.relative, job_.extension_for(input.relative));
    };
    naming.alternatives = alternatives_for_folder(named.output, job_.extension_for(""));
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
  const std::string& name = manifest_name_;
  if (!name.empty() && !identity_of(name)) {  // an existing file needs no check: ManifestWriter replaces only manifests
    check_text_output(name, {});
  }
}

bool BatchSession::is_recorded(const std::string& output) const {
  return earlier_ && earlier_->outputs.contains(recorded_path(folder_, output));
}

void BatchSession::demand_folder(const NamedPaths& named) const {
  const bool needs_none = job_.merges() || has_fields(arguments_.output) || named.each_is_its_own;
  // Checked before is_folder_name(), because another shard can create the folder at any time.
  const bool exists = identity_of(named.output).has_value();
  if (needs_none || named.output.empty() || is_folder_name(named.output)) {
    return;
  }
  const std::string name = printable_name(named.output);
  const bool is_folder_read = std::any_of(named.inputs.begin(), named.inputs.end(), is_folder_name);
  const bool several = splits_pages() || is_folder_read || named.inputs.size() > 1 || !arguments_.files_from.empty();
  if (several) {
    expect_inputs(named);
  }
  if (several && has_written_extension(named.output) && !exists) {
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
    return file_extension(item.output) == file_extension(plan.items.front().output);
  };
  if (!plan.items.empty() && std::all_of(plan.items.begin(), plan.items.end(), is_like_first)) {
    job_.note_options(plan.items.front().output, globals_.verbosity);
  }
}

void BatchSession::reject_own_folder(const NamedPaths& named) const {
  const auto identity = named.output.empty() ? std::nullopt : identity_of(named.output);
  const bool is_own = identity && is_folder_name(named.output) &&
                      std::any_of(named.inputs.begin(), named.inputs.end(),
                                  [&](const std::string& input) { return identity_of(input) == identity; });
  if (is_own && !globals_.in_place && !job_.merges() && job_.is_binary("a." + job_.extension_for(""))) {
    fail_writing(named.output, "it is the folder that is read; use --in-place to replace its images, or another name");
  }
}

ExitCode BatchSession::run(const NamedPaths& named) {
  demand_folder(named);
  reject_own_folder(named);
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
    write_text(steps_text_ + plan_text(plan));
    return ExitCode::ok;
  }
  note_if_not_recorded();
  return execute(named, plan);
}

void BatchSession::note_if_not_recorded() const {
  if (!earlier_name_.empty() && !continues_manifest_) {
    const std::string name = printable_name(earlier_name_);
    print_note(globals_.verbosity,
               manifest_name_.empty()
                   ? name + ": this run is not recorded there: shards do not share a manifest; add --manifest FILE"
                   : name + ": this run is recorded in " + printable_name(manifest_name_) + "; continue it from there");
  }
}

int BatchSession::jobs_for(const WorkPlan& plan) const {
  const int wanted = options_.jobs > 0 ? options_.jobs : processors(globals_);
  return static_cast<int>(std::clamp<std::size_t>(items_to_do(plan), 1, static_cast<std::size_t>(wanted)));
}

GlobalOptions BatchSession::worker_options(const WorkPlan& plan, int jobs) const {
  GlobalOptions options = globals_;
  options.threads = std::max(1, processors(globals_) / jobs);
  if (options.backend || candidates(options).size() == 1) {
    return options;
  }
  // One decision for all images. It is based on the first image with a known size.
  for (const PlanItem& item : plan.items) {
    const auto declared =
        item.state == PlanState::to_do
            ? codecs::declared_image_in(item.input, item.page.number > 0 ? item.page : codecs::PageRef{globals_.page})
            : codecs::DeclaredImage{};
    if (declared.pixels() > 0) {
      const std::uint64_t images = items_to_do(plan);
      const auto expected =
          estimates(options, {images, declared.pixels() * images, declared.decoding_ms, processors(globals_)});
      const BackendEntry* first = &fastest(expected);
      std::string why_not = why_no_rival(expected, *first);
      if (first->device_facts != nullptr) {
        why_not = probe_device(*first, globals_.verbosity) ? "" : fmt::format("there is no {} device", first->title);
        first = why_not.empty() ? first : expected.front().backend;
      }
      options.backend = first->kind;
      const std::string reason = why_not.empty() ? text_of(expected) : why_not;
      print_detail(globals_.verbosity, fmt::format("backend {}: {}", backend_entry(*options.backend).name, reason));
      break;
    }
  }
  return options;
}

RunSettings BatchSession::settings_for(int jobs, const GlobalOptions& worker) const {
  RunSettings settings;
  settings.worker = worker;
  settings.jobs = jobs;
  settings.max_errors = options_.max_errors;
  settings.force = globals_.force;
  settings.skip_existing = arguments_.skip_existing;
  settings.record_done_before = !continues_manifest_;
  settings.verbosity = globals_.verbosity;
  settings.budget_bytes = memory_for_images(globals_.max_memory);
  settings.most_bytes = memory_for_one(globals_.max_memory);
  settings.blank.operation = operation_;
  settings.blank.parameters = parameters_;
  settings.blank.version = version_number();
  return settings;
}

std::unique_ptr<ManifestWriter> BatchSession::open_manifest() const {
  if (manifest_name_.empty()) {
    return nullptr;
  }
  const auto mode = continues_manifest_ ? ManifestWriter::Mode::append
                    : globals_.force    ? ManifestWriter::Mode::replace
                                        : ManifestWriter::Mode::create;
  const bool replaces = mode == ManifestWriter::Mode::replace && identity_of(manifest_name_).has_value();
  auto manifest = std::make_unique<ManifestWriter>(manifest_name_, mode);
  if (replaces) {
    print_note(globals_.verbosity, "replaced " + printable_name(manifest_name_));
  }
  return manifest;
}

std::string BatchSession::first_line(const WorkPlan& plan, const std::string& merged) const {
  const std::uint64_t items = continues_manifest_ ? plan.shard_size : plan.items.size();
  return manifest_line(RunRecord{operation_, parameters_, version_number(), items, plan.total, options_.shard, folder_,
                                 merged.empty() || is_stream(merged) ? "" : merged, options_text_});
}

ExitCode BatchSession::execute(const NamedPaths& named, const WorkPlan& plan) {
  const std::string merged = job_.merges() ? named.output : "";
  const int jobs = jobs_for(plan);
  expect_work(work_per_device(options_.devices, globals_, jobs, items_to_do(plan)));
  const GlobalOptions workers = worker_options(plan, jobs);
  const std::vector<int> devices = devices_of(options_.devices, globals_, workers.backend);
  if (devices.size() > 1 && workers.backend && backend_entry(*workers.backend).device_facts != nullptr) {
    print_detail(globals_.verbosity, fmt::format("the images are shared by the {} devices {}",
                                                 backend_entry(*workers.backend).title, fmt::join(devices, ", ")));
  }
  Progress progress(progress_mode(globals_), plan.items.size());
  const StopSignal stop([&] {
    progress.print(fmt::format("gpuimg: note: stopping once the images in flight are done{}\n",
                               globals_.on_end ? "" : "; interrupt again to stop at once"));
  });
  progress.start();
  if (globals_.max_memory) {
    return_freed_memory();
  }
  WorkerPool pool(workers, devices);
  if (items_to_do(plan) > 0) {
    job_.prepare(*pool.lease());
  }
  const std::unique_ptr<ManifestWriter> manifest = open_manifest();
  remove_stale_outputs(plan, job_, merged, globals_.verbosity);

  const RunChannels channels{progress, stop, manifest.get(), first_line(plan, merged)};
  RunOutcome outcome = run_plan(job_, plan, pool, settings_for(jobs, workers), channels);
  MemoryBudget nothing_in_flight(0);
  MemoryReserve reserve(nothing_in_flight, [] { return false; });
  const std::exception_ptr unfinished = caught([&] { finish_merged(pool, outcome, named.output, reserve); });
  progress.stop();
  print_further_notes(outcome, reserve);
  print_failures(outcome, reserve);
  if (unfinished) {
    rethrow_unless_closed(unfinished);
  }
  if (manifest != nullptr) {
    manifest->finish();
  }
  // If memory for the report is lacking, only the exit code reports the failure.
  (void)caught([&] { reserve.retry_on_oom([&] { print_report(summary(outcome, progress.seconds())); }); });
  return concluded(plan, outcome, stop);
}

void BatchSession::finish_merged(WorkerPool& pool, RunOutcome& outcome, const std::string& output,
                                 MemoryReserve& reserve) {
  const bool is_whole = outcome.counts.ended() == outcome.counts.total;
  if (!job_.merges() || !is_whole || outcome.fatal || !job_.has_merged()) {
    return;
  }
  reserve.retry_on_oom([&] {
    const WorkerPool::Lease worker = pool.lease();
    worker->begin_item(is_recorded(output));
    job_.finish(*worker, output);
    worker->writer.commit();
    outcome.counts.replaced += worker->writer.has_replaced() ? 1 : 0;
    outcome.times.add(worker->report.times());
  });
}

std::string BatchSession::way_to_continue() const {
  if (!manifest_name_.empty() && !globals_.in_place && job_.can_resume()) {
    return arguments_.resume.empty() ? " with --resume " + printable_name(manifest_name_) : "";
  }
  return globals_.force || globals_.in_place || job_.merges() ? "" : " with --skip-existing";
}

std::vector<std::string> BatchSession::failure_lines(const RunOutcome& outcome) const {
  std::vector<std::string> lines = outcome.failures.lines();
  if (outcome.fatal == ErrorKind::write) {
    lines.push_back(fmt::format("the run ended because {} outputs in a row failed: {}; then run the command again{}",
                                BlockedOutput::kInARow, outcome.why_no_output, way_to_continue()));
  }
  return lines;
}

/// Prints counts of further notes. The counts are lost if memory for them is lacking.
void BatchSession::print_further_notes(const RunOutcome& outcome, MemoryReserve& reserve) const {
  std::vector<std::string> lines;
  (void)caught([&] { reserve.retry_on_oom([&] { lines = outcome.notes.rest(); }); });
  std::for_each(lines.begin(), lines.end(), [&](const std::string& line) { print_note(globals_.verbosity, line); });
}

void BatchSession::print_failures(const RunOutcome& outcome, MemoryReserve& reserve) const {
  std::vector<std::string> lines;
  if (caught([&] { reserve.retry_on_oom([&] { lines = failure_lines(outcome); }); })) {
    print_out_of_memory();
  }
  std::for_each(lines.begin(), lines.end(), print_error);
}

std::string BatchSession::summary(const RunOutcome& outcome, double seconds) const {
  std::string text;
  if (globals_.timing) {
    text = globals_.json ? outcome.times.json() : outcome.times.table();
  }
  if (globals_.verbosity != Verbosity::quiet) {
    text += summary_line(outcome.counts, seconds);
  }
  return text;
}

ExitCode BatchSession::concluded(const WorkPlan& plan, const RunOutcome& outcome, const StopSignal& stop) const {
  if (outcome.fatal == ErrorKind::out_of_memory) {
    print_error(
        "out of memory for bookkeeping, not for an image; finished outputs are kept; continue with --resume or "
        "--skip-existing");
  }
  if (outcome.fatal) {
    if (outcome.fatal == ErrorKind::device_fault && globals_.resident != nullptr) {
      globals_.resident->has_lost_device = true;
    }
    return exit_code_of(*outcome.fatal);
  }
  if (const auto code = stop.exit_code(); code && outcome.counts.ended() < outcome.counts.total) {
    print_note(globals_.verbosity,
               globals_.in_place
                   ? "interrupted; the same command would change images twice; name only the images that are left"
                   : "interrupted; to continue, run the command again" + way_to_continue());
    return *code;
  }
  // If the only file cannot be read at all, the run fails as a run over a single file does.
  const auto is_of_first_file = [&](const PlanItem& item) { return item.input == plan.items.front().input; };
  if (globals_.all_pages && outcome.unread > 0 && outcome.unread == plan.items.size() &&
      std::all_of(plan.items.begin(), plan.items.end(), is_of_first_file)) {
    return ExitCode::bad_input;
  }
  return outcome.counts.failed > 0 ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

ExitCode run_files(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                   const GlobalOptions& globals, const NamedPaths& named) {
  return BatchSession(job, parser, arguments, globals).run(named);
}

}  // namespace gpuimg
