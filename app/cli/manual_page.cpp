// Lays out a manual page: name, synopsis, description, options, examples, exit status, environment, see also.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/help.hpp"

namespace gpuimg {
namespace {

/// Escapes text for roff: no character acts as a command, and hyphens can be copied as minus signs.
std::string plain(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    switch (c) {
      case '\\': result += "\\e"; break;
      case '-': result += "\\-"; break;
      case '\'': result += "\\(aq"; break;
      case '`': result += "\\(ga"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      default: result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// The title has no date, so that the page depends only on the version.
std::string title(const std::string& name, const std::string& version) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.nh\n.ad l\n", plain(upper_case(name)), plain(version));
}

std::string section(const std::string& name) { return ".SH " + upper_case(name) + "\n"; }

/// A name with text to its right; both are roff.
std::string item(const std::string& name, const std::string& text) { return ".TP\n" + name + "\n" + text; }

/// Lines of text, with a line break (.br) between them.
std::string lines_of(const std::string& text) {
  std::string roff;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    roff += (at == 0 ? "" : ".br\n") + plain(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return roff;
}

std::string names_in_roff(const OptionModel& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(bold(name));
  }
  return fmt::format("{}{}", fmt::join(names, ", "),
                     option.takes_value() ? fmt::format(" {}", italic(option.placeholder)) : "");
}

std::string description_in_roff(const OptionText& text) {
  std::string roff = lines_of(text.what);
  if (text.choices.empty()) {
    return roff;
  }
  roff += ".RS\n";
  bool is_choice = false;
  for (const Choice& choice : text.choices) {
    const bool is_default = choice.name == text.by_default;
    is_choice = is_choice || is_default;
    roff += item(bold(choice.name), plain(choice.meaning + (is_default ? " [default]" : "")) + "\n");
  }
  return roff + ".RE\n" + (is_choice ? "" : ".IP\n" + plain(fmt::format("[{}]", text.by_default)) + "\n");
}

std::string options_section(const CommandModel& command) {
  std::string roff = section("Options");
  for (const std::string& group : option_groups(command)) {
    roff += group == "Options" ? "" : ".SS " + plain(group) + "\n";
    for (const OptionModel& option : command.options) {
      roff += option.group == group ? item(names_in_roff(option), description_in_roff(option.text)) : "";
    }
  }
  return roff;
}

std::string positionals_in_roff(const CommandModel& command) {
  std::string roff;
  for (const PositionalModel& positional : command.positionals) {
    roff += item(italic(positional.name), lines_of(positional.description));
  }
  return roff;
}

std::string synopsis(const std::string& program, const CommandModel& command) {
  std::string roff = section("Synopsis") + bold(program) +
                     (command.subcommands.empty() ? fmt::format(" {}", bold(command.name)) : "") + " [" +
                     italic("OPTIONS") + "]";
  for (const PositionalModel& positional : command.positionals) {
    roff += fmt::format(" {}", plain(positional.usage));
  }
  return roff + (command.subcommands.empty() ? "\n" : fmt::format(" {} ...\n", italic("SUBCOMMAND")));
}

/// The examples without the heading in the model's text.
std::string examples(const CommandModel& command) {
  const std::size_t first = std::min(command.examples.find('\n'), command.examples.size() - 1) + 1;
  std::string roff;
  for (std::size_t at = first; at < command.examples.size();) {
    const std::size_t end = std::min(command.examples.find('\n', at), command.examples.size());
    roff += plain(command.examples.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return roff.empty() ? roff : section("Examples") + ".nf\n" + roff + ".fi\n";
}

std::string environment(const CommandModel& program) {
  std::string roff = section("Environment");
  for (const OptionModel& option : program.options) {
    if (!option.variable.empty()) {
      roff += item(bold(option.variable), plain("used if " + option.names.back() + " is not given") + "\n");
    }
  }
  return roff + item(bold("NO_COLOR"), plain("if set and not empty, charts have no color") + "\n");
}

std::string reference(const std::string& name) { return ".BR " + plain(name) + " (1)"; }

}  // namespace

std::string program_manual(const CommandModel& program, const std::string& version) {
  std::string roff = title(program.name, version) + section("Name") + plain(program.name + " - ") +
                     plain("histograms, equalization and other operations on images, on a CPU or a GPU") + "\n";
  roff +=
      synopsis(program.name, program) + section("Description") + lines_of(program.description) + section("Subcommands");
  for (const CommandModel& subcommand : program.subcommands) {
    roff += item(bold(subcommand.name), lines_of(subcommand.description));
  }
  roff += options_section(program) + section("Exit status");
  for (const Choice& code : program.exit_codes) {
    roff += item(bold(code.name), lines_of(code.meaning));
  }
  roff += environment(program) + section("See also");
  for (const CommandModel& subcommand : program.subcommands) {
    roff += reference(program.name + "-" + subcommand.name) +
            (subcommand.name == program.subcommands.back().name ? "\n" : " ,\n");
  }
  return roff;
}

std::string subcommand_manual(const CommandModel& program, const CommandModel& subcommand, const std::string& version) {
  const std::string name = program.name + "-" + subcommand.name;
  return title(name, version) + section("Name") + plain(name + " - " + subcommand.description) + "\n" +
         synopsis(program.name, subcommand) +
         (subcommand.positionals.empty() ? "" : section("Description") + positionals_in_roff(subcommand)) +
         options_section(subcommand) + examples(subcommand) + section("See also") + reference(program.name) +
         "\n.PP\nThe page of " + plain(program.name) + " explains the global options, exit codes and variables.\n";
}

}  // namespace gpuimg
