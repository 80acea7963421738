// Names of subcommands and options that are not: what people type instead, and what is said to them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuimg {

/// "unknown subcommand equalise (did you mean equalize?)".
std::string unknown_subcommand(const std::string& name, const CLI::App& app);

/// "unknown option --colour (did you mean --color?)"; `parsers` are those whose options are known here.
std::string unknown_option(const std::string& argument, const std::vector<const CLI::App*>& parsers);

}  // namespace gpuimg
