// The batch interface for subcommands: the options that every operation takes, and the run. A single file runs
// directly; folders, lists and archives run as a batch. docs/batch.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/devices.hpp"
#include "batch/inputs.hpp"
#include "batch/manifest.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "cli/messages.hpp"
#include "engine/image_job.hpp"

namespace gpuimg {

/// Names of inputs and the options that choose more, as given on the command line.
struct InputArguments {
  std::vector<std::string> paths;
  std::string files_from;
  bool nul = false;
  bool recursive = false;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

/// IN… OUT and the options, as given on the command line.
struct BatchArguments : InputArguments {
  std::string shown_output;     ///< always empty: the parser puts all names into `paths`
  std::string output;           ///< -o: a plain OUT, or a template if has_fields()
  bool all_are_inputs = false;  ///< the last name is not OUT; set by a subcommand that can print
  bool tar = false;
  bool skip_existing = false;
  bool dry_run = false;
  std::string jobs;
  std::string devices;
  bool fail_fast = false;
  std::string max_errors;
  std::string manifest;
  std::string resume;
  std::string retry_failed;
  std::string shard;
};

/// Validated options.
struct BatchOptions {
  int jobs = 0;  ///< 0 = one per CPU thread, at most one per item
  DeviceList devices;
  std::uint64_t max_errors = 0;  ///< stop starting new images after this many failures; 0 = no limit
  Shard shard;
};

/// What --help says about IN and OUT.
struct BatchPositionals {
  std::string input;
  std::string output;
  std::string output_usage = {};                   ///< how the usage line shows OUT; empty: OUT
  std::vector<std::string> other_extensions = {};  ///< of files besides images that IN may name
};

/// Declares the options that select files in folders.
void add_folder_options(CommandParser& parser, InputArguments& arguments);

/// Declares the options for how many images run at a time, on which devices, and when to give up.
void add_pace_options(CommandParser& parser, BatchArguments& arguments);

/// Declares the options of InputArguments, but not the positional names.
void add_input_options(CommandParser& parser, InputArguments& arguments);

/// Declares IN, OUT and the options.
void add_batch_options(CommandParser& parser, BatchArguments& arguments, const BatchPositionals& positionals);

/// Throws Error{usage}.
void check(const InputArguments& arguments);
BatchOptions checked(const BatchArguments& arguments);

/// How many processors a run may use.
int processors(const GlobalOptions& globals);

/// Prints a note for each option that selects files in folders, unless `inputs` name a folder.
void note_folder_options(const InputArguments& arguments, const std::vector<std::string>& inputs, Verbosity verbosity);

/// The names in --files-from; none without it. Throws as read_file_list does.
std::vector<std::string> listed_files(const InputArguments& arguments);

/// True if --output is a template: its name contains braces.
bool has_fields(const std::string& output);

/// True if --output or the last name is OUT.
bool names_output(const BatchArguments& arguments);

/// True if a given option affects even a single image: its output's name, whether it is processed, or what is recorded.
/// Options like --jobs make no difference for one image; it runs on the first of --devices.
bool asks_for_batch(const BatchArguments& arguments);

/// Throws Error for what ends the run as a whole; a file that fails among others only sets the exit code.
ExitCode run_job(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                 const GlobalOptions& globals);

/// Throws Error{out_of_memory} for a single image that needs more than --max-memory or the control group leaves;
/// a pipe is not checked, because its size is unknown.
void check_memory(const ImageJob& job, const ItemPaths& paths, const GlobalOptions& globals);

}  // namespace gpuimg
