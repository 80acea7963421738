// Filters as specified (PNG, section 9.2), zlib with any parameters, and mutants.
#include "support/random_png.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "support/png_paths.hpp"

namespace gpuimg::test {
namespace {

int paeth(int left, int up, int corner) {
  const int estimate = left + up - corner;
  const int to_left = std::abs(estimate - left);
  const int to_up = std::abs(estimate - up);
  const int to_corner = std::abs(estimate - corner);
  return to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
}

/// The bytes of a row as in a file: 16-bit samples have the high byte first.
std::vector<int> row_bytes(ConstView pixels, int y) {
  const auto count = static_cast<std::size_t>(pixels.width) * pixels.format.bytes_per_pixel();
  const std::size_t flip = pixels.format.sample == Sample::u16 ? 1 : 0;
  std::vector<int> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = std::to_integer<int>(pixels.row_bytes(y)[i ^ flip]);
  }
  return bytes;
}

FileBytes filtered_rows(Random& random, ConstView pixels, int filter) {
  FileBytes raw;
  const std::size_t back = pixels.format.bytes_per_pixel();
  std::vector<int> above(static_cast<std::size_t>(pixels.width) * back);
  for (int y = 0; y < pixels.height; ++y) {
    const std::vector<int> row = row_bytes(pixels, y);
    const int kind = filter == 5 ? random.between(0, 4) : filter;
    raw.push_back(static_cast<std::byte>(kind));
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int left = i >= back ? row[i - back] : 0;
      const int corner = i >= back ? above[i - back] : 0;
      const int guess = kind == 0   ? 0
                        : kind == 1 ? left
                        : kind == 2 ? above[i]
                        : kind == 3 ? (left + above[i]) / 2
                                    : paeth(left, above[i], corner);
      raw.push_back(static_cast<std::byte>(row[i] - guess));
    }
    above = row;
  }
  return raw;
}

FileBytes zlib_stream(FileBytes raw, const PngDeflating& deflating) {
  z_stream stream{};
  deflateInit2(&stream, deflating.level, Z_DEFLATED, deflating.window_bits, deflating.memory_level, deflating.strategy);
  const std::size_t step = deflating.flush_bytes == 0 ? raw.size() : deflating.flush_bytes;
  FileBytes out(deflateBound(&stream, raw.size()) + 32 * (raw.size() / std::max<std::size_t>(step, 1) + 2));
  stream.next_in = reinterpret_cast<Bytef*>(raw.data());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  for (int code = Z_OK; code == Z_OK;) {
    const std::size_t left = raw.size() - stream.total_in;
    stream.avail_in = static_cast<uInt>(std::min(left, step));
    code = ::deflate(&stream, left <= step ? Z_FINISH : deflating.flush);
  }
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

constexpr int kColorTypes[] = {0, 0, 4, 2, 6};  // by number of channels

/// The offsets of the IDAT chunks' data, if the file is complete.
std::vector<std::size_t> data_places(const FileBytes& file) {
  std::vector<std::size_t> places;
  constexpr std::size_t kOverhead = 12;
  for (std::size_t at = 8; at + kOverhead <= file.size();) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      size = size << 8 | std::to_integer<std::size_t>(file[at + i]);
    }
    const std::string_view type(reinterpret_cast<const char*>(file.data()) + at + 4, 4);
    for (std::size_t i = 0; type == "IDAT" && i < size && at + 8 + i < file.size(); ++i) {
      places.push_back(at + 8 + i);
    }
    at += kOverhead + size;
  }
  return places;
}

}  // namespace

FileBytes png_of_stream(int width, int height, PixelFormat format, const FileBytes& stream, std::size_t chunk_bytes) {
  PngPicture picture;
  picture.kind = {kColorTypes[format.channels], format.sample == Sample::u16 ? 16 : 8};
  picture.width = static_cast<std::uint32_t>(width);
  picture.height = static_cast<std::uint32_t>(height);
  FileBytes header;
  add_be(header, picture.width, 4);
  add_be(header, picture.height, 4);
  add_be(header, static_cast<std::uint32_t>(picture.kind.bit_depth), 1);
  add_be(header, static_cast<std::uint32_t>(picture.kind.color_type), 1);
  add_be(header, 0, 3);
  std::vector<PngChunk> chunks = {{"IHDR", header}};
  const std::size_t step = chunk_bytes == 0 ? stream.size() : chunk_bytes;
  for (std::size_t at = 0; at < stream.size(); at += step) {
    const auto part = std::span(stream).subspan(at, std::min(step, stream.size() - at));
    chunks.push_back({"IDAT", {part.begin(), part.end()}});
  }
  chunks.push_back({"IEND", {}});
  return assemble_png(chunks);
}

FileBytes deflated_png(Random& random, ConstView pixels, const PngDeflating& deflating) {
  return png_of_stream(pixels.width, pixels.height, pixels.format,
                       zlib_stream(filtered_rows(random, pixels, deflating.filter), deflating), deflating.chunk_bytes);
}

PngDeflating any_deflating(Random& random) {
  constexpr int kFlushes[] = {Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK};
  PngDeflating deflating;
  deflating.filter = random.between(0, 5);
  deflating.level = random.between(0, 9);
  deflating.strategy = random.below(2) == 0 ? Z_DEFAULT_STRATEGY : random.between(Z_DEFAULT_STRATEGY, Z_FIXED);
  deflating.memory_level = random.below(2) == 0 ? 8 : random.between(1, 9);
  if (random.below(3) == 0) {
    deflating.flush = kFlushes[random.below(std::size(kFlushes))];
    deflating.flush_bytes = static_cast<std::size_t>(random.between(200, 20000));
  }
  deflating.chunk_bytes = random.below(2) == 0 ? 0 : static_cast<std::size_t>(random.between(100, 9000));
  return deflating;
}

FileBytes mutant_of_png(Random& random, const FileBytes& file) {
  FileBytes mutant = file;
  const std::vector<std::size_t> places = data_places(file);
  const auto any_place = [&] {
    return places.empty() ? std::size_t{8} : places[random.below(static_cast<std::uint32_t>(places.size()))];
  };
  const std::uint32_t what = random.below(10);
  if (what == 0) {
    mutant.resize(any_place());
  } else if (what == 1) {
    mutant.insert(mutant.begin() + static_cast<std::ptrdiff_t>(any_place()), static_cast<std::byte>(random.below(256)));
  } else if (what == 2) {
    mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(any_place()));
  } else {
    for (int i = random.between(1, 3); i > 0; --i) {
      mutant[any_place()] ^= static_cast<std::byte>(random.below(2) == 0 ? 1U << random.below(8) : random.below(256));
    }
  }
  return random.below(8) == 0 ? mutant : with_checksums_repaired(mutant);
}

}  // namespace gpuimg::test
