// `gpuimg doctor`: checks what each backend computes.
#pragma once

#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct SelfTestResult {
  int checks = 0;
  std::vector<std::string> failures;  ///< one line each
};

/// Checks known results on a small image.
SelfTestResult test_known_answers(Backend& backend);

/// Runs every operation with every option on small images of every format, and compares the bytes of both backends.
SelfTestResult test_agreement(Backend& backend, Backend& reference);

}  // namespace gpuimg
