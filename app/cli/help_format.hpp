// The layout of --help: always 80 columns, so that it looks the same in a file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gpuimg {

/// Descriptions may have several lines. A line of two columns, "name  text", wraps within its second column.
class HelpFormat final : public CLI::FormatterBase {
 public:
  /// `name` is what the user types: "gpuimg hist".
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace gpuimg
