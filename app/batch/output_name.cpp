// Templates of output names.
#include "batch/output_name.hpp"

#include <utility>

#include "option_values.hpp"
#include "path_names.hpp"

namespace gpuimg {
namespace {

std::string folder_part(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string ending_as_written(const std::string& path) {
  const std::string name = name_of_path(path);
  const std::size_t stem = stem_of_path(path).size();
  return stem < name.size() ? name.substr(stem + 1) : "";
}

/// "./a" and "a" are one file: the short form is what is compared and printed.
std::string without_dot_folder(std::string path) {
  while (path.size() > 2 && path.starts_with("./")) {
    path.erase(0, path.find_first_not_of('/', 1));
  }
  return path;
}

}  // namespace

OutputTemplate::Field OutputTemplate::field_named(const std::string& name) {
  const NamedValues<Field> fields = {{"dir", Field::dir},   {"rel", Field::rel}, {"name", Field::name},
                                     {"stem", Field::stem}, {"ext", Field::ext}, {"index", Field::index}};
  return value_named("--output {…}", name, fields);
}

OutputTemplate::OutputTemplate(const std::string& text) {
  parts_.push_back({});
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == '}') && text.compare(at, 2, std::string(2, c)) == 0) {
      parts_.back().text += c;
      ++at;
    } else if (c == '{' && text.find('}', at) != std::string::npos) {
      const std::size_t end = text.find('}', at);
      parts_.push_back({field_named(text.substr(at + 1, end - at - 1)), ""});
      parts_.push_back({});
      at = end;
    } else if (c == '{' || c == '}') {
      throw Error(ErrorKind::usage, "--output: '" + text +
                                        "' has a brace without its partner; write {{ or }} for a "
                                        "brace in the name");
    } else {
      parts_.back().text += c;
    }
  }
}

std::string OutputTemplate::name_for(const InputFile& input, std::size_t index) const {
  std::string name;
  for (const Part& part : parts_) {
    switch (part.field) {
      case Field::text: name += part.text; break;
      case Field::dir: name += folder_part(input.path); break;
      case Field::rel: name += folder_part(input.relative); break;
      case Field::name: name += name_of_path(input.path); break;
      case Field::stem: name += stem_of_path(input.path); break;
      case Field::ext: name += ending_as_written(input.path); break;
      case Field::index: name += std::to_string(index); break;
    }
  }
  return without_dot_folder(std::move(name));
}

}  // namespace gpuimg
