// Draws progress.
#include "batch/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "histogram/number_text.hpp"
#include "messages.hpp"

namespace gpuimg {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr const char* kEraseLine = "\r\x1b[K";

double rate(std::uint64_t count, double seconds) {
  constexpr double kShortest = 1.0e-3;
  return static_cast<double>(count) / std::max(seconds, kShortest);
}

std::string minutes(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 3.6e8));
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// What is skipped takes no time, so it tells nothing of what is to come.
double seconds_left(const ProgressCounts& counts, double seconds) {
  const std::uint64_t worked = counts.done + counts.failed;
  return worked == 0 ? 0.0 : static_cast<double>(counts.total - counts.ended()) / rate(worked, seconds);
}

}  // namespace

std::string summary_line(const ProgressCounts& counts, double seconds) {
  const std::uint64_t left = counts.total - counts.ended();
  const auto if_any = [](std::uint64_t count, const char* what) {
    return count > 0 ? fmt::format(", {} {}", grouped(count), what) : std::string();
  };
  return fmt::format("{} done, {} failed, {} skipped{}{} in {:.1f} s ({:.1f} images/s)\n", grouped(counts.done),
                     grouped(counts.failed), grouped(counts.skipped), if_any(counts.replaced, "replaced"),
                     if_any(left, "not begun"), seconds, rate(counts.done, seconds));
}

std::string bar_line(const ProgressCounts& counts, double seconds) {
  constexpr std::uint64_t kCells = 20;
  const std::uint64_t full = counts.total == 0 ? kCells : kCells * counts.ended() / counts.total;
  const double megapixels = static_cast<double>(counts.pixels) / 1.0e6;
  const std::string left = counts.done == 0 ? "" : fmt::format("  {} left", minutes(seconds_left(counts, seconds)));
  const std::string failed = counts.failed == 0 ? "" : fmt::format("  {} failed", grouped(counts.failed));
  return fmt::format("[{}{}] {}/{}  {:.1f} images/s  {:.1f} MP/s{}{}", std::string(full, '='),
                     std::string(kCells - full, ' '), grouped(counts.ended()), grouped(counts.total),
                     rate(counts.done, seconds), megapixels / std::max(seconds, 1.0e-3), left, failed);
}

std::string progress_json(const ProgressCounts& counts, double seconds, bool is_last) {
  return fmt::format(
      "{{\"event\": \"{}\", \"total\": {}, \"done\": {}, \"failed\": {}, \"skipped\": {}, \"seconds\": "
      "{:.3f}, \"images_per_second\": {:.3f}, \"megapixels_per_second\": {:.3f}, \"seconds_left\": "
      "{:.1f}}}\n",
      is_last ? "end" : "progress", counts.total, counts.done, counts.failed, counts.skipped, seconds,
      rate(counts.done, seconds), rate(counts.pixels, seconds) / 1.0e6, seconds_left(counts, seconds));
}

Progress::Progress(ProgressMode mode, std::uint64_t total) : mode_(mode) { counts_.total = total; }

void Progress::start() {
  if (mode_ != ProgressMode::none) {
    drawer_ = std::thread([this] { draw_until_stopped(); });
  }
}

double Progress::seconds() const { return Seconds(std::chrono::steady_clock::now() - began_).count(); }

void Progress::update(const ProgressCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_ = counts;
}

void Progress::erase_bar() {
  if (bar_shown_) {
    print_report(kEraseLine);
    bar_shown_ = false;
  }
}

void Progress::print(const std::string& text) {
  const std::lock_guard lock(mutex_);
  erase_bar();
  print_report(text);
}

/// Where memory is short the work goes on, unseen.
void Progress::report(bool is_last) noexcept {
  try {
    print_report(mode_ == ProgressMode::bar ? fmt::format("{}{}", kEraseLine, bar_line(counts_, seconds()))
                                            : progress_json(counts_, seconds(), is_last));
    bar_shown_ = mode_ == ProgressMode::bar;
  } catch (const std::bad_alloc&) {
    bar_shown_ = false;
  }
}

void Progress::draw_until_stopped() {
  using std::chrono::milliseconds;
  const bool is_bar = mode_ == ProgressMode::bar;
  std::unique_lock lock(mutex_);
  // A run that is over sooner needs no bar.
  milliseconds pause = is_bar ? milliseconds(500) : milliseconds(1000);
  while (!wake_.wait_for(lock, pause, [&] { return stopped_; })) {
    report(false);
    pause = is_bar ? milliseconds(100) : milliseconds(1000);
  }
}

void Progress::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return;
    }
    stopped_ = true;
  }
  wake_.notify_all();
  if (drawer_.joinable()) {
    drawer_.join();
  }
  erase_bar();
  if (mode_ == ProgressMode::json) {
    report(true);
  }
}

}  // namespace gpuimg
