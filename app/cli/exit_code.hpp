// The exit codes of the process. docs/cli.md, "Exit codes".
#pragma once

#include "gpuimg/error.hpp"

namespace gpuimg {

enum class ExitCode : int {
  ok = 0,
  some_failed = 1,
  usage = 2,
  bad_input = 3,
  bad_output = 4,
  no_backend = 5,
  out_of_memory = 6,
  verify_mismatch = 7,
  internal = 70,
  stopped_early = 75,
  interrupted = 130,
};

constexpr ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return ExitCode::usage;
    case ErrorKind::read:
    case ErrorKind::decode:
    case ErrorKind::unsupported: return ExitCode::bad_input;
    case ErrorKind::write: return ExitCode::bad_output;
    case ErrorKind::backend_unavailable:
    case ErrorKind::device_fault: return ExitCode::no_backend;
    case ErrorKind::out_of_memory: return ExitCode::out_of_memory;
    case ErrorKind::mismatch: return ExitCode::verify_mismatch;
  }
  return ExitCode::internal;
}

}  // namespace gpuimg
