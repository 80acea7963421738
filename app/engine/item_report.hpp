// The report about one input: the time of each phase, where the image was decoded, computed and encoded, messages, and
// what the input adds to the merged output of a run.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/messages.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

enum class Phase { start, read, decode, upload, kernel, download, encode, write };

inline constexpr std::array<const char*, 8> kPhaseNames = {"start",  "read",     "decode", "upload",
                                                           "kernel", "download", "encode", "write"};

/// Where an image was decoded and where its output was encoded: "cpu", the name of a backend, or empty if nowhere.
struct CodecSides {
  std::string decoded_by;
  std::string encoded_by;
};

class PhaseTimes {
 public:
  PhaseTimes() : began_(Clock::now()) {}

  /// Runs work() and adds its duration to the phase. Nested measurements count for their own phases only. They may run
  /// on other threads, one at a time.
  template <class Work>
  decltype(auto) measure(Phase phase, Work&& work) {
    const Turn turn(*this, phase);
    return std::forward<Work>(work)();
  }

  /// Identifies one of several steps. `name` is a string literal.
  struct StepPlace {
    std::size_t place = 0;  ///< from 1; 0: there is only one step, which has no time of its own
    std::string_view name = {};
  };

  /// Runs work() and adds its duration to the step's, including nested phases but not other steps nested in it.
  template <class Work>
  decltype(auto) measure_step(const StepPlace& step, const Work& work) {
    const StepTurn turn(*this, step);
    return work();
  }

  [[nodiscard]] double milliseconds(Phase phase) const { return milliseconds_[static_cast<std::size_t>(phase)]; }

  /// Adds the times of another run. Allocates nothing after make_room(other).
  void add(const PhaseTimes& other);
  void make_room(const PhaseTimes& other);

  /// Milliseconds since construction.
  [[nodiscard]] double total_ms() const { return since(began_); }

  /// A table with one line per phase, and one per step if there are several. `sides` are those of one image; empty for
  /// several.
  [[nodiscard]] std::string table(const CodecSides& sides = {}) const;

  /// {"start_ms": 0.1, …, "total_ms": 12.3, "decoded_by": "cpu", "encoded_by": "cpu"}
  [[nodiscard]] std::string json(const CodecSides& sides = {}) const;

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }

  /// Switches the clock to a phase, and back on destruction.
  class Turn {
   public:
    Turn(PhaseTimes& times, Phase phase) : times_(times), outer_(times.switch_to(phase)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { times_.switch_to(outer_); }

   private:
    PhaseTimes& times_;
    std::optional<Phase> outer_;
  };

  /// The same for the clock of steps.
  class StepTurn {
   public:
    StepTurn(PhaseTimes& times, const StepPlace& step) : times_(times) {
      times.make_step(step);
      outer_ = times.switch_to_step(step.place);
    }
    StepTurn(const StepTurn&) = delete;
    StepTurn& operator=(const StepTurn&) = delete;
    ~StepTurn() { times_.switch_to_step(outer_); }

   private:
    PhaseTimes& times_;
    std::size_t outer_;
  };

  struct StepTime {
    std::string_view name;
    double milliseconds = 0.0;
  };
  /// Makes room for the step's time, unless its place is 0.
  void make_step(const StepPlace& step);

  /// Returns the place of the step that has run until now, or 0.
  std::size_t switch_to_step(std::size_t next_place);

  /// Returns the phase that has run until now.
  std::optional<Phase> switch_to(std::optional<Phase> next);

  std::array<double, kPhaseNames.size()> milliseconds_{};
  std::vector<StepTime> steps_;  ///< empty if there is only one step
  std::optional<Phase> running_;
  Clock::time_point since_;  ///< when `running_` began
  std::size_t running_step_ = 0;
  Clock::time_point step_since_;
  Clock::time_point began_;
};

/// A message about one input, either printed at once or kept for the caller.
struct Message {
  Verbosity least = Verbosity::normal;  ///< printed at this verbosity and above
  std::string text;
};

class ItemReport {
 public:
  /// Whether messages are printed at once, or kept for take_messages(): a batch prints all messages of an input
  /// together.
  enum class Messages { printed, kept };

  ItemReport(Verbosity verbosity, Messages messages) : verbosity_(verbosity), messages_are_(messages) {}

  /// Prepares for the next input: resets everything but the watcher.
  void begin();

  void note(std::string text) { tell({Verbosity::normal, std::move(text)}); }
  void detail(std::string text) { tell({Verbosity::verbose, std::move(text)}); }
  void tell(Message message);

  /// Lets tell() store the next `count` messages without allocating.
  void reserve_messages(std::size_t count) { messages_.reserve(messages_.size() + count); }
  [[nodiscard]] std::vector<Message> take_messages() { return std::exchange(messages_, {}); }
  [[nodiscard]] Messages messages_are() const { return messages_are_; }

  /// Notes that the input is computed on `backend`, on this device if the backend has devices.
  void record(const Backend& backend, int device);

  /// Adds the report about a part of the input, but with `messages` in place of the part's own.
  void add_part(const ItemReport& part, std::vector<Message> messages);

  /// The backend of this input: "cpu", "cuda", or empty if none was used yet.
  [[nodiscard]] const std::string& backend_name() const { return backend_name_; }

  /// The device of this input; nullopt if its backend computes in host memory, or none was needed yet.
  [[nodiscard]] std::optional<int> device() const { return device_; }

  [[nodiscard]] PhaseTimes& times() { return times_; }
  [[nodiscard]] const PhaseTimes& times() const { return times_; }

  /// Allocates nothing.
  [[nodiscard]] PhaseTimes take_times() { return std::move(times_); }

  /// Where the input was decoded and the output encoded.
  [[nodiscard]] CodecSides& sides() { return sides_; }
  [[nodiscard]] const CodecSides& sides() const { return sides_; }

  /// The table or the JSON of --timing.
  void print_times(bool as_json) const;

  /// The input's contribution to the merged output, for the manifest.
  void keep_result(std::string result) { result_ = std::move(result); }
  [[nodiscard]] std::string take_result() { return std::exchange(result_, {}); }

  /// Progress callback for long operations: receives the part of the input that is done, 0 … 1, on any thread. May be
  /// empty.
  using Watcher = std::function<void(double part)>;
  void watch_with(Watcher watcher) { watcher_ = std::move(watcher); }
  [[nodiscard]] const Watcher& watcher() const { return watcher_; }

 private:
  Verbosity verbosity_;
  Messages messages_are_;
  std::vector<Message> messages_;
  PhaseTimes times_;
  CodecSides sides_;
  std::string backend_name_;
  std::optional<int> device_;
  std::string result_;
  Watcher watcher_;
};

}  // namespace gpuimg
