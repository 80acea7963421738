// Progress of a batch: a bar on a terminal, JSON for programs, and the summary line. docs/batch.md, "Progress".
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/global_options.hpp"

namespace gpuimg {

enum class ProgressMode : std::uint8_t {
  none,
  bar,    ///< one line, redrawn
  lines,  ///< a new line every few seconds, for a terminal that cannot redraw lines
  json,
};

struct ProgressCounts {
  std::uint64_t total = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t skipped = 0;
  std::uint64_t pixels = 0;                   ///< pixels of finished items
  std::uint64_t replaced = 0;                 ///< done items that replaced a file other than the input
  std::optional<double> part = std::nullopt;  ///< progress of the only image, 0 to 1, if its operation reports it

  [[nodiscard]] std::uint64_t ended() const { return done + failed + skipped; }
};

ProgressMode progress_mode(const GlobalOptions& globals);

/// Returns "1,998 done, 2 failed, 0 skipped in 41.2 s (48.5 images/s)", plus ", 7 not started" if the run ended early.
std::string summary_line(const ProgressCounts& counts, double seconds);

/// Returns "[=====     ] 512/1,000  48.5 images/s  96.1 MP/s  0:10 left  2 failed", in ASCII, at most `columns` wide.
/// With ProgressCounts::part, returns "[=====     ] 42%  0:03 left".
/// If the line is too long, drops the rates first, then the bar. The shortest line is "51%".
std::string bar_line(const ProgressCounts& counts, double seconds, int columns);

/// Returns one JSON object on one line.
std::string progress_json(const ProgressCounts& counts, double seconds, bool is_last);

/// Thread-safe. Draws on its own thread, so that a slow image does not delay updates.
class Progress {
 public:
  Progress(ProgressMode mode, std::uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { stop(); }

  [[nodiscard]] bool is_shown() const { return mode_ != ProgressMode::none; }

  /// Starts the drawing thread, which inherits the caller's signal mask.
  void start();

  void update(const ProgressCounts& counts);

  /// Prints whole lines of printable text above the bar.
  void print(const std::string& text);

  /// Stops drawing. With JSON, first prints a final object.
  void stop();

  [[nodiscard]] double seconds() const;

 private:
  [[nodiscard]] std::string text(bool is_last) const;
  void report(bool is_last) noexcept;
  void draw_until_stopped();
  void erase_bar();

  ProgressMode mode_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  ProgressCounts counts_;
  bool bar_shown_ = false;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread drawer_;
};

}  // namespace gpuimg
