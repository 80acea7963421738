// Finds outputs that occur twice.
#include "batch/output_collisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "gpuimg/error.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

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

bool tells_apart(const std::string& text, const std::vector<InputFile>& inputs, const OutputNaming& naming) {
  try {
    const OutputTemplate name(text);
    const auto output_of = [&](std::size_t i) { return name.name_for(inputs[i], i + 1); };
    return !collision_of(inputs.size(), output_of, naming);
  } catch (const Error&) {
    return false;
  }
}

std::string way_out(const std::vector<InputFile>& inputs, const OutputNaming& naming) {
  for (const std::string& text : naming.alternatives) {
    if (tells_apart(text, inputs, naming)) {
      return "instead of OUT, use --output " + shell_word(text);
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

}  // namespace

void refuse_output_collisions(const std::vector<PlanItem>& items, const std::vector<InputFile>& inputs,
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

std::vector<std::string> alternatives_for_folder(const std::string& output, const std::string& ending) {
  // A value with a leading dash would be parsed as an option.
  const std::string folder = with_braces_doubled((output.starts_with('-') ? "./" : "") + output);
  return {joined_path(folder, "{rel}/{name}." + ending), joined_path(folder, "{rel}/{index}-{name}." + ending)};
}

std::vector<std::string> alternatives_for_template(const std::string& text) {
  const std::size_t name = text.rfind('/') + 1;
  std::vector<std::string> alternatives;
  if (const std::size_t stem = text.find("{stem}", name); stem != std::string::npos) {
    alternatives.push_back(std::string(text).replace(stem, 6, "{stem}-{page}"));
    alternatives.push_back(std::string(text).replace(stem, 6, "{name}"));
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

}  // namespace gpuimg
