// Determines which backends may run an operation, lets `--backend auto` choose the one that is expected to finish
// first, and creates the chosen backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "cli/global_options.hpp"
#include "gpuimg/backend.hpp"
#include "gpuimg/error.hpp"
#include "operations/operation_traits.hpp"

namespace gpuimg {

/// Adds to the options the operations of a run, which run one after another, and the backends that may be chosen for
/// them. A backend named by --backend must have all operations. `auto` may also choose a backend that lacks some, if
/// the CPU has these: they then run on the CPU. Throws Error{usage} if no backend may be chosen, or if --verify has
/// nothing to compare with.
GlobalOptions options_for(std::span<const OperationTraits> operations, GlobalOptions options);

/// The backends that `auto` chooses among, in the order of backends(): those that are built in and may be chosen. If
/// there are none, the first that may be chosen: creating it reports what is missing.
std::vector<const BackendEntry*> candidates(const GlobalOptions& options);

/// The reason why there is only one candidate, such as "built without CUDA". Empty if there are several.
std::string why_only_one(const GlobalOptions& options);

/// The backend to verify `kind` against: the CPU, or, for the CPU, another candidate.
BackendKind counterpart(BackendKind kind, const GlobalOptions& options);

struct BackendEstimate {
  const BackendEntry* backend;
  double ms;  ///< including the backend's start-up
};

/// One estimate per candidate: the summed cost of options.operations, including operations that the CPU runs instead
/// and the transfers for them. The cost in `work` is not used.
std::vector<BackendEstimate> estimates(const GlobalOptions& options, const Workload& work);

/// The fastest backend; the first one on a tie.
const BackendEntry& fastest(const std::vector<BackendEstimate>& estimates);

/// The reason why no candidate other than `chosen` can be available, such as "there is no CUDA device". Empty if
/// another candidate may be available. Does not touch the driver.
std::string why_no_rival(const std::vector<BackendEstimate>& estimates, const BackendEntry& chosen);

/// Keeps idle backends for the next command line of a process: the 64 most recently used. Thread-safe.
class BackendStore {
 public:
  /// A backend that was kept, or null.
  std::unique_ptr<Backend> take(BackendKind kind, const BackendOptions& options);
  void keep(std::unique_ptr<Backend> backend, const BackendOptions& options);

 private:
  struct Kept {
    std::unique_ptr<Backend> backend;
    BackendOptions options;
  };

  std::mutex mutex_;
  std::vector<Kept> kept_;
};

/// Chooses the backend from the options and the amount of work, and creates it. A CUDA backend is created on a separate
/// thread while files are read and decoded.
class BackendSource {
 public:
  enum class Images { one, many };

  /// Starts creating the backend if the options name one. Does not throw if a device is missing: get() does.
  explicit BackendSource(const GlobalOptions& options, Images images = Images::one);
  BackendSource(const BackendSource&) = delete;
  BackendSource& operator=(const BackendSource&) = delete;
  /// Keeps the backends for the next command line, if one may follow and no backend has failed.
  ~BackendSource();

  /// Call as soon as the image's size is known: `auto` then starts creating the backend that it expects to finish
  /// first. `decoding_ms` as in Workload. No effect on a backend named by the options, or on a second call.
  void expect_image(std::uint64_t pixels, double decoding_ms);

  /// True if get() is expected to return a backend with memory of its own.
  [[nodiscard]] bool expects_device() const;

  /// Waits until the backend exists. Throws Error{backend_unavailable} if the options name one that is not available.
  Backend& get();

  /// The backend, or nullptr before get().
  [[nodiscard]] Backend* made() const { return backend_.get(); }

  /// Runs work(), which uses the backends. After an exception that a backend may have caused, no backend is kept for
  /// the next command line.
  template <class Work>
  auto guarded(const Work& work) {
    try {
      return work();
    } catch (const Error& error) {
      distrust(error.kind());
      throw;
    } catch (...) {
      distrust(std::nullopt);
      throw;
    }
  }

  /// A backend other than the one that get() returns, for comparison. Throws Error{backend_unavailable}.
  Backend& other();

  /// The CPU's backend: shared with get() or other() if one of them returns the CPU's.
  Backend& cpu();

  /// One sentence: what was chosen and why.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// A note about a device that exists but failed to start. Empty if there is none, and on the second call.
  [[nodiscard]] std::string take_note() { return std::exchange(note_, {}); }

 private:
  void begin(BackendKind kind, std::string reason);
  /// `kind` is that of the exception; nullopt if the exception is not an Error.
  void distrust(std::optional<ErrorKind> kind);

  GlobalOptions options_;
  Images images_;
  std::optional<BackendKind> chosen_;  ///< nullopt until begin()
  std::string reason_;
  std::string note_;
  std::future<std::unique_ptr<Backend>> pending_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Backend> other_;
  std::unique_ptr<Backend> cpu_;  ///< null if one of the two above is the CPU's
  bool has_failed_ = false;       ///< true if one of these backends has failed
};

}  // namespace gpuimg
