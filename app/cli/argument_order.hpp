// Options of a subcommand may stand before its name; CLI11 takes them only after it. So the name is moved to the front.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuimg {

/// `argv` with the first name that is neither an option nor the value of one moved to its beginning, if it is a
/// subcommand.
std::vector<const char*> subcommand_first(const CLI::App& app, int argc, const char* const* argv);

/// True if what follows `argument` is its value: an option, of any subcommand, that takes one.
bool takes_next(const CLI::App& app, const std::string& argument);

}  // namespace gpuimg
