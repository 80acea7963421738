// Formats the results as tables.
#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gpuimg::bench {
namespace {

constexpr std::size_t kTargetPixels =
    std::size_t{16384} * 16384;  ///< the targets apply to images of at least this size

double share_of(const Result& result) { return result.ceiling_ms / static_cast<double>(result.cold.median_ms); }

double gb_per_s(const Result& result) {
  const auto bytes = static_cast<double>(result.size.pixels()) * facts_of(result.operation).stream.bytes_per_pixel;
  return bytes / (1.0e6 * static_cast<double>(result.cold.median_ms));
}

bool is_small(const Result& result) { return result.size.pixels() < kSmallPixels; }

std::string size_text(RivalSize size) { return fmt::format("{}x{}", size.width, size.height); }

std::string ratio_text(double ratio) { return ratio == 0.0 ? "-" : fmt::format("{:.2f}", ratio); }

/// The results of one size: one list per operation, slowest first.
std::vector<std::vector<const Result*>> slowest_first(const std::vector<Result>& results, std::size_t pixels) {
  std::vector<std::vector<const Result*>> found;
  for (const Result& result : results) {
    if (result.size.pixels() != pixels) {
      continue;
    }
    if (found.empty() || found.back().front()->operation != result.operation) {
      found.emplace_back();
    }
    found.back().push_back(&result);
  }
  for (auto& list : found) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Result* a, const Result* b) { return a->cold.median_ms > b->cold.median_ms; });
  }
  return found;
}

std::string large_row(const Result& result) {
  const Verdict verdict = verdict_of(result);
  return fmt::format("{:<16} {:<10} {:>8.4f} {:>5.0f} {:>5.3f} {:>6} {:>6} {:>6}  {:<24} {}\n",
                     facts_of(result.operation).name, name_of(result.distribution), result.cold.median_ms,
                     gb_per_s(result), share_of(result), ratio_text(speed_up(result, Library::cub)),
                     ratio_text(speed_up(result, Library::npp)), ratio_text(speed_up(result, Library::textbook)),
                     verdict.wanted, verdict.text);
}

std::string large_header(const std::string& title) {
  return fmt::format("\n{}\n{:<16} {:<10} {:>8} {:>5} {:>5} {:>6} {:>6} {:>6}  {:<24} {}\n", title, "operation", "data",
                     "ms", "GB/s", "share", "xCUB", "xNPP", "xtext", "target", "verdict");
}

std::string evenness(const std::vector<const Result*>& results) {
  const OperationFacts& facts = facts_of(results.front()->operation);
  if (facts.target.worst_over_best == 0.0 || results.size() < 2) {
    return "";
  }
  const double ratio = static_cast<double>(results.front()->cold.median_ms / results.back()->cold.median_ms);
  return fmt::format("{}: slowest/fastest distribution {:.3f}, target <= {:.2f}: {}\n", facts.name, ratio,
                     facts.target.worst_over_best, ratio <= facts.target.worst_over_best ? "pass" : "MISS");
}

std::string full_table(const std::vector<Result>& results, RivalSize size) {
  std::string text = large_header(size_text(size) + ", speed-up over the rivals and share of the plain stream");
  for (const Result& result : results) {
    if (result.size.pixels() == size.pixels()) {
      text += large_row(result);
    }
  }
  for (const auto& list : slowest_first(results, size.pixels())) {
    text += evenness(list);
  }
  return text;
}

std::string slowest_table(const std::vector<Result>& results, RivalSize size) {
  std::string text = large_header(size_text(size) + ", slowest distribution of each operation");
  for (const auto& list : slowest_first(results, size.pixels())) {
    text += large_row(*list.front());
  }
  return text;
}

std::string rival_us(const Result& result, Library library) {
  for (const RivalResult& rival : result.rivals) {
    if (rival.library == library) {
      return fmt::format("{:.1f}", rival.times.median_ms * 1000.0F);
    }
  }
  return "-";
}

std::string small_table(const std::vector<Result>& results, RivalSize size, const std::pair<Times, Times>& empty) {
  std::string text = fmt::format(
      "\n{}, us; cold: alternating inputs; hot: one input; bare: launched on an idle stream; empty kernel {:.1f}, bare "
      "{:.1f}\n{:<16} {:<10} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>8}  {:<8} {}\n",
      size_text(size), empty.first.median_ms * 1000.0F, empty.second.median_ms * 1000.0F, "operation", "slowest",
      "cold", "min", "hot", "bare", "CUB", "NPP", "textbook", "target", "verdict");
  for (const auto& list : slowest_first(results, size.pixels())) {
    const Result& result = *list.front();
    const Verdict verdict = verdict_of(result);
    text +=
        fmt::format("{:<16} {:<10} {:>6.1f} {:>6.1f} {:>6.1f} {:>6.1f} {:>7} {:>7} {:>8}  {:<8} {}\n",
                    facts_of(result.operation).name, name_of(result.distribution), result.cold.median_ms * 1000.0F,
                    result.cold.min_ms * 1000.0F, result.hot.value_or(Times{}).median_ms * 1000.0F,
                    result.bare.value_or(Times{}).median_ms * 1000.0F, rival_us(result, Library::cub),
                    rival_us(result, Library::npp), rival_us(result, Library::textbook), verdict.wanted, verdict.text);
  }
  return text;
}

std::string ceiling_table(const std::vector<Ceiling>& ceilings, RivalSize size) {
  std::string text = fmt::format("\nplain streams, {}\n", size_text(size));
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.bytes == size.pixels() * static_cast<std::size_t>(ceiling.stream.bytes_per_pixel)) {
      text += fmt::format("{:<15} {:>2} B/pixel {:>8.4f} ms {:>5.0f} GB/s  {}\n", text_of(ceiling.stream),
                          ceiling.stream.bytes_per_pixel, ceiling.times.median_ms, ceiling.gb_per_s(), ceiling.shape);
    }
  }
  return text;
}

/// The time of each rival in milliseconds, by distribution.
std::string rival_table(const std::vector<Result>& results, RivalSize size) {
  std::map<std::string, std::map<Distribution, float>> times;
  for (const Result& result : results) {
    for (const RivalResult& rival : result.rivals) {
      if (result.size.pixels() == size.pixels()) {
        times[std::string(facts_of(result.operation).name) + ": " + rival.name][result.distribution] =
            rival.times.median_ms;
      }
    }
  }
  std::string text = fmt::format("\n{}, rivals, ms\n{:<48}", size_text(size), "");
  for (const Distribution distribution : kDistributions) {
    text += fmt::format(" {:>10}", name_of(distribution));
  }
  for (auto& [name, by_distribution] : times) {
    text += fmt::format("\n{:<48}", name);
    for (const Distribution distribution : kDistributions) {
      text += fmt::format(" {:>10.4f}", by_distribution[distribution]);
    }
  }
  return text + "\n";
}

std::vector<RivalSize> sizes_of(const std::vector<Result>& results) {
  std::vector<RivalSize> sizes;
  for (const Result& result : results) {
    if (sizes.empty() || sizes.back().pixels() != result.size.pixels()) {
      sizes.push_back(result.size);
    }
  }
  return sizes;
}

}  // namespace

double speed_up(const Result& result, Library library) {
  for (const RivalResult& rival : result.rivals) {
    if (rival.library == library) {
      return static_cast<double>(rival.times.median_ms / result.cold.median_ms);
    }
  }
  return 0.0;
}

Verdict verdict_of(const Result& result) {
  const Target& target = facts_of(result.operation).target;
  Verdict verdict;
  std::string missed;
  const auto judge = [&](const std::string& name, const std::string& wanted, bool reached) {
    verdict.wanted += (verdict.wanted.empty() ? "" : " ") + wanted;
    missed += reached ? "" : " " + name;
  };
  if (is_small(result)) {
    if (target.small_image_ms != 0.0) {
      judge("time", fmt::format("<={:.0f} us", target.small_image_ms * 1000.0),
            static_cast<double>(result.cold.median_ms) <= target.small_image_ms);
    }
  } else if (result.size.pixels() >= kTargetPixels) {
    if (const double wanted = target.share[static_cast<std::size_t>(result.distribution)]; wanted != 0.0) {
      judge("share", fmt::format(">={:.2f}", wanted), share_of(result) >= wanted);
    }
    for (const Library library : {Library::cub, Library::npp, Library::textbook}) {
      const double wanted = target.speed_up[static_cast<std::size_t>(library)];
      if (const double reached = speed_up(result, library); wanted != 0.0 && reached != 0.0) {
        const std::string name(kLibraryNames[static_cast<std::size_t>(library)].substr(0, 4));
        judge(name, fmt::format("{}>={:g}", name, wanted), reached >= wanted);
      }
    }
  }
  verdict.text = !result.fault.empty()    ? "WRONG"
                 : verdict.wanted.empty() ? ""
                 : missed.empty()         ? "pass"
                                          : "MISS" + missed;
  return verdict;
}

std::string tables(const std::vector<Result>& results, const std::vector<Ceiling>& ceilings,
                   const std::pair<Times, Times>& empty_launch) {
  std::size_t full = 0;
  for (const RivalSize size : sizes_of(results)) {
    full = size.pixels() <= kTargetPixels ? std::max(full, size.pixels()) : full;
  }
  std::string text;
  for (const RivalSize size : sizes_of(results)) {
    if (size.pixels() < kSmallPixels) {
      text += small_table(results, size, empty_launch);
    } else if (size.pixels() == full) {
      text += ceiling_table(ceilings, size) + rival_table(results, size) + full_table(results, size);
    } else {
      text += slowest_table(results, size);
    }
  }
  return text;
}

}  // namespace gpuimg::bench
