// Which backends may run an operation, and which of them `--backend auto` takes: the one expected to finish first.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "cli/global_options.hpp"
#include "operations/operations.hpp"

namespace gpuimg {

/// The options restricted to the backends that have `what`, as messages call it; unchanged if `only_on` is empty.
/// Throws Error{usage} if --backend names another one, or if --verify has nothing to compare with.
GlobalOptions options_for(std::string_view what, std::span<const BackendKind> only_on, GlobalOptions options);

inline GlobalOptions options_for(const Operation& operation, GlobalOptions options) {
  return options_for(operation.name, operation.only_on, std::move(options));
}

/// What `auto` chooses among, in the order of the list: backends that are built in and have the operation. Not empty.
std::vector<const BackendEntry*> candidates(const GlobalOptions& options);

/// If there is only one candidate, why: "built without CUDA". Else empty.
std::string why_only_one(const GlobalOptions& options);

/// The backend to verify `kind` against: the CPU, or, for the CPU, another candidate.
BackendKind counterpart(BackendKind kind, const GlobalOptions& options);

struct BackendEstimate {
  const BackendEntry* backend;
  double ms;  ///< start included
};

/// One for each candidate.
std::vector<BackendEstimate> estimates(const GlobalOptions& options, const Workload& work);

/// The first of the fastest.
const BackendEntry& fastest(const std::vector<BackendEstimate>& estimates);

/// If no other candidate than `chosen` can be there, why: "there is no CUDA device". Else empty. Touches no driver.
std::string why_no_rival(const std::vector<BackendEstimate>& estimates, const BackendEntry& chosen);

}  // namespace gpuimg
