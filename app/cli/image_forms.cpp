// Takes the names from the list of formats (app/codecs/codecs.cpp).
#include "cli/image_forms.hpp"

#include <vector>

namespace gpuimg {
namespace {

OutputForms<codecs::FileFormat> image_forms() {
  OutputForms<codecs::FileFormat> forms = {"an image", {}, codecs::FileFormat::png};
  for (const codecs::Codec& codec : codecs::codecs()) {
    for (const codecs::WrittenName& written : codec.written) {
      forms.names.emplace_back(std::string(written.name), codec.format, std::string(written.meaning));
    }
  }
  return forms;
}

}  // namespace

const OutputForms<codecs::FileFormat> kImageForms = image_forms();

codecs::FileFormat image_format(const std::string& path, const std::string& asked) {
  return output_form(kImageForms, asked, path);
}

std::string listed_image_forms(const std::string& before_each) {
  std::vector<std::string> names;
  for (const codecs::Codec& codec : codecs::codecs()) {
    if (codec.is_written()) {
      names.push_back(before_each + std::string(codec.written.begin()->name));
    }
  }
  return listed(names);
}

}  // namespace gpuimg
