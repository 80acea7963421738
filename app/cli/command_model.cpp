// Views of a command model that several of its readers need.
#include "cli/command_model.hpp"

#include <algorithm>

namespace gpuimg {

std::optional<std::vector<std::string>> OptionModel::file_endings() const {
  if (placeholder.starts_with("FILE.")) {
    return std::vector<std::string>{placeholder.substr(placeholder.find('.') + 1)};
  }
  if (placeholder == "FILE" || placeholder == "OUT") {
    return std::vector<std::string>{};
  }
  return std::nullopt;
}

std::vector<std::string> option_groups(const CommandModel& command) {
  std::vector<std::string> groups;
  for (const OptionModel& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  return groups;
}

std::vector<std::string> choice_lines(const OptionText& text) {
  std::size_t width = 0;
  for (const Choice& choice : text.choices) {
    width = std::max(width, choice.name.size());
  }
  std::vector<std::string> lines;
  bool is_choice = false;
  for (const Choice& choice : text.choices) {
    const bool is_default = choice.name == text.by_default;
    is_choice = is_choice || is_default;
    lines.push_back(choice.name + std::string(width + 2 - choice.name.size(), ' ') + choice.meaning +
                    (is_default ? " [default]" : ""));
  }
  if (!text.choices.empty() && !is_choice) {
    lines.push_back("[" + text.by_default + "]");
  }
  return lines;
}

std::string short_description(const OptionText& text) {
  const std::string line = text.what.substr(0, text.what.find('\n'));
  const std::size_t bracket = line.ends_with(']') ? line.rfind(" [") : std::string::npos;
  return line.substr(0, bracket);
}

}  // namespace gpuimg
