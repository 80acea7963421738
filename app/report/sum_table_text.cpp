// Writes a summed-area table as CSV and as a preview image: docs/operations.md, "Integral image".
#include "report/sum_table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "text/number_text.hpp"

namespace gpuimg {
namespace {

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
