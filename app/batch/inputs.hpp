// Collects the inputs of a run: named files, files in folders, files from a list, and the pages of a file.
// docs/batch.md, "Inputs" and "Pages".
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "io/output_file.hpp"

namespace gpuimg {

/// Matches `*`, `?` and `[…]` as a shell does. A pattern without a slash is compared with the file's name. A pattern
/// with a slash is compared with the path below the scanned folder, and its `*` also matches slashes. Only a literal
/// dot matches a leading dot.
bool matches_glob(const std::string& pattern, const std::string& relative_path);

/// --include and --exclude: which files of a folder are read.
class FileFilter {
 public:
  /// If `include` is empty, selects files by extension: `extensions`, in lower case, without a dot.
  FileFilter(std::vector<std::string> include, std::vector<std::string> exclude, std::vector<std::string> extensions);

  [[nodiscard]] bool takes(const std::string& relative_path) const;
  /// True for a file with a selected extension that matches no pattern of `include`.
  [[nodiscard]] bool include_leaves_out(const std::string& relative_path) const;
  /// True if a pattern of `exclude` matches. An excluded folder is not entered.
  [[nodiscard]] bool excludes(const std::string& relative_path) const;

 private:
  [[nodiscard]] bool has_extension(const std::string& relative_path) const;

  std::vector<std::string> include_;
  std::vector<std::string> exclude_;
  std::vector<std::string> extensions_;
};

/// Device and inode: identifies a file under any of its names.
using FileIdentity = std::pair<dev_t, ino_t>;
std::optional<FileIdentity> identity_of(const std::string& path);

/// True for an existing folder, and for every name that ends with a slash. Throws Error{read} if a disk does not
/// answer.
bool is_folder_name(const std::string& path);

struct FolderScan {
  std::vector<std::string> files;  ///< paths relative to the folder, sorted bytewise
  std::vector<std::string> notes;  ///< messages about skipped files
  std::vector<std::string> names;  ///< messages that name each skipped file: ScanOptions::names_skipped
};

struct ScanOptions {
  bool recursive = false;
  std::optional<FileIdentity> leave_out;  ///< folder that is not entered, because the outputs go there
  bool names_skipped = false;             ///< for --verbose
};

/// Returns the regular files that the filter accepts, following symbolic links. Enters each folder only once, by its
/// real name and not through a link. This breaks cycles and makes the result independent of the order of directory
/// entries. Throws Error{read} if a folder cannot be read.
FolderScan scan_folder(const std::string& folder, const FileFilter& filter, const ScanOptions& options);

enum class ListSeparator : char { line_break = '\n', nul = '\0' };

/// Returns the names byte for byte, without empty ones. The last separator is optional. In a list of lines, skips a
/// UTF-8 byte order mark, and uses CR LF as the separator if every line ends with it. Throws Error{usage} if a list of
/// lines contains NUL, because file names cannot contain NUL.
std::vector<std::string> split_list(std::string_view text, ListSeparator separator);

/// Reads a list from a file or, for "-", from standard input. Also throws Error{read} if the list cannot be read or has
/// no names.
std::vector<std::string> read_file_list(const std::string& path, ListSeparator separator);

/// An input: a file, or a page of a file. Has its path, and its path relative to the named folder (for a file named
/// directly, its base name). The relative name of a page contains the page's number.
struct InputFile {
  std::string path;
  std::string relative;
  codecs::PageRef page = {};     ///< no number for a file as a whole
  std::string page_digits = {};  ///< number with leading zeros
  /// PageList::lost, if this is the first page that cannot be found. This input then represents all later pages and has
  /// no output.
  std::string lost = {};
  std::optional<FileTimes> times = {};  ///< for --preserve-times
};

struct InputSources {
  std::vector<std::string> paths;   ///< files and folders, as given on the command line
  std::vector<std::string> listed;  ///< as given in --files-from
  FileFilter filter;                ///< selects files in folders
  ScanOptions scan;
  bool links_are_one = false;  ///< treat links to one file as duplicates
};

struct GatheredInputs {
  std::vector<InputFile> files;    ///< in the given order, sorted within a folder; a duplicate keeps its first position
  std::vector<std::string> notes;  ///< messages
  std::vector<std::string> names;  ///< messages that name each skipped file: ScanOptions::names_skipped
};

/// The relative name of a named file is its base name. The relative name of a listed file is its path as tar would
/// store it. Equal names in the same folder are duplicates, even if the folder is spelled differently. Throws
/// Error{read} for a missing path on the command line, and for a folder that cannot be read or has no inputs.
GatheredInputs gather_inputs(const InputSources& sources);

/// Implements --page all: makes each page of a file a separate input. Finds all pages in one pass, so that no page must
/// be searched for later. Replaces each file of several pages with its pages, in order. The relative name of a page has
/// its number before the extension, with as many digits as the number of pages: "stack-07.tif". If a file is damaged
/// after the pages that were found, adds an input with the next number, which represents the lost pages. Leaves other
/// files, and files that cannot be read, unchanged. Reads only what locates the pages, not their pixels.
std::vector<InputFile> with_pages(const std::vector<InputFile>& files);

}  // namespace gpuimg
