// A condition on the statistics of a histogram, or on the size and kind of its image: hist --fail-if. docs/cli.md,
// "hist".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/histogram_report.hpp"

namespace gpuimg {

class LevelCheck {
 public:
  /// Parses "clipped>1%": a statistic, one of > >= < <=, and a number. % means percent of the counted pixels, or of V
  /// for levels. Also parses "width<640", a condition on the image itself. Throws Error{usage}.
  explicit LevelCheck(const std::string& text);

  /// True for width, height, channels, bits and pages. A sum of images does not have these.
  [[nodiscard]] bool is_of_image() const;

  /// If the condition holds for a channel, the statistic of that channel: "clipped is 2.31% in r". If no pixel was
  /// counted, every condition on levels holds, so that the check fails. The report's values must not be circular.
  [[nodiscard]] std::optional<std::string> met_by(const HistogramReport& report) const;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Statistic;
  static const Statistic& statistic_named(const std::string& name, const std::string& text);
  [[nodiscard]] bool holds(double value, const ValueAxis& axis) const;

  std::string text_;
  const Statistic* statistic_ = nullptr;
  bool is_greater_ = false;
  bool or_equal_ = false;
  bool is_percent_ = false;
  double limit_ = 0.0;
};

/// Throws Error{usage}.
std::vector<LevelCheck> level_checks(const std::vector<std::string>& texts);

/// Throws Error{check_failed}, which names the image, if the report meets a check.
void reject_if_met(const std::vector<LevelCheck>& checks, const HistogramReport& report);

}  // namespace gpuimg
