// Seeds with all kinds of deflate blocks, and PNG files with many blocks at which a parallel reader can start.
#include "fuzz/seed_folder.hpp"
#include "support/deflate_streams.hpp"
#include "support/png_maker.hpp"

namespace gpuimg::fuzz {
namespace {

using namespace test;

class Noise {
 public:
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 1664525 + 1013904223;
    return (state_ >> 16) % bound;
  }

 private:
  std::uint32_t state_ = 1;
};

/// A window of one value, then noise of few values with matches at any distance. The compressed data are small, but
/// coded in dynamic blocks.
Octets settled_data(Noise& noise, std::size_t size) {
  constexpr std::size_t kQuiet = 33000;
  Octets data(kQuiet, 7);
  while (data.size() < kQuiet + size) {
    const std::size_t back = 1 + noise.below(30000);
    const bool repeats = noise.below(4) == 0;
    for (std::uint32_t count = 3 + noise.below(12); count > 0; --count) {
      data.push_back(repeats ? data[data.size() - back] : static_cast<std::uint8_t>(noise.below(12)));
    }
  }
  return data;
}

void add_streams(SeedFolder& seeds) {
  Noise noise;
  for (const int strategy : {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}) {
    for (const int level : {0, 1, 6}) {
      for (const std::size_t block_bytes : {500, 2000}) {
        FileBytes seed;
        add_be(seed, noise.below(256), 1);
        add_be(seed, noise.below(256), 1);
        add_be(seed, noise.below(64), 1);
        const Octets data = level == 0 ? Octets(block_bytes, 'a') : settled_data(noise, 4000);
        const Octets deflated =
            deflated_by_zlib(data, {.level = level, .strategy = strategy, .block_bytes = block_bytes});
        add_bytes(seed, std::as_bytes(std::span(deflated)));
        seeds.add("fuzz_inflate", seed);
      }
    }
  }
}

void add_pngs(SeedFolder& seeds) {
  constexpr std::size_t kNoisy = 3500;  // samples at the end
  Noise noise;
  for (const PngKind kind : {PngKind{0, 8}, PngKind{2, 8}, PngKind{6, 8}, PngKind{0, 16}}) {
    PngPicture picture;
    picture.kind = kind;
    picture.width = 100;
    picture.height = 380;
    picture.filter = 5;
    const std::size_t samples = std::size_t{picture.width} * picture.height * static_cast<unsigned>(kind.channels());
    for (std::size_t i = 0; i < samples; ++i) {
      picture.samples.push_back(i + kNoisy < samples ? 7 : noise.below(12));
    }
    const FileBytes raw = png_raw(picture);
    const Octets data(reinterpret_cast<const std::uint8_t*>(raw.data()),
                      reinterpret_cast<const std::uint8_t*>(raw.data()) + raw.size());
    std::vector<PngChunk> chunks = png_chunks(picture);
    for (PngChunk& chunk : chunks) {
      if (chunk.name == "IDAT") {
        const uLong adler = adler32(1, data.data(), static_cast<uInt>(data.size()));
        chunk.data = zlib_stream_of(deflated_by_zlib(data, {.block_bytes = 700}), static_cast<std::uint32_t>(adler));
      }
    }
    const FileBytes file = assemble_png(chunks);
    seeds.add("fuzz_png_fast", file);
    seeds.add("fuzz_png_device", file);
    seeds.add("fuzz_decode", file);
  }
}

}  // namespace

void add_deflate_seeds(SeedFolder& seeds) {
  add_streams(seeds);
  add_pngs(seeds);
}

}  // namespace gpuimg::fuzz
