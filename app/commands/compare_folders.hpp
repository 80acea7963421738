// `compare` on two folders: pairs their files by name and runs the pairs as a batch. docs/cli.md, "compare".
#pragma once

#include <string>
#include <vector>

#include "batch/batch_command.hpp"
#include "batch/outputs.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "engine/command_context.hpp"
#include "report/image_comparison.hpp"

namespace gpuimg {

/// As given on the command line.
struct CompareArguments {
  std::string a;
  std::string b;
  int tolerance = 0;
  BatchArguments files;  ///< only the options of folders and pace
};

struct FilePair {
  std::string a;  ///< empty: only B has the file
  std::string b;  ///< empty: only A has the file
};

/// Pairs files of the same relative name, and then those whose names differ in the ending alone, if there is one
/// candidate. In the order of `a`, followed by what only `b` has.
std::vector<FilePair> paired(const std::vector<InputFile>& a, const std::vector<InputFile>& b);

/// A file to compare. Each page is read when it is asked for.
class ComparedFile {
 public:
  /// Finds the pages of the file, or of `content` if the path is "-". With --page N, the file has that page alone.
  ComparedFile(std::string path, const GlobalOptions& globals, Bytes content = {});

  [[nodiscard]] std::uint32_t pages() const { return pages_.count(); }
  [[nodiscard]] bool has_lost_pages() const { return !pages_.lost.empty(); }
  [[nodiscard]] bool is_single() const { return pages() == 1 && !has_lost_pages(); }

  /// For reports.
  [[nodiscard]] std::string name() const { return path_ == "-" ? "standard input" : path_; }

  /// The same with the page, unless the file has no other.
  [[nodiscard]] std::string name_of(std::uint32_t page) const;

  /// The pixels on the host, by way of the backend: it decodes the file if it can, and --verify checks that. Throws as
  /// reading does.
  [[nodiscard]] Image page(CommandContext& context, std::uint32_t number) const;

  /// Throws Error{decode} if pages are lost.
  void refuse_if_lost() const;

 private:
  std::string path_;
  Bytes content_;  ///< of standard input
  codecs::PageList pages_;
  std::uint32_t only_page_ = 0;  ///< --page N
};

/// Reads and compares a page of each. Throws as reading does.
ComparedPair compared(CommandContext& context, const ComparedFile& a, const ComparedFile& b, std::uint32_t page,
                      int tolerance);

/// Throws Error for what ends the run as a whole.
ExitCode compare_folders(const CompareArguments& arguments, const CommandParser& parser, const GlobalOptions& globals);

}  // namespace gpuimg
