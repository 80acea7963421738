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

/// What became of an image of a run.
struct ItemEnd {
  enum class Status { done, failed, skipped };

  Status status;
  std::string_view name;
  std::string_view kind;  ///< of the error, as name_of() has it
  std::string_view message;
};

/// As given on the command line; an empty text was not given.
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
  std::vector<BackendKind> backends;         ///< those that may be chosen for the operations; empty = all
  bool can_use_cpu = false;                  ///< `auto` falls back to the CPU
  std::vector<WeighedOperation> operations;  ///< in the order in which they run, for `auto`; empty = an unknown one
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
  bool trusts_sizes = false;                ///< max_pixels is given, so it also holds for images that are mostly empty
  std::optional<std::uint64_t> max_memory;  ///< of the process; nothing = half of what is free for images
  std::uint64_t max_device_memory = 0;      ///< bytes on each device; 0 = what it has free
  bool auto_orient = true;                  ///< rotate inputs by their EXIF orientation
  std::uint32_t page = 0;                   ///< of files of several images, from 1; 0 = the first
  bool all_pages = false;                   ///< each page is an input
  bool lenient = false;                     ///< read damaged JPEGs as far as possible
  std::vector<std::string> named_inputs;    ///< files that options name, beside IN: text must not replace them
  /// Gets the job of the command in place of the files that it names: CommandLine::pass_job. Null: the files are read.
  std::function<void(ImageJob& job)> take_job = nullptr;
  /// Is told of each image as it ends, one at a time, in order: CommandLine::tell. Null in a process of gpuimg's own.
  std::function<void(const ItemEnd& end)> on_end = nullptr;
  std::shared_ptr<const GlobalArguments> given;  ///< what was checked
  /// What is kept for further command lines: CommandLine::stay. Null if this is the only one of the process.
  Resident* resident = nullptr;
  /// Waits until no other command line runs, and gives this one, whose options are passed, all threads. Beside others,
  /// only single images are processed. Null without `resident`.
  std::function<void(GlobalOptions& options)> wait_until_alone = nullptr;
};

void add_global_options(CommandParser& parser, GlobalArguments& arguments);

/// The options with `kind` as the backend, without fallback.
GlobalOptions with_backend(GlobalOptions options, BackendKind kind);

/// The arguments, with those of `defaults` in place of what is not given.
GlobalArguments with_defaults(GlobalArguments arguments, const GlobalArguments& defaults);

/// Checks the arguments. GPUIMG_BACKEND, GPUIMG_DEVICE and GPUIMG_THREADS replace options that are not given. Throws
/// Error{usage} for a bad value from either source.
GlobalOptions validated(const GlobalArguments& arguments);

/// For commands that read one image of each file: throws Error{usage} with --page all.
void refuse_all_pages(const GlobalOptions& options);

/// With --backend cpu, prints a note for each given option that only matters to a GPU.
void note_without_effect(const GlobalArguments& arguments, const GlobalOptions& options);

}  // namespace gpuimg
