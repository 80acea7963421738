// Reports a finding and aborts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace gpuimg::fuzz {

/// Prints the message and aborts, so that libFuzzer saves the input.
[[noreturn]] inline void report(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

inline void demand(bool holds, const char* what) {
  if (!holds) {
    report(what);
  }
}

}  // namespace gpuimg::fuzz
