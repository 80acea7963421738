// Where backends come from: which one the options and the work ask for, and the making of it, which for CUDA runs on a
// thread of its own while files are read and decoded.
#pragma once

#include <cstddef>
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
  /// Begins to make the backend where the options name one. Never throws for want of a device: get() does.
  explicit BackendSource(const GlobalOptions& options);

  /// Tells `auto` how much there is to do, as soon as that is known; it then begins to make the backend that is
  /// expected to finish first. Has no effect on a backend named by the options, or on a second call.
  void expect_pixels(std::size_t pixels);

  /// The backend; waits until it is made. Throws Error{backend_unavailable} when `cuda` is asked for and cannot be had.
  Backend& get();

  /// The backend if get() has made it, else nullptr.
  [[nodiscard]] Backend* made() const { return backend_.get(); }

  /// The backend that get() is not, for comparison. Throws Error{backend_unavailable}.
  Backend& other();

  /// One sentence on what was chosen and why.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// What to tell of a device that is there and failed to start; empty the second time, and where there is nothing.
  [[nodiscard]] std::string take_note() { return std::exchange(note_, {}); }

 private:
  void begin(BackendKind kind, std::string reason);

  GlobalOptions options_;
  std::optional<BackendKind> chosen_;  ///< nullopt until begin()
  std::string reason_;
  std::string note_;
  std::future<std::unique_ptr<Backend>> pending_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Backend> other_;
};

}  // namespace gpuimg
