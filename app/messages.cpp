// Lines for people, and what the terminal can show.
#include "messages.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "files/printable_name.hpp"

namespace gpuimg {

namespace {

std::string line(const char* kind, std::string_view message) {
  return fmt::format("gpuimg: {}{}\n", kind, printable_name(message));
}

/// Neither a closed or full standard error nor want of memory stops the work it would tell of.
void print_line(const char* kind, const std::string& message) {
  try {
    print_report(line(kind, message));
  } catch (const std::bad_alloc&) {
  }
}

int columns_at(int stream) {
  winsize size{};
  const bool known = ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

void print_error(std::string_view message) noexcept {
  try {
    print_report(line("error: ", message));
  } catch (const std::bad_alloc&) {
    print_out_of_memory();
  }
}

void print_out_of_memory() noexcept {
  std::fputs("gpuimg: error: out of memory; use a smaller image or a machine with more memory\n", stderr);
}

void print_note(Verbosity verbosity, const std::string& message) {
  if (verbosity != Verbosity::quiet) {
    print_line("note: ", message);
  }
}

void print_detail(Verbosity verbosity, const std::string& message) {
  if (verbosity == Verbosity::verbose) {
    print_line("", message);
  }
}

std::string message_line(Verbosity least, const std::string& message) {
  return line(least == Verbosity::normal ? "note: " : "", message);
}

void print_report(const std::string& text) { std::fputs(text.c_str(), stderr); }

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

bool terminal_is_dumb() {
  const char* kind = std::getenv("TERM");
  return kind == nullptr || *kind == '\0' || std::string_view(kind) == "dumb";
}

bool stdout_wants_color() {
  const char* no_color = std::getenv("NO_COLOR");
  return stdout_is_terminal() && (no_color == nullptr || *no_color == '\0');
}

int terminal_columns() { return columns_at(STDOUT_FILENO); }

int stderr_columns() { return columns_at(STDERR_FILENO); }

}  // namespace gpuimg
