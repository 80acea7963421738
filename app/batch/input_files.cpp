// Combines named files, folders and lists into one list.
#include "batch/input_files.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <unordered_set>
#include <utility>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

void take_folder(const std::string& folder, const InputSources& sources, GatheredInputs& gathered) {
  FolderScan scan = scan_folder(folder, sources.filter, sources.scan);
  for (std::string& relative : scan.files) {
    std::string path = joined_path(folder, relative);
    gathered.files.push_back({std::move(path), std::move(relative)});
  }
  gathered.notes.insert(gathered.notes.end(), scan.notes.begin(), scan.notes.end());
  if (scan.files.empty()) {
    std::string message = printable_name(folder) + ": contains no file to read";
    for (const std::string& note : scan.notes) {
      message += "; " + note;
    }
    throw Error(ErrorKind::read, message);
  }
}

void take_named(const std::string& path, const InputSources& sources, GatheredInputs& gathered) {
  if (path == "-") {
    throw Error(ErrorKind::usage, "standard input is one image; name no other input, and one OUT");
  }
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    throw Error(ErrorKind::read, cannot_be_read(path, errno));
  }
  if (S_ISDIR(found.st_mode)) {
    take_folder(path, sources, gathered);
  } else {
    gathered.files.push_back({path, name_of_path(path)});
  }
}

}  // namespace

GatheredInputs gather_inputs(const InputSources& sources) {
  GatheredInputs gathered;
  for (const std::string& path : sources.paths) {
    take_named(path, sources, gathered);
  }
  for (const std::string& path : sources.listed) {
    std::string place = contained_path(path);
    // A list may contain missing files or folders: they fail as items, so they need an output name.
    gathered.files.push_back({path == "-" ? "./-" : path, place.empty() ? "unnamed" : std::move(place)});
  }
  std::unordered_set<std::string> seen;
  std::erase_if(gathered.files, [&](const InputFile& file) { return !seen.insert(file.path).second; });
  return gathered;
}

}  // namespace gpuimg
