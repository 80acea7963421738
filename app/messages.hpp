// Lines for people, on stderr, made printable. Data goes to stdout, never through here. A stderr that cannot be written
// is no error.
#pragma once

#include <string>
#include <string_view>

namespace gpuimg {

enum class Verbosity { quiet, normal, verbose };

/// "gpuimg: error: …"; always printed. Where there is no memory left to make the line, that is what is said.
void print_error(std::string_view message) noexcept;

/// The error of a want of memory; takes none.
void print_out_of_memory() noexcept;

/// "gpuimg: note: …"; not printed when quiet.
void print_note(Verbosity verbosity, const std::string& message);

/// "gpuimg: …"; printed when verbose.
void print_detail(Verbosity verbosity, const std::string& message);

/// The line that print_note (normal) or print_detail (verbose) prints.
std::string message_line(Verbosity least, const std::string& message);

/// Text of several lines that is printable already, whatever the verbosity.
void print_report(const std::string& text);

/// True if standard output is a terminal; likewise standard error.
bool stdout_is_terminal();
bool stderr_is_terminal();

/// True if TERM says that the terminal cannot move its cursor: "dumb", or nothing.
bool terminal_is_dumb();

/// True if colour may be sent to standard output: a terminal, and NO_COLOR is not set.
bool stdout_wants_color();

/// Columns of the terminal at standard output; 80 where there is none.
int terminal_columns();

/// The same of the terminal at standard error.
int stderr_columns();

}  // namespace gpuimg
