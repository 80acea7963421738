// The batch interface for subcommands: declares the options that every operation takes, and runs the operation. A
// single file is processed directly; folders, lists and archives are processed as a batch. docs/batch.md.
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

/// The names of inputs, and the options that select further inputs, as given on the command line.
struct InputArguments {
  std::vector<std::string> paths;
  std::string files_from;
  bool nul = false;
  bool recursive = false;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

/// Names and options as given on the command line: IN… OUT.
struct BatchArguments : InputArguments {
  std::string shown_output;     ///< always empty: the parser puts all names into `paths`
  std::string output;           ///< -o: a plain OUT, or a template if has_fields()
  bool all_are_inputs = false;  ///< the last name is also an input, not OUT; set by a subcommand that can print
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
  int jobs = 0;  ///< 0: one per CPU thread, but at most one per item
  DeviceList devices;
  std::uint64_t max_errors = 0;  ///< after this many failures, no new images start; 0: no limit
  Shard shard;
};

/// The text of --help about IN and OUT.
struct BatchPositionals {
  std::string input;
  std::string output;
  std::string output_usage = {};                   ///< how the usage line shows OUT; empty: OUT
  std::vector<std::string> other_extensions = {};  ///< of input files other than images
};

/// Declares the options that select files in folders.
void add_folder_options(CommandParser& parser, InputArguments& arguments);

/// Declares the options for the number of simultaneous images, the devices, and the failures that end a run.
void add_pace_options(CommandParser& parser, BatchArguments& arguments);

/// Declares the options of InputArguments, but not the positional names.
void add_input_options(CommandParser& parser, InputArguments& arguments);

/// Declares IN, OUT and the options.
void add_batch_options(CommandParser& parser, BatchArguments& arguments, const BatchPositionals& positionals);

/// Throws Error{usage}.
void check(const InputArguments& arguments);
BatchOptions checked(const BatchArguments& arguments);

/// Number of processors that a run may use.
int processors(const GlobalOptions& globals);

/// Prints a note for each option that selects files in folders, if no name in `inputs` is a folder.
void note_folder_options(const InputArguments& arguments, const std::vector<std::string>& inputs, Verbosity verbosity);

/// The names in --files-from; empty without this option. Throws as read_file_list does.
std::vector<std::string> listed_files(const InputArguments& arguments);

/// True if --output is a template: its name contains braces.
bool has_fields(const std::string& output);

/// True if --output or the last name is OUT.
bool names_output(const BatchArguments& arguments);

/// True if one of the options on the command line has an effect even on a single image: on the output's name, on
/// whether the image is processed, or on what is recorded. Options such as --jobs have no effect on a single image,
/// which runs on the first of --devices.
bool asks_for_batch(const BatchArguments& arguments);

/// Throws Error for a failure that ends the run as a whole. If one of several files fails, prints its error and returns
/// ExitCode::some_failed.
ExitCode run_job(ImageJob& job, const CommandParser& parser, const BatchArguments& arguments,
                 const GlobalOptions& globals);

/// Throws Error{out_of_memory} if a single image needs more memory than --max-memory or the control group allows. Does
/// not check a pipe, because its size is unknown.
void check_memory(const ImageJob& job, const ItemPaths& paths, const GlobalOptions& globals);

}  // namespace gpuimg
