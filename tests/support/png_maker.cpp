// A straightforward PNG encoder that shares no code with the library under test.
#include "support/png_maker.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace gpuimg::test {

namespace {

struct Pass {
  std::uint32_t x0, y0, dx, dy;
};

constexpr std::array<Pass, 7> kAdam7 = {
    {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};

int paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int to_left = std::abs(guess - left);
  const int to_up = std::abs(guess - up);
  const int to_corner = std::abs(guess - corner);
  if (to_left <= to_up && to_left <= to_corner) {
    return left;
  }
  return to_up <= to_corner ? up : corner;
}

std::vector<std::uint8_t> packed_row(const PngPicture& picture, const Pass& pass, std::uint32_t y) {
  std::vector<std::uint8_t> row;
  const auto channels = static_cast<std::uint32_t>(picture.kind.channels());
  int held = 0;
  std::uint32_t held_bits = 0;
  for (std::uint32_t x = pass.x0; x < picture.width; x += pass.dx) {
    for (std::uint32_t c = 0; c < channels; ++c) {
      const std::uint32_t value = picture.samples[(y * picture.width + x) * channels + c];
      if (picture.kind.bit_depth == 16) {
        row.push_back(static_cast<std::uint8_t>(value >> 8));
        row.push_back(static_cast<std::uint8_t>(value));
        continue;
      }
      held = (held << picture.kind.bit_depth) | static_cast<int>(value);
      held_bits += static_cast<std::uint32_t>(picture.kind.bit_depth);
      if (held_bits == 8) {
        row.push_back(static_cast<std::uint8_t>(held));
        held = 0;
        held_bits = 0;
      }
    }
  }
  if (held_bits != 0) {
    row.push_back(static_cast<std::uint8_t>(held << (8 - held_bits)));
  }
  return row;
}

void add_filtered(FileBytes& raw, const std::vector<std::uint8_t>& row, const std::vector<std::uint8_t>& above,
                  int filter, int pixel_bytes) {
  raw.push_back(static_cast<std::byte>(filter));
  const auto back = static_cast<std::size_t>(pixel_bytes);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int left = i >= back ? row[i - back] : 0;
    const int up = above.empty() ? 0 : above[i];
    const int corner = i >= back && !above.empty() ? above[i - back] : 0;
    const std::array<int, 5> guesses = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
    raw.push_back(static_cast<std::byte>(row[i] - guesses[static_cast<std::size_t>(filter)]));
  }
}

void add_pass(FileBytes& raw, const PngPicture& picture, const Pass& pass) {
  if (pass.x0 >= picture.width) {
    return;
  }
  std::vector<std::uint8_t> above;
  int row_number = 0;
  for (std::uint32_t y = pass.y0; y < picture.height; y += pass.dy, ++row_number) {
    const std::vector<std::uint8_t> row = packed_row(picture, pass, y);
    const int filter = picture.filter == 5 ? row_number % 5 : picture.filter;
    add_filtered(raw, row, above, filter, std::max(1, picture.kind.bits() / 8));
    above = row;
  }
}

}  // namespace

const std::vector<PngKind>& png_kinds() {
  static const std::vector<PngKind> kinds = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                                             {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
  return kinds;
}

std::uint32_t png_crc(const std::string& name, const FileBytes& data) {
  std::uint32_t crc = 0xFFFFFFFF;
  const auto add = [&](std::uint32_t byte) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1U) != 0 ? (crc >> 1) ^ 0xEDB88320U : crc >> 1;
    }
  };
  for (const char c : name) {
    add(static_cast<unsigned char>(c));
  }
  for (const std::byte byte : data) {
    add(std::to_integer<std::uint32_t>(byte));
  }
  return ~crc;
}

FileBytes zlib_stored(const FileBytes& raw) {
  FileBytes out;
  add_be(out, 0x7801, 2);
  std::size_t offset = 0;
  do {
    const std::size_t size = std::min<std::size_t>(raw.size() - offset, 65535);
    add_le(out, offset + size == raw.size() ? 1 : 0, 1);
    add_le(out, static_cast<std::uint32_t>(size), 2);
    add_le(out, ~static_cast<std::uint32_t>(size), 2);
    add_bytes(out, std::span(raw).subspan(offset, size));
    offset += size;
  } while (offset < raw.size());
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const std::byte byte : raw) {
    a = (a + std::to_integer<std::uint32_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  add_be(out, (b << 16) | a, 4);
  return out;
}

FileBytes png_raw(const PngPicture& picture) {
  FileBytes raw;
  if (!picture.interlaced) {
    add_pass(raw, picture, {0, 0, 1, 1});
    return raw;
  }
  for (const Pass& pass : kAdam7) {
    add_pass(raw, picture, pass);
  }
  return raw;
}

std::vector<PngChunk> png_chunks(const PngPicture& picture) {
  FileBytes header;
  add_be(header, picture.width, 4);
  add_be(header, picture.height, 4);
  add_be(header, static_cast<std::uint32_t>(picture.kind.bit_depth), 1);
  add_be(header, static_cast<std::uint32_t>(picture.kind.color_type), 1);
  add_be(header, 0, 2);
  add_be(header, picture.interlaced ? 1 : 0, 1);
  std::vector<PngChunk> chunks = {{"IHDR", header}};
  if (!picture.palette.empty()) {
    chunks.push_back({"PLTE", picture.palette});
  }
  if (!picture.transparency.empty()) {
    chunks.push_back({"tRNS", picture.transparency});
  }
  chunks.push_back({"IDAT", zlib_stored(png_raw(picture))});
  chunks.push_back({"IEND", {}});
  return chunks;
}

FileBytes assemble_png(const std::vector<PngChunk>& chunks) {
  FileBytes file = bytes_of("\x89PNG\r\n\x1A\n");
  for (const PngChunk& chunk : chunks) {
    add_be(file, static_cast<std::uint32_t>(chunk.data.size()), 4);
    add_text(file, chunk.name);
    add_bytes(file, chunk.data);
    add_be(file, png_crc(chunk.name, chunk.data) ^ chunk.crc_error, 4);
  }
  return file;
}

}  // namespace gpuimg::test
