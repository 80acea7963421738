// ICC profiles with a header, one description and padding: valid in every field that gpuimg reads.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/file_bytes.hpp"

namespace gpuimg::test {

struct IccChoices {
  std::string_view color_space = "RGB ";
  std::string_view description = "Test";  ///< no tag if empty
  bool version_4 = false;                 ///< description in UTF-16 in place of ASCII
  std::size_t size = 0;                   ///< filled up to this size, if it is larger, with bytes that hardly repeat
};

FileBytes make_icc(const IccChoices& choices = {});

}  // namespace gpuimg::test
