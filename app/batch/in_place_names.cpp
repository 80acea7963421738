// Never treats a file as an input if it could be meant as OUT.
#include "batch/in_place_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "batch/inputs.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

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

void refuse_ambiguous(const std::vector<std::string>& names, bool has_list) {
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

InPlaceNames in_place_names(const std::vector<std::string>& names, bool has_list) {
  InPlaceNames named{each_once(names), "", true};
  refuse_ambiguous(named.inputs, has_list);
  if (named.inputs.size() == 1) {
    named.output = named.inputs.front();
    named.each_is_its_own = false;
  }
  return named;
}

}  // namespace gpuimg
