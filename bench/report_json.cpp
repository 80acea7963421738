// Writes all results as a single JSON object.
#include <fmt/format.h>

#include "bench/report.hpp"

namespace gpuimg::bench {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string times_json(const Times& times) {
  return fmt::format(R"({{"median_ms": {:.6f}, "min_ms": {:.6f}}})", times.median_ms, times.min_ms);
}

std::string rival_json(const RivalResult& rival) {
  return fmt::format(R"({{"library": {}, "name": {}, "times": {}, "fault": {}}})",
                     quoted(kLibraryNames[static_cast<std::size_t>(rival.library)]), quoted(rival.name),
                     times_json(rival.times), quoted(rival.fault));
}

std::string result_json(const Result& result) {
  const OperationFacts& facts = facts_of(result.operation);
  const Verdict verdict = verdict_of(result);
  std::string text = fmt::format(R"({{"operation": {}, "data": {}, "width": {}, "height": {}, "bytes_per_pixel": {})",
                                 quoted(facts.name), quoted(name_of(result.distribution)), result.size.width,
                                 result.size.height, facts.stream.bytes_per_pixel);
  text += R"(, "cold": )" + times_json(result.cold);
  if (result.hot) {
    text += R"(, "hot": )" + times_json(*result.hot);
  }
  if (result.bare) {
    text += R"(, "bare": )" + times_json(*result.bare);
  }
  if (result.ceiling_ms != 0.0) {
    text += fmt::format(R"(, "ceiling_ms": {:.6f})", result.ceiling_ms);
  }
  text += fmt::format(R"(, "target": {}, "verdict": {}, "fault": {}, "rivals": [)", quoted(verdict.wanted),
                      quoted(verdict.text), quoted(result.fault));
  for (std::size_t i = 0; i < result.rivals.size(); ++i) {
    text += (i == 0 ? "" : ", ") + rival_json(result.rivals[i]);
  }
  return text + "]}";
}

std::string ceiling_json(const Ceiling& ceiling) {
  return fmt::format(R"({{"stream": {}, "bytes": {}, "gb_per_s": {:.1f}, "shape": {}, "times": {}}})",
                     quoted(text_of(ceiling.stream)), ceiling.bytes, ceiling.gb_per_s(), quoted(ceiling.shape),
                     times_json(ceiling.times));
}

template <class Item, class Write>
std::string array_json(const std::vector<Item>& items, const Write& write) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + write(items[i]);
  }
  return text + "\n  ]";
}

}  // namespace

std::string json(const Surroundings& surroundings, const std::vector<Result>& results,
                 const std::vector<Ceiling>& ceilings, const std::pair<Times, Times>& empty_launch) {
  std::string text = "{\n  \"schema\": 1";
  for (const auto& [name, value] : surroundings) {
    text += ",\n  " + quoted(name) + ": " + quoted(value);
  }
  text += fmt::format(",\n  \"empty_launch\": {{\"queued\": {}, \"bare\": {}}}", times_json(empty_launch.first),
                      times_json(empty_launch.second));
  text += ",\n  \"ceilings\": " + array_json(ceilings, ceiling_json);
  text += ",\n  \"results\": " + array_json(results, result_json);
  return text + "\n}\n";
}

}  // namespace gpuimg::bench
