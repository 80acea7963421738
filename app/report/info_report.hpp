// What `gpuimg info` prints about the header of a file. docs/cli.md, "info".
#pragma once

#include <string>

#include "codecs/declared_image.hpp"

namespace gpuimg {

/// `name` is the file's, as given; "-" is shown as standard input.

/// A line for each property: "size:   5120x2880".
std::string info_text(const std::string& name, const codecs::FileHeader& header);

/// One line with what matters.
std::string info_line(const std::string& name, const codecs::FileHeader& header);

enum class InfoJson { block, line };

/// An object, indented or on one line.
std::string info_json(const std::string& name, const codecs::FileHeader& header, InfoJson layout);

}  // namespace gpuimg
