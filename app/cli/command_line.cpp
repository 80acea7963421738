// Declares the program, assigns the words of a command line to its steps, checks the number of threads, and turns
// errors into exit codes.
#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/global_options.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "io/control_group.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

std::vector<Choice> exit_codes() {
  std::vector<Choice> codes;
  for (const ExitCodeMeaning& one : kExitCodes) {
    codes.push_back({std::to_string(static_cast<int>(one.code)), std::string(one.meaning)});
  }
  return codes;
}

constexpr const char* kThen = "--then";

/// True if the words have a second step.
bool has_steps(const std::vector<std::string>& words) {
  const auto names = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), names, kThen) != names;
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// The name of the option that a word gives: "--color" of "--color=rgb", "-j" of "-j4".
std::string option_in(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

/// True if the value of the option is in the same word.
bool has_value(const std::string& word) {
  return word.starts_with("--") ? word.find('=') != std::string::npos : word.size() > 2;
}

/// Assigns each word of a command line with --then to the step that it belongs to, or to the run.
class StepWords {
 public:
  struct Step {
    std::string name;
    const CommandParser* parser = nullptr;
    std::vector<std::string> given;  ///< words after the name, before they are assigned to the step or the run
    std::vector<std::string> words;  ///< options of this step only, and words as in "rotate 90"
    std::size_t missing_words = 0;
  };

  /// Throws Error{usage}.
  StepWords(const CommandParser& program, const std::vector<std::string>& words) : program_(program) {
    split(words);
    check_places();
    for (Step& step : steps_) {
      sort(step);
    }
  }

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

  /// Words that belong to the run: file names, output options and global options.
  [[nodiscard]] const std::vector<std::string>& of_run() const { return of_run_; }

  /// The words to parse for a step. The last step also parses the words of the run.
  [[nodiscard]] std::vector<std::string> words_of(const Step& step) const {
    std::vector<std::string> words = {step.name};
    words.insert(words.end(), step.words.begin(), step.words.end());
    if (&step == &steps_.back()) {
      words.insert(words.end(), of_run_.begin(), of_run_.end());
    }
    return words;
  }

 private:
  void split(const std::vector<std::string>& words) {
    bool only_names = false;
    steps_.emplace_back();
    for (const std::string& word : words) {
      only_names = only_names || word == "--";
      if (word == kThen && !only_names) {
        steps_.emplace_back();
      } else {
        steps_.back().given.push_back(word);
      }
    }
    for (Step& step : steps_) {
      take_name(step);
    }
  }

  /// Takes the first word that is neither an option nor the value of a global option.
  void take_name(Step& step) {
    auto word = step.given.begin();
    const bool is_first = &step == &steps_.front();
    while (is_first && word != step.given.end() && is_option(*word)) {
      const bool takes_next = program_.takes_value(option_in(*word)) && !has_value(*word);
      word += takes_next && word + 1 != step.given.end() ? 2 : 1;
    }
    if (is_first && word == step.given.end()) {
      throw Error(ErrorKind::usage,
                  "--then goes after the first step, as in 'gpuimg equalize IN OUT --then threshold'");
    }
    if (word == step.given.end() || is_option(*word)) {
      throw Error(ErrorKind::usage, "--then needs the name of a step: " + step_names() + "; see 'gpuimg --help'");
    }
    step.name = *word;
    step.parser = program_.find_subcommand(step.name);
    step.given.erase(word);
  }

  [[nodiscard]] std::string step_names() const {
    std::vector<std::string> names;
    for (const CommandModel& command : program_.program().subcommands) {
      if (command.is_step) {
        names.push_back(command.name);
      }
    }
    return listed(names);
  }

  void check_places() const {
    for (const Step& step : steps_) {
      const StepPlace place = step.parser != nullptr ? step.parser->step_place() : StepPlace::nowhere;
      if (place == StepPlace::nowhere) {
        const bool is_quoted = step.name.find(' ') != std::string::npos;
        const std::string hint = is_quoted                ? "; write its options without quotes"
                                 : step.parser == nullptr ? program_.subcommand_meant_by(step.name)
                                                          : "";
        throw Error(ErrorKind::usage, printable_name(step.name) + " is not a step" + hint + "; --then takes " +
                                          step_names() + "; see 'gpuimg --help'");
      }
      if (place == StepPlace::last && &step != &steps_.back()) {
        throw Error(ErrorKind::usage, step.name + " makes numbers, so it can only be the last step");
      }
    }
  }

  void sort(Step& step) {
    bool only_names = false;
    step.missing_words = step.parser->words();
    for (auto word = step.given.begin(); word != step.given.end(); ++word) {
      only_names = only_names || *word == "--";
      if (only_names || !is_option(*word)) {
        take_word_or_file(step, *word);
        continue;
      }
      const std::string option = option_in(*word);
      std::vector<std::string>& to = is_of_run(step, option) ? of_run_ : step.words;
      to.push_back(*word);
      if (!has_value(*word) && takes_value(step, option) && word + 1 != step.given.end()) {
        to.push_back(*++word);
      }
    }
    if (step.missing_words > 0 && &step != &steps_.front()) {
      reject_missing_word(step);
    }
  }

  /// A missing word is rejected here, because the parser would use a file name in its place.
  [[noreturn]] void reject_missing_word(const Step& step) const {
    const CommandModel model = program_.subcommand(step.name);
    const auto word = std::find_if(model.positionals.begin(), model.positionals.end(),
                                   [](const PositionalModel& positional) { return !positional.choices.empty(); });
    std::vector<std::string> choices;
    for (const Choice& choice : word->choices) {
      choices.push_back(choice.name);
    }
    throw Error(ErrorKind::usage, "--then " + step.name + " needs " + word->name + " after it: " + listed(choices));
  }

  void take_word_or_file(Step& step, const std::string& word) {
    if (step.missing_words > 0) {
      --step.missing_words;
      step.words.push_back(word);
      return;
    }
    if (&step != &steps_.front()) {
      throw Error(ErrorKind::usage, "unexpected argument " + printable_name(word) + " after --then " + step.name +
                                        "; IN and OUT go before the first --then");
    }
    of_run_.push_back(word);
  }

  /// True if `option` belongs to the run. Throws Error{usage} if it belongs to another step, or if it is an output
  /// option that the last step does not have.
  [[nodiscard]] bool is_of_run(const Step& step, const std::string& option) const {
    const Step& last = steps_.back();
    const OptionOwner owner = step.parser->owner_of(option);
    if (owner == OptionOwner::step || option == "--help" || option == "-h") {
      return false;
    }
    if (program_.owner_of(option) != OptionOwner::nobody || last.parser->owner_of(option) == OptionOwner::run) {
      return true;
    }
    if (owner == OptionOwner::run) {
      throw Error(ErrorKind::usage,
                  option + " is an output option, but the last step, " + last.name + ", does not have it");
    }
    for (const Step& other : steps_) {
      if (other.parser->owner_of(option) == OptionOwner::step) {
        throw Error(ErrorKind::usage, option + " is an option of the step " + other.name + ", not of " + step.name +
                                          "; write it after " + other.name);
      }
    }
    step.parser->reject_option(option);
  }

  [[nodiscard]] bool takes_value(const Step& step, const std::string& option) const {
    return step.parser->takes_value(option) || program_.takes_value(option) ||
           steps_.back().parser->takes_value(option);
  }

  const CommandParser& program_;
  std::vector<Step> steps_;
  std::vector<std::string> of_run_;
};

/// The words as argv.
std::vector<const char*> argv_of(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"gpuimg"};
  for (const std::string& word : words) {
    argv.push_back(word.c_str());
  }
  return argv;
}

/// Makes a step from the parsed options. Throws Error{usage} that names the step.
EarlierStep earlier_step(const CommandParser& parser) {
  try {
    return {parser.name(), parser.make_step(), parser.given_options(), parser.step_text()};
  } catch (const Error& error) {
    throw Error(error.kind(), parser.name() + ": " + error.what());
  }
}

}  // namespace

CommandLine::Program::Program(const std::vector<Command>& definitions, const std::function<std::string()>& version_text)
    : parser("gpuimg",
             "Histograms, equalization, integral images, thresholds, denoising, resizing, HSL and other operations on "
             "images, on a CPU or a GPU.") {
  parser.version(version_text);
  add_global_options(parser, arguments);
  for (const Command& command : definitions) {
    CommandParser& subcommand = parser.add_subcommand(command.name, command.description);
    commands.push_back({&subcommand, command.declare(subcommand)});
    subcommand.set_examples(command.examples);
  }
  parser.set_exit_codes(exit_codes());
}

CommandLine::CommandLine(const std::vector<Command>& commands, const std::function<std::string()>& version_text)
    : definitions_(commands), version_text_(version_text) {
  programs_.push_back(std::make_unique<Program>(definitions_, version_text_));
}

std::optional<ExitCode> CommandLine::parse(int argc, const char* const* argv) {
  try {
    if (const auto answered = parse_words({argv + std::min(argc, 1), argv + argc})) {
      return answered;
    }
    note_without_effect(last_program().arguments, options_);
    return std::nullopt;
  } catch (const Error& error) {
    return failed_by(error);
  }
}

ExitCode CommandLine::failed_by(const Error& error) {
  print_error(error.what());
  if (on_error_) {
    on_error_(error);
  }
  return exit_code_of(error.kind());
}

std::optional<ExitCode> CommandLine::parse_words(const std::vector<std::string>& words) {
  const std::vector<const char*> argv = argv_of(words);
  const auto answered =
      has_steps(words) ? parse_steps(words) : last_program().parser.parse(static_cast<int>(argv.size()), argv.data());
  if (!answered) {
    options_ = validated(with_defaults(last_program().arguments, shared_.defaults));
    options_.on_end = on_end_;
    options_.resident = shared_.resident;
    options_.wait_until_alone = shared_.wait_until_alone;
    if (shared_.resident != nullptr) {
      options_.progress = ProgressWanted::never;  // progress lines of several command lines would mix
    }
  }
  return answered;
}

std::optional<ExitCode> CommandLine::parse_steps(const std::vector<std::string>& words) {
  const std::unique_ptr<Program> whole = std::move(programs_.front());
  programs_.clear();
  const StepWords sorted(whole->parser, words);
  std::vector<EarlierStep> earlier;
  for (const StepWords::Step& step : sorted.steps()) {
    programs_.push_back(std::make_unique<Program>(definitions_, version_text_));
    const std::vector<std::string> own = sorted.words_of(step);
    const std::vector<const char*> argv = argv_of(own);
    if (const auto answered = last_program().parser.parse(static_cast<int>(argv.size()), argv.data())) {
      return answered;
    }
    CommandParser& parser = *last_program().parser.find_subcommand(step.name);
    if (&step == &sorted.steps().back()) {
      parser.set_earlier_steps(std::move(earlier));
    } else {
      earlier.push_back(earlier_step(parser));
    }
  }
  return std::nullopt;
}

std::vector<EarlierStep> CommandLine::steps_of(const std::vector<Command>& commands,
                                               const std::vector<std::string>& words) {
  const std::function<std::string()> no_version = [] { return std::string(); };
  const Program whole(commands, no_version);
  const StepWords sorted(whole.parser, words);
  if (!sorted.of_run().empty()) {
    throw Error(ErrorKind::usage,
                printable_name(sorted.of_run().front()) + ": does not belong to a step; give it to the output");
  }
  std::vector<EarlierStep> steps;
  for (const StepWords::Step& step : sorted.steps()) {
    if (step.parser->step_place() != StepPlace::anywhere) {
      throw Error(ErrorKind::usage, step.name + " makes numbers, so it is not a step from image to image");
    }
    const auto program = std::make_shared<Program>(commands, no_version);
    const std::vector<std::string> own = sorted.words_of(step);
    const std::vector<const char*> argv = argv_of(own);
    if (program->parser.parse(static_cast<int>(argv.size()), argv.data())) {
      throw Error(ErrorKind::usage, step.name + ": --help is not possible here; leave it out");
    }
    EarlierStep& made = steps.emplace_back(earlier_step(*program->parser.find_subcommand(step.name)));
    const auto both =
        std::make_shared<std::pair<std::shared_ptr<Program>, std::shared_ptr<ImageStep>>>(program, made.step);
    made.step = std::shared_ptr<ImageStep>(both, made.step.get());  // a step may refer to the program's arguments
  }
  return steps;
}

void CommandLine::pass_job(const std::vector<std::string>& words, const std::function<void(ImageJob& job)>& take) {
  if (parse_words(words)) {
    throw Error(ErrorKind::usage, "--help is not possible here; leave it out");
  }
  options_.take_job = take;
  options_.verbosity = Verbosity::quiet;
  (void)run_chosen();
}

/// Limits threads to the number of processors; more gain nothing. The default is also limited by the CPU quota of the
/// control groups: once the quota of a period is used up, the kernel stops all threads for the rest of the period.
void CommandLine::limit_threads() {
  const int processors = tbb::info::default_concurrency();
  if (options_.threads == 0) {
    const int allowed = group_processors().value_or(processors);
    if (allowed < processors) {
      options_.threads = allowed;
      print_detail(
          options_.verbosity,
          fmt::format("the CPU quota of the control group amounts to {} of {} processors; starting {} thread{}",
                      allowed, processors, allowed, allowed == 1 ? "" : "s"));
    }
  }
  if (options_.threads <= processors) {
    return;
  }
  const std::string fact =
      fmt::format("{}: more threads than processors are not faster; starting {}", options_.threads, processors);
  if (last_program().arguments.threads.empty()) {  // GPUIMG_THREADS is often shared by several machines: no note
    print_detail(options_.verbosity, "GPUIMG_THREADS=" + fact);
  } else {
    print_note(options_.verbosity, "--threads " + fact);
  }
  options_.threads = processors;
}

ExitCode CommandLine::run_chosen() {
  const std::vector<DeclaredCommand>& commands = last_program().commands;
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [](const DeclaredCommand& command) { return command.parser->is_chosen(); });
  limit_threads();
  if (options_.wait_until_alone && chosen->parser->step_place() == StepPlace::nowhere) {
    options_.wait_until_alone(options_);
  }
  return chosen->run(options_);
}

ExitCode CommandLine::run() {
  try {
    return run_chosen();
  } catch (const OutputClosed&) {
    return ExitCode::ok;  // the reader of standard output closed it
  } catch (const Error& error) {
    return failed_by(error);
  } catch (const std::runtime_error& failure) {
    if (!is_rejected_thread(failure)) {
      throw;
    }
    return failed_by(
        Error(ErrorKind::out_of_memory, "no thread can be started; use --threads 1, or a machine with more memory"));
  }
}

}  // namespace gpuimg
