// Checks that the file is long enough before it allocates pixels, then unpacks row by row.
#include "codecs/pnm/pnm_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "codecs/pnm/pnm_header.hpp"
#include "codecs/pnm/pnm_text.hpp"
#include "codecs/refusals.hpp"
#include "codecs/sample_order.hpp"
#include "codecs/stored_rows.hpp"

namespace gpuimg::codecs {
namespace {

std::size_t row_values(const PnmHeader& header) {
  return static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.channels);
}

/// Bytes of a row; of text, as few as a row can take.
std::size_t row_bytes(const PnmHeader& header) {
  if (header.kind == 4) {
    return (static_cast<std::size_t>(header.width) + 7) / 8;
  }
  return row_values(header) * (header.is_text() ? 1 : sample_bytes(header.sample()));
}

/// Scales values to the full range, rounded to nearest.
template <class T>
void scale_to_full_range(T* values, std::size_t count, std::uint32_t max, const std::string& name) {
  constexpr std::uint32_t kFull = std::numeric_limits<T>::max();
  if (max == kFull) {
    return;
  }
  if (*std::max_element(values, values + count) > max) {
    refuse_damaged(name, "a value exceeds the declared maximum");
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>((values[i] * kFull + max / 2) / max);
  }
}

void unpack_bits(const std::byte* bits, std::size_t count, std::uint8_t* to) {
  for (std::size_t x = 0; x < count; ++x) {
    const bool is_black = (std::to_integer<unsigned>(bits[x / 8]) >> (7 - x % 8) & 1U) != 0;
    to[x] = is_black ? 0 : 255;
  }
}

template <class T>
void read_text(ByteSpan bytes, const PnmHeader& header, const std::string& name, View to) {
  PnmText text(bytes, header.pixels, name);
  for (int y = 0; y < to.height; ++y) {
    T* row = to.row<T>(y);
    for (std::size_t i = 0; i < row_values(header); ++i) {
      row[i] = static_cast<T>(header.is_bitmap() ? (text.is_black() ? 0 : 1) : text.value(header.max));
    }
    scale_to_full_range(row, row_values(header), header.max, name);
  }
}

template <class T>
void read_binary(ByteSpan pixels, const PnmHeader& header, const std::string& name, View to) {
  const std::size_t bytes = row_bytes(header);
  for (int y = 0; y < to.height; ++y) {
    const std::byte* from = pixels.data() + static_cast<std::size_t>(y) * bytes;
    T* row = to.row<T>(y);
    if (header.is_bitmap()) {
      unpack_bits(from, row_values(header), to.row<std::uint8_t>(y));
      continue;
    }
    if constexpr (sizeof(T) == 2) {
      swap_sample_bytes(reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(row), bytes);
    } else {
      std::memcpy(row, from, bytes);
    }
    scale_to_full_range(row, row_values(header), header.max, name);
  }
}

template <class T>
void read_pixels(ByteSpan bytes, const PnmHeader& header, const std::string& name, View to) {
  header.is_text() ? read_text<T>(bytes, header, name, to)
                   : read_binary<T>(bytes.subspan(header.pixels), header, name, to);
}

}  // namespace

DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const PnmHeader header = read_pnm_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  if ((bytes.size() - header.pixels) / row_bytes(header) < header.height) {
    refuse_truncated(name);
  }
  DecodedImage decoded;
  decoded.image = options.image(static_cast<int>(header.width), static_cast<int>(header.height), header.format());
  if (header.sample() == Sample::u16) {
    read_pixels<std::uint16_t>(bytes, header, name, decoded.image.view());
  } else {
    read_pixels<std::uint8_t>(bytes, header, name, decoded.image.view());
  }
  return decoded;
}

std::optional<DecodedImage> open_pnm_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options) {
  const PnmHeader header = read_pnm_header(beginning_of(file), name);
  check_size(name, header.width, header.height, options.max_pixels);
  if (header.is_text() || (file.size - header.pixels) / row_bytes(header) < header.height) {
    return std::nullopt;
  }
  DecodedImage opened;
  opened.rows = std::make_shared<StoredRowReader>(
      static_cast<int>(header.width), static_cast<int>(header.height), header.format(), file,
      StoredRows{header.pixels, row_bytes(header)}, [header, name](ByteSpan stored, View to) {
        header.sample() == Sample::u16 ? read_binary<std::uint16_t>(stored, header, name, to)
                                       : read_binary<std::uint8_t>(stored, header, name, to);
      });
  return opened;
}

DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name) {
  const PnmHeader header = read_pnm_header(beginning, name);
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = header.format().color_channels() == 3 ? "RGB" : "gray";
  declared.bits = header.is_bitmap() ? 1 : 8 * static_cast<int>(sample_bytes(header.sample()));
  declared.decoded = header.format();
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.facts = {{"max_value", std::uint64_t{header.max}}};
  return declared;
}

}  // namespace gpuimg::codecs
