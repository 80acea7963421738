// Handles SIGINT, SIGTERM and SIGHUP. In a batch, the first signal lets the images in flight finish; the second one
// ends the process immediately, without partial files. For a single file, the first signal ends the process.
// docs/batch.md, "Interruption".
// If the process also runs other code, SharedSignals keeps the first signal from ending the process.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "cli/exit_code.hpp"

namespace gpuimg {

/// While this object exists, its own thread receives the signals. Construct it before any other thread starts, so that
/// all threads inherit the mask of blocked signals. The signals stay blocked until the process ends. A signal that was
/// ignored at startup (nohup) stays ignored.
///
/// While a SharedSignals object exists, a StopSignal neither blocks signals nor ends the process. Code that writes a
/// single file must then call requested() before it writes.
class StopSignal {
 public:
  /// `on_first` is called once, on the watching thread. If `on_first` is empty, the first signal removes temporary
  /// files and ends the process as an uncaught signal would; if the thread cannot be started, the signal keeps its
  /// default action. If `on_first` is set, throws Error{read} when no descriptor is available.
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

/// For a process that also runs other code, such as Python. While an object exists, handlers record the signals that
/// any thread of the process receives. Every StopSignal gets the first signal. The second signal ends the process
/// immediately, without partial files. The destructor of the last object restores the previous handlers, unless they
/// were replaced in the meantime, and sends the recorded signals to the process again. Ignored signals stay ignored.
/// Thread-safe.
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
