// Finds the pages of each file once, so that no page is searched for later; reads no more than their directories.
#include "batch/page_inputs.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "codecs/declared_image.hpp"
#include "text/path_names.hpp"

namespace gpuimg {
namespace {

std::string numbered_name(const std::string& relative, const std::string& number) {
  const std::size_t name = name_of_path(relative).size();
  const std::size_t stem = stem_of_path(relative).size();
  return std::string(relative).insert(relative.size() - (name - stem), "-" + number);
}

}  // namespace

std::vector<InputFile> with_pages(const std::vector<InputFile>& files) {
  std::vector<InputFile> inputs;
  for (const InputFile& file : files) {
    const codecs::PageList pages = codecs::pages_in(file.path);
    const std::uint32_t items = pages.count() + (pages.lost.empty() ? 0 : 1);
    if (items == 1) {
      inputs.push_back(file);
      continue;
    }
    const std::size_t digits = std::to_string(items).size();
    for (std::uint32_t page = 1; page <= items; ++page) {
      const std::string number = fmt::format("{:0{}}", page, digits);
      inputs.push_back({file.path, numbered_name(file.relative, number), {page}, number});
      if (page <= pages.count()) {
        inputs.back().page.place = pages.places[page - 1];
      } else {
        inputs.back().lost = pages.lost;
      }
    }
  }
  return inputs;
}

}  // namespace gpuimg
