// The one exception type that gpuimg's own code throws. Below `app` nothing prints, exits or aborts: it throws this.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gpuimg {

enum class ErrorKind : std::uint8_t {
  usage,                ///< the caller asked for something that makes no sense
  read,                 ///< an input cannot be opened or read
  write,                ///< an output exists already or cannot be written
  decode,               ///< an input is damaged, truncated or not an image
  unsupported,          ///< an input is sound, but of a kind that gpuimg does not handle
  backend_unavailable,  ///< the backend asked for is not built in, or has no device or driver
  out_of_memory,        ///< host or device memory; the backend is usable afterwards
  device_fault,         ///< the device context is lost; nothing computed after it may be used
  mismatch,             ///< two backends computed different results from the same input
};

/// what() reads "what: where: why; what to do", without a trailing newline or full stop.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace gpuimg
