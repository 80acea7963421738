// Wraps and indents help texts.
#include "cli/help_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gpuimg {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kDescriptionColumn = 26;

/// Where the second of two columns begins; 0 for text in one column.
std::size_t second_column(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", first);
  return gap == std::string_view::npos ? 0 : std::min(line.find_first_not_of(' ', gap), line.size());
}

/// Splits a line into lines of at most `width` characters; all but the first are indented to its second column.
std::vector<std::string> wrapped(std::string_view line, std::size_t width) {
  const std::string indent(second_column(line), ' ');
  std::vector<std::string> lines;
  std::string begun;
  while (begun.size() + line.size() > width) {
    const std::size_t space = line.rfind(' ', width - begun.size());
    if (space == std::string_view::npos || space < (lines.empty() ? indent.size() + 1 : 1)) {
      break;
    }
    lines.push_back(begun + std::string(line.substr(0, space)));
    line.remove_prefix(space + 1);
    begun = indent;
  }
  lines.push_back(begun + std::string(line));
  return lines;
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> more = wrapped(text.substr(0, end), width);
    lines.insert(lines.end(), more.begin(), more.end());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A name with its description to the right, or below if the name is too long.
std::string entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  for (const std::string& line : wrapped_lines(description, kColumns - kDescriptionColumn)) {
    const bool fits = text.find('\n') == std::string::npos && text.size() + 2 <= kDescriptionColumn;
    text += fits ? std::string(kDescriptionColumn - text.size(), ' ') : "\n" + std::string(kDescriptionColumn, ' ');
    text += line;
  }
  return text + "\n";
}

/// "-o, --output NAME". Only the first long name is shown: later ones are kept for compatibility.
std::string option_name(const CLI::Option& option) {
  std::string name;
  for (const std::string& short_name : option.get_snames()) {
    name += "-" + short_name + (option.get_lnames().empty() ? "" : ", ");
  }
  name += option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
  const bool takes_value = option.get_expected_min() > 0;
  return takes_value && !option.get_type_name().empty() ? name + " " + option.get_type_name() : name;
}

/// A positional in the usage line: "[IN...]".
std::string usage_of(const CLI::Option& positional) {
  return positional.get_option_text().empty() ? positional.get_name(true, false) : positional.get_option_text();
}

std::string usage(const CLI::App& app, const std::string& name) {
  std::string text = "Usage: " + name + " [OPTIONS]";
  for (const CLI::Option* positional : app.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    text += " " + usage_of(*positional);
  }
  return text + (app.get_subcommands(nullptr).empty() ? "\n" : " SUBCOMMAND ...\n");
}

std::string positionals(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* positional : app.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    text += entry(positional->get_name(true, false), positional->get_description());
  }
  return text.empty() ? text : "\n" + text;
}

std::string options(const CLI::App& app) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    const auto members = app.get_options(
        [&](const CLI::Option* one) { return one->get_group() == group && one->nonpositional() && !group.empty(); });
    text += members.empty() ? "" : "\n" + group + ":\n";
    for (const CLI::Option* option : members) {
      text += entry(option_name(*option), option->get_description());
    }
  }
  return text;
}

std::string subcommands(const CLI::App& app) {
  std::string text;
  for (const CLI::App* parser : app.get_subcommands(nullptr)) {
    text += entry(parser->get_name(), parser->get_description());
  }
  return text.empty() ? text : "\nSubcommands:\n" + text;
}

std::string paragraphs(const std::string& text) {
  return fmt::format("{}\n", fmt::join(wrapped_lines(text, kColumns), "\n"));
}

}  // namespace

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const {
  return paragraphs(app->get_description()) + "\n" + usage(*app, name) + positionals(*app) + options(*app) +
         subcommands(*app) + "\n" + paragraphs(app->get_footer());
}

}  // namespace gpuimg
