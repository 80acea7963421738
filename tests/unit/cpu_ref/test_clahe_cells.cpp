// Compares a host twin of CLAHE's CUDA kernels with the CPU backend. The twin divides pixels among blocks and threads
// as cuda/clahe.cu and cuda/map/map_between_tiles.cu do, and uses their tables and arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gpuimg/backend.hpp"
#include "ops/clahe.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_clahe_cells {
namespace {

constexpr int kThreads = 256;

/// Calls visit(x, y) for each pixel of each thread in a block that processes the rows [begin, end) of these columns.
template <class Visit>
void for_dealt(const ColumnDeal& columns, int pixels_per_group, int begin, int end, const Visit& visit) {
  for (int thread = 0; thread < kThreads; ++thread) {
    const int my_row = thread / columns.at_once;
    if (my_row >= columns.rows_at_once) {
      continue;
    }
    for (int g = thread % columns.at_once; g < columns.groups; g += columns.at_once) {
      const int first = (columns.first_group + g) * pixels_per_group;
      for (int y = begin + my_row; y < end; y += columns.rows_at_once) {
        for (int x = std::max(first, columns.begin); x < std::min(first + pixels_per_group, columns.end); ++x) {
          visit(x, y);
        }
      }
    }
  }
}

/// The tables of all tiles, from counts computed as in count_parts.
ClaheTables twin_tables(ConstView gray, const ClaheOptions& options, int pixels_per_group, int rows_per_block) {
  ClaheTables tables{tile_grid(gray.width, gray.height, options.tiles_x, options.tiles_y), 0, {}};
  tables.maps.resize(tables.grid.tiles() * 256);
  for (std::size_t tile = 0; tile < tables.grid.tiles(); ++tile) {
    std::array<std::uint64_t, 256> counts{};
    for (const Rect& part : sources_of_tile(tables.grid, tile)) {
      const ColumnDeal columns = deal_columns(part.x, part.x + part.width, pixels_per_group, kThreads);
      const int part_end = part.y + part.height;
      for (int begin = part.y; begin < part_end; begin += rows_per_block) {
        for_dealt(columns, pixels_per_group, begin, std::min(part_end, begin + rows_per_block),
                  [&](int x, int y) { ++counts[gray.row<std::uint8_t>(y)[x]]; });
      }
    }
    clahe_map(counts.data(), 256, options.clip, tables.maps.data() + tile * 256);
  }
  return tables;
}

/// Maps rows of an image as map_cells does; each pixel must be mapped exactly once.
Image twin_map(ConstView rows, const ClaheTables& tables, int pixels_per_group, int rows_per_block) {
  const TileGrid& grid = tables.grid;
  const CellEdges across = cell_edges(0, rows.width, grid.tile_width, grid.tiles_x);
  const CellEdges down = cell_edges(tables.first_row, rows.height, grid.tile_height, grid.tiles_y);
  const float inverse_width = 1.0F / static_cast<float>(grid.tile_width);
  const float inverse_height = 1.0F / static_cast<float>(grid.tile_height);
  Image out(rows.width, rows.height, rows.format);
  std::vector<int> visits(static_cast<std::size_t>(rows.width) * static_cast<std::size_t>(rows.height));
  for (int j = 0; j < down.cells; ++j) {
    for (int i = 0; i < across.cells; ++i) {
      const auto entry = [&](int tile_x, int tile_y, std::uint8_t level) {
        const auto tile = static_cast<std::size_t>(tile_y * grid.tiles_x + tile_x);
        return static_cast<float>(tables.maps[tile * 256 + level]);
      };
      const int right = tile_after(i, grid.tiles_x);
      const int below = tile_after(j, grid.tiles_y);
      const ColumnDeal columns = deal_columns(across.begin[i], across.begin[i + 1], pixels_per_group, kThreads);
      for (int begin = down.begin[j]; begin < down.begin[j + 1]; begin += rows_per_block) {
        for_dealt(
            columns, pixels_per_group, begin, std::min(down.begin[j + 1], begin + rows_per_block), [&](int x, int y) {
              const std::uint8_t level = rows.row<std::uint8_t>(y)[x];
              const FourLevels four{entry(tile_before(i), tile_before(j), level), entry(right, tile_before(j), level),
                                    entry(tile_before(i), below, level), entry(right, below, level)};
              const float mapped = level_between(four, two_weights(weight_in_cell(x, inverse_width, i)),
                                                 two_weights(weight_in_cell(tables.first_row + y, inverse_height, j)));
              out.view().row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(rounded_bits(mapped));
              ++visits[static_cast<std::size_t>(y) * static_cast<std::size_t>(rows.width) +
                       static_cast<std::size_t>(x)];
            });
      }
    }
  }
  EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int times) { return times == 1; }));
  return out;
}

TEST(ClaheCells, TwinMatchesTheCpu) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto backend = make_cpu_backend(1);
  for (int round = 0; round < 60; ++round) {
    const int longest = round % 3 == 0 ? 9 : 300;
    const int width = round == 1 ? 2100 : random.between(1, longest);
    const int height = random.between(1, longest);
    const Image image = test::any_image(random, width, height, {Sample::u8, 1});
    ClaheOptions options;
    options.tiles_x = random.between(1, round % 2 == 0 ? 64 : 9);
    options.tiles_y = random.between(1, round % 2 == 0 ? 64 : 9);
    options.clip = random.below(80) / 10.0;
    const int pixels_per_group = random.below(2) == 0 ? 1 : 8;
    const ClaheTables tables = twin_tables(image.view(), options, pixels_per_group, random.between(1, 40));
    const Image expected = backend->download(backend->apply(backend->upload(image.view()), options));
    const Image found = twin_map(image.view(), tables, pixels_per_group, random.between(1, 40));
    ASSERT_TRUE(test::same_pixels(found.view(), expected.view()))
        << width << "x" << height << " in " << options.tiles_x << "x" << options.tiles_y << ", clip " << options.clip;

    ClaheTables of_part = tables;  // a strip of a larger image
    of_part.first_row = random.below(static_cast<std::uint32_t>(height));
    ConstView part = image.view();
    part.data = part.row_bytes(of_part.first_row);
    part.height = random.between(1, height - of_part.first_row);
    ConstView expected_part = expected.view();
    expected_part.data = expected_part.row_bytes(of_part.first_row);
    expected_part.height = part.height;
    ASSERT_TRUE(test::same_pixels(twin_map(part, of_part, pixels_per_group, 7).view(), expected_part));
  }
}

TEST(ClaheCells, EdgesAndWeightsMatchTilePlaces) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 400; ++round) {
    const int tiles = random.between(1, kMaxTiles);
    const int tile_size = round % 4 == 0 ? random.between(1, 3) : random.between(1, 3000);
    const int count = std::min(tiles * tile_size, 20000);
    const int first = random.below(static_cast<std::uint32_t>(tiles * tile_size - count + 1));
    const CellEdges edges = cell_edges(first, count, tile_size, tiles);
    ASSERT_EQ(edges.begin[0], 0);
    ASSERT_EQ(edges.begin[edges.cells], count);
    const float inverse = 1.0F / static_cast<float>(tile_size);
    for (int cell = 0; cell < edges.cells; ++cell) {
      for (int at = edges.begin[cell]; at < edges.begin[cell + 1]; ++at) {
        const TilePlace place = tile_place(first + at, inverse, tiles);
        ASSERT_EQ(place.cell, cell);
        ASSERT_EQ(place.first, tile_before(cell));
        ASSERT_EQ(place.second, tile_after(cell, tiles));
        ASSERT_EQ(place.weight, weight_in_cell(first + at, inverse, cell));  // bitwise equal: neither is −0
      }
    }
  }
}

TEST(ClaheCells, ColumnDealsKeepMostThreadsBusy) {
  for (int width = 1; width <= 20000; width += 7) {
    const ColumnDeal deal = deal_columns(0, width, 8, kThreads);
    ASSERT_GE(deal.at_once, 1);
    ASSERT_LE(deal.at_once * deal.rows_at_once, kThreads);
    const int passes = (deal.groups + deal.at_once - 1) / deal.at_once;
    if (deal.groups > 16) {
      // Threads are busy at least 70 % of the time.
      EXPECT_GE(deal.groups * deal.rows_at_once * 10, passes * kThreads * 7) << width;
    }
  }
}

/// No result needs clamping to the largest level, even with weights close to 0 and 1.
TEST(ClaheCells, NothingRoundsAboveTheLargestLevel) {
  test::Random random;
  SCOPED_TRACE(random.trace());
  const auto any_weight = [&] {
    const float near[] = {0.0F, 1.0F, 0.5F, std::nextafter(1.0F, 0.0F), std::nextafter(0.5F, 1.0F), 1e-30F};
    return random.below(2) == 0 ? near[random.below(6)] : static_cast<float>(random.below(1U << 24)) / (1U << 24);
  };
  for (int round = 0; round < 300000; ++round) {
    const float v = round % 2 == 0 ? 255.0F : 65535.0F;
    const float x = any_weight();
    const float y = any_weight();
    ASSERT_EQ(interpolated({v, v, v, v}, x, y), static_cast<std::uint32_t>(v)) << x << ", " << y;
    const auto level = [&] { return static_cast<float>(random.below(static_cast<std::uint32_t>(v) + 1)); };
    const FourLevels four{level(), level(), level(), level()};
    ASSERT_EQ(interpolated(four, x, y),
              static_cast<std::uint32_t>(std::nearbyint(level_between(four, two_weights(x), two_weights(y)))));
  }
}

}  // namespace
}  // namespace gpuimg::test_clahe_cells
