// Messages for unknown subcommands and options, with a suggestion.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace gpuimg {

/// "hist, equalize, … or version".
std::string subcommand_list(const CLI::App& app);

/// "unknown subcommand equalise (did you mean equalize?)".
std::string unknown_subcommand(const std::string& name, const CLI::App& app);

/// "unknown option --colour (did you mean --color?)", or which other subcommands have the option.
std::string unknown_option(const std::string& argument, const CLI::App& app);

}  // namespace gpuimg
