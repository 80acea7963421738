// The statistics that --fail-if accepts, in one table.
#include "report/level_check.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"
#include "text/channel_names.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr std::string_view kForm = "a statistic, then >, >=, < or <=, then a number, as in 'clipped>1%'";

template <std::size_t i>
double percentile(const HistogramStatistics& s) {
  return s.percentiles[i];
}

std::string without_spaces(const std::string& text) {
  std::string packed;
  for (const char c : text) {
    if (c != ' ') {
      packed += c;
    }
  }
  return packed;
}

}  // namespace

struct LevelCheck::Statistic {
  enum class Kind : std::uint8_t { share, level, bits, image };

  std::string_view name;
  Kind kind;
  double (*of)(const HistogramStatistics&);  ///< in levels; nullptr for shares and images
  double ChannelReport::*share = nullptr;
  int ImageFacts::*fact = nullptr;

  static const std::array<Statistic, 21> kAll;
};

const std::array<LevelCheck::Statistic, 21> LevelCheck::Statistic::kAll = {{
    {"clipped", Kind::share, nullptr, &ChannelReport::share_at_ends},
    {"black", Kind::share, nullptr, &ChannelReport::share_at_first},
    {"white", Kind::share, nullptr, &ChannelReport::share_at_last},
    {"mean", Kind::level, [](const HistogramStatistics& s) { return s.mean; }},
    {"stddev", Kind::level, [](const HistogramStatistics& s) { return s.standard_deviation; }},
    {"min", Kind::level, [](const HistogramStatistics& s) { return static_cast<double>(s.min); }},
    {"max", Kind::level, [](const HistogramStatistics& s) { return static_cast<double>(s.max); }},
    {"mode", Kind::level, [](const HistogramStatistics& s) { return static_cast<double>(s.mode); }},
    {"median", Kind::level, percentile<3>},
    {"p1", Kind::level, percentile<0>},
    {"p5", Kind::level, percentile<1>},
    {"p25", Kind::level, percentile<2>},
    {"p75", Kind::level, percentile<4>},
    {"p95", Kind::level, percentile<5>},
    {"p99", Kind::level, percentile<6>},
    {"entropy", Kind::bits, [](const HistogramStatistics& s) { return s.entropy_bits; }},
    {"width", Kind::image, nullptr, nullptr, &ImageFacts::width},
    {"height", Kind::image, nullptr, nullptr, &ImageFacts::height},
    {"channels", Kind::image, nullptr, nullptr, &ImageFacts::channels},
    {"bits", Kind::image, nullptr, nullptr, &ImageFacts::bits},
    {"pages", Kind::image, nullptr, nullptr, &ImageFacts::pages},
}};

const LevelCheck::Statistic& LevelCheck::statistic_named(const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  for (const Statistic& statistic : Statistic::kAll) {
    if (statistic.name == name) {
      return statistic;
    }
    names.emplace_back(statistic.name);
  }
  throw Error(ErrorKind::usage, fmt::format("--fail-if '{}': '{}' is not one of {}{}", text, name, listed(names),
                                            did_you_mean(name, names, {{"avg", "mean"}, {"std", "stddev"}})));
}

LevelCheck::LevelCheck(const std::string& text) : text_(without_spaces(text)) {
  const auto reject = [&](const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("--fail-if '{}': {}", text, why));
  };
  const std::size_t at = text_.find_first_of("<>");
  if (at == std::string::npos || at == 0) {
    reject(fmt::format("give {}", kForm));
  }
  statistic_ = &statistic_named(text_.substr(0, at), text);
  is_greater_ = text_[at] == '>';
  or_equal_ = text_.size() > at + 1 && text_[at + 1] == '=';
  std::string_view number = std::string_view(text_).substr(at + (or_equal_ ? 2 : 1));
  is_percent_ = number.ends_with('%');
  number.remove_suffix(is_percent_ ? 1 : 0);
  const auto [stop, failure] = std::from_chars(number.data(), number.data() + number.size(), limit_);
  if (failure != std::errc{} || stop != number.data() + number.size() || !std::isfinite(limit_)) {
    reject(fmt::format("'{}' is not a number; give {}", number, kForm));
  }
  if (is_percent_ && statistic_->kind == Statistic::Kind::bits) {
    reject("entropy is in bits, without %");
  }
  if (is_percent_ && is_of_image()) {
    reject(fmt::format("{} is not a share, so % does not apply", statistic_->name));
  }
  if (!is_percent_ && statistic_->kind == Statistic::Kind::share && limit_ > 1.0) {
    reject(fmt::format("{} is a share from 0 to 1; add % for a percentage", statistic_->name));
  }
}

bool LevelCheck::is_of_image() const { return statistic_->kind == Statistic::Kind::image; }

bool LevelCheck::holds(double value, const ValueAxis& axis) const {
  const double whole = statistic_->kind == Statistic::Kind::level ? axis.value_of_level(axis.last()) : 1.0;
  const double limit = is_percent_ ? limit_ * whole / 100.0 : limit_;
  return (is_greater_ ? value > limit : value < limit) || (or_equal_ && value == limit);
}

std::optional<std::string> LevelCheck::met_by(const HistogramReport& report) const {
  if (is_of_image()) {
    const int value = report.image.*(statistic_->fact);
    return holds(value, report.axis) ? std::optional(fmt::format("{} is {}", statistic_->name, value)) : std::nullopt;
  }
  for (const ChannelReport& channel : report.channels) {
    if (!channel.statistics) {
      return "nothing is counted";
    }
    const bool is_share = statistic_->kind == Statistic::Kind::share;
    const double raw = is_share ? channel.*(statistic_->share) : statistic_->of(*channel.statistics);
    const double value = statistic_->kind == Statistic::Kind::level ? report.axis.value_of_level(raw) : raw;
    if (holds(value, report.axis)) {
      const std::string shown = is_share ? percent(value) : rounded(value);
      return fmt::format("{} is {} in {}", statistic_->name, shown, channel_name(channel.channel));
    }
  }
  return std::nullopt;
}

std::vector<LevelCheck> level_checks(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

void reject_if_met(const std::vector<LevelCheck>& checks, const HistogramReport& report) {
  for (const LevelCheck& check : checks) {
    if (const std::optional<std::string> why = check.met_by(report)) {
      throw Error(ErrorKind::check_failed, fmt::format("{}: {}, which meets --fail-if '{}'",
                                                       printable_name(report.image.name), *why, check.text()));
    }
  }
}

}  // namespace gpuimg
