// Declares options to CLI11 and adds the checks that CLI11 lacks.
#include "cli/command_parser.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/cli11_bracket_workaround.hpp"
#include "cli/help_format.hpp"
#include "cli/name_synonyms.hpp"
#include "cli/number_options.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {
namespace {

constexpr const char* kOperationGroup = "Options";  // CLI11's default

CLI::Option& finish_positional(CLI::Option& option, const PositionalSpec& spec) {
  option.type_name("");
  if (!spec.usage.empty()) {
    option.option_text(spec.usage);
  }
  option.transform(without_bracket_mark);
  return option;
}

}  // namespace

CommandParser::CommandParser(const std::string& name, const std::string& description)
    : app_(std::make_shared<CLI::App>(description, name)) {
  app_->formatter(std::make_shared<HelpFormat>());
}

CommandParser::CommandParser(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

CommandParser::~CommandParser() = default;

CommandParser& CommandParser::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* child = app_->add_subcommand(name, description);
  child->fallthrough();
  subcommands_.push_back(std::unique_ptr<CommandParser>(new CommandParser(app_->get_subcommand_ptr(child))));
  return *subcommands_.back();
}

void CommandParser::positional(const PositionalSpec& spec, std::string& value) {
  finish_positional(*app_->add_option(spec.name, value, spec.description), spec);
}

void CommandParser::positionals(const PositionalSpec& spec, std::vector<std::string>& values) {
  finish_positional(*app_->add_option(spec.name, values, spec.description), spec);
}

void CommandParser::required_positionals(const PositionalSpec& spec, std::vector<std::string>& values) {
  finish_positional(*app_->add_option(spec.name, values, spec.description), spec).required();
}

CLI::Option& CommandParser::finish(CLI::Option& option, const OptionSpec& spec) {
  option.group(spec.group.empty() ? kOperationGroup : spec.group);
  if (option.get_expected_min() > 0) {
    option.type_name(spec.type_name);
    // An unset variable in a script must not look like an option that was left out.
    option.check([](const std::string& value) { return value.empty() ? "needs a value, and '' is none" : ""; });
  }
  if (spec.reads_file) {
    file_options_.push_back(option.get_lnames().front());
  }
  return option;
}

void CommandParser::flag(const OptionSpec& spec, bool& value) {
  finish(*app_->add_flag(spec.names, value, spec.description), spec);
}

void CommandParser::text(const OptionSpec& spec, std::string& value) {
  finish(*app_->add_option(spec.names, value, spec.description), spec);
}

void CommandParser::list(const OptionSpec& spec, std::vector<std::string>& values) {
  finish(*app_->add_option(spec.names, values, spec.description), spec).allow_extra_args(false);
}

template <class Number, class Target>
void CommandParser::add_number(const OptionSpec& spec, Target& value) {
  const auto read = [&value, name = spec.names](const std::string& text) { value = parse_number<Number>(name, text); };
  finish(*app_->add_option_function<std::string>(spec.names, read, spec.description), spec);
}

void CommandParser::number(const OptionSpec& spec, int& value) { add_number<int>(spec, value); }
void CommandParser::number(const OptionSpec& spec, double& value) { add_number<double>(spec, value); }
void CommandParser::number(const OptionSpec& spec, std::optional<int>& value) { add_number<int>(spec, value); }
void CommandParser::number(const OptionSpec& spec, std::optional<double>& value) { add_number<double>(spec, value); }

void CommandParser::set_footer(const std::string& text) { app_->footer(text); }

std::string CommandParser::name() const { return app_->get_name(); }

std::vector<GivenOption> CommandParser::given_options() const {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : app_->get_options()) {
    const bool is_of_operation = option->get_group() == kOperationGroup && !option->get_lnames().empty();
    if (is_of_operation && option->count() > 0) {
      const std::string& name = option->get_lnames().front();
      const bool reads_file = std::find(file_options_.begin(), file_options_.end(), name) != file_options_.end();
      given.push_back({name, option->results(), reads_file});
    }
  }
  std::sort(given.begin(), given.end(), [](const GivenOption& a, const GivenOption& b) { return a.name < b.name; });
  return given;
}

std::string CommandParser::help_on(const std::string& subcommand) const {
  const CLI::App& program = app_->get_parent() == nullptr ? *app_ : *app_->get_parent();
  const auto help = [&](const CLI::App& app, const std::string& typed) {
    return program.get_formatter()->make_help(&app, typed, CLI::AppFormatMode::Normal);
  };
  if (subcommand.empty()) {
    return help(program, program.get_name());
  }
  for (const CLI::App* app : program.get_subcommands(nullptr)) {
    if (app->get_name() == subcommand) {
      return help(*app, program.get_name() + " " + subcommand);
    }
  }
  throw Error(ErrorKind::usage, unknown_subcommand(subcommand, program) + "; see 'gpuimg --help'");
}

std::string cli11_version() { return CLI11_VERSION; }

}  // namespace gpuimg
