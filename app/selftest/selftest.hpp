// `gpuimg doctor`: does each backend compute what it must?
#pragma once

#include <string>
#include <vector>

#include "gpuimg/backend.hpp"

namespace gpuimg {

struct SelfTestResult {
  int checks = 0;
  std::vector<std::string> failures;  ///< one line each
};

/// Results known beforehand on a small picture.
SelfTestResult test_known_answers(Backend& backend);

/// Every operation with every option on small pictures of every format: equal bytes on both.
SelfTestResult test_agreement(Backend& backend, Backend& reference);

}  // namespace gpuimg
