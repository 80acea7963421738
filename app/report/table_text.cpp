// Writes look-up tables and summed-area tables, and parses look-up tables line by line.
#include "report/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "gpuimg/error.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr std::string_view kOneTable = "level,luma";
constexpr std::string_view kThreeTables = "level,r,g,b";
constexpr std::size_t kFewLevels = 256;
constexpr std::size_t kManyLevels = 65536;

/// Reads line by line; errors name the line number.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& name) : left_(text), name_(name) {}

  /// Returns nullopt after the last line; the line number advances even then.
  std::optional<std::string_view> next() {
    ++number_;
    if (left_.empty()) {
      return std::nullopt;
    }
    const std::size_t end = left_.find('\n');
    std::string_view line = left_.substr(0, end);
    left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    return line;
  }

  [[noreturn]] void reject(const std::string& why) const { reject_line(number_, why); }

  [[noreturn]] void reject_line(std::size_t number, const std::string& why) const {
    throw Error(ErrorKind::decode, fmt::format("{}: line {}: {}; make a table with 'gpuimg equalize --lut FILE.csv'",
                                               printable_name(name_), number, why));
  }

 private:
  std::string_view left_;
  const std::string& name_;
  std::size_t number_ = 0;
};

/// The level and its values; nullopt unless `line` is `count` comma-separated whole numbers below 65536.
std::optional<std::array<std::uint16_t, 4>> numbers_in(std::string_view line, std::size_t count) {
  std::array<std::uint16_t, 4> numbers{};
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && (at == end || *at++ != ',')) {
      return std::nullopt;
    }
    const auto [after, error] = std::from_chars(at, end, numbers.at(i));
    if (error != std::errc()) {
      return std::nullopt;
    }
    at = after;
  }
  return at == end ? std::optional(numbers) : std::nullopt;
}

std::size_t table_count(LineReader& lines) {
  const std::string_view header = lines.next().value_or("");
  if (header != kOneTable && header != kThreeTables) {
    lines.reject(fmt::format("the header is not '{}' or '{}'", kOneTable, kThreeTables));
  }
  return header == kOneTable ? 1 : 3;
}

void check_levels(const LevelTables& tables, const LineReader& lines) {
  const std::size_t levels = tables.maps.front().size();
  if (levels != kFewLevels && levels != kManyLevels) {
    lines.reject(fmt::format("the table has {} levels, not {} or {}", levels, kFewLevels, kManyLevels));
  }
  for (std::size_t level = 0; level < levels; ++level) {
    for (const auto& map : tables.maps) {
      if (map[level] >= levels) {
        lines.reject_line(level + 2, fmt::format("the value {} is above {}", map[level], levels - 1));
      }
    }
  }
}

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMostCsvEntries = 4'000'000;

/// Calls body.template operator()<Entry>() for the table's sample type.
template <class Body>
auto with_entry_type(Sample sample, const Body& body) {
  switch (sample) {
    case Sample::u32: return body.template operator()<std::uint32_t>();
    case Sample::u64: return body.template operator()<std::uint64_t>();
    case Sample::f32: return body.template operator()<float>();
    default: return body.template operator()<double>();
  }
}

template <class Entry>
std::uint16_t preview_level(Entry entry, Entry last) {
  if (last == Entry{0}) {
    return 0;
  }
  if constexpr (std::is_integral_v<Entry>) {
    const Wide level = (Wide{2} * entry * 65535U + last) / (Wide{2} * last);
    return static_cast<std::uint16_t>(std::min<Wide>(level, 65535U));
  } else {
    const double level = std::floor(static_cast<double>(entry) * 65535.0 / static_cast<double>(last) + 0.5);
    return static_cast<std::uint16_t>(std::min(level, 65535.0));
  }
}

}  // namespace

std::string level_tables_to_csv(const LevelTables& tables) {
  std::string text = fmt::format("{}\n", tables.maps.size() == 3 ? kThreeTables : kOneTable);
  for (std::size_t level = 0; level < tables.maps.front().size(); ++level) {
    append_number(text, level);
    for (const auto& map : tables.maps) {
      append_number(text += ',', std::uint32_t{map[level]});
    }
    text += '\n';
  }
  return text;
}

LevelTables level_tables_from_csv(std::span<const std::byte> bytes, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  LineReader lines(text, name);
  LevelTables tables;
  tables.maps.resize(table_count(lines));
  std::size_t level = 0;
  while (const std::optional<std::string_view> line = lines.next()) {
    if (level == kManyLevels) {
      lines.reject(fmt::format("the table has more than {} levels", kManyLevels));
    }
    const auto numbers = numbers_in(*line, 1 + tables.maps.size());
    if (!numbers || numbers->front() != level) {
      lines.reject(fmt::format("expected level {} and {} from 0 to 65535", level,
                               tables.maps.size() == 1 ? "a value" : "three values"));
    }
    for (std::size_t t = 0; t < tables.maps.size(); ++t) {
      tables.maps[t].push_back(numbers->at(1 + t));
    }
    ++level;
  }
  check_levels(tables, lines);
  return tables;
}

void check_table_fits_csv(int image_width, int image_height, TableLayout layout) {
  const std::uint64_t entries = static_cast<std::uint64_t>(table_width(image_width, layout)) *
                                static_cast<std::uint64_t>(table_height(image_height, layout));
  if (entries > kMostCsvEntries) {
    throw Error(ErrorKind::usage, fmt::format("integral: a table of {} entries is too large for .csv (at most {}); "
                                              "write .npy",
                                              entries, kMostCsvEntries));
  }
}

std::string table_csv(ConstView table) {
  std::string text;
  with_entry_type(table.format.sample, [&]<class Entry>() {
    for (int y = 0; y < table.height; ++y) {
      const Entry* row = table.row<Entry>(y);
      for (int x = 0; x < table.width; ++x) {
        append_number(text, row[x]);
        text += x + 1 < table.width ? ',' : '\n';
      }
    }
  });
  return text;
}

Image table_preview(ConstView table) {
  Image preview(table.width, table.height, PixelFormat{Sample::u16, 1});
  const View out = preview.view();
  with_entry_type(table.format.sample, [&]<class Entry>() {
    const Entry last = table.row<Entry>(table.height - 1)[table.width - 1];
    for (int y = 0; y < table.height; ++y) {
      std::transform(table.row<Entry>(y), table.row<Entry>(y) + table.width, out.row<std::uint16_t>(y),
                     [last](Entry entry) { return preview_level(entry, last); });
    }
  });
  return preview;
}

}  // namespace gpuimg
