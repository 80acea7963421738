// Chooses the backend from the options and the amount of work, and creates it. A CUDA backend is created on a separate
// thread while files are read and decoded.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/global_options.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

class BackendSource {
 public:
  enum class Images { one, many };

  /// Starts creating the backend if the options name one. Does not throw if a device is missing: get() does.
  explicit BackendSource(const GlobalOptions& options, Images images = Images::one);

  /// Call as soon as the image's size is known: `auto` then starts creating the backend that it expects to finish
  /// first. No effect on a backend named by the options, or on a second call.
  void expect_image(std::uint64_t pixels, bool suits_backends);

  /// True if get() is expected to return a backend with memory of its own.
  [[nodiscard]] bool expects_device() const;

  /// Waits until the backend exists. Throws Error{backend_unavailable} if the options name one that is not available.
  Backend& get();

  /// The backend, or nullptr before get().
  [[nodiscard]] Backend* made() const { return backend_.get(); }

  /// Another backend than get() returns, for comparison. Throws Error{backend_unavailable}.
  Backend& other();

  /// One sentence: what was chosen and why.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// A note about a device that exists but failed to start. Empty if there is none, and on the second call.
  [[nodiscard]] std::string take_note() { return std::exchange(note_, {}); }

 private:
  void begin(BackendKind kind, std::string reason);

  GlobalOptions options_;
  Images images_;
  std::optional<BackendKind> chosen_;  ///< nullopt until begin()
  std::string reason_;
  std::string note_;
  std::future<std::unique_ptr<Backend>> pending_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Backend> other_;
};

}  // namespace gpuimg
