// --page all: the pages of a file as inputs of their own. docs/batch.md, "Pages".
#pragma once

#include <vector>

#include "batch/output_name.hpp"

namespace gpuimg {

/// Replaces each file of several pages by its pages, in order. The relative name of a page has its number before the
/// ending, with as many digits as the number of pages: "stack-07.tif". If a file is damaged behind its pages, the next
/// number is an input that stands for those that are lost. Other files, and files that cannot be read, stay.
std::vector<InputFile> with_pages(const std::vector<InputFile>& files);

}  // namespace gpuimg
