// Walks folders (real folders first, then symbolic links), splits lists of names, and combines both with named files.
#include "batch/inputs.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "codecs/file_header.hpp"
#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "io/temporary_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

struct Entry {
  std::string name;
  bool is_link = false;
};

[[noreturn]] void reject_folder(const std::string& folder) {
  if (errno == ENOMEM) {
    throw std::bad_alloc();
  }
  throw Error(ErrorKind::read, fmt::format("{}: the folder cannot be read: {}; check its permissions, or exclude it",
                                           printable_name(folder), std::strerror(errno)));
}

std::vector<Entry> entries_of(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) {
    reject_folder(folder);
  }
  std::vector<Entry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) {
      break;
    }
    const std::string name = entry->d_name;
    if (name != "." && name != "..") {
      struct stat found {};
      const bool known = ::lstat(joined_path(folder, name).c_str(), &found) == 0;
      entries.push_back({name, known && S_ISLNK(found.st_mode)});
    }
  }
  if (errno != 0) {  // otherwise a partial listing would be treated as the whole folder
    reject_folder(folder);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

class Walk {
 public:
  Walk(std::string root, const FileFilter& filter, const ScanOptions& options)
      : root_(std::move(root)), filter_(filter), options_(options) {}

  FolderScan run() {
    enter("");
    while (!linked_.empty()) {
      const std::string relative = std::move(linked_.front());
      linked_.pop_front();
      enter(relative);
    }
    std::sort(scan_.files.begin(), scan_.files.end());
    note(of_other_extensions_, "file", "no extension of an image; use --include to read such files");
    note(not_included_, "image", "no --include pattern matches");
    note(excluded_, "file", "an --exclude pattern matches");
    note(not_regular_, "file", "not a regular file");
    note(folders_, "folder", "use --recursive to read subfolders");
    note(again_, "folder", "already read under another name");
    return std::move(scan_);
  }

 private:
  void enter(const std::string& relative) {
    const std::string folder = joined_path(root_, relative);
    const auto identity = identity_of(folder);
    if (identity && identity == options_.leave_out && !relative.empty()) {
      return;
    }
    if (identity && !entered_.insert(*identity).second) {
      skip(again_, relative);
      return;
    }
    for (const Entry& entry : entries_of(folder)) {
      take(joined_path(relative, entry.name), entry.is_link);
    }
  }

  void take(const std::string& relative, bool is_link) {
    struct stat found {};
    const bool exists = ::stat(joined_path(root_, relative).c_str(), &found) == 0;
    const bool may_be_folder = options_.recursive && !exists && errno != ENOENT && errno != ELOOP;
    if (exists && S_ISDIR(found.st_mode)) {
      take_folder(relative, is_link);
    } else if (!filter_.takes(relative) && !may_be_folder) {
      skip(filter_.excludes(relative)             ? excluded_
           : filter_.include_leaves_out(relative) ? not_included_
                                                  : of_other_extensions_,
           relative);
    } else if (exists && !S_ISREG(found.st_mode)) {
      skip(not_regular_, relative);
    } else {
      // Includes dangling links and files of unknown type, which fail later as unreadable inputs.
      scan_.files.push_back(relative);
    }
  }

  void take_folder(const std::string& relative, bool is_link) {
    if (filter_.excludes(relative)) {
      return;
    }
    if (!options_.recursive) {
      skip(folders_, relative);
    } else if (is_link) {
      linked_.push_back(relative);
    } else {
      enter(relative);
    }
  }

  void skip(std::size_t& count, const std::string& relative) {
    ++count;
    if (options_.names_skipped) {
      scan_.names.push_back("skipped " + printable_name(joined_path(root_, relative)));
    }
  }

  void note(std::size_t count, const char* what, const char* why) {
    if (count > 0) {
      scan_.notes.push_back(
          fmt::format("{}: skipped {} {}{}: {}", printable_name(root_), count, what, count == 1 ? "" : "s", why));
    }
  }

  std::string root_;
  const FileFilter& filter_;
  const ScanOptions& options_;
  FolderScan scan_;
  std::set<FileIdentity> entered_;
  std::deque<std::string> linked_;
  std::size_t of_other_extensions_ = 0;
  std::size_t not_included_ = 0;
  std::size_t excluded_ = 0;
  std::size_t not_regular_ = 0;
  std::size_t folders_ = 0;
  std::size_t again_ = 0;
};

/// True if the text has line breaks, each preceded by CR.
bool has_crlf_throughout(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', end + 1)) {
    if (end == 0 || text[end - 1] != '\r') {
      return false;
    }
    ++lines;
  }
  return lines > 0;
}

void take_folder(const std::string& folder, const InputSources& sources, GatheredInputs& gathered) {
  FolderScan scan = scan_folder(folder, sources.filter, sources.scan);
  for (std::string& relative : scan.files) {
    std::string path = joined_path(folder, relative);
    gathered.files.push_back({std::move(path), std::move(relative)});
  }
  gathered.notes.insert(gathered.notes.end(), scan.notes.begin(), scan.notes.end());
  gathered.names.insert(gathered.names.end(), scan.names.begin(), scan.names.end());
  if (scan.files.empty()) {
    const std::string name = printable_name(folder) + ": ";
    std::string message = name + "folder contains no image to read";
    for (const std::string& note : scan.notes) {
      message += "; " + note.substr(note.starts_with(name) ? name.size() : 0);
    }
    throw Error(ErrorKind::read, scan.notes.empty() ? message + "; name a folder with images" : message);
  }
}

void take_named(const std::string& path, const InputSources& sources, GatheredInputs& gathered) {
  if (path == "-") {
    throw Error(ErrorKind::usage, "standard input is one image; omit all other inputs, and name a file as OUT");
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

/// A text that is equal for all names of a folder. If the folder cannot be identified, its plain name.
std::string text_of_folder(const std::string& folder) {
  const auto identity = identity_of(folder);
  return identity ? fmt::format("{}:{}", identity->first, identity->second) : plain_path(folder);
}

/// Keeps a link to a file as a separate input, because its output has another name.
void remove_duplicates(GatheredInputs& gathered) {
  std::unordered_map<std::string, std::string> folders;
  std::unordered_set<std::string> seen;
  std::erase_if(gathered.files, [&](const InputFile& file) {
    const std::string path = plain_path(file.path);
    std::string folder = folder_of(path);
    auto known = folders.find(folder);
    if (known == folders.end()) {
      std::string text = text_of_folder(folder);
      known = folders.emplace(std::move(folder), std::move(text)).first;
    }
    return !seen.insert(known->second + '/' + name_of_path(path)).second;
  });
}

void remove_links(GatheredInputs& gathered) {
  std::set<FileIdentity> seen;
  const std::size_t links = std::erase_if(gathered.files, [&](const InputFile& file) {
    const auto identity = identity_of(file.path);
    return identity && !seen.insert(*identity).second;
  });
  if (links > 0) {
    gathered.notes.push_back(
        links == 1 ? "skipped 1 name, because its file was already read under another name"
                   : fmt::format("skipped {} names, because their files were already read under other names", links));
  }
}

std::string numbered_name(const std::string& relative, const std::string& number) {
  const std::size_t name = name_of_path(relative).size();
  const std::size_t stem = stem_of_path(relative).size();
  return std::string(relative).insert(relative.size() - (name - stem), "-" + number);
}

}  // namespace

bool matches_glob(const std::string& pattern, const std::string& relative_path) {
  const bool whole_path = pattern.find('/') != std::string::npos;
  const std::string subject = whole_path ? relative_path : name_of_path(relative_path);
  return ::fnmatch(pattern.c_str(), subject.c_str(), FNM_PERIOD) == 0;
}

FileFilter::FileFilter(std::vector<std::string> include, std::vector<std::string> exclude,
                       std::vector<std::string> extensions)
    : include_(std::move(include)), exclude_(std::move(exclude)), extensions_(std::move(extensions)) {}

bool FileFilter::excludes(const std::string& relative_path) const {
  return std::any_of(exclude_.begin(), exclude_.end(),
                     [&](const std::string& pattern) { return matches_glob(pattern, relative_path); });
}

bool FileFilter::takes(const std::string& relative_path) const {
  const auto matched_by = [&](const std::string& pattern) { return matches_glob(pattern, relative_path); };
  if (excludes(relative_path)) {
    return false;
  }
  if (!include_.empty()) {
    return std::any_of(include_.begin(), include_.end(), matched_by);
  }
  return has_extension(relative_path);
}

bool FileFilter::has_extension(const std::string& relative_path) const {
  const bool hidden = name_of_path(relative_path).starts_with('.');
  return !hidden &&
         std::find(extensions_.begin(), extensions_.end(), file_extension(relative_path)) != extensions_.end();
}

bool FileFilter::include_leaves_out(const std::string& relative_path) const {
  return !include_.empty() && has_extension(relative_path) && !takes(relative_path) && !excludes(relative_path);
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    return std::nullopt;
  }
  return FileIdentity(found.st_dev, found.st_ino);
}

bool is_folder_name(const std::string& path) {
  struct stat found {};
  if (path.ends_with('/')) {
    return true;
  }
  if (::stat(path.c_str(), &found) == 0) {
    return S_ISDIR(found.st_mode);
  }
  if (errno == EIO || errno == ESTALE) {  // otherwise a folder would be treated as an image
    throw Error(ErrorKind::read,
                fmt::format("{}: cannot tell whether this is a folder: {}; check the disk or the mount",
                            printable_name(path), std::strerror(errno)));
  }
  return false;
}

FolderScan scan_folder(const std::string& folder, const FileFilter& filter, const ScanOptions& options) {
  return Walk(folder, filter, options).run();
}

std::vector<std::string> split_list(std::string_view text, ListSeparator separator) {
  if (separator == ListSeparator::line_break && text.find('\0') != std::string_view::npos) {
    throw Error(ErrorKind::usage, "--files-from: the list contains NUL; use --null if its names end with NUL");
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const bool is_of_lines = separator == ListSeparator::line_break;
  if (is_of_lines && text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const bool has_crlf = is_of_lines && has_crlf_throughout(text);
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(static_cast<char>(separator)), text.size());
    const std::string_view name = text.substr(0, end);
    const std::size_t size = has_crlf && name.ends_with('\r') ? end - 1 : end;
    if (size > 0) {
      names.emplace_back(name.substr(0, size));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

std::vector<std::string> read_file_list(const std::string& path, ListSeparator separator) {
  const Bytes bytes = read_input(path);
  std::vector<std::string> names = split_list({reinterpret_cast<const char*>(bytes.data.get()), bytes.size}, separator);
  if (names.empty()) {
    throw Error(ErrorKind::read, input_name(path) + ": contains no file name; check how the list was made");
  }
  return names;
}

GatheredInputs gather_inputs(const InputSources& sources) {
  GatheredInputs gathered;
  for (const std::string& path : sources.paths) {
    take_named(path, sources, gathered);
  }
  for (const std::string& path : sources.listed) {
    std::string place = contained_path(path);
    // A list can contain missing files or folders. They fail as items, so they need an output name.
    gathered.files.push_back({path == "-" ? "./-" : path, place.empty() ? "unnamed" : std::move(place)});
  }
  remove_duplicates(gathered);
  if (sources.links_are_one) {
    remove_links(gathered);
  }
  return gathered;
}

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
      inputs.back().times = file.times;
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
