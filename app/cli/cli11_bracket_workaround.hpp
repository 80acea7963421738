// CLI11 parses [a,b] as a list, even if it is a file name. Before parsing, a mark is appended to arguments that begin
// with a bracket; the positional that receives one removes the mark.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuimg {

/// argv[1] and later, marked, in reverse order: what CLI::App::parse takes.
std::vector<std::string> with_bracket_marks(const CLI::App& app, int argc, const char* const* argv);

/// The argument as the user typed it.
std::string without_bracket_mark(std::string argument);

}  // namespace gpuimg
