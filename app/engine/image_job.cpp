// Defaults that most jobs share.
#include "engine/image_job.hpp"

#include "codecs/codec.hpp"

namespace gpuimg {

std::string shown_input(const ItemPaths& paths) {
  return paths.page.number == 0 ? paths.input : paths.input + ", page " + std::to_string(paths.page.number);
}

// Includes formats that gpuimg cannot read: such a file fails by name instead of being overlooked.
std::vector<std::string> ImageJob::input_endings() const { return codecs::input_endings(); }

}  // namespace gpuimg
