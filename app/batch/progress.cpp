// Draws the progress bar.
#include "batch/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "cli/messages.hpp"
#include "text/number_text.hpp"

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

/// Skipped items take no time, so the estimate ignores them.
double seconds_left(const ProgressCounts& counts, double seconds) {
  if (counts.part) {
    return *counts.part > 0.0 ? seconds * std::max(1.0 - *counts.part, 0.0) / *counts.part : 0.0;
  }
  const std::uint64_t worked = counts.done + counts.failed;
  return worked == 0 ? 0.0 : static_cast<double>(counts.total - counts.ended()) / rate(worked, seconds);
}

/// Number of completed steps, out of `steps`.
std::uint64_t share_done(const ProgressCounts& counts, std::uint64_t steps) {
  if (counts.part) {
    return static_cast<std::uint64_t>(static_cast<double>(steps) * std::clamp(*counts.part, 0.0, 1.0));
  }
  return counts.total == 0 ? steps : steps * counts.ended() / counts.total;
}

/// Returns, for example, "[====    ] ", or an empty text if `cells` is 0.
std::string drawn_bar(const ProgressCounts& counts, int cells) {
  if (cells == 0) {
    return "";
  }
  const auto all = static_cast<std::uint64_t>(cells);
  const std::uint64_t full = share_done(counts, all);
  return fmt::format("[{}{}] ", std::string(full, '='), std::string(all - full, ' '));
}

/// Returns, for example, "[====    ] 42%  0:03 left", shortened like bar_line().
std::string part_line(const ProgressCounts& counts, double seconds, int columns) {
  constexpr int kCells = 20;
  const std::string share = fmt::format("{}%", share_done(counts, 100));
  const std::string left =
      *counts.part > 0.0 ? fmt::format("  {} left", minutes(seconds_left(counts, seconds))) : std::string();
  for (const std::string& text : {drawn_bar(counts, kCells) + share + left, share + left}) {
    if (static_cast<int>(text.size()) <= columns) {
      return text;
    }
  }
  return share.substr(0, static_cast<std::size_t>(std::max(columns, 0)));
}

}  // namespace

ProgressMode progress_mode(const GlobalOptions& globals) {
  const Terminal terminal = terminal_at(STDERR_FILENO);
  switch (globals.progress) {
    case ProgressWanted::json: return ProgressMode::json;
    case ProgressWanted::always:
      return terminal.is_terminal && !terminal.escapes ? ProgressMode::lines : ProgressMode::bar;
    case ProgressWanted::never: return ProgressMode::none;
    case ProgressWanted::automatic: break;
  }
  return terminal.escapes && globals.verbosity != Verbosity::quiet ? ProgressMode::bar : ProgressMode::none;
}

std::string summary_line(const ProgressCounts& counts, double seconds) {
  const std::uint64_t left = counts.total - counts.ended();
  const auto if_any = [](std::uint64_t count, const char* what) {
    return count > 0 ? fmt::format(", {} {}", grouped(count), what) : std::string();
  };
  return fmt::format("{} done, {} failed, {} skipped{}{} in {:.1f} s ({:.1f} images/s)\n", grouped(counts.done),
                     grouped(counts.failed), grouped(counts.skipped), if_any(counts.replaced, "replaced"),
                     if_any(left, "not started"), seconds, rate(counts.done, seconds));
}

std::string bar_line(const ProgressCounts& counts, double seconds, int columns) {
  if (counts.part) {
    return part_line(counts, seconds, columns);
  }
  constexpr int kMinCells = 10;
  constexpr int kMaxCells = 20;
  constexpr int kBrackets = 3;  // two brackets and a space
  const auto size_of = [](const std::string& text) { return static_cast<int>(text.size()); };
  const double megapixels = static_cast<double>(counts.pixels) / 1.0e6;
  std::string count = grouped(counts.ended()) + "/" + grouped(counts.total);
  std::string images = fmt::format("  {:.1f} images/s", rate(counts.done, seconds));
  std::string pixels = fmt::format("  {:.1f} MP/s", megapixels / std::max(seconds, 1.0e-3));
  std::string left = counts.done == 0 ? "" : fmt::format("  {} left", minutes(seconds_left(counts, seconds)));
  std::string failed = counts.failed == 0 ? "" : fmt::format("  {} failed", grouped(counts.failed));

  if (size_of(count) > columns) {
    count = fmt::format("{}%", share_done(counts, 100)).substr(0, static_cast<std::size_t>(std::max(columns, 0)));
  }
  int room = columns - size_of(count);
  const auto keep_if_it_fits = [&](std::string& part, int beside) {
    if (size_of(part) > room - beside) {
      part.clear();
    }
    room -= size_of(part);
  };
  keep_if_it_fits(failed, 0);
  keep_if_it_fits(left, 0);
  const int bar = room >= kBrackets + kMinCells ? kBrackets + kMinCells : 0;
  keep_if_it_fits(images, bar);
  keep_if_it_fits(pixels, images.empty() ? columns : bar);
  const int cells = bar == 0 ? 0 : std::min(room - kBrackets, kMaxCells);
  return drawn_bar(counts, cells) + count + images + pixels + left + failed;
}

std::string progress_json(const ProgressCounts& counts, double seconds, bool is_last) {
  return fmt::format(
      "{{\"event\": \"{}\", \"total\": {}, \"done\": {}, \"failed\": {}, \"skipped\": {}, {}\"seconds\": "
      "{:.3f}, \"images_per_second\": {:.3f}, \"megapixels_per_second\": {:.3f}, \"seconds_left\": "
      "{:.1f}}}\n",
      is_last ? "end" : "progress", counts.total, counts.done, counts.failed, counts.skipped,
      counts.part ? fmt::format("\"part\": {:.3f}, ", *counts.part) : std::string(), seconds,
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

std::string Progress::text(bool is_last) const {
  switch (mode_) {
    case ProgressMode::bar:
      // One column is left free, because some terminals wrap after writing the last one.
      return kEraseLine + bar_line(counts_, seconds(), terminal_at(STDERR_FILENO).columns - 1);
    case ProgressMode::lines: return bar_line(counts_, seconds(), terminal_at(STDERR_FILENO).columns - 1) + "\n";
    case ProgressMode::json: return progress_json(counts_, seconds(), is_last);
    case ProgressMode::none: break;
  }
  return "";
}

/// Draws the bar or prints JSON. Ignores a lack of memory: the work continues without the bar.
void Progress::report(bool is_last) noexcept {
  try {
    print_report(text(is_last));
    bar_shown_ = mode_ == ProgressMode::bar;
  } catch (const std::bad_alloc&) {
    bar_shown_ = false;
  }
}

void Progress::draw_until_stopped() {
  using std::chrono::milliseconds;
  const bool is_bar = mode_ == ProgressMode::bar;
  const milliseconds between(is_bar ? 100 : mode_ == ProgressMode::json ? 1000 : 5000);
  std::unique_lock lock(mutex_);
  // A run shorter than this pause needs no bar.
  milliseconds pause = is_bar ? milliseconds(500) : between;
  while (!wake_.wait_for(lock, pause, [&] { return stopped_; })) {
    report(false);
    pause = between;
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
