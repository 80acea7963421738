// Options whose value is a number: decimal, whatever zeros it begins with.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace gpuimg {

/// Declares an option whose value is a whole number, or a number, in decimal. Parsing throws Error{usage} for what is
/// none; whoever uses the value checks its range.
CLI::Option* add_number(CLI::App& parser, const std::string& name, int& value, const std::string& description);
CLI::Option* add_number(CLI::App& parser, const std::string& name, double& value, const std::string& description);
CLI::Option* add_number(CLI::App& parser, const std::string& name, std::optional<int>& value,
                        const std::string& description);
CLI::Option* add_number(CLI::App& parser, const std::string& name, std::optional<double>& value,
                        const std::string& description);

}  // namespace gpuimg
