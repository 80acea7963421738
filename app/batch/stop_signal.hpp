// SIGINT, SIGTERM and SIGHUP. In a run over many files the first signal asks to finish what is in flight, and the
// second ends the process at once, without partial files. With one file the first does. docs/batch.md, "Interruption".
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "cli/exit_code.hpp"

namespace gpuimg {

/// While it lives, the signals come to a thread of its own. Threads that are started meanwhile do not see them; those
/// that ran before must not exist. The signals stay blocked for the rest of the process. A signal that the process was
/// told to ignore (nohup) stays ignored.
class StopSignal {
 public:
  /// `on_first` is called once, on that thread. Without it the first signal removes temporary files and ends the
  /// process as if it had not been caught; where no thread can be had for that, it ends the process alone. With it a
  /// want of descriptors throws Error{read}.
  explicit StopSignal(std::function<void()> on_first);
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  [[nodiscard]] bool requested() const { return signal_ != 0; }

  /// interrupted (SIGINT) or stopped_early (SIGTERM, SIGHUP), if a signal came.
  [[nodiscard]] std::optional<ExitCode> exit_code() const;

 private:
  void watch(int signals);

  std::function<void()> on_first_;
  std::atomic<int> signal_ = 0;
  int wake_ = -1;  ///< an eventfd that ends the thread
  std::thread watcher_;
};

}  // namespace gpuimg
