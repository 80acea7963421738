// gpuimg: histograms, equalization, integral images and HSL of images.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>

#include "command_line.hpp"
#include "messages.hpp"

int main(int argc, char** argv) {
  // A full file-size limit and a closed pipe are errors of the write call then, reported like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  hold_closed_streams();
  try {
    return static_cast<int>(gpuimg::run_command_line(argc, argv));
  } catch (const std::exception& failure) {
    gpuimg::print_error(std::string("internal error: ") + failure.what() + "; please report it with the command line");
    return static_cast<int>(gpuimg::ExitCode::internal);
  }
}
