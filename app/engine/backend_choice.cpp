// Chooses among the backends that have an operation.
#include "engine/backend_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/option_values.hpp"

namespace gpuimg {
namespace {

bool has_operation(const GlobalOptions& options, BackendKind kind) {
  return options.backends.empty() ||
         std::find(options.backends.begin(), options.backends.end(), kind) != options.backends.end();
}

}  // namespace

GlobalOptions options_for(std::string_view what, std::span<const BackendKind> only_on, GlobalOptions options) {
  if (only_on.empty()) {
    return options;
  }
  options.backends.assign(only_on.begin(), only_on.end());
  options.can_use_cpu = options.can_use_cpu && has_operation(options, BackendKind::cpu);
  std::vector<std::string> names;
  for (const BackendEntry& entry : backends()) {
    if (has_operation(options, entry.kind)) {
      names.emplace_back(entry.name);
    }
  }
  if (options.backend && !has_operation(options, *options.backend)) {
    throw Error(ErrorKind::usage, fmt::format("--backend: {} does not have {}; use {}",
                                              backend_entry(*options.backend).name, what, listed(names)));
  }
  if (options.verify && names.size() == 1) {
    throw Error(ErrorKind::usage, fmt::format("--verify: only the backend {} has {}; there is nothing to compare with",
                                              names.front(), what));
  }
  return options;
}

std::vector<const BackendEntry*> candidates(const GlobalOptions& options) {
  std::vector<const BackendEntry*> built;
  std::vector<const BackendEntry*> all;
  for (const BackendEntry& entry : backends()) {
    if (has_operation(options, entry.kind) && !entry.is_opt_in) {
      all.push_back(&entry);
      if (is_built_in(entry)) {
        built.push_back(&entry);
      }
    }
  }
  return built.empty() ? std::vector{all.front()} : built;  // making it then says what is missing
}

std::string why_only_one(const GlobalOptions& options) {
  if (candidates(options).size() > 1) {
    return {};
  }
  for (const BackendEntry& entry : backends()) {
    if (has_operation(options, entry.kind) && !entry.is_opt_in && !is_built_in(entry)) {
      return fmt::format("built without {}", entry.title);
    }
  }
  return "no other backend has the operation";
}

BackendKind counterpart(BackendKind kind, const GlobalOptions& options) {
  if (kind != BackendKind::cpu && has_operation(options, BackendKind::cpu)) {
    return BackendKind::cpu;
  }
  BackendKind other = kind;
  for (const BackendEntry& entry : backends()) {
    if (entry.kind != kind && !entry.is_opt_in && has_operation(options, entry.kind)) {
      if (is_built_in(entry)) {
        return entry.kind;
      }
      other = other == kind ? entry.kind : other;  // making it says that it is not built in
    }
  }
  return other;
}

std::vector<BackendEstimate> estimates(const GlobalOptions& options, const Workload& work) {
  std::vector<BackendEstimate> all;
  for (const BackendEntry* entry : candidates(options)) {
    all.push_back({entry, entry->cost_ms(work)});
  }
  return all;
}

const BackendEntry& fastest(const std::vector<BackendEstimate>& estimates) {
  return *std::min_element(estimates.begin(), estimates.end(), [](const BackendEstimate& a, const BackendEstimate& b) {
            return a.ms < b.ms;
          })->backend;
}

std::string why_no_rival(const std::vector<BackendEstimate>& estimates, const BackendEntry& chosen) {
  std::string why;
  for (const BackendEstimate& estimate : estimates) {
    if (estimate.backend != &chosen) {
      if (may_be_there(*estimate.backend)) {
        return {};
      }
      why = why.empty() ? fmt::format("there is no {} device", estimate.backend->title) : why;
    }
  }
  return why;
}

}  // namespace gpuimg
