// Loads the mask once; each image gets a copy because operations consume their input.
#include "commands/mask_input.hpp"

namespace gpuimg {

std::optional<Image> load_mask(const std::string& path, CommandContext& context) {
  if (path.empty()) {
    return std::nullopt;
  }
  return mask_of(context.load_on_host(path).view());
}

std::optional<Image> copy_of(const std::optional<Image>& mask) {
  return mask ? std::optional<Image>(mask->clone()) : std::nullopt;
}

}  // namespace gpuimg
