// gpuimg batch -: reads command lines, runs several at a time in this process, and answers each with a line of JSON.
// docs/cli.md, "batch".
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "batch/batch_command.hpp"
#include "batch/stop_signal.hpp"
#include "cli/command_line.hpp"
#include "cli/messages.hpp"
#include "commands/commands.hpp"
#include "engine/worker.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/system_handles.hpp"
#include "text/json.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::batch {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg batch - <commands.txt\n"
    "  echo 'equalize in.png out.png' | gpuimg batch -\n"
    "  echo '[\"resize\", \"in.png\", \"out.png\", \"--size\", \"50%\"]' | gpuimg batch -\n"
    "  gpuimg batch - --backend cuda --jobs 16 <commands.txt >answers.jsonl";

constexpr std::size_t kMaxLine = std::size_t{1} << 20;

/// Reads lines from a descriptor as they arrive.
class Lines {
 public:
  /// `must_end` is called several times per second.
  Lines(int descriptor, std::function<bool()> must_end) : descriptor_(descriptor), must_end_(std::move(must_end)) {}

  struct Line {
    std::string text;
    bool is_too_long = false;  ///< the line has kMaxLine bytes or more, and `text` is incomplete
  };

  /// The next line without its line end; nullopt at the end of the input, or if the run must end. Throws Error{read}.
  std::optional<Line> next() {
    Line line;
    while (!must_end_()) {
      const std::size_t end = waiting_.find('\n');
      const std::size_t taken = std::min(end, waiting_.size());
      line.is_too_long = line.is_too_long || line.text.size() + taken >= kMaxLine;
      if (!line.is_too_long) {
        line.text.append(waiting_, 0, taken);
      }
      if (end != std::string::npos) {
        waiting_.erase(0, end + 1);
        return line;
      }
      const bool has_text = line.is_too_long || !line.text.empty();
      waiting_.clear();
      if (!read_more()) {
        return has_text && !must_end_() ? std::optional(std::move(line)) : std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  /// False at the end of the input, or if the run must end.
  bool read_more() {
    constexpr int kWaitMs = 100;
    pollfd wanted{descriptor_, POLLIN, 0};
    std::array<char, 65536> block{};
    while (!must_end_()) {
      if (::poll(&wanted, 1, kWaitMs) <= 0) {
        continue;
      }
      const ssize_t count = ::read(descriptor_, block.data(), block.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
        continue;
      }
      if (count < 0) {
        throw Error(ErrorKind::read,
                    fmt::format("the command lines cannot be read: {}", std::generic_category().message(errno)));
      }
      waiting_.append(block.data(), static_cast<std::size_t>(count));
      return count > 0;
    }
    return false;
  }

  int descriptor_;
  std::function<bool()> must_end_;
  std::string waiting_;
};

[[noreturn]] void reject_line(const std::string& why) { throw Error(ErrorKind::usage, "the line " + why); }

/// Splits and unquotes a line like a POSIX shell, but expands nothing. Throws Error{usage}.
std::vector<std::string> shell_words(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  constexpr std::string_view kEscapedInQuotes = "\"\\$`";
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && kBlanks.find(c) != std::string_view::npos) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) {
      words.emplace_back();
      is_in_word = true;
    }
    const bool is_escape = c == '\\' && quote != '\'';
    const bool has_next = i + 1 < line.size();
    if (is_escape && !has_next) {
      reject_line("ends with a backslash; add a character after it");
    }
    if (is_escape && (quote == 0 || kEscapedInQuotes.find(line[i + 1]) != std::string_view::npos)) {
      words.back() += line[++i];
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) {
    reject_line(fmt::format("has an opening {} without a closing one; add it, or escape the {} with a backslash", quote,
                            quote));
  }
  return words;
}

/// Throws Error{usage} for anything but an array of strings.
std::vector<std::string> json_words(std::string_view line) {
  try {
    const JsonDocument document(line);
    std::vector<std::string> words;
    for (const JsonValue& value : document.root().elements()) {
      words.push_back(value.text());
    }
    return words;
  } catch (const JsonError&) {
    reject_line("is not a JSON array of strings; write it as [\"equalize\", \"in.png\", \"out.png\"]");
  }
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

/// The words of a line, without a leading `gpuimg`, which is optional. Throws Error{usage}.
std::vector<std::string> words_of(const Lines::Line& line) {
  if (line.is_too_long) {
    reject_line(fmt::format("has {} bytes or more; shorten it", kMaxLine));
  }
  const std::size_t first = line.text.find_first_not_of(" \t\r");
  const std::string_view text = std::string_view(line.text).substr(first);
  std::vector<std::string> words = text.front() == '[' ? json_words(text) : shell_words(text);
  for (const std::string& word : words) {
    if (word.find('\0') != std::string::npos) {
      reject_line("has a NUL character; remove it");
    }
  }
  if (!words.empty() && words.front() == "gpuimg") {
    words.erase(words.begin());
  }
  return words;
}

/// The commands whose names are among the words. Declaring all commands would take longer than processing a small
/// image.
std::vector<Command> commands_named_in(const std::vector<std::string>& words) {
  std::vector<Command> named;
  for (const auto& make : kCommands) {
    Command command = make();
    if (std::find(words.begin(), words.end(), command.name) != words.end()) {
      named.push_back(std::move(command));
    }
  }
  return named;
}

/// A command line and its outcome.
struct Request {
  std::uint64_t number = 0;  ///< line number, from 1
  Lines::Line line;
  ExitCode exit_code = ExitCode::internal;
  CapturedStreams streams;
  double ms = 0.0;
  bool is_done = false;
};

std::string answer_of(const Request& request) {
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line);
  json.key("line").integer(request.number);
  json.key("exit_code").integer(static_cast<std::uint64_t>(request.exit_code));
  json.key("outputs").begin_array(JsonWriter::Layout::line);
  const std::vector<std::string>& files = request.streams.files;
  for (const std::string& file : files) {
    json.text(file);
  }
  json.end();
  if (!std::all_of(files.begin(), files.end(), [](const std::string& file) { return valid_utf8(file) == file; })) {
    json.key("outputs_hex").begin_array(JsonWriter::Layout::line);
    for (const std::string& file : files) {
      json.text(hex_of(file));
    }
    json.end();
  }
  json.key("messages").begin_array(JsonWriter::Layout::line);
  std::string_view rest = request.streams.messages;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    json.text(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  json.end();
  if (!request.streams.output.empty()) {
    json.key("stdout").text(request.streams.output);
  }
  json.key("ms").literal(fmt::format("{:.3f}", request.ms));
  return json.end().take();
}

/// Runs requests on threads and writes the answers in the order of the lines.
class Service {
 public:
  Service(const GlobalOptions& globals, int jobs, const StopSignal& stop)
      : defaults_(*globals.given), jobs_(jobs), threads_alone_(processors(globals)), stop_(stop) {
    if (defaults_.threads.empty()) {
      divided_threads_ = std::to_string(std::max(1, threads_alone_ / jobs));
      defaults_.threads = divided_threads_;
    }
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() { end_threads(); }

  /// Adds a request. Waits while too many requests are unanswered.
  void add(std::uint64_t number, Lines::Line line) {
    std::unique_lock lock(mutex_);
    const std::size_t most = 4 * static_cast<std::size_t>(jobs_);
    changed_.wait(lock, [&] { return requests_.size() < most || failure_; });
    rethrow_failure();
    if (threads_.size() < static_cast<std::size_t>(jobs_) && threads_.size() <= requests_.size()) {
      start_thread();
    }
    auto request = std::make_unique<Request>();
    request->number = number;
    request->line = std::move(line);
    requests_.push_back(std::move(request));
    waiting_.push_back(requests_.back().get());
    changed_.notify_all();
  }

  /// True if a device was lost, so that no further request can be served.
  [[nodiscard]] bool must_end() const { return resident_.has_lost_device; }

  /// Waits for all answers. Rethrows an exception from writing them.
  ExitCode finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return requests_.empty() || failure_; });
    rethrow_failure();
    lock.unlock();
    end_threads();
    return resident_.has_lost_device ? ExitCode::no_backend : has_failed_ ? ExitCode::some_failed : ExitCode::ok;
  }

 private:
  /// Throws std::system_error if not even one thread can be started.
  void start_thread() {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) {
        throw;
      }
    }
  }

  void rethrow_failure() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

  void end_threads() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

  void work() {
    for (;;) {
      Request* request = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !waiting_.empty() || ends_; });
        if (waiting_.empty()) {
          return;
        }
        request = waiting_.front();
        waiting_.pop_front();
      }
      if (const auto code = stop_.exit_code()) {
        request->exit_code = *code;
        request->streams.messages = "gpuimg: error: not started, because a signal ended the run; send the line again\n";
      } else {
        serve(*request);
      }
      answer(*request);
    }
  }

  void serve(Request& request) {
    const auto begin = std::chrono::steady_clock::now();
    std::shared_lock beside(alone_);
    std::unique_lock<std::shared_mutex> alone;
    StreamCapture capture(request.streams);
    CommandLine::Shared shared{&resident_, {}, defaults_};
    shared.wait_until_alone = [&](GlobalOptions& options) {
      if (!alone.owns_lock()) {
        beside.unlock();
        alone = std::unique_lock(alone_);
        capture.take_all();
      }
      if (!divided_threads_.empty() && options.given->threads == divided_threads_) {
        options.threads = threads_alone_;
      }
    };
    try {
      request.exit_code = run(request, shared);
    } catch (const std::bad_alloc&) {
      print_out_of_memory();
      request.exit_code = ExitCode::out_of_memory;
    } catch (const std::exception& failure) {
      print_error(std::string("internal error: ") + failure.what() + "; please report it with the command line");
    }
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    request.ms = taken.count();
  }

  ExitCode run(Request& request, const CommandLine::Shared& shared) {
    std::vector<std::string> words;
    try {
      words = words_of(request.line);
    } catch (const Error& error) {
      print_error(error.what());
      return exit_code_of(error.kind());
    }
    const std::vector<Command> named = commands_named_in(words);
    const std::optional<ExitCode> code = named.empty() ? std::nullopt : run(words, named, shared, true);
    return code ? *code : *run(words, all_commands(), shared, false);
  }

  /// With `must_parse`, returns nullopt without running anything if the words are wrong or ask for help, because
  /// messages and help depend on all commands.
  std::optional<ExitCode> run(const std::vector<std::string>& words, const std::vector<Command>& commands,
                              const CommandLine::Shared& shared, bool must_parse) {
    std::vector<const char*> argv = {"gpuimg"};
    std::transform(words.begin(), words.end(), std::back_inserter(argv),
                   [](const std::string& word) { return word.c_str(); });
    CommandLine command(commands, version_text);
    command.stay(shared);
    command.tell(nullptr, [this](const Error& error) {
      if (error.kind() == ErrorKind::device_fault) {  // includes faults in commands that call the backend directly
        resident_.has_lost_device = true;
      }
    });
    const std::optional<ExitCode> ended = command.parse(static_cast<int>(argv.size()), argv.data());
    if (ended && must_parse) {
      CapturedStreams& streams = *captured_streams();
      streams.messages.clear();
      streams.output.clear();
      return std::nullopt;
    }
    return ended ? *ended : command.run();
  }

  /// Writes the answer, and later answers that have waited for it.
  void answer(Request& request) {
    const std::lock_guard lock(mutex_);
    request.is_done = true;
    has_failed_ = has_failed_ || request.exit_code != ExitCode::ok;
    try {
      while (!failure_ && !requests_.empty() && requests_.front()->is_done) {
        write_answer(answer_of(*requests_.front()));
        requests_.pop_front();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    changed_.notify_all();
  }

  GlobalArguments defaults_;
  int jobs_;
  int threads_alone_;            ///< threads of a command line that runs alone
  std::string divided_threads_;  ///< value of --threads while several command lines run; empty if the user gave one
  const StopSignal& stop_;
  Resident resident_;
  std::shared_mutex alone_;  ///< held exclusively by a request that runs alone

  std::mutex mutex_;  ///< protects the members below
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Request>> requests_;  ///< not answered yet, in order
  std::deque<Request*> waiting_;                   ///< not yet started
  std::vector<std::thread> threads_;
  std::exception_ptr failure_;  ///< from writing an answer
  bool has_failed_ = false;
  bool ends_ = false;
};

ExitCode run(const std::string& name, const BatchArguments& arguments, const GlobalOptions& globals) {
  if (globals.resident != nullptr) {
    throw Error(ErrorKind::usage, "batch cannot run inside batch; start it as a process of its own");
  }
  if (name.empty()) {
    throw Error(ErrorKind::usage, "COMMANDS is missing: name a file of command lines, or - for standard input");
  }
  const int given = checked(arguments).jobs;
  const int jobs = given > 0 ? given : processors(globals);
  expect_work({.workers = jobs, .images = std::nullopt});
  if (!are_signals_shared()) {
    // Keeps a signal from ending the process inside a command line. Never destroyed, because the destructor would raise
    // the signal again, and the exit code would be lost.
    static const auto* const signals = new SharedSignals;
    (void)signals;
  }
  const StopSignal stop([] {});
  std::optional<Descriptor> file;
  if (name != "-") {
    file.emplace(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    if (file->number() < 0) {
      throw Error(ErrorKind::read, cannot_be_read(name, errno));
    }
  }
  Service service(globals, jobs, stop);
  Lines lines(file ? file->number() : STDIN_FILENO, [&] { return stop.requested() || service.must_end(); });
  for (std::uint64_t number = 1; !service.must_end(); ++number) {
    std::optional<Lines::Line> line = lines.next();
    if (!line) {
      break;
    }
    if (!is_blank(line->text) || line->is_too_long) {
      service.add(number, std::move(*line));
    }
  }
  const ExitCode code = service.finish();
  return stop.exit_code().value_or(code);
}

RunCommand declare(CommandParser& parser) {
  auto name = std::make_shared<std::string>();
  auto arguments = std::make_shared<BatchArguments>();
  parser.positional({.name = "COMMANDS",
                     .description = "a file with one command line per line, or - for standard input",
                     .usage = "COMMANDS"},
                    *name);
  parser.text({"-j,--jobs", "run N command lines at a time [as many as threads]", "N"}, arguments->jobs);
  return [name, arguments](const GlobalOptions& globals) { return run(*name, *arguments, globals); };
}

}  // namespace
}  // namespace gpuimg::commands::batch

namespace gpuimg {

Command batch_command() {
  return {"batch", "run many command lines in one process, and print a JSON answer for each",
          commands::batch::kExamples, commands::batch::declare};
}

}  // namespace gpuimg
