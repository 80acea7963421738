// Straightforward encoders for the five small formats.
#include "support/small_formats.hpp"

#include <algorithm>
#include <span>

namespace gpuimg::test {

namespace {

std::size_t index_of(int width, int y, int x) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
}

void add_color(FileBytes& to, std::uint32_t rgb, bool blue_first) {
  blue_first ? add_le(to, rgb, 3) : add_be(to, rgb, 3);
}

FileBytes bmp_rows(int width, int height, int bits, const std::vector<std::uint32_t>& values, bool top_down) {
  FileBytes rows;
  for (int row = 0; row < height && !values.empty(); ++row) {
    const int y = top_down ? row : height - 1 - row;
    FileBytes bytes;
    std::uint32_t held = 0;
    int held_bits = 0;
    for (int x = 0; x < width; ++x) {
      const std::uint32_t value = values[index_of(width, y, x)];
      if (bits >= 8) {
        add_le(bytes, value, bits / 8);
        continue;
      }
      held = (held << bits) | value;
      held_bits += bits;
      if (held_bits == 8) {
        add_le(bytes, held, 1);
        held = 0;
        held_bits = 0;
      }
    }
    if (held_bits != 0) {
      add_le(bytes, held << (8 - held_bits), 1);
    }
    bytes.resize((bytes.size() + 3) / 4 * 4);
    add_bytes(rows, bytes);
  }
  return rows;
}

std::uint32_t table_bits(std::size_t colors) {
  std::uint32_t bits = 0;
  while ((std::size_t{2} << bits) < colors) {
    ++bits;
  }
  return bits;
}

void add_frame(FileBytes& file, const GifFrame& frame, std::size_t screen_colors) {
  add_be(file, 0x21F904, 3);
  add_le(file, frame.transparent >= 0 ? 1 : 0, 1);
  add_le(file, 0, 2);
  add_le(file, frame.transparent >= 0 ? static_cast<std::uint32_t>(frame.transparent) : 0, 1);
  add_le(file, 0, 1);
  add_le(file, 0x2C, 1);
  for (const int value : {frame.x, frame.y, frame.width, frame.height}) {
    add_le(file, static_cast<std::uint32_t>(value), 2);
  }
  const bool has_own = !frame.own_colors.empty();
  add_le(file, (has_own ? 0x80U | table_bits(frame.own_colors.size()) : 0) | (frame.interlaced ? 0x40U : 0), 1);
  for (const std::uint32_t color : frame.own_colors) {
    add_color(file, color, false);
  }
  const std::size_t colors = has_own ? frame.own_colors.size() : screen_colors;
  const int root_bits = std::max(2, static_cast<int>(table_bits(colors)) + 1) + frame.spare_bits;
  add_le(file, static_cast<std::uint32_t>(root_bits), 1);
  const FileBytes codes = gif_codes(frame.indices, root_bits, frame.packing);
  for (std::size_t at = 0; at < codes.size(); at += 255) {
    const std::size_t size = std::min<std::size_t>(255, codes.size() - at);
    add_le(file, static_cast<std::uint32_t>(size), 1);
    add_bytes(file, std::span(codes).subspan(at, size));
  }
  add_le(file, 0, 1);
}

/// A section of layers and masks that only declares transparency. 16-bit files declare it in a separate block, which is
/// the second block here.
FileBytes psd_layers(int bits, bool is_large) {
  FileBytes layers;
  const int length_bytes = is_large ? 8 : 4;
  if (bits != 16) {
    add_be(layers, 2, length_bytes);
    add_be(layers, 0xFFFF, 2);
    return layers;
  }
  add_be(layers, 0, length_bytes);
  add_be(layers, 0, 4);
  add_text(layers, "8BIMPatt");
  add_be(layers, 3, 4);
  layers.resize(layers.size() + 4);
  add_text(layers, "8BIMLr16");
  add_be(layers, 2, length_bytes);
  add_be(layers, 0xFFFE, 2);
  return layers;
}

FileBytes psd_row(std::span<const std::uint32_t> values, int bits) {
  FileBytes row((values.size() * static_cast<std::size_t>(bits) + 7) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (bits == 1) {
      row[i / 8] |= static_cast<std::byte>(values[i] << (7 - i % 8));
    } else if (bits == 8) {
      row[i] = static_cast<std::byte>(values[i]);
    } else {
      row[2 * i] = static_cast<std::byte>(values[i] >> 8);
      row[2 * i + 1] = static_cast<std::byte>(values[i]);
    }
  }
  return row;
}

FileBytes packed_bits(const FileBytes& row) {
  FileBytes packed;
  for (std::size_t i = 0; i < row.size();) {
    std::size_t run = 1;
    while (run < 128 && i + run < row.size() && row[i + run] == row[i]) {
      ++run;
    }
    add_le(packed, run > 1 ? 257 - run : 0, 1);
    packed.push_back(row[i]);
    i += run;
  }
  return packed;
}

}  // namespace

FileBytes make_bmp(int width, int height, int bits, const std::vector<std::uint32_t>& values,
                   const BmpChoices& choices) {
  const bool is_core = choices.header_bytes == 12;
  const auto masks_behind = choices.header_bytes == 40 ? static_cast<std::uint32_t>(choices.masks.size() * 4) : 0;
  const auto palette_bytes = static_cast<std::uint32_t>(choices.palette.size() * (is_core ? 3 : 4));
  FileBytes file = bytes_of("BM");
  file.resize(10);
  add_le(file, 14 + static_cast<std::uint32_t>(choices.header_bytes) + masks_behind + palette_bytes + choices.gap, 4);
  add_le(file, static_cast<std::uint32_t>(choices.header_bytes), 4);
  add_le(file, static_cast<std::uint32_t>(width), is_core ? 2 : 4);
  add_le(file, static_cast<std::uint32_t>(choices.top_down ? -height : height), is_core ? 2 : 4);
  add_le(file, 1, 2);
  add_le(file, static_cast<std::uint32_t>(bits), 2);
  if (choices.header_bytes >= 40) {
    add_le(file, choices.compression, 4);
    file.resize(file.size() + 12);
    add_le(file, choices.colors_used, 4);
    add_le(file, 0, 4);
    for (const std::uint32_t mask : choices.masks) {
      add_le(file, mask, 4);
    }
    file.resize(14 + static_cast<std::size_t>(choices.header_bytes) + masks_behind);
  }
  for (const std::uint32_t color : choices.palette) {
    add_color(file, color, true);
    if (!is_core) {
      add_le(file, 0, 1);
    }
  }
  file.resize(file.size() + choices.gap);
  add_bytes(file, bmp_rows(width, height, bits, values, choices.top_down));
  return file;
}

FileBytes make_tga(int kind, int width, int height, int bits, const std::vector<std::uint32_t>& values,
                   const TgaChoices& choices) {
  FileBytes file;
  add_le(file, static_cast<std::uint32_t>(choices.id.size()), 1);
  add_le(file, choices.map.empty() ? 0 : 1, 1);
  add_le(file, static_cast<std::uint32_t>(kind + (choices.run_length ? 8 : 0)), 1);
  add_le(file, static_cast<std::uint32_t>(choices.map_start), 2);
  add_le(file, static_cast<std::uint32_t>(choices.map.size()), 2);
  add_le(file, static_cast<std::uint32_t>(choices.map.empty() ? 0 : choices.map_bits), 1);
  add_le(file, 0, 4);
  add_le(file, static_cast<std::uint32_t>(width), 2);
  add_le(file, static_cast<std::uint32_t>(height), 2);
  add_le(file, static_cast<std::uint32_t>(bits), 1);
  add_le(
      file,
      static_cast<std::uint32_t>(choices.alpha_bits + (choices.right_to_left ? 16 : 0) + (choices.top_down ? 32 : 0)),
      1);
  add_text(file, choices.id);
  for (const std::uint32_t entry : choices.map) {
    add_le(file, entry, (choices.map_bits + 7) / 8);
  }
  std::vector<std::uint32_t> stored;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const int y = choices.top_down ? row : height - 1 - row;
      const int x = choices.right_to_left ? width - 1 - column : column;
      stored.push_back(values[index_of(width, y, x)]);
    }
  }
  const int pixel_bytes = (bits + 7) / 8;
  for (std::size_t i = 0; i < stored.size();) {
    std::size_t run = 1;
    while (choices.run_length && run < 128 && i + run < stored.size() && stored[i + run] == stored[i]) {
      ++run;
    }
    if (choices.run_length) {
      add_le(file, static_cast<std::uint32_t>(run > 1 ? 127 + run : 0), 1);
    }
    add_le(file, stored[i], pixel_bytes);
    i += run;
  }
  return file;
}

FileBytes make_gif(int width, int height, const std::vector<std::uint32_t>& colors, const std::vector<GifFrame>& frames,
                   int background) {
  FileBytes file = bytes_of("GIF89a");
  add_le(file, static_cast<std::uint32_t>(width), 2);
  add_le(file, static_cast<std::uint32_t>(height), 2);
  add_le(file, colors.empty() ? 0 : 0x80U | table_bits(colors.size()), 1);
  add_le(file, static_cast<std::uint32_t>(background), 1);
  add_le(file, 0, 1);
  for (const std::uint32_t color : colors) {
    add_color(file, color, false);
  }
  for (const GifFrame& frame : frames) {
    add_frame(file, frame, colors.size());
  }
  add_le(file, 0x3B, 1);
  return file;
}

FileBytes make_psd(int width, int height, int channels, int bits, const std::vector<std::uint32_t>& planes,
                   const PsdChoices& choices) {
  FileBytes file = bytes_of("8BPS");
  add_be(file, choices.is_large ? 2 : 1, 2);
  file.resize(file.size() + 6);
  add_be(file, static_cast<std::uint32_t>(channels), 2);
  add_be(file, static_cast<std::uint32_t>(height), 4);
  add_be(file, static_cast<std::uint32_t>(width), 4);
  add_be(file, static_cast<std::uint32_t>(bits), 2);
  add_be(file, static_cast<std::uint32_t>(choices.mode), 2);
  add_be(file, choices.colors.size(), 4);
  add_bytes(file, choices.colors);
  add_be(file, choices.resources.size(), 4);
  add_bytes(file, choices.resources);
  const FileBytes layers = choices.transparent ? psd_layers(bits, choices.is_large) : bytes_of("UUU");
  add_be(file, layers.size(), choices.is_large ? 8 : 4);
  add_bytes(file, layers);
  add_be(file, choices.run_length ? 1 : 0, 2);
  FileBytes rows;
  for (std::size_t start = 0; start < planes.size(); start += static_cast<std::size_t>(width)) {
    const FileBytes row = psd_row(std::span(planes).subspan(start, static_cast<std::size_t>(width)), bits);
    const std::size_t before = rows.size();
    add_bytes(rows, choices.run_length ? packed_bits(row) : row);
    if (choices.run_length) {
      rows.resize(rows.size() + choices.row_spare, std::byte{0x7F});
      add_be(file, rows.size() - before, choices.is_large ? 4 : 2);
    }
  }
  add_bytes(file, rows);
  return file;
}

FileBytes make_pnm(const std::string& header, const std::vector<std::uint32_t>& values, int bytes_each) {
  FileBytes file = bytes_of(header);
  for (const std::uint32_t value : values) {
    add_be(file, value, bytes_each);
  }
  return file;
}

}  // namespace gpuimg::test
