// The exit codes of the process, and which failure leads to which code. docs/cli.md, "Exit codes".
#pragma once

#include <array>
#include <exception>
#include <string_view>
#include <system_error>

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
  different = 7,
  internal = 70,
  stopped_early = 75,
  interrupted = 130,
};

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};

/// For --help and the manual.
inline constexpr std::array<ExitCodeMeaning, 11> kExitCodes = {{
    {ExitCode::ok, "everything is done"},
    {ExitCode::some_failed, "finished, but some images failed, or a --fail-if check was met"},
    {ExitCode::usage, "the command line is wrong, or OUT's format cannot store the result"},
    {ExitCode::bad_input, "an input is missing, damaged or not supported"},
    {ExitCode::bad_output, "an output already exists or cannot be written"},
    {ExitCode::no_backend, "the backend is not available"},
    {ExitCode::out_of_memory, "out of memory"},
    {ExitCode::different, "--verify or compare found a difference"},
    {ExitCode::internal, "internal error; please report it"},
    {ExitCode::stopped_early, "stopped early; run it again with --resume"},
    {ExitCode::interrupted, "interrupted"},
}};

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
    case ErrorKind::mismatch: return ExitCode::different;
    case ErrorKind::check_failed: return ExitCode::some_failed;
  }
  return ExitCode::internal;
}

/// True if `failure`, an exception of the standard library or of oneTBB, says that a thread could not be started. The
/// usual cause is a lack of memory for the stack, so this leads to ExitCode::out_of_memory.
inline bool is_rejected_thread(const std::exception& failure) {
  const auto* system = dynamic_cast<const std::system_error*>(&failure);
  return (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) ||
         std::string_view(failure.what()).find("pthread_create") != std::string_view::npos;
}

}  // namespace gpuimg
