// Chooses among the backends that have an operation; starts the backend, waits for it, and falls back to the CPU.
#include "engine/backend_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "backends/backends.hpp"
#include "cli/option_values.hpp"
#include "engine/worker.hpp"

namespace gpuimg {
namespace {

bool has_operation(const GlobalOptions& options, BackendKind kind) {
  return options.backends.empty() ||
         std::find(options.backends.begin(), options.backends.end(), kind) != options.backends.end();
}

std::unique_ptr<Backend> make(BackendKind kind, const GlobalOptions& options, BackendSource::Images images) {
  if (options.resident != nullptr) {
    if (std::unique_ptr<Backend> kept = options.resident->backends.take(kind, {options.device, options.threads})) {
      return kept;
    }
  }
  std::unique_ptr<Backend> backend = backend_entry(kind).make({options.device, options.threads});
  if (images == BackendSource::Images::many || options.resident != nullptr) {
    backend->expect_many_images();
  }
  return backend;
}

/// True if the backend has all operations, or, if `cpu_helps`, some of them and the CPU the others.
bool may_be_chosen(BackendKind kind, std::span<const OperationTraits> operations, bool cpu_helps) {
  const auto has = [kind](const OperationTraits& one) { return is_on(kind, one.only_on); };
  return std::ranges::all_of(operations,
                             [&](const OperationTraits& one) {
                               return has(one) || (cpu_helps && is_on(BackendKind::cpu, one.only_on));
                             }) &&
         (operations.empty() || std::ranges::any_of(operations, has));
}

/// Throws Error{usage} for the first operation that the backend lacks.
void reject_lacking(BackendKind kind, std::span<const OperationTraits> operations,
                    const std::vector<BackendKind>& complete) {
  std::vector<std::string> names;
  for (const BackendKind one : complete) {
    names.emplace_back(backend_entry(one).name);
  }
  for (const OperationTraits& one : operations) {
    if (!is_on(kind, one.only_on)) {
      throw Error(ErrorKind::usage,
                  fmt::format("--backend: {} does not have {}; {}", backend_entry(kind).name, one.what,
                              names.empty() ? "omit it, because no backend has all steps" : "use " + listed(names)));
    }
  }
}

/// Throws Error{usage} if no backend may be chosen, or if --verify needs two.
void reject_few(std::span<const OperationTraits> operations, const GlobalOptions& options) {
  const auto rare = std::ranges::find_if(operations, [](const OperationTraits& one) { return !one.only_on.empty(); });
  if (rare == operations.end()) {
    return;
  }
  if (options.backends.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: no backend has it and the other steps, even with the help of the "
                                              "CPU; run the steps one by one",
                                              rare->what));
  }
  if (options.verify && options.backends.size() == 1) {
    throw Error(ErrorKind::usage, fmt::format("--verify: only the backend {} has {}; there is nothing to compare with",
                                              backend_entry(options.backends.front()).name, rare->what));
  }
}

/// The costs of the operations that a backend runs itself, and of those that it leaves to the CPU.
struct Division {
  static constexpr OperationCost kNothing{.thread_ms = 0.0};

  OperationCost own = kNothing;
  OperationCost left = kNothing;
  bool leaves_any = false;
  int round_trips = 0;
};

/// `is_there`: true if the backend decodes the image.
Division divided(const std::vector<WeighedOperation>& operations, BackendKind kind, bool is_there) {
  Division division;
  bool is_away = false;  // the pixels were on the backend and are now on the host
  for (const WeighedOperation& operation : operations) {
    if (!is_on(kind, operation.only_on)) {
      division.left = division.left + operation.cost;
      division.leaves_any = true;
      is_away = is_away || is_there;
      continue;
    }
    division.own = division.own + operation.cost;
    division.round_trips += is_away ? 1 : 0;
    is_away = false;
    is_there = true;
  }
  return division;
}

double cost_ms(const BackendEntry& entry, Workload work, const std::vector<WeighedOperation>& operations) {
  if (operations.empty()) {
    return entry.cost_ms(work);
  }
  const Division division = divided(operations, entry.kind, work.decoding_ms > 0.0);
  work.cost = division.own;
  work.round_trips = division.round_trips;
  const double own = entry.cost_ms(work);
  if (!division.leaves_any) {
    return own;
  }
  work.decoding_ms = 0.0;  // the backend decodes
  work.cost = division.left;
  return own + backend_entry(BackendKind::cpu).cost_ms(work);
}

/// "about 12 ms on the CPU, 260 ms with CUDA and its start-up".
std::string text_of(const std::vector<BackendEstimate>& estimates) {
  std::string text;
  for (const BackendEstimate& estimate : estimates) {
    const bool is_host = estimate.backend->memory_is_host;
    text += fmt::format("{}{:.0f} ms {} {}{}", text.empty() ? "about " : ", ", estimate.ms, is_host ? "on" : "with",
                        estimate.backend->title, is_host ? "" : " and its start-up");
  }
  return text;
}

}  // namespace

GlobalOptions options_for(std::span<const OperationTraits> operations, GlobalOptions options) {
  options.operations.clear();
  for (const OperationTraits& operation : operations) {
    options.operations.push_back({operation.cost, operation.only_on});
  }
  options.can_use_cpu = options.can_use_cpu && may_be_chosen(BackendKind::cpu, operations, false);
  options.backends.clear();
  for (const BackendEntry& entry : backends()) {
    if (may_be_chosen(entry.kind, operations, !options.backend)) {
      options.backends.push_back(entry.kind);
    }
  }
  if (options.backend) {
    reject_lacking(*options.backend, operations, options.backends);
  }
  reject_few(operations, options);
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
  return built.empty() ? std::vector{all.front()} : built;  // creating it then reports what is missing
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
      other = other == kind ? entry.kind : other;  // creating it reports that it is not built in
    }
  }
  return other;
}

std::vector<BackendEstimate> estimates(const GlobalOptions& options, const Workload& work) {
  std::vector<BackendEstimate> all;
  for (const BackendEntry* entry : candidates(options)) {
    all.push_back({entry, cost_ms(*entry, work, options.operations)});
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

BackendSource::BackendSource(const GlobalOptions& options, Images images) : options_(options), images_(images) {
  if (options_.backend) {
    begin(*options_.backend, "asked for");
  } else if (std::string why = why_only_one(options_); !why.empty()) {
    begin(candidates(options_).front()->kind, std::move(why));
  }
}

BackendSource::~BackendSource() {
  if (options_.resident == nullptr || has_failed_) {
    return;
  }
  try {
    if (backend_ == nullptr && expects_device() && pending_.valid()) {
      backend_ = pending_.get();
    }
    for (std::unique_ptr<Backend>* made : {&backend_, &other_, &cpu_}) {
      if (*made != nullptr) {
        options_.resident->backends.keep(std::move(*made), {options_.device, options_.threads});
      }
    }
  } catch (const std::exception&) {  // the device is missing, or memory for a backend ran out
  }
}

void BackendSource::distrust(std::optional<ErrorKind> kind) {
  const bool is_lost = kind == ErrorKind::device_fault;
  if (!kind || is_lost || kind == ErrorKind::backend_unavailable || kind == ErrorKind::mismatch ||
      kind == ErrorKind::out_of_memory) {  // out of memory: destroying the backends frees their memory
    has_failed_ = true;
  }
  if (is_lost && options_.resident != nullptr) {
    options_.resident->has_lost_device = true;
  }
}

std::unique_ptr<Backend> BackendStore::take(BackendKind kind, const BackendOptions& options) {
  const std::lock_guard lock(mutex_);
  const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) {
    return one.backend->kind() == kind && one.options == options;
  });
  if (kept == kept_.end()) {
    return nullptr;
  }
  std::unique_ptr<Backend> backend = std::move(kept->backend);
  kept_.erase(kept);
  return backend;
}

void BackendStore::keep(std::unique_ptr<Backend> backend, const BackendOptions& options) {
  constexpr std::size_t kMost = 64;
  const std::lock_guard lock(mutex_);
  if (kept_.size() == kMost) {
    kept_.erase(kept_.begin());
  }
  kept_.push_back({std::move(backend), options});
}

void BackendSource::expect_image(std::uint64_t pixels, double decoding_ms) {
  if (chosen_) {
    return;
  }
  const std::vector<BackendEstimate> expected =
      estimates(options_, {.pixels = pixels, .decoding_ms = decoding_ms, .threads = options_.threads});
  const BackendEntry& first = fastest(expected);
  std::string why = why_no_rival(expected, first);
  const bool is_alone = first.memory_is_host && !why.empty();
  begin(first.kind, is_alone ? std::move(why) : "expected to finish first: " + text_of(expected));
}

bool BackendSource::expects_device() const { return chosen_ && !backend_entry(*chosen_).memory_is_host; }

void BackendSource::begin(BackendKind kind, std::string reason) {
  chosen_ = kind;
  reason_ = std::move(reason);
  const auto policy = backend_entry(kind).memory_is_host ? std::launch::deferred : std::launch::async;
  pending_ = std::async(policy, make, kind, options_, images_);
}

Backend& BackendSource::get() {
  if (backend_ == nullptr) {
    if (!chosen_) {
      begin(candidates(options_).front()->kind, "the amount of work is not known");
    }
    if (!pending_.valid()) {
      begin(*chosen_, reason_);  // the backend was not available for an earlier image
    }
    try {
      backend_ = pending_.get();
    } catch (const Error& error) {
      if (!options_.can_use_cpu || chosen_ == BackendKind::cpu) {
        throw;
      }
      if (error.kind() != ErrorKind::backend_unavailable) {  // a missing device needs no note
        note_ = std::string("the CPU takes over: ") + error.what();
      }
      begin(BackendKind::cpu,
            fmt::format("{} would finish first, but cannot be used: {}", backend_entry(*chosen_).title, error.what()));
      backend_ = pending_.get();
    }
  }
  return *backend_;
}

Backend& BackendSource::other() {
  if (other_ == nullptr) {
    other_ = make(counterpart(get().kind(), options_), options_, images_);
  }
  return *other_;
}

Backend& BackendSource::cpu() {
  for (Backend* made : {backend_.get(), other_.get()}) {
    if (made != nullptr && made->kind() == BackendKind::cpu) {
      return *made;
    }
  }
  if (counterpart(get().kind(), options_) == BackendKind::cpu) {
    return other();
  }
  if (cpu_ == nullptr) {
    cpu_ = make(BackendKind::cpu, options_, images_);
  }
  return *cpu_;
}

}  // namespace gpuimg
