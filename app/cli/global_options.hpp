// Options that every subcommand takes: docs/cli.md, "Global options".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "gpuimg/backend.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

enum class ProgressWanted { automatic, always, never, json };

/// Checked and ready to use.
struct GlobalOptions {
  std::optional<BackendKind> backend;  ///< nullopt = auto
  bool can_use_cpu = false;            ///< `auto`: what the device cannot be had for or has no memory for, the CPU does
  int device = 0;
  int threads = 0;  ///< 0 = all processors
  bool timing = false;
  bool json = false;
  bool verify = false;  ///< run on both backends and compare
  bool force = false;
  bool in_place = false;
  Verbosity verbosity = Verbosity::normal;
  ProgressWanted progress = ProgressWanted::automatic;
  std::uint64_t max_pixels = std::uint64_t{1} << 30;
  std::uint64_t max_device_memory = 0;  ///< bytes of an image and its result on the device; 0 = what it has free
  bool auto_orient = true;              ///< inputs are turned as their EXIF orientation says
  bool lenient = false;                 ///< a JPEG that is damaged is read as far as it can be
};

/// As they stand on the command line.
struct GlobalArguments {
  std::string backend;
  std::string device;
  std::string threads;
  std::string max_pixels;
  std::string max_device_memory;
  std::string progress;
  bool no_auto_orient = false;
  bool lenient = false;
  bool timing = false;
  bool json = false;
  bool verify = false;
  bool force = false;
  bool in_place = false;
  bool quiet = false;
  bool verbose = false;
};

void add_global_options(CLI::App& app, GlobalArguments& arguments);

/// The options with this backend in place of --backend; no other one stands in for it.
GlobalOptions with_backend(GlobalOptions options, BackendKind kind);

/// Reads GPUIMG_BACKEND, GPUIMG_DEVICE and GPUIMG_THREADS where the option is not given. Throws Error{usage} for a bad
/// value, of an option or of the environment.
GlobalOptions validated(const GlobalArguments& arguments);

/// Notes the options given that the CPU, which was asked for, has no use for.
void note_without_effect(const GlobalArguments& arguments, const GlobalOptions& options);

}  // namespace gpuimg
