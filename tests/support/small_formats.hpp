// Makes small BMP, TGA, GIF, PSD and PNM files, valid unless the parameters say otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/file_bytes.hpp"
#include "support/gif_codes.hpp"

namespace gpuimg::test {

/// The channels of 0xRRGGBB and of 0xAARRGGBB, alpha last.
inline std::vector<std::uint32_t> rgb_of(std::uint32_t color) {
  return {(color >> 16) & 255U, (color >> 8) & 255U, color & 255U};
}
inline std::vector<std::uint32_t> argb_of(std::uint32_t color) {
  return {(color >> 16) & 255U, (color >> 8) & 255U, color & 255U, color >> 24};
}

struct BmpChoices {
  int header_bytes = 40;  ///< 12, 16, 40, 52, 56, 64, 108 or 124
  std::uint32_t compression = 0;
  std::vector<std::uint32_t> masks = {};    ///< red, green, blue and optionally alpha
  std::vector<std::uint32_t> palette = {};  ///< 0xRRGGBB
  bool top_down = false;
  std::uint32_t colors_used = 0;
  std::uint32_t gap = 0;  ///< bytes between header and pixels
};

/// `values` are palette indices or pixels as stored, top row first. If they are empty, the file ends before its pixels.
FileBytes make_bmp(int width, int height, int bits, const std::vector<std::uint32_t>& values,
                   const BmpChoices& choices = {});

struct TgaChoices {
  bool run_length = false;
  bool top_down = false;
  bool right_to_left = false;
  int alpha_bits = 0;
  std::vector<std::uint32_t> map;  ///< entries as stored
  int map_bits = 24;
  int map_start = 0;
  std::string id;
};

/// `kind` is 1, 2 or 3. `values` are pixels as stored, starting at the top left.
FileBytes make_tga(int kind, int width, int height, int bits, const std::vector<std::uint32_t>& values,
                   const TgaChoices& choices = {});

struct GifFrame {
  int x = 0;
  int y = 0;
  int width = 1;
  int height = 1;
  std::vector<std::uint32_t> indices;
  int transparent = -1;
  bool interlaced = false;
  GifPacking packing;
  int spare_bits = 0;                     ///< additional bits per code, beyond those that the colors need
  std::vector<std::uint32_t> own_colors;  ///< 0xRRGGBB; the size is a power of two
};

FileBytes make_gif(int width, int height, const std::vector<std::uint32_t>& colors, const std::vector<GifFrame>& frames,
                   int background = 0);

struct PsdChoices {
  bool run_length = false;
  int mode = 3;              ///< 0 bitmap, 1 gray, 2 indexed, 3 RGB, 4 CMYK
  bool is_large = false;     ///< PSB
  bool transparent = false;  ///< the plane after the colors is alpha
  FileBytes colors = {};     ///< only for an indexed file
  FileBytes resources = FileBytes(6, std::byte{0x55});
  std::size_t row_spare = 0;  ///< unused bytes after each coded row, included in the row's length
};

/// `planes` has channels × width × height values of 1, 8 or 16 bits.
FileBytes make_psd(int width, int height, int channels, int bits, const std::vector<std::uint32_t>& planes,
                   const PsdChoices& choices = {});

/// `header` is for example "P6\n3 2\n255\n"; `bytes_each` is 1 or 2.
FileBytes make_pnm(const std::string& header, const std::vector<std::uint32_t>& values, int bytes_each);

}  // namespace gpuimg::test
