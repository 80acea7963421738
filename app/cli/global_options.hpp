// Options that every subcommand takes. docs/cli.md, "Global options".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backends.hpp"
#include "cli/command_parser.hpp"
#include "cli/messages.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

class ImageJob;   // app/engine
struct Resident;  // app/engine

enum class ProgressWanted { automatic, always, never, json };

/// The outcome of one image of a run.
struct ItemEnd {
  enum class Status { done, failed, skipped };

  Status status;
  std::string_view name;
  std::string_view kind;  ///< of the error: name_of(ErrorKind)
  std::string_view message;
};

/// Values as given on the command line; empty if not given.
struct GlobalArguments {
  std::string backend;
  std::string device;
  std::string threads;
  std::string max_pixels;
  std::string max_memory;
  std::string max_device_memory;
  std::string progress;
  std::string page;
  bool no_auto_orient = false;
  bool lenient = false;
  bool timing = false;
  bool json = false;
  bool verify = false;
  bool force = false;
  bool in_place = false;
  bool preserve_times = false;
  bool quiet = false;
  bool verbose = false;
};

/// Checked and ready to use.
struct GlobalOptions {
  std::optional<BackendKind> backend;        ///< nullopt = auto
  std::vector<BackendKind> backends;         ///< backends that may be chosen for the operations; empty = all
  bool can_use_cpu = false;                  ///< `auto` falls back to the CPU
  std::vector<WeighedOperation> operations;  ///< in the order in which they run, for `auto`; empty = unknown
  int device = 0;
  int threads = 0;  ///< 0 = all processors
  bool timing = false;
  bool json = false;
  bool verify = false;  ///< run on both backends and compare
  bool force = false;
  bool in_place = false;
  bool preserve_times = false;  ///< outputs get the times of their input
  Verbosity verbosity = Verbosity::normal;
  ProgressWanted progress = ProgressWanted::automatic;
  std::uint64_t max_pixels = std::uint64_t{1} << 30;
  /// --max-pixels is given. It then replaces the lower limit for images whose file stores few pixels
  /// (ReadOptions::max_sparse_pixels).
  bool trusts_sizes = false;
  std::optional<std::uint64_t> max_memory;  ///< of the process; nothing = images may use half of the free memory
  std::uint64_t max_device_memory = 0;      ///< bytes on each device; 0 = all that is free
  bool auto_orient = true;                  ///< rotate inputs by their EXIF orientation
  std::uint32_t page = 0;                   ///< of files with several images, from 1; 0 = the first
  bool all_pages = false;                   ///< each page is an input
  bool lenient = false;                     ///< read damaged JPEGs as far as possible
  std::vector<std::string> named_inputs;  ///< input files in options (other than IN); text output must not replace them
  /// If set, the command passes its job to this function and reads no files (CommandLine::pass_job).
  std::function<void(ImageJob& job)> take_job = nullptr;
  /// Called when an image is done, failed or skipped (CommandLine::tell): for one image at a time, in plan order.
  /// Null in the gpuimg program.
  std::function<void(const ItemEnd& end)> on_end = nullptr;
  std::shared_ptr<const GlobalArguments> given;  ///< the arguments that were checked
  /// State kept for further command lines: CommandLine::stay. Null if the process runs only one command line.
  Resident* resident = nullptr;
  /// Waits until no other command line runs, then gives all threads to the command line whose options are passed. Only
  /// command lines with a single image run beside others. Null without `resident`.
  std::function<void(GlobalOptions& options)> wait_until_alone = nullptr;
};

void add_global_options(CommandParser& parser, GlobalArguments& arguments);

/// The options with `kind` as the backend, without fallback.
GlobalOptions with_backend(GlobalOptions options, BackendKind kind);

/// The arguments; those that are not given are taken from `defaults`.
GlobalArguments with_defaults(GlobalArguments arguments, const GlobalArguments& defaults);

/// Checks the arguments. GPUIMG_BACKEND, GPUIMG_DEVICE and GPUIMG_THREADS replace options that are not given. Throws
/// Error{usage} for a bad value from either source.
GlobalOptions validated(const GlobalArguments& arguments);

/// For commands that read one image per file: throws Error{usage} if --page all is given.
void reject_all_pages(const GlobalOptions& options);

/// With --backend cpu, prints a note for each given option that affects only GPUs.
void note_without_effect(const GlobalArguments& arguments, const GlobalOptions& options);

}  // namespace gpuimg
