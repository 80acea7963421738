// Formats and prints messages.
#include "cli/messages.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

namespace {

std::string line(const char* kind, std::string_view message) {
  return fmt::format("gpuimg: {}{}\n", kind, printable_name(message));
}

/// Throws nothing when memory runs out: a message that cannot be printed must not stop the work.
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
  std::fputs("gpuimg: error: out of memory; use a smaller image or a machine with more memory\n", stderr);
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

void refuse_together(bool both, std::string_view first, std::string_view second) {
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

void print_report(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace gpuimg
