// Options for batches, shared by all operations. docs/batch.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batch/file_list.hpp"
#include "batch/shard.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

/// IN, OUT and the options as given on the command line.
struct BatchArguments {
  std::vector<std::string> paths;
  std::string shown_output;  ///< always empty, only for --help: the parser puts all names into `paths`
  std::string files_from;
  bool nul = false;
  bool recursive = false;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::string output;  ///< -o: a plain OUT or a template; see has_fields()
  bool skip_existing = false;
  bool dry_run = false;
  std::string jobs;
  std::string max_memory;
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
  int jobs = 0;                             ///< 0 = one per processor, at most one per item
  std::optional<std::uint64_t> max_memory;  ///< bytes; nullopt = half of the available memory
  std::vector<int> devices;                 ///< CUDA devices; empty = the one from --device
  bool all_devices = false;
  std::uint64_t max_errors = 0;  ///< stop starting new items after this many failures; 0 = no limit
  Shard shard;
};

/// Adds IN, OUT and the options to the parser. `input` and `output` are their help texts.
void add_batch_options(CLI::App& parser, BatchArguments& arguments, const std::string& input,
                       const std::string& output);

/// Throws Error{usage}.
BatchOptions checked(const BatchArguments& arguments);

/// True if --output is a template: its name contains braces.
bool has_fields(const std::string& output);

/// True if an option is given that matters even for a single image: output naming, skipping, recording. Options like
/// --jobs do not count.
bool asks_for_batch(const BatchArguments& arguments);

}  // namespace gpuimg
