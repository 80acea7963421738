// ICC profiles with a header, one description and padding: valid in every field that gpuimg reads.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct IccChoices {
  std::string_view color_space = "RGB ";
  std::string_view description = "Test";  ///< if empty, the profile has no description tag
  bool version_4 = false;                 ///< the description is UTF-16, not ASCII
  std::size_t size = 0;                   ///< minimum size; a smaller profile is padded with pseudo-random bytes
};

FileBytes make_icc(const IccChoices& choices = {});

}  // namespace gpuimg::test
