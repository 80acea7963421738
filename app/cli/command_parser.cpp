// Declares options to CLI11 and adds the checks that CLI11 lacks.
#include "cli/command_parser.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/cli11_bracket_workaround.hpp"
#include "cli/help_text.hpp"
#include "cli/name_synonyms.hpp"
#include "cli/number_options.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {
namespace {

constexpr const char* kOperationGroup = "Options";

const OptionModel kHelpOption = {{"-h", "--help"}, "print this text", "", kOperationGroup, ""};

/// The names that --help shows: all short ones and the first long one. Later ones are kept for compatibility.
std::vector<std::string> shown_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  names.push_back("--" + option.get_lnames().front());
  return names;
}

/// Lets CLI11 print our --help.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(const CommandParser& program) : program_(program) {}

  std::string make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const override {
    return app->get_parent() == nullptr ? program_help(program_.program())
                                        : subcommand_help(program_.name(), program_.subcommand(app->get_name()));
  }

 private:
  const CommandParser& program_;
};

}  // namespace

CommandParser::CommandParser(const std::string& name, const std::string& description)
    : app_(std::make_shared<CLI::App>(description, name)), model_{name, description, {}, {kHelpOption}, {}, {}, {}} {
  app_->set_help_flag("-h,--help");
  app_->formatter(std::make_shared<HelpFormatter>(*this));
}

CommandParser::CommandParser(std::shared_ptr<CLI::App> app, CommandModel model, const CommandParser* program)
    : app_(std::move(app)), model_(std::move(model)), program_(program) {}

CommandParser::~CommandParser() = default;

CommandParser& CommandParser::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* child = app_->add_subcommand(name, description);
  child->fallthrough();
  subcommands_.push_back(std::unique_ptr<CommandParser>(
      new CommandParser(app_->get_subcommand_ptr(child), {name, description, {}, {kHelpOption}, {}, {}, {}}, this)));
  return *subcommands_.back();
}

void CommandParser::positional(const PositionalSpec& spec, std::string& value) {
  finish(*app_->add_option(spec.name, value), spec);
}

void CommandParser::positionals(const PositionalSpec& spec, std::vector<std::string>& values) {
  finish(*app_->add_option(spec.name, values), spec);
}

void CommandParser::required_positionals(const PositionalSpec& spec, std::vector<std::string>& values) {
  finish(*app_->add_option(spec.name, values), spec).required();
}

CLI::Option& CommandParser::finish(CLI::Option& option, const PositionalSpec& spec) {
  option.transform(without_bracket_mark);
  model_.positionals.push_back({spec.name, spec.description, spec.usage.empty() ? spec.name : spec.usage, spec.choices,
                                spec.endings, spec.names_subcommand});
  return option;
}

CLI::Option& CommandParser::finish(CLI::Option& option, const OptionSpec& spec) {
  option.group(spec.group.empty() ? kOperationGroup : spec.group);
  if (option.get_expected_min() > 0) {
    // An unset variable in a script must not look like an option that was left out.
    option.check([](const std::string& value) { return value.empty() ? "needs a value, and '' is none" : ""; });
  }
  if (spec.reads_file) {
    file_options_.push_back(option.get_lnames().front());
  }
  model_.options.push_back({shown_names(option), spec.description, spec.type_name, option.get_group(), spec.variable});
  return option;
}

void CommandParser::flag(const OptionSpec& spec, bool& value) { finish(*app_->add_flag(spec.names, value), spec); }

void CommandParser::text(const OptionSpec& spec, std::string& value) {
  finish(*app_->add_option(spec.names, value), spec);
}

void CommandParser::list(const OptionSpec& spec, std::vector<std::string>& values) {
  finish(*app_->add_option(spec.names, values), spec).allow_extra_args(false);
  model_.options.back().repeats = true;
}

template <class Number, class Target>
void CommandParser::add_number(const OptionSpec& spec, Target& value) {
  const auto read = [&value, name = spec.names](const std::string& text) { value = parse_number<Number>(name, text); };
  finish(*app_->add_option_function<std::string>(spec.names, read), spec);
}

void CommandParser::number(const OptionSpec& spec, int& value) { add_number<int>(spec, value); }
void CommandParser::number(const OptionSpec& spec, double& value) { add_number<double>(spec, value); }
void CommandParser::number(const OptionSpec& spec, std::optional<int>& value) { add_number<int>(spec, value); }
void CommandParser::number(const OptionSpec& spec, std::optional<double>& value) { add_number<double>(spec, value); }

void CommandParser::version(std::function<std::string()> text) {
  app_->set_version_flag("-V,--version", std::move(text));
  model_.options.push_back({{"-V", "--version"}, "print the version, and what is built in", "", kOperationGroup, ""});
}

void CommandParser::set_examples(const std::string& text) { model_.examples = text; }

void CommandParser::set_exit_codes(std::vector<Choice> codes) { model_.exit_codes = std::move(codes); }

std::string CommandParser::name() const { return model_.name; }

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

CommandModel CommandParser::program() const {
  const CommandParser& parser = program_parser();
  std::vector<Choice> names;
  for (const auto& subcommand : parser.subcommands_) {
    names.push_back({subcommand->model_.name, subcommand->model_.description});
  }
  CommandModel whole = parser.model_;
  for (const auto& subcommand : parser.subcommands_) {
    whole.subcommands.push_back(subcommand->model_);
    for (PositionalModel& positional : whole.subcommands.back().positionals) {
      positional.choices = positional.names_subcommand ? names : positional.choices;
    }
  }
  return whole;
}

CommandModel CommandParser::subcommand(const std::string& name) const {
  const auto& subcommands = program_parser().subcommands_;
  const auto found = std::find_if(subcommands.begin(), subcommands.end(),
                                  [&](const auto& subcommand) { return subcommand->name() == name; });
  if (found == subcommands.end()) {
    throw Error(ErrorKind::usage, unknown_subcommand(name, program_parser().app()) + "; see 'gpuimg --help'");
  }
  return (*found)->model_;
}

std::string cli11_version() { return CLI11_VERSION; }

}  // namespace gpuimg
