// SIGINT, SIGTERM and SIGHUP. In a batch, the first signal finishes the items in flight; the second ends the process at
// once, without partial files. For a single file, the first one ends the process. docs/batch.md, "Interruption".
// In a process that is not gpuimg's alone, SharedSignals prevents that for the first one.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "cli/exit_code.hpp"

namespace gpuimg {

/// While this object exists, its own thread receives the signals. Construct it before any other thread: later threads
/// inherit the blocked mask. The signals stay blocked for the rest of the process. A signal that was ignored at startup
/// (nohup) stays ignored.
///
/// While SharedSignals exist, it neither blocks signals nor ends the process; a single file must then ask requested()
/// before it is written.
class StopSignal {
 public:
  /// `on_first` is called once, on the watching thread. Without it, the first signal removes temporary files and ends
  /// the process as if it had not been caught; if that thread cannot be started, the signal keeps its default action.
  /// With it, throws Error{read} if no descriptor is available.
  explicit StopSignal(std::function<void()> on_first);
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  [[nodiscard]] bool requested() const { return signal_ != 0; }

  /// interrupted (SIGINT) or stopped_early (SIGTERM, SIGHUP), if a signal arrived.
  [[nodiscard]] std::optional<ExitCode> exit_code() const;

 private:
  void watch(int signals);
  void watch_shared(int arrival);

  std::function<void()> on_first_;
  std::atomic<int> signal_ = 0;
  int wake_ = -1;  ///< eventfd that ends the thread
  std::thread watcher_;
};

/// For a process that also runs other code, such as Python. While an object exists, handlers note the signals that any
/// thread of the process receives; every StopSignal gets the first one, and the second one ends the process at once,
/// without partial files. The destructor of the last object restores the former handlers, unless they were replaced
/// meanwhile, and sends the signals to the process again. Ignored signals stay ignored. Thread-safe.
class SharedSignals {
 public:
  /// Throws Error{read} if no descriptor is available.
  SharedSignals();
  SharedSignals(const SharedSignals&) = delete;
  SharedSignals& operator=(const SharedSignals&) = delete;
  ~SharedSignals();
};

[[nodiscard]] bool are_signals_shared();

}  // namespace gpuimg
