// Formats and prints messages; asks the kernel, the environment (TERM, NO_COLOR) and the locale what a terminal can
// show.
#include "cli/messages.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "gpuimg/error.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

std::string line(const char* kind, std::string_view message) {
  return fmt::format("gpuimg: {}{}\n", kind, printable_name(message));
}

/// Does not throw if memory runs out: a message that cannot be printed must not stop the work.
void print_line(const char* kind, const std::string& message) {
  try {
    print_report(line(kind, message));
  } catch (const std::bad_alloc&) {
  }
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
  constexpr const char* kLine = "gpuimg: error: out of memory; use a smaller image or a machine with more memory\n";
  try {
    print_report(kLine);
  } catch (const std::bad_alloc&) {  // from a captured stream
    std::fputs(kLine, stderr);
  }
}

void print_note(Verbosity verbosity, const std::string& message) {
  if (verbosity != Verbosity::quiet) {
    print_line("note: ", message);
  }
}

void note_no_effect(bool applies, const char* option, const std::string& why, Verbosity verbosity) {
  if (applies) {
    print_note(verbosity, std::string(option) + " has no effect: " + why);
  }
}

void reject_together(bool both, std::string_view first, std::string_view second) {
  if (both) {
    throw Error(ErrorKind::usage, fmt::format("{} cannot be combined with {}; give only one of them", first, second));
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

void print_report(const char* text) {
  if (CapturedStreams* captured = captured_streams()) {
    const std::lock_guard lock(captured->mutex);
    captured->messages += text;
  } else {
    std::fputs(text, stderr);
  }
}

namespace {

std::string_view environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// Queries the locale without setlocale, which would change the C library for the whole process.
bool locale_is_utf8() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", locale_t{});
  if (locale == locale_t{}) {
    return false;  // locale not installed: the C library also falls back to ASCII
  }
  const bool is_utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return is_utf8;
}

}  // namespace

Terminal terminal_at(int descriptor) {
  Terminal terminal;
  terminal.utf8 = locale_is_utf8();
  if (captured_streams() != nullptr) {
    return terminal;
  }
  terminal.is_terminal = ::isatty(descriptor) == 1;
  const std::string_view type = environment("TERM");
  terminal.escapes = terminal.is_terminal && !type.empty() && type != "dumb";
  terminal.color = terminal.escapes && environment("NO_COLOR").empty();
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.columns = size.ws_col;
    terminal.rows = size.ws_row > 0 ? size.ws_row : terminal.rows;
  }
  return terminal;
}

}  // namespace gpuimg
