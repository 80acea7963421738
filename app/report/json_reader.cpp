// Parses a histogram's JSON. Every value is checked, because the file is untrusted.
#include "report/json_reader.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "cli/option_values.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

using Json = nlohmann::json;

/// Describes a defect of the file; becomes the "why" of the message.
struct Contradiction : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::uint64_t count_in(const Json& value) {
  if (!value.is_number_unsigned()) {
    throw Contradiction("a count is not a whole number");
  }
  return value.get<std::uint64_t>();
}

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) {
    throw Contradiction("its counts exceed 64 bits");
  }
  return a + b;
}

Channel channel_of(const std::string& name) {
  for (const auto& named : kHistogramChannelNames) {
    if (named.name == name && named.value.size() == 1) {
      return named.value.front();
    }
  }
  throw Contradiction("it names an unknown channel");
}

ChannelHistogram channel_in(const Json& json, std::uint64_t counted) {
  constexpr std::size_t kMaxLevels = 65536;
  ChannelHistogram channel;
  channel.channel = channel_of(json.at("channel").get<std::string>());
  const Json& counts = json.at("counts");
  if (!counts.is_array() || counts.size() < 2 || counts.size() > kMaxLevels) {
    throw Contradiction("its counts are not a list of 2 to 65536 numbers");
  }
  std::uint64_t total = 0;
  for (const Json& count : counts) {
    channel.counts.push_back(count_in(count));
    total = sum_of(total, channel.counts.back());
  }
  if (total != counted) {
    throw Contradiction("its counts do not add up to 'counted'");
  }
  return channel;
}

HistogramFile file_in(const Json& json) {
  if (json.at("tool") != "gpuimg" || json.at("operation") != "hist" || json.at("schema") != 1) {
    throw Contradiction("it is not schema 1 of 'gpuimg hist'");
  }
  HistogramFile file;
  file.histogram.counted = count_in(json.at("counted"));
  file.pixels = sum_of(file.histogram.counted, count_in(json.at("skipped")));
  file.images = count_in(json.at("images"));
  file.luma = value_named("luma", json.at("options").at("luma").get<std::string>(), kLumaNames);
  file.count_transparent = json.at("options").at("transparent") == "count";
  for (const Json& channel : json.at("histograms")) {
    file.histogram.channels.push_back(channel_in(channel, file.histogram.counted));
  }
  if (file.histogram.channels.empty()) {
    throw Contradiction("it holds no channel");
  }
  return file;
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::decode, printable_name(name) + ": is not a histogram that gpuimg wrote as JSON: " + why +
                                     "; create one with 'gpuimg hist IN OUT.json'");
}

}  // namespace

bool looks_like_json(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

HistogramFile histogram_from_json(std::span<const std::byte> bytes, const std::string& name) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  try {
    return file_in(Json::parse(text, text + bytes.size()));
  } catch (const Json::parse_error&) {
    refuse(name, "it is truncated or not JSON");
  } catch (const Json::exception&) {
    refuse(name, "a value is missing or has the wrong type");
  } catch (const Contradiction& contradiction) {
    refuse(name, contradiction.what());
  } catch (const Error&) {
    refuse(name, "it names an unknown luma formula");
  }
}

}  // namespace gpuimg
