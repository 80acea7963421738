// Traces inputs back to their originals.
#include "batch/derived_inputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <unordered_map>

#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

/// Writing through a link would replace its target, wherever that is.
bool is_link(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

/// For each input, the input that it is an output of.
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

/// False for inputs in a cycle, and for everything derived from them.
bool leads_to_an_original(std::size_t input, const std::vector<std::optional<std::size_t>>& sources) {
  std::size_t steps = 0;
  for (auto at = sources[input]; at; at = sources[*at]) {
    if (++steps > sources.size()) {
      return false;
    }
  }
  return steps > 0;
}

}  // namespace

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

}  // namespace gpuimg
