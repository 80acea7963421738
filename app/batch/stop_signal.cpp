// Waits on a signalfd in a separate thread. Unlike a signal handler, this thread may take locks and remove files.
#include "batch/stop_signal.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gpuimg/error.hpp"
#include "io/temporary_file.hpp"

namespace gpuimg {
namespace {

ExitCode code_of(int signal) { return signal == SIGINT ? ExitCode::interrupted : ExitCode::stopped_early; }

/// The stop signals that are not ignored.
std::vector<int> stop_signal_numbers() {
  std::vector<int> numbers;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      numbers.push_back(signal);
    }
  }
  return numbers;
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : stop_signal_numbers()) {
    sigaddset(&signals, signal);
  }
  return signals;
}

[[noreturn]] void reject_to_wait(const std::string& why) {
  throw Error(ErrorKind::read, "cannot wait for signals: " + why + "; raise the limit on open files (ulimit -n)");
}

// State that the signal handler of SharedSignals uses.
std::atomic<int> shared_signal = 0;             ///< the first signal that arrived
std::atomic<std::uint32_t> shared_signals = 0;  ///< one bit for each signal that has arrived
std::atomic<int> shared_arrival = -1;  ///< eventfd, readable after the first signal; -1: signals are not shared
std::atomic<int> shared_second = -1;   ///< eventfd, readable after the second signal
std::atomic<pid_t> shared_process = 0;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

/// The handler of SharedSignals. In a forked process, no thread waits for signals, so the signal has its default
/// action.
void note_shared(int signal) {
  const int error = errno;
  if (::getpid() != shared_process) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  } else {
    int none = 0;
    const bool is_first = shared_signal.compare_exchange_strong(none, signal);
    shared_signals |= 1U << signal;
    const std::uint64_t one = 1;
    if (const int arrival = is_first ? shared_arrival : shared_second; arrival >= 0) {
      (void)!::write(arrival, &one, sizeof one);
    }
  }
  errno = error;
}

struct SharedHandlers {
  struct Before {
    int signal;
    struct sigaction action;
  };

  std::mutex mutex;
  int users = 0;
  std::vector<Before> before;
  std::thread watcher;  ///< waits for the second signal
  int wake = -1;        ///< eventfd that ends the watcher
};

SharedHandlers& shared_handlers() {
  static auto* const one = new SharedHandlers;  // never destroyed: the process can end while a run continues
  return *one;
}

/// Creates an eventfd or empties the existing one. It stays open, because a handler that is still running can write to
/// it.
int emptied_event(int event) {
  if (event < 0) {
    event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0) {
      reject_to_wait(std::strerror(errno));
    }
  }
  std::uint64_t former = 0;
  (void)!::read(event, &former, sizeof former);
  return event;
}

/// After the second signal, ends the process immediately, without leaving partial files.
void watch_second(int wake, int second) {
  pollfd waiting[] = {{wake, POLLIN, 0}, {second, POLLIN, 0}};
  while (::poll(waiting, 2, -1) < 0 || waiting[0].revents == 0) {
    if (waiting[1].revents != 0) {
      remove_registered_temporaries();
      ::_exit(static_cast<int>(code_of(shared_signal)));
    }
  }
}

/// Starts the watcher. If descriptors or threads are lacking, a second signal has no effect.
void start_watching(SharedHandlers& handlers) {
  handlers.wake = ::eventfd(0, EFD_CLOEXEC);
  try {
    if (handlers.wake >= 0) {
      handlers.watcher = std::thread(watch_second, handlers.wake, shared_second.load());
    }
  } catch (const std::system_error&) {
  }
}

void end_watching(SharedHandlers& handlers) {
  if (handlers.watcher.joinable()) {
    const std::uint64_t one = 1;
    (void)!::write(handlers.wake, &one, sizeof one);
    handlers.watcher.join();
  }
  ::close(handlers.wake);
}

/// Ends the process by the signal itself, so that a loop in the calling shell also ends.
void end_by(int signal) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  ::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace

StopSignal::StopSignal(std::function<void()> on_first) : on_first_(std::move(on_first)) {
  if (are_signals_shared()) {
    wake_ = ::eventfd(0, EFD_CLOEXEC);
    if (wake_ < 0) {
      reject_to_wait(std::strerror(errno));
    }
    watcher_ = std::thread([this] { watch_shared(shared_arrival); });
    return;
  }
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  const int pending = ::signalfd(-1, &signals, SFD_CLOEXEC);
  const auto go_without = [&] {
    ::close(pending);
    ::close(wake_);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  };
  if (wake_ < 0 || pending < 0) {
    const std::string why = std::strerror(errno);
    go_without();
    if (on_first_ != nullptr) {
      reject_to_wait(why);
    }
    return;
  }
  try {
    watcher_ = std::thread([this, pending] { watch(pending); });
  } catch (const std::system_error&) {
    go_without();
    if (on_first_ != nullptr) {
      throw;
    }
  }
}

StopSignal::~StopSignal() {
  if (!watcher_.joinable()) {
    return;
  }
  const std::uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
  watcher_.join();
  ::close(wake_);
  // The signals stay blocked, because a late signal must not replace the exit code.
}

std::optional<ExitCode> StopSignal::exit_code() const {
  const int signal = signal_;
  return signal == 0 ? std::nullopt : std::optional(code_of(signal));
}

void StopSignal::watch(int signals) {
  for (;;) {
    pollfd waiting[] = {{signals, POLLIN, 0}, {wake_, POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0) {
      continue;
    }
    if (waiting[1].revents != 0) {
      break;
    }
    signalfd_siginfo received{};
    if (::read(signals, &received, sizeof received) != static_cast<ssize_t>(sizeof received)) {
      continue;
    }
    const auto signal = static_cast<int>(received.ssi_signo);
    const bool is_first = signal_.exchange(signal) == 0;
    if (!is_first || on_first_ == nullptr) {
      remove_registered_temporaries();
      if (is_first) {
        end_by(signal);
      }
      ::_exit(static_cast<int>(code_of(signal)));
    }
    try {
      on_first_();
    } catch (const std::bad_alloc&) {  // the run stops anyway
    }
  }
  ::close(signals);
}

void StopSignal::watch_shared(int arrival) {
  pollfd waiting[] = {{wake_, POLLIN, 0}, {arrival, POLLIN, 0}};
  while (::poll(waiting, signal_ == 0 ? 2 : 1, -1) < 0 || waiting[0].revents == 0) {
    if (signal_ == 0 && waiting[1].revents != 0) {
      signal_ = shared_signal.load();
      try {
        if (on_first_ != nullptr && signal_ != 0) {
          on_first_();
        }
      } catch (const std::bad_alloc&) {  // the run stops anyway
      }
    }
  }
}

SharedSignals::SharedSignals() {
  SharedHandlers& handlers = shared_handlers();
  const std::lock_guard lock(handlers.mutex);
  if (handlers.users == 0) {
    static int arrival = -1, second = -1;
    static pid_t owner = 0;
    if (std::exchange(owner, ::getpid()) != ::getpid()) {
      arrival = second = -1;  // the eventfds of the parent process belong to the parent
    }
    arrival = emptied_event(arrival);
    second = emptied_event(second);
    handlers.before.clear();
    // Allocates now, so that no exception can occur after start_watching() has started its thread.
    handlers.before.reserve(stop_signal_numbers().size());
    shared_signal = 0;
    shared_signals = 0;
    shared_process = ::getpid();
    shared_arrival = arrival;
    shared_second = second;
    start_watching(handlers);
    struct sigaction noting {};
    noting.sa_handler = note_shared;
    noting.sa_flags = SA_RESTART;
    for (const int signal : stop_signal_numbers()) {
      handlers.before.push_back({signal, {}});
      ::sigaction(signal, &noting, &handlers.before.back().action);
    }
  }
  ++handlers.users;
}

SharedSignals::~SharedSignals() {
  SharedHandlers& handlers = shared_handlers();
  const std::lock_guard lock(handlers.mutex);
  if (--handlers.users > 0) {
    return;
  }
  end_watching(handlers);
  for (const SharedHandlers::Before& before : handlers.before) {
    struct sigaction now {};
    if (::sigaction(before.signal, nullptr, &now) == 0 && now.sa_handler == note_shared) {
      ::sigaction(before.signal, &before.action, nullptr);
    }
  }
  shared_arrival = -1;
  const std::uint32_t arrived = shared_signals;
  for (const SharedHandlers::Before& before : handlers.before) {
    if ((arrived >> before.signal & 1U) != 0) {
      ::kill(::getpid(), before.signal);  // also reaches a thread that is waiting for the signal
    }
  }
}

bool are_signals_shared() { return shared_arrival >= 0; }

}  // namespace gpuimg
