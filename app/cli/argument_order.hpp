// Lets options come before the subcommand's name, which CLI11 does not allow: the name is moved to the front.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuimg {

/// `argv` with its first non-option argument moved to the front if that is a subcommand. Values of options are skipped.
std::vector<const char*> subcommand_first(const CLI::App& app, int argc, const char* const* argv);

/// True if `argument` is an option, of any subcommand, that takes the next argument as its value.
bool takes_next(const CLI::App& app, const std::string& argument);

}  // namespace gpuimg
