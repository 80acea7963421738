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

/// "gpuimg: note: --option has no effect: why", if `applies`.
void note_no_effect(bool applies, const char* option, const std::string& why, Verbosity verbosity);

/// "gpuimg: …"; printed when verbose.
void print_detail(Verbosity verbosity, const std::string& message);

/// The line that print_note (normal) or print_detail (verbose) prints.
std::string message_line(Verbosity least, const std::string& message);

/// Text of several lines that is printable already, whatever the verbosity.
void print_report(const std::string& text);

}  // namespace gpuimg
