// Expands templates of output names, finds duplicate outputs, and follows inputs that are outputs back to their
// originals.
#include "batch/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "batch/plan.hpp"
#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

std::string folder_part(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string extension_as_written(const std::string& path) {
  const std::string name = name_of_path(path);
  const std::size_t stem = stem_of_path(path).size();
  return stem < name.size() ? name.substr(stem + 1) : "";
}

/// Removes "./", because "./a" and "a" are the same file.
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

using Name = std::function<std::string(std::size_t item)>;

struct Collision {
  std::size_t first = 0;
  std::size_t second = 0;
};

std::optional<Collision> collision_of(std::size_t items, const Name& output_of, const OutputNaming& naming) {
  std::vector<std::pair<std::string, std::size_t>> outputs;
  for (std::size_t i = 0; i < items; ++i) {
    for (const std::string& file : naming.files_of(output_of(i))) {
      outputs.emplace_back(plain_path(file), i);
    }
  }
  std::sort(outputs.begin(), outputs.end());
  const auto twice = std::adjacent_find(outputs.begin(), outputs.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  return twice == outputs.end() ? std::nullopt : std::optional(Collision{twice->second, std::next(twice)->second});
}

/// True if the template gives each input a different output. With `with_extensions`, the outputs must also keep their
/// current extensions.
bool tells_apart(const std::string& text, bool with_extensions, const std::vector<InputFile>& inputs,
                 const OutputNaming& naming) {
  try {
    const OutputTemplate name(text);
    const auto output_of = [&](std::size_t i) { return name.name_for(inputs[i], i + 1); };
    for (std::size_t i = 0; with_extensions && i < inputs.size(); ++i) {
      if (file_extension(output_of(i)) != file_extension(naming.name_for(inputs[i], i + 1))) {
        return false;
      }
    }
    return !collision_of(inputs.size(), output_of, naming);
  } catch (const Error&) {
    return false;
  }
}

std::string way_out(const std::vector<InputFile>& inputs, const OutputNaming& naming) {
  for (const bool with_extensions : {true, false}) {
    for (const std::string& text : naming.alternatives) {
      if (tells_apart(text, with_extensions, inputs, naming)) {
        return "instead of OUT, use --output " + shell_word(text);
      }
    }
  }
  return "omit one of them";
}

std::string with_braces_doubled(const std::string& text) {
  std::string doubled;
  for (const char c : text) {
    doubled.append(c == '{' || c == '}' ? 2 : 1, c);
  }
  return doubled;
}

/// True for a symbolic link. Writing through a link would replace its target in an unknown place.
bool is_link(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

/// For each input: the input from which it was made, if it is the output of another input.
std::vector<std::optional<std::size_t>> sources_of(const std::vector<InputFile>& inputs, const OutputNaming& naming) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    places.emplace(plain_path(inputs[i].path), i);
  }
  std::vector<std::optional<std::size_t>> sources(inputs.size());
  std::vector<bool> is_own(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const std::string& file : naming.files_of(naming.name_for(inputs[i], i + 1))) {
      const auto found = places.find(plain_path(file));
      if (found != places.end() && found->second == i) {
        is_own[i] = true;
      } else if (found != places.end() && !is_link(inputs[found->second].path)) {
        sources[found->second] = i;
      }
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    sources[i] = is_own[i] ? std::nullopt : sources[i];
  }
  return sources;
}

/// False for an original, for inputs in a cycle, and for inputs made from inputs in a cycle.
bool leads_to_an_original(std::size_t input, const std::vector<std::optional<std::size_t>>& sources) {
  std::size_t steps = 0;
  for (auto at = sources[input]; at; at = sources[*at]) {
    if (++steps > sources.size()) {
      return false;
    }
  }
  return steps > 0;
}

std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::vector<std::string> kept;
  std::set<FileIdentity> known;
  for (const std::string& name : names) {
    const auto identity = identity_of(name);
    if (!identity || known.insert(*identity).second) {
      kept.push_back(name);
    }
  }
  return kept;
}

void reject_ambiguous(const std::vector<std::string>& names, bool has_list) {
  if (std::find(names.begin(), names.end(), "-") != names.end()) {
    throw Error(ErrorKind::usage, "--in-place replaces files, and standard input is not a file; name OUT instead");
  }
  const std::string last = names.empty() ? "" : printable_name(names.back());
  if (has_list && !names.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: could be meant as OUT; with --in-place and --files-from, name no other file", last));
  }
  if (names.size() > 1 && std::any_of(names.begin(), names.end(), is_folder_name)) {
    throw Error(ErrorKind::usage, fmt::format("{}: could be meant as OUT; with --in-place, name only one folder, or "
                                              "only files",
                                              last));
  }
  if (names.size() == 2) {
    throw Error(ErrorKind::usage, fmt::format("{}: could be meant as OUT; with --in-place, name one file at a time, or "
                                              "list both in --files-from",
                                              last));
  }
}

}  // namespace

std::string mirrored_name(const std::string& folder, const std::string& relative, const std::string& extension) {
  const bool has_it = file_extension(relative) == extension;
  return joined_path(folder, has_it ? relative : with_extension(relative, extension));
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
    case Field::ext: return extension_as_written(input.path);
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
  std::optional<std::size_t> chosen;  // length, with the slash, of the folder that the user chose
  for (const Part& part : parts_) {
    if (part.field != Field::text && part.field != Field::dir && !chosen) {
      chosen = name.rfind('/') + 1;
    }
    name += part.field == Field::text ? part.text : value_of(part.field, input, index);
  }
  // Examples: the stem of "...png" is ".."; without an extension, "{ext}/{name}" starts with a slash.
  const bool leads_elsewhere = chosen && (leads_up(name, *chosen) || (*chosen == 0 && name.starts_with('/')));
  const std::string short_name = without_dot_folder(name);
  if (leads_elsewhere || short_name.empty()) {
    throw Error(ErrorKind::usage, "--output: " + printable_name(input.path) + " would go to '" + printable_name(name) +
                                      "' by the template '" + text_ + "'; omit that input, or use another template");
  }
  return short_name == "-" ? "./-" : short_name;  // "-" alone would mean standard output
}

void reject_output_collisions(const std::vector<PlanItem>& items, const std::vector<InputFile>& inputs,
                              const OutputNaming& naming) {
  const auto output_of = [&](std::size_t i) { return items[i].output; };
  if (const auto found = collision_of(items.size(), output_of, naming)) {
    const PlanItem& first = items[found->first];
    const PlanItem& second = items[found->second];
    throw Error(ErrorKind::usage,
                fmt::format("{} and {} would both be written to {}; {}", shown_input(first), shown_input(second),
                            printable_name(first.output), way_out(inputs, naming)));
  }
}

void MemberOutputs::add(const std::string& member, const std::vector<std::string>& outputs) {
  const std::string own = plain_path(member);
  for (const std::string& file : outputs) {
    const std::string output = plain_path(file);
    const auto [found, is_new] = members_.try_emplace(output, own == output ? "" : own);
    const std::string& first = found->second.empty() ? output : found->second;
    if (!is_new && first != own) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} and {} would both be written to {}; rename one of them, or unpack the archive",
                              printable_name(first), printable_name(own), printable_name(output)));
    }
  }
}

std::vector<std::string> alternatives_for_folder(const std::string& output, const std::string& extension) {
  // A value that starts with a dash would be parsed as an option.
  const std::string folder = with_braces_doubled((output.starts_with('-') ? "./" : "") + output);
  return {joined_path(folder, "{dir}/{name}"),
          joined_path(folder, "{rel}/{stem}-{ext}." + extension),
          joined_path(folder, "{dir}/{stem}." + extension),
          joined_path(folder, "{dir}/{stem}-{ext}." + extension),
          joined_path(folder, "{rel}/{index}-{name}"),
          joined_path(folder, "{rel}/{index}-{stem}." + extension)};
}

std::vector<std::string> alternatives_for_template(const std::string& text) {
  const std::size_t name = text.rfind('/') + 1;
  std::vector<std::string> alternatives;
  if (const std::size_t stem = text.find("{stem}", name); stem != std::string::npos) {
    alternatives.push_back(std::string(text).replace(stem, 6, "{stem}-{page}"));
    alternatives.push_back(std::string(text).replace(stem, 6, "{stem}-{ext}"));
  }
  alternatives.push_back(std::string(text).insert(name, "{index}-"));
  return alternatives;
}

std::string shell_word(const std::string& text) {
  const bool is_shown = printable_name(text) == text;
  std::string word = is_shown ? "'" : "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_shown) {
      word += c == '\'' ? "'\\''" : std::string(1, c);
    } else if (c == '\'' || c == '\\') {
      word.append("\\").append(1, c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      word += fmt::format("\\{:03o}", byte);
    } else {
      word += c;
    }
  }
  return word + "'";
}

OriginalInputs without_derived_inputs(const std::vector<InputFile>& inputs, const OutputNaming& naming) {
  if (naming.depends_on_list) {
    return {inputs, ""};
  }
  const auto sources = sources_of(inputs, naming);
  OriginalInputs originals;
  std::string example;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!leads_to_an_original(i, sources)) {
      originals.files.push_back(inputs[i]);
    } else if (left_out++ == 0) {
      example = fmt::format("{}: skipped, because it is the output of {}", printable_name(inputs[i].path),
                            printable_name(inputs[*sources[i]].path));
    }
  }
  originals.note = left_out > 1
                       ? fmt::format("{}; {} other input{} likewise", example, left_out - 1, left_out > 2 ? "s" : "")
                       : example;
  return originals;
}

InPlaceNames in_place_names(const std::vector<std::string>& names, bool has_list) {
  InPlaceNames named{each_once(names), "", true};
  reject_ambiguous(named.inputs, has_list);
  if (named.inputs.size() == 1) {
    named.output = named.inputs.front();
    named.each_is_its_own = false;
  }
  return named;
}

}  // namespace gpuimg
