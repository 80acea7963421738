// The entry point of the gpuimg program.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "cli/command_line.hpp"
#include "cli/messages.hpp"
#include "commands/commands.hpp"
#include "io/temporary_file.hpp"

namespace hwy::platform {

/// libhwy 1.0 measures the resolution of its timer whenever a process loads it, although only benchmarks need it. This
/// takes 2 to 4 ms, as much as everything else before main(). This definition replaces the library's function, because
/// symbols of the program take precedence.
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform

namespace {

/// Replaces each closed standard stream by a descriptor on which the stream's reads or writes fail. Otherwise the next
/// opened file would get the number of the stream, and messages would be written into that file.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

/// oneTBB calls std::terminate if it has no memory to start a task or to pass an exception to its caller. This handler
/// then removes temporary files and reports that memory ran out.
[[noreturn]] void end_without_memory() noexcept {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) {
      std::rethrow_exception(thrown);
    }
  } catch (const std::bad_alloc&) {
    gpuimg::remove_registered_temporaries();
    gpuimg::print_out_of_memory();
    ::_exit(static_cast<int>(gpuimg::ExitCode::out_of_memory));
  } catch (...) {
  }
  std::abort();
}

gpuimg::ExitCode run(int argc, char** argv) {
  try {
    try {
      gpuimg::CommandLine line(gpuimg::all_commands(), gpuimg::version_text);
      const std::optional<gpuimg::ExitCode> ended = line.parse(argc, argv);
      return ended ? *ended : line.run();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& failure) {
      gpuimg::print_error(std::string("internal error: ") + failure.what() +
                          "; please report it with the command line");
      return gpuimg::ExitCode::internal;
    }
  } catch (const std::bad_alloc&) {  // in the run, or while reporting its error
    gpuimg::print_out_of_memory();
    return gpuimg::ExitCode::out_of_memory;
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Ignored so that a file-size limit or a closed pipe makes write() fail, which is reported like any other error.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  hold_closed_streams();
  std::set_terminate(end_without_memory);
  return static_cast<int>(run(argc, argv));
}
