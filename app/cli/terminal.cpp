// Reads isatty, TIOCGWINSZ, TERM, NO_COLOR and the locale.
#include "cli/terminal.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace gpuimg {
namespace {

std::string_view environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// Queries the locale without setlocale, which would change the C library for the whole process.
bool locale_is_utf8() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", locale_t{});
  if (locale == locale_t{}) {
    return false;  // not installed: the C library itself falls back to ASCII
  }
  const bool is_utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return is_utf8;
}

}  // namespace

Terminal terminal_at(int descriptor) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(descriptor) == 1;
  const std::string_view type = environment("TERM");
  terminal.escapes = terminal.is_terminal && !type.empty() && type != "dumb";
  terminal.color = terminal.escapes && environment("NO_COLOR").empty();
  terminal.utf8 = locale_is_utf8();
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.columns = size.ws_col;
    terminal.rows = size.ws_row > 0 ? size.ws_row : terminal.rows;
  }
  return terminal;
}

}  // namespace gpuimg
