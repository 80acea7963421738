// gpuimg: histograms, equalization, integral images and HSL of images.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "cli/command_line.hpp"
#include "cli/messages.hpp"
#include "io/temp_registry.hpp"

namespace {

/// A standard stream that is closed gets a descriptor that cannot be used for it, so that no file opened later takes
/// its number and receives what is meant for people.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

/// oneTBB ends the process where it has no memory to begin a thread's work or to carry an exception to its caller.
[[noreturn]] void end_without_memory() noexcept {
  try {
    if (std::current_exception() != nullptr) {
      throw;
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
      return gpuimg::run_command_line(argc, argv);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& failure) {
      gpuimg::print_error(std::string("internal error: ") + failure.what() +
                          "; please report it with the command line");
      return gpuimg::ExitCode::internal;
    }
  } catch (const std::bad_alloc&) {  // of the run, or of the report of what went wrong in it
    gpuimg::print_out_of_memory();
    return gpuimg::ExitCode::out_of_memory;
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A full file-size limit and a closed pipe are errors of the write call then, reported like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  hold_closed_streams();
  std::set_terminate(end_without_memory);
  return static_cast<int>(run(argc, argv));
}
