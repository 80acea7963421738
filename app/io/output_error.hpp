// Error messages for outputs that cannot be written.
#pragma once

#include <string>

#include "gpuimg/error.hpp"

namespace gpuimg {

/// Error{write} with the text "path: cannot write: why; what to do"; the path is escaped.
class OutputError : public Error {
 public:
  /// `system_error` is the underlying errno, or 0 if gpuimg itself refuses.
  OutputError(const std::string& path, std::string why_and_what_to_do, int system_error);

  [[nodiscard]] const std::string& why() const noexcept { return why_; }  ///< "why; what to do"
  [[nodiscard]] int system_error() const noexcept { return system_error_; }

 private:
  std::string why_;
  int system_error_;
};

/// Throws OutputError.
[[noreturn]] void fail_writing(const std::string& path, const std::string& why_and_what_to_do);

/// The same for an errno of open, write, close, rename and similar calls; std::bad_alloc for ENOMEM.
[[noreturn]] void fail_writing(const std::string& path, int system_error);

/// "why; what to do" for an errno.
std::string write_advice(int error);

}  // namespace gpuimg
