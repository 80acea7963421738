// Marks and unmarks.
#include "bracketed_names.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace gpuimg {
namespace {

constexpr char kMark = '\x01';

/// App::get_option_no_throw would end the process where there is no memory.
bool takes_value(const CLI::App& parser, const std::string& argument) {
  const auto options = parser.get_options();
  return std::any_of(options.begin(), options.end(), [&](const CLI::Option* option) {
    return option->get_expected_min() > 0 && option->check_name(argument);
  });
}

/// The value of an option is handed on as it is.
bool is_value(const CLI::App& app, const std::string& before) {
  const auto parsers = app.get_subcommands(nullptr);
  return before.starts_with('-') && (takes_value(app, before) ||
                                     std::any_of(parsers.begin(), parsers.end(),
                                                 [&](const CLI::App* parser) { return takes_value(*parser, before); }));
}

}  // namespace

std::vector<std::string> with_bracketed_names(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool only_names = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const bool is_name = only_names || !is_value(app, argv[i - 1]);
    only_names = only_names || argument == "--";
    if (is_name && argument.starts_with('[')) {
      argument += kMark;
    }
    arguments.push_back(std::move(argument));
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

void take_bracketed_names(CLI::App& parser) {
  for (CLI::Option* option : parser.get_options()) {
    if (option->get_positional()) {
      option->transform(plain_name);
    }
  }
}

std::string plain_name(std::string argument) {
  if (argument.starts_with('[') && argument.ends_with(kMark)) {
    argument.pop_back();
  }
  return argument;
}

}  // namespace gpuimg
