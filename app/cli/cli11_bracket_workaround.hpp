// CLI11 takes an argument such as [a,b] for a list, and so a file of that name for two others. Names in brackets are
// marked before it sees them, and have their own form again when it hands them on.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuimg {

/// The arguments without the first, last one first, as CLI::App::parse takes them.
std::vector<std::string> with_bracketed_names(const CLI::App& app, int argc, const char* const* argv);

/// Has the positional arguments of a subcommand take their own form again.
void take_bracketed_names(CLI::App& parser);

/// Of an argument that nothing took.
std::string plain_name(std::string argument);

}  // namespace gpuimg
