// Time per phase of a command: `--timing`, docs/cli.md.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuimg {

enum class Phase { start, read, decode, upload, kernel, download, encode, write };

inline constexpr std::array<const char*, 8> kPhaseNames = {"start",  "read",     "decode", "upload",
                                                           "kernel", "download", "encode", "write"};

/// Which side decoded an image's file and which encoded its output: "cpu", the name of a backend, or empty if none did.
struct CodecSides {
  std::string decoded_by;
  std::string encoded_by;
};

class PhaseTimes {
 public:
  PhaseTimes() : began_(Clock::now()) {}

  /// Runs work() and adds its duration to the phase, less that of measurements inside it, which count for their own
  /// phases. These may be on other threads, one at a time.
  template <class Work>
  decltype(auto) measure(Phase phase, Work&& work) {
    const Turn turn(*this, phase);
    return std::forward<Work>(work)();
  }

  /// Runs work(), and adds its duration, with all that is measured inside it, to that of step `place`, from 1, of
  /// several; 0: there is only one step, which has no time of its own.
  template <class Work>
  auto measure_step(std::size_t place, std::string_view name, const Work& work) {
    const Clock::time_point begin = Clock::now();
    auto result = work();
    if (place > 0) {
      add_step(place, name, since(begin));
    }
    return result;
  }

  [[nodiscard]] double milliseconds(Phase phase) const { return milliseconds_[static_cast<std::size_t>(phase)]; }

  /// Adds the phase times of another run.
  void add(const PhaseTimes& other);

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

  /// Takes the clock over, and hands it back.
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

  struct StepTime {
    std::string name;
    double milliseconds = 0.0;
  };
  void add_step(std::size_t place, std::string_view name, double milliseconds);

  /// Returns the phase that has run until now.
  std::optional<Phase> switch_to(std::optional<Phase> next);

  std::array<double, kPhaseNames.size()> milliseconds_{};
  std::vector<StepTime> steps_;  ///< empty if there is only one step
  std::optional<Phase> running_;
  Clock::time_point since_;  ///< of `running_`
  Clock::time_point began_;
};

}  // namespace gpuimg
