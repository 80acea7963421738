// The only exception type that gpuimg's own code throws. The layers below `app` never print, exit or abort.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gpuimg {

enum class ErrorKind : std::uint8_t {
  usage,                ///< the arguments are invalid
  read,                 ///< an input cannot be opened or read
  write,                ///< an output exists already or cannot be written
  decode,               ///< an input is damaged, truncated or not an image
  unsupported,          ///< an input is valid, but gpuimg does not support it
  backend_unavailable,  ///< the requested backend is not built in, or has no device or driver
  out_of_memory,        ///< host or device memory ran out; the backend is still usable
  device_fault,         ///< the device context is lost; later results are invalid
  mismatch,             ///< two backends computed different results from the same input
  check_failed,         ///< a result fails a check that was requested
};

/// what() has the form "what: where: why; what to do", without a trailing newline or period.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace gpuimg
