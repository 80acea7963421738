// The mark is a control character after the name: '[' stays first, but the argument no longer ends with ']'.
#include "cli/cli11_bracket_workaround.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/argument_order.hpp"

namespace gpuimg {
namespace {

constexpr char kMark = '\x01';

}  // namespace

std::vector<std::string> with_bracket_marks(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool only_names = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const bool is_name = only_names || !takes_next(app, argv[i - 1]);
    only_names = only_names || argument == "--";
    if (is_name && argument.starts_with('[')) {
      argument += kMark;
    }
    arguments.push_back(std::move(argument));
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

std::string without_bracket_mark(std::string argument) {
  if (argument.starts_with('[') && argument.ends_with(kMark)) {
    argument.pop_back();
  }
  return argument;
}

}  // namespace gpuimg
