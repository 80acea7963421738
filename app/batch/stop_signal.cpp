// A thread that waits on a signalfd: unlike a signal handler it may take locks and remove files.
#include "batch/stop_signal.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "files/live_temporaries.hpp"

namespace gpuimg {
namespace {

ExitCode code_of(int signal) { return signal == SIGINT ? ExitCode::interrupted : ExitCode::stopped_early; }

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&signals, signal);
    }
  }
  return signals;
}

}  // namespace

StopSignal::StopSignal(std::function<void()> on_first) : on_first_(std::move(on_first)) {
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  const int pending = ::signalfd(-1, &signals, SFD_CLOEXEC);
  watcher_ = std::thread([this, pending] { watch(pending); });
}

StopSignal::~StopSignal() {
  const std::uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
  watcher_.join();
  ::close(wake_);
  // The signals stay blocked: one more, now that all is written, must not take the place of the exit code.
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
    if (signal_.exchange(signal) != 0) {
      remove_live_temporaries();
      ::_exit(static_cast<int>(code_of(signal)));
    }
    on_first_();
  }
  ::close(signals);
}

}  // namespace gpuimg
