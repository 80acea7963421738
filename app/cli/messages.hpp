// Messages to the user, and the capabilities of the terminal. Messages go to stderr, or to a StreamCapture, with
// control characters escaped; results go to stdout. Failures to write to stderr are ignored. docs/cli.md, "Terminals".
#pragma once

#include <string>
#include <string_view>

namespace gpuimg {

enum class Verbosity { quiet, normal, verbose };

/// "gpuimg: error: …"; always printed. Prints the out-of-memory message if there is no memory to format the line.
void print_error(std::string_view message) noexcept;

/// The out-of-memory error; does not allocate.
void print_out_of_memory() noexcept;

/// "gpuimg: note: …"; not printed when quiet.
void print_note(Verbosity verbosity, const std::string& message);

/// "gpuimg: note: --option has no effect: why", if `applies`.
void note_no_effect(bool applies, const char* option, const std::string& why, Verbosity verbosity);

/// Throws Error{usage} if `both` is true: the two options contradict each other.
void reject_together(bool both, std::string_view first, std::string_view second);

/// "gpuimg: …"; printed when verbose.
void print_detail(Verbosity verbosity, const std::string& message);

/// The line that print_note (`least` is normal) or print_detail (verbose) prints.
std::string message_line(Verbosity least, const std::string& message);

/// Prints text of several lines as it is, at any verbosity.
void print_report(const char* text);
inline void print_report(const std::string& text) { print_report(text.c_str()); }

/// The capabilities of a stream.
struct Terminal {
  bool is_terminal = false;
  bool escapes = false;  ///< understands ANSI escapes: a terminal, and TERM is set and not "dumb"
  bool color = false;    ///< escapes, and NO_COLOR is unset or empty
  bool utf8 = false;     ///< the locale (LC_ALL, LC_CTYPE, LANG) is UTF-8; set for files and pipes too
  int columns = 80;      ///< width; 80 if unknown
  int rows = 24;         ///< height; 24 if unknown
};

/// The terminal of `descriptor` at this moment; the width changes with the window.
Terminal terminal_at(int descriptor);

}  // namespace gpuimg
