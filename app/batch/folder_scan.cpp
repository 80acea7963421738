// Walks a folder: real folders first, then symbolic links.
#include "batch/folder_scan.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <set>

#include "gpuimg/error.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

struct Entry {
  std::string name;
  bool is_link = false;
};

[[noreturn]] void refuse(const std::string& folder) {
  if (errno == ENOMEM) {
    throw std::bad_alloc();
  }
  throw Error(ErrorKind::read, fmt::format("{}: the folder cannot be read: {}; check its permissions, or exclude it",
                                           printable_name(folder), std::strerror(errno)));
}

std::vector<Entry> entries_of(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) {
    refuse(folder);
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
  if (errno != 0) {  // or a partial listing would pass for the whole folder
    refuse(folder);
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
    note(by_filter_, "file", "without the ending of an image; --include reads them");
    note(not_regular_, "file", "not regular");
    note(folders_, "folder", "--recursive reads them");
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
      ++again_;
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
      ++by_filter_;
    } else if (exists && !S_ISREG(found.st_mode)) {
      ++not_regular_;
    } else {
      scan_.files.push_back(
          relative);  // includes dangling links and unknown types: they fail later as unreadable inputs
    }
  }

  void take_folder(const std::string& relative, bool is_link) {
    if (filter_.excludes(relative)) {
      return;
    }
    if (!options_.recursive) {
      ++folders_;
    } else if (is_link) {
      linked_.push_back(relative);
    } else {
      enter(relative);
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
  std::size_t by_filter_ = 0;
  std::size_t not_regular_ = 0;
  std::size_t folders_ = 0;
  std::size_t again_ = 0;
};

}  // namespace

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

}  // namespace gpuimg
