// The list of backends, read by --backend, BackendSource, --verify, doctor and bench. A new backend is one line in
// backends.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "gpuimg/backend.hpp"

namespace gpuimg {

/// What backends are configured with. Each uses the fields that apply to it.
struct BackendOptions {
  int device = 0;
  int threads = 0;  ///< 0 = all processors
};

struct BackendEntry {
  BackendKind kind;
  std::string_view name;                       ///< the value of `--backend`, equal to Backend::name()
  std::string_view title;                      ///< its name in sentences: "the CPU", "CUDA"
  std::string_view meaning;                    ///< a few words for --help
  std::span<const std::string_view> synonyms;  ///< words that are typed for it: not accepted, but suggested
  bool memory_is_host;                         ///< equal to Backend::memory_is_host()

  /// Throws Error{backend_unavailable} if the backend is not built in, or has no device or driver.
  std::unique_ptr<Backend> (*make)(const BackendOptions& options);
};

/// All backends, in the order of help texts. Includes those that are not built in.
std::span<const BackendEntry> backends();

const BackendEntry& backend_entry(BackendKind kind);

}  // namespace gpuimg
