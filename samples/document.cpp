// A printed page photographed under a lamp (document.png): dark ink on paper that fades into shadow.
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "canvas.hpp"
#include "scenes.hpp"

namespace gpuimg::samples {
namespace {

constexpr int kWidth = 480;
constexpr int kHeight = 360;

// Capital letters of 5 × 7 dots: seven rows from the top, the leftmost dot in bit 4.
constexpr std::array<std::array<unsigned char, 7>, 26> kLetters{{
    {0x0E, 0x11, 0x11, 0x1F, 0x11, 0x11, 0x11}, {0x1E, 0x11, 0x11, 0x1E, 0x11, 0x11, 0x1E},
    {0x0F, 0x10, 0x10, 0x10, 0x10, 0x10, 0x0F}, {0x1E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1E},
    {0x1F, 0x10, 0x10, 0x1E, 0x10, 0x10, 0x1F}, {0x1F, 0x10, 0x10, 0x1E, 0x10, 0x10, 0x10},
    {0x0F, 0x10, 0x10, 0x13, 0x11, 0x11, 0x0F}, {0x11, 0x11, 0x11, 0x1F, 0x11, 0x11, 0x11},
    {0x0E, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0E}, {0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0C},
    {0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11}, {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1F},
    {0x11, 0x1B, 0x15, 0x15, 0x11, 0x11, 0x11}, {0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11},
    {0x0E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E}, {0x1E, 0x11, 0x11, 0x1E, 0x10, 0x10, 0x10},
    {0x0E, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0D}, {0x1E, 0x11, 0x11, 0x1E, 0x14, 0x12, 0x11},
    {0x0F, 0x10, 0x10, 0x0E, 0x01, 0x01, 0x1E}, {0x1F, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04},
    {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E}, {0x11, 0x11, 0x11, 0x11, 0x0A, 0x0A, 0x04},
    {0x11, 0x11, 0x11, 0x15, 0x15, 0x1B, 0x11}, {0x11, 0x11, 0x0A, 0x04, 0x0A, 0x11, 0x11},
    {0x11, 0x11, 0x0A, 0x04, 0x04, 0x04, 0x04}, {0x1F, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1F},
}};

struct Line {
  int x, y, dot;  // top left corner of the first letter, and pixels per dot
  std::string_view text;
};
constexpr std::array<Line, 11> kPage{{
    {60, 36, 4, "ON HISTOGRAMS"},
    {60, 92, 2, "A HISTOGRAM COUNTS HOW OFTEN"},
    {60, 114, 2, "EACH LEVEL OCCURS. WHERE THE"},
    {60, 136, 2, "COUNTS CROWD TOGETHER, LEVELS"},
    {60, 158, 2, "THAT DIFFER LOOK THE SAME."},
    {60, 194, 2, "EQUALIZATION SPREADS THEM. A"},
    {60, 216, 2, "LEVEL IS MOVED TO THE SHARE OF"},
    {60, 238, 2, "PIXELS THAT ARE NOT BRIGHTER."},
    {60, 274, 2, "WHAT WAS LOST IN THE SHADOW OF"},
    {60, 296, 2, "THE PAGE CAN THEN BE READ."},
    {364, 326, 2, "PAGE I"},
}};

bool dot_at(char letter, int column, int row) {
  if (letter == '.' || letter == ',') {
    return row >= (letter == '.' ? 6 : 5) && column == 1;
  }
  if (letter < 'A' || letter > 'Z') {
    return false;
  }
  const auto index = static_cast<std::size_t>(letter - 'A');
  return (kLetters[index][static_cast<std::size_t>(row)] >> (4 - column) & 1) != 0;
}

/// One value per pixel in row-major order: 1 for ink, else 0.
std::vector<unsigned char> printed_page() {
  std::vector<unsigned char> ink(static_cast<std::size_t>(kWidth) * kHeight, 0);
  for (const Line& line : kPage) {
    for (std::size_t i = 0; i < line.text.size(); ++i) {
      for (int y = 0; y < 7 * line.dot; ++y) {
        for (int x = 0; x < 5 * line.dot; ++x) {
          const int column = line.x + static_cast<int>(i) * 6 * line.dot + x;
          if (column < kWidth && dot_at(line.text[i], x / line.dot, y / line.dot)) {
            ink[static_cast<std::size_t>(line.y + y) * kWidth + static_cast<std::size_t>(column)] = 1;
          }
        }
      }
    }
  }
  return ink;
}

/// Fraction of ink in the 3 × 3 pixels around (x, y). This simulates lens blur.
double blurred(const std::vector<unsigned char>& ink, int x, int y) {
  constexpr std::array<double, 3> kWeights{0.25, 0.5, 0.25};
  double sum = 0.0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int u = x + dx;
      const int v = y + dy;
      if (u >= 0 && u < kWidth && v >= 0 && v < kHeight) {
        sum += kWeights[static_cast<std::size_t>(dx + 1)] * kWeights[static_cast<std::size_t>(dy + 1)] *
               ink[static_cast<std::size_t>(v) * kWidth + static_cast<std::size_t>(u)];
      }
    }
  }
  return sum;
}

}  // namespace

Image document() {
  const std::vector<unsigned char> ink = printed_page();
  return painted_gray<std::uint8_t>(kWidth, kHeight, [&ink](double x, double y) {
    const double dx = (x - 110.0) / 330.0;
    const double dy = (y - 60.0) / 300.0;
    const double lamp = 0.20 + 0.66 / (1.0 + 1.5 * (dx * dx + dy * dy));
    const double paper = 0.94 + 0.10 * (fractal_noise(x / 40.0, y / 40.0, 3, 71) - 0.5) +
                         0.015 * random_at(static_cast<int>(x), static_cast<int>(y), 75);
    const double edge = x > 452.0 ? 0.55 : 1.0;  // the next page is farther from the lamp
    return lamp * paper * edge * (1.0 - 0.62 * blurred(ink, static_cast<int>(x), static_cast<int>(y)));
  });
}

}  // namespace gpuimg::samples
