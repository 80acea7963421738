// `compare` on two folders: pairs their files by name and runs the pairs as a batch. docs/cli.md, "compare".
#pragma once

#include <string>
#include <vector>

#include "batch/batch_options.hpp"
#include "batch/output_name.hpp"
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

/// Reads and compares two images. Throws as reading does.
ComparedPair compared(CommandContext& context, const FilePair& pair, int tolerance);

/// Throws Error for what ends the run as a whole.
ExitCode compare_folders(const CompareArguments& arguments, const CommandParser& parser, const GlobalOptions& globals);

}  // namespace gpuimg
