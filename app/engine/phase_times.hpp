// Time per phase of a command: `--timing`, docs/cli.md.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <utility>

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

  /// Runs work() and adds its duration to the phase.
  template <class Work>
  decltype(auto) measure(Phase phase, Work&& work) {
    const Stopwatch stopwatch(milliseconds_[static_cast<std::size_t>(phase)]);
    return std::forward<Work>(work)();
  }

  /// The same for work(run), where work calls run(part) for parts that belong to another phase: their time counts only
  /// there. Parts may run on other threads, one at a time.
  template <class Work>
  void measure_without(Phase phase, Phase of_parts, Work&& work) {
    double in_parts = 0;
    measure(phase, [&] {
      work([&](const auto& part) {
        const Stopwatch stopwatch(in_parts);
        part();
      });
    });
    milliseconds_[static_cast<std::size_t>(phase)] -= in_parts;
    milliseconds_[static_cast<std::size_t>(of_parts)] += in_parts;
  }

  [[nodiscard]] double milliseconds(Phase phase) const { return milliseconds_[static_cast<std::size_t>(phase)]; }

  /// Adds the phase times of another run.
  void add(const PhaseTimes& other);

  /// Milliseconds since construction.
  [[nodiscard]] double total_ms() const { return since(began_); }

  /// A table with one line per phase. `sides` are those of one image; empty for several.
  [[nodiscard]] std::string table(const CodecSides& sides = {}) const;

  /// {"start_ms": 0.1, …, "total_ms": 12.3, "decoded_by": "cpu", "encoded_by": "cpu"}
  [[nodiscard]] std::string json(const CodecSides& sides = {}) const;

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }

  class Stopwatch {
   public:
    explicit Stopwatch(double& milliseconds) : milliseconds_(milliseconds), began_(Clock::now()) {}
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() { milliseconds_ += since(began_); }

   private:
    double& milliseconds_;
    Clock::time_point began_;
  };

  std::array<double, kPhaseNames.size()> milliseconds_{};
  Clock::time_point began_;
};

}  // namespace gpuimg
