// Needs to know which options take a value, so that a value is not mistaken for the subcommand.
#include "cli/argument_order.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace gpuimg {
namespace {

/// Not App::get_option_no_throw: it is noexcept but allocates, so it ends the process when memory runs out.
bool takes_value(const CLI::App& parser, const std::string& argument) {
  const auto options = parser.get_options();
  return std::any_of(options.begin(), options.end(), [&](const CLI::Option* option) {
    return option->get_expected_min() > 0 && option->check_name(argument);
  });
}

bool is_subcommand(const CLI::App& app, const std::string& name) {
  const auto parsers = app.get_subcommands(nullptr);
  return std::any_of(parsers.begin(), parsers.end(),
                     [&](const CLI::App* parser) { return parser->get_name() == name; });
}

}  // namespace

bool takes_next(const CLI::App& app, const std::string& argument) {
  const auto parsers = app.get_subcommands(nullptr);
  return argument.starts_with('-') &&
         (takes_value(app, argument) || std::any_of(parsers.begin(), parsers.end(), [&](const CLI::App* parser) {
            return takes_value(*parser, argument);
          }));
}

std::vector<const char*> subcommand_first(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  for (std::size_t i = 1; i < arguments.size() && std::string_view(arguments[i]) != "--"; ++i) {
    const bool is_name = arguments[i][0] != '-' && !(i > 1 && takes_next(app, arguments[i - 1]));
    if (is_name) {
      if (is_subcommand(app, arguments[i])) {
        const auto first = arguments.begin() + 1;
        const auto here = first + static_cast<std::ptrdiff_t>(i - 1);
        std::rotate(first, here, here + 1);
      }
      break;
    }
  }
  return arguments;
}

}  // namespace gpuimg
