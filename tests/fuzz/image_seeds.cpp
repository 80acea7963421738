// Small images of every kind that is read, by the makers of the tests.
#include "files/image_writer.hpp"
#include "files/npy.hpp"
#include "fuzz/seed_folder.hpp"
#include "support/icc_maker.hpp"
#include "support/jpeg_maker.hpp"
#include "support/png_maker.hpp"
#include "support/small_formats.hpp"

namespace gpuimg::fuzz {
namespace {

using namespace test;

std::vector<std::uint32_t> values(std::uint32_t count, std::uint32_t levels) {
  std::vector<std::uint32_t> drawn(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    drawn[i] = i * 37 % levels;
  }
  return drawn;
}

Image picture(int width, int height, PixelFormat format) {
  Image image(width, height, format);
  for (std::size_t i = 0; i < image.size_bytes(); ++i) {
    image.view().data[i] = static_cast<std::byte>(i * i / 7);
  }
  return image;
}

/// Each kind with each filter and interlaced, and the chunks that beside the pixels are read.
void add_pngs(SeedFolder& seeds) {
  const auto add = [&](const FileBytes& file) {
    seeds.add("fuzz_decode", file);
    seeds.add("fuzz_png_fast", file);
  };
  for (const PngKind kind : png_kinds()) {
    for (int filter = 0; filter < 6; ++filter) {
      PngPicture png{kind, 7, 6, filter == 5, filter, {}, {}, {}};
      const std::uint32_t levels = 1U << kind.bit_depth;
      png.samples = values(42U * static_cast<std::uint32_t>(kind.channels()), levels);
      for (std::uint32_t i = 0; kind.color_type == 3 && i < 3 * levels; ++i) {
        add_le(png.palette, i * 5, 1);
      }
      if (filter == 2 && kind.color_type < 4) {
        png.transparency = FileBytes(kind.color_type == 3 ? 2 : kind.color_type == 2 ? 6 : 2, std::byte{1});
      }
      add(make_png(png));
    }
  }
  for (int level = 0; level <= 3; ++level) {
    WriteOptions options;
    options.png_level = level;
    options.threads = 1;
    options.text = {{"gpuimg:hsl", "u16"}, {"Comment", "x"}};
    options.metadata.exif = exif_with(6, level % 2 == 0);
    options.metadata.density = PixelDensity{2835, 2835, DensityUnit::meter};
    options.metadata.gama = 45455;
    options.metadata.chrm = {{31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000}};
    options.metadata.cicp = {{std::byte{1}, std::byte{13}, std::byte{0}, std::byte{1}}};
    options.metadata.icc = level < 2 ? make_icc({.version_4 = level == 1}) : FileBytes();
    options.metadata.srgb = level < 2 ? std::nullopt : std::optional<std::uint8_t>(1);
    const PixelFormat format{level == 2 ? Sample::u16 : Sample::u8, 3 + level % 2};
    add(encode_image(picture(24, 16, format).view(), ImageFileType::png, "seed", options));
  }
}

void add_jpegs(SeedFolder& seeds) {
  const Image color = picture(19, 17, {Sample::u8, 3});
  const Image four = picture(9, 9, {Sample::u8, 4});
  const std::vector<FileBytes> files = {
      make_jpeg(color.view()),
      make_jpeg(color.view(), {.progressive = true}),
      make_jpeg(color.view(), {.arithmetic = true}),
      make_jpeg(color.view(), {.horizontal_sampling = 1, .vertical_sampling = 1, .restart_interval = 1}),
      make_jpeg(color.view(), {.quality = 30, .progressive = true, .restart_interval = 2}),
      make_jpeg(color.view(), {.as_rgb = true}),
      make_jpeg(picture(16, 8, {Sample::u8, 1}).view()),
      make_jpeg(four.view(), {.as_cmyk = true}),
      make_jpeg(four.view(), {.as_ycck = true}),
      make_jpeg(four.view(), {.as_cmyk = true, .adobe = false}),
      with_exif(make_jpeg(color.view()), exif_with(8, true)),
      with_exif(make_jpeg(color.view()), exif_with(3, false))};
  for (const FileBytes& file : files) {
    seeds.add("fuzz_decode", file);
  }
  WriteOptions options;
  options.metadata.icc = make_icc();
  options.metadata.density = PixelDensity{300, 300, DensityUnit::inch};
  seeds.add("fuzz_decode", encode_image(color.view(), ImageFileType::jpeg, "seed", options));
}

void add_bmps(SeedFolder& seeds) {
  const auto add = [&](int bits, std::uint32_t levels, const BmpChoices& choices) {
    seeds.add("fuzz_decode", make_bmp(5, 4, bits, values(20, levels), choices));
  };
  const std::vector<std::uint32_t> colors = {0x000000, 0xFF8000, 0x0080FF, 0xFFFFFF};
  for (const int bits : {1, 4, 8}) {
    add(bits, 2, {.masks = {}, .palette = colors, .colors_used = 4});
  }
  for (const int header : {12, 40, 56, 108, 124}) {
    add(24, 1U << 24, {.header_bytes = header, .masks = {}, .palette = {}});
  }
  add(16, 1U << 15, {.masks = {}, .palette = {}, .top_down = true});
  add(32, 1U << 24, {.masks = {}, .palette = {}, .gap = 3});
  add(16, 1U << 16, {.compression = 3, .masks = {0xF800, 0x07E0, 0x001F}, .palette = {}});
  add(32, 1U << 31,
      {.header_bytes = 108, .compression = 3, .masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000}, .palette = {}});
}

void add_tgas(SeedFolder& seeds) {
  const auto add = [&](int kind, int bits, std::uint32_t levels, TgaChoices choices) {
    for (const bool run_length : {false, true}) {
      choices.run_length = run_length;
      seeds.add("fuzz_decode", make_tga(kind, 5, 4, bits, values(20, levels), choices));
    }
  };
  add(1, 8, 3, {.map = {0x112233, 0x445566, 0x778899}, .id = ""});
  add(2, 24, 1U << 24, {.top_down = true, .map = {}, .id = "id"});
  add(2, 32, 1U << 31, {.right_to_left = true, .alpha_bits = 8, .map = {}, .id = ""});
  add(2, 16, 1U << 15, {.map = {}, .id = ""});
  add(3, 8, 256, {.map = {}, .id = ""});
  add(3, 16, 1U << 16, {.alpha_bits = 8, .map = {}, .id = ""});
}

void add_others(SeedFolder& seeds) {
  const auto add = [&](const FileBytes& file) { seeds.add("fuzz_decode", file); };
  const std::vector<std::uint32_t> colors = {0x000000, 0xFF8000, 0x0080FF, 0xFFFFFF};
  GifFrame frame{0, 0, 6, 5, values(30, 4), -1, false, {}};
  add(make_gif(6, 5, colors, {frame}));
  frame.interlaced = true;
  frame.transparent = 2;
  GifFrame small{1, 1, 3, 2, values(6, 2), 0, false, {0x123456, 0x654321}};
  add(make_gif(6, 5, colors, {frame, small}, 1));
  for (const bool run_length : {false, true}) {
    add(make_psd(5, 4, 3, 8, values(60, 256), run_length));
    add(make_psd(5, 4, 4, 16, values(80, 65536), run_length));
  }
  add(make_psd(5, 4, 1, 8, values(20, 256), false, 1));
  add(make_pnm("P5\n5 4\n255\n", values(20, 256), 1));
  add(make_pnm("P6\n# a comment\n5 4\n255\n", values(60, 256), 1));
  add(make_pnm("P6 5 4 65535\n", values(60, 65536), 2));
  add(make_pnm("P5\n5 4\n1000\n", values(20, 1000), 2));
}

void add_npys(SeedFolder& seeds) {
  for (const Sample sample : {Sample::u8, Sample::u16, Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
    for (int channels = 1; channels <= 4; ++channels) {
      seeds.add("fuzz_npy_roundtrip", encode_npy(picture(3, 2, {sample, channels}).view()).span());
    }
  }
}

}  // namespace

void add_image_seeds(SeedFolder& seeds) {
  add_pngs(seeds);
  add_jpegs(seeds);
  add_bmps(seeds);
  add_tgas(seeds);
  add_others(seeds);
  add_npys(seeds);
}

}  // namespace gpuimg::fuzz
