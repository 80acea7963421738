// Expands templates of output names.
#include "batch/output_name.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/option_values.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

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

/// "./a" and "a" are the same file: compare and print the short form.
std::string without_dot_folder(std::string path) {
  while (path.size() > 2 && path.starts_with("./")) {
    path.erase(0, path.find_first_not_of('/', 1));
  }
  return path;
}

bool leads_up(const std::string& path, std::size_t from) {
  for (std::size_t at = from; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    if (path.compare(at, slash - at, "..") == 0) {
      return true;
    }
    at = slash + 1;
  }
  return false;
}

}  // namespace

std::string mirrored_name(const std::string& folder, const std::string& relative, const std::string& ending) {
  const bool has_it = file_ending(relative) == ending;
  return joined_path(folder, has_it ? relative : with_ending(relative, ending));
}

OutputTemplate::Field OutputTemplate::field_named(const std::string& name) {
  const NamedValues<Field> fields = {{"dir", Field::dir, "", {"folder", "path"}},
                                     {"rel", Field::rel},
                                     {"name", Field::name},
                                     {"stem", Field::stem, "", {"base", "basename"}},
                                     {"ext", Field::ext, "", {"extension", "suffix"}},
                                     {"index", Field::index},
                                     {"page", Field::page}};
  return value_named("--output {…}", name, fields);
}

OutputTemplate::OutputTemplate(const std::string& text) : text_(text) {
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
                                        "' has an unmatched brace; write {{ or }} for a "
                                        "literal brace");
    } else {
      parts_.back().text += c;
    }
  }
}

std::string OutputTemplate::value_of(Field field, const InputFile& input, std::size_t index) {
  switch (field) {
    case Field::text: break;
    case Field::dir: return folder_part(input.path);
    case Field::rel: return folder_part(input.relative);
    case Field::name: return name_of_path(input.path);
    case Field::stem: return stem_of_path(input.path);
    case Field::ext: return ending_as_written(input.path);
    case Field::index: return std::to_string(index);
    case Field::page: return input.page.number == 0 ? "1" : input.page_digits;
  }
  return {};
}

bool OutputTemplate::has_index() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.field == Field::index; });
}

std::string OutputTemplate::name_for(const InputFile& input, std::size_t index) const {
  std::string name;
  std::optional<std::size_t> chosen;  // length of the folder that the user chose, including its slash
  for (const Part& part : parts_) {
    if (part.field != Field::text && part.field != Field::dir && !chosen) {
      chosen = name.rfind('/') + 1;
    }
    name += part.field == Field::text ? part.text : value_of(part.field, input, index);
  }
  // The stem of "...png" is "..", and without an extension "{ext}/{name}" starts with a slash.
  const bool leads_elsewhere = chosen && (leads_up(name, *chosen) || (*chosen == 0 && name.starts_with('/')));
  const std::string short_name = without_dot_folder(name);
  if (leads_elsewhere || short_name.empty()) {
    throw Error(ErrorKind::usage, "--output: " + printable_name(input.path) + " would go to '" + printable_name(name) +
                                      "' by '" + text_ + "'; leave it out, or use another template");
  }
  return short_name == "-" ? "./-" : short_name;  // a file named "-", not standard output
}

}  // namespace gpuimg
