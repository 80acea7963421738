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
  /// "clipped>1%": a statistic, one of > >= < <=, and a number; % is a hundredth of the whole, which is all pixels
  /// counted, or V for levels. Or "width<640": of the image itself. Throws Error{usage}.
  explicit LevelCheck(const std::string& text);

  /// True for width, height, channels, bits and pages, which a sum of images does not have.
  [[nodiscard]] bool is_of_image() const;

  /// If the condition holds for a channel: the statistic there, "clipped is 2.31% in r". Nothing counted meets every
  /// condition: there is nothing that could be good. The report's values must not be circular.
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
void refuse_if_met(const std::vector<LevelCheck>& checks, const HistogramReport& report);

}  // namespace gpuimg
