// Starts, waits for and falls back between backends.
#include "engine/backend_source.hpp"

#include <fmt/format.h>

#include <utility>

#include "backends/backends.hpp"
#include "engine/backend_choice.hpp"

namespace gpuimg {
namespace {

std::unique_ptr<Backend> make(BackendKind kind, const GlobalOptions& options, BackendSource::Images images) {
  std::unique_ptr<Backend> backend = backend_entry(kind).make({options.device, options.threads});
  if (images == BackendSource::Images::many) {
    backend->expect_many_images();
  }
  return backend;
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

BackendSource::BackendSource(const GlobalOptions& options, Images images) : options_(options), images_(images) {
  if (options_.backend) {
    begin(*options_.backend, "asked for");
  } else if (std::string why = why_only_one(options_); !why.empty()) {
    begin(candidates(options_).front()->kind, std::move(why));
  }
}

void BackendSource::expect_image(std::uint64_t pixels, bool suits_backends) {
  if (chosen_) {
    return;
  }
  const std::vector<BackendEstimate> expected = estimates(
      options_,
      {.pixels = pixels, .suits_backends = suits_backends, .threads = options_.threads, .cost = options_.cost});
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
      begin(*chosen_, reason_);  // not available for an earlier image
    }
    try {
      backend_ = pending_.get();
    } catch (const Error& error) {
      if (!options_.can_use_cpu || chosen_ == BackendKind::cpu) {
        throw;
      }
      if (error.kind() != ErrorKind::backend_unavailable) {  // a missing device is no surprise
        note_ = std::string("the CPU takes over: ") + error.what();
      }
      begin(BackendKind::cpu,
            fmt::format("{} would finish first, but: {}", backend_entry(*chosen_).title, error.what()));
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

}  // namespace gpuimg
