// Waits on a signalfd in a thread, which may take locks and remove files, unlike a signal handler.
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
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/temporary_file.hpp"

namespace gpuimg {
namespace {

ExitCode code_of(int signal) { return signal == SIGINT ? ExitCode::interrupted : ExitCode::stopped_early; }

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&signals, signal);
    }
  }
  return signals;
}

/// Ends the process by the signal itself, so that a calling shell's loop ends too.
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
      throw Error(ErrorKind::read, "cannot wait for signals: " + why + "; raise the limit on open files (ulimit -n)");
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
  // The signals stay blocked: a late signal must not replace the exit code.
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

}  // namespace gpuimg
