// What a stream can show, from the kernel, the environment and the locale. docs/cli.md, "Terminals".
#pragma once

namespace gpuimg {

struct Terminal {
  bool is_terminal = false;
  bool escapes = false;  ///< understands ANSI escapes: a terminal, and TERM is set and not "dumb"
  bool color = false;    ///< escapes, and NO_COLOR is unset or empty
  bool utf8 = false;     ///< the locale (LC_ALL, LC_CTYPE, LANG) is UTF-8; set for files and pipes too
  int columns = 80;      ///< width; 80 if unknown
  int rows = 24;         ///< height; 24 if unknown
};

/// What `descriptor` writes to, as it is now: the width changes with the window.
Terminal terminal_at(int descriptor);

}  // namespace gpuimg
