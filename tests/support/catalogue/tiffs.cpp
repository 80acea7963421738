// TIFF of every kind that gpuimg reads, in both byte orders, in strips and tiles, and broken TIFF. The files are
// written by hand, without libtiff.
#include <algorithm>
#include <map>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 15;

enum Tag : std::uint32_t {
  kSubfileType = 254,
  kWidthTag = 256,
  kHeightTag = 257,
  kBits = 258,
  kCompression = 259,
  kPhotometric = 262,
  kMake = 271,
  kOffsets = 273,
  kOrientation = 274,
  kSamples = 277,
  kRowsPerStrip = 278,
  kByteCounts = 279,
  kLeastValue = 280,
  kPlanar = 284,
  kPredictor = 317,
  kColorMap = 320,
  kTileWidth = 322,
  kTileHeight = 323,
  kTileOffsets = 324,
  kTileByteCounts = 325,
  kSubDirectories = 330,
  kInkSet = 332,
  kExtraSamples = 338,
  kSampleFormat = 339,
  kSubsampling = 530,
  kUnknown = 34022,
  kDngVersion = 50706,
};

constexpr std::uint32_t kUntold = 65535;  ///< stands for a directory without a photometric interpretation

/// The type of a tag's values: its number in TIFF 6.0, and the size of one value in bytes.
struct FieldType {
  std::uint32_t number;
  int bytes;
};

FieldType type_of(std::uint32_t tag) {
  switch (tag) {
    case kDngVersion: return {1, 1};
    case kMake: return {2, 1};
    case kSubfileType:
    case kSubDirectories: return {4, 4};
    default: return {3, 2};
  }
}

struct TiffChoices {
  int bits = 8;
  int samples = 1;
  std::uint32_t photometric = 1;
  bool is_big_endian = false;
  bool is_planar = false;
  int rows_per_strip = kHeight;
  bool is_tiled = false;  ///< tiles of 16×16
  FileBytes coded = {};   ///< replaces the samples of each block
  std::map<std::uint32_t, Values> more = {};
};

class TiffWriter {
 public:
  explicit TiffWriter(const TiffChoices& choices) : choices_(choices) {}

  FileBytes write(const Values& values) {
    add_text(file_, choices_.is_big_endian ? "MM" : "II");
    add(file_, 42, 2);
    add(file_, 0, 4);
    const bool is_tiled = choices_.is_tiled;
    for (int plane = 0; plane < (choices_.is_planar ? choices_.samples : 1); ++plane) {
      for (int y = 0; y < kHeight; y += is_tiled ? kHeight : choices_.rows_per_strip) {
        add_block(values, plane, y, is_tiled ? kHeight : std::min(choices_.rows_per_strip, kHeight - y));
      }
    }
    set_tags();
    return with_directory();
  }

 private:
  void add(FileBytes& to, std::uint32_t value, int bytes) const {
    choices_.is_big_endian ? add_be(to, value, bytes) : add_le(to, value, bytes);
  }

  /// The rows as samples of `bits` bits. A tile is padded with zeros.
  void add_block(const Values& values, int plane, int first, int rows) {
    const std::size_t start = file_.size();
    offsets_.push_back(static_cast<std::uint32_t>(start));
    choices_.coded.empty() ? add_samples(values, plane, first, rows) : add_bytes(file_, choices_.coded);
    counts_.push_back(static_cast<std::uint32_t>(file_.size() - start));
  }

  void add_samples(const Values& values, int plane, int first, int rows) {
    const int width = choices_.is_tiled ? 16 : kWidth;
    for (int y = first; y < first + (choices_.is_tiled ? 16 : rows); ++y) {
      FileBytes row;
      std::uint32_t held = 0;
      int held_bits = 0;
      for (int x = 0; x < width; ++x) {
        for (int s = 0; s < (choices_.is_planar ? 1 : choices_.samples); ++s) {
          const bool is_inside = x < kWidth && y < kHeight;
          const auto at =
              static_cast<std::size_t>((y * kWidth + x) * choices_.samples + (choices_.is_planar ? plane : s));
          const std::uint32_t value = is_inside ? values[at] : 0;
          if (choices_.bits == 16) {
            add(row, value, 2);
            continue;
          }
          held = held << choices_.bits | value;
          for (held_bits += choices_.bits; held_bits >= 8; held_bits -= 8) {
            add_be(row, held >> (held_bits - 8) & 255U, 1);
          }
        }
      }
      if (held_bits > 0) {
        add_be(row, held << (8 - held_bits) & 255U, 1);
      }
      add_bytes(file_, row);
    }
  }

  void set_tags() {
    tags_ = choices_.more;
    tags_[kWidthTag] = {kWidth};
    tags_[kHeightTag] = {kHeight};
    tags_[kBits] = Values(static_cast<std::size_t>(choices_.samples), static_cast<std::uint32_t>(choices_.bits));
    tags_[kCompression] = {1};
    if (choices_.photometric != kUntold) {
      tags_[kPhotometric] = {choices_.photometric};
    }
    tags_[kSamples] = {static_cast<std::uint32_t>(choices_.samples)};
    tags_[kPlanar] = {choices_.is_planar ? 2U : 1U};
    tags_[choices_.is_tiled ? kTileOffsets : kOffsets] = offsets_;
    tags_[choices_.is_tiled ? kTileByteCounts : kByteCounts] = counts_;
    if (choices_.is_tiled) {
      tags_[kTileWidth] = tags_[kTileHeight] = {16};
    } else {
      tags_[kRowsPerStrip] = {static_cast<std::uint32_t>(choices_.rows_per_strip)};
    }
    for (const auto& [tag, values] : choices_.more) {
      tags_[tag] = values;
    }
  }

  FileBytes with_directory() {
    if (file_.size() % 2 != 0) {
      file_.push_back(std::byte{0});
    }
    std::map<std::uint32_t, FileBytes> fields;  // the values, or their offset if they take more than 4 bytes
    for (const auto& [tag, values] : tags_) {
      FileBytes& field = fields[tag];
      for (const std::uint32_t value : values) {
        add(field, value, type_of(tag).bytes);
      }
      if (field.size() > 4) {
        const auto place = static_cast<std::uint32_t>(file_.size());
        add_bytes(file_, field);
        file_.resize(file_.size() + file_.size() % 2);
        field.clear();
        add(field, place, 4);
      }
      field.resize(4);
    }
    FileBytes start;
    add(start, static_cast<std::uint32_t>(file_.size()), 4);
    std::copy(start.begin(), start.end(), file_.begin() + 4);
    add(file_, static_cast<std::uint32_t>(tags_.size()), 2);
    for (const auto& [tag, values] : tags_) {
      add(file_, tag, 2);
      add(file_, type_of(tag).number, 2);
      add(file_, static_cast<std::uint32_t>(values.size()), 4);
      add_bytes(file_, fields[tag]);
    }
    add(file_, 0, 4);
    return file_;
  }

  const TiffChoices& choices_;
  FileBytes file_;
  Values offsets_;
  Values counts_;
  std::map<std::uint32_t, Values> tags_;
};

FileBytes make_tiff(const TiffChoices& choices, const Values& values) { return TiffWriter(choices).write(values); }

/// `number` / `by`, rounded to nearest.
std::uint32_t rounded(std::uint64_t number, std::uint64_t by) {
  return static_cast<std::uint32_t>((2 * number + by) / (2 * by));
}

std::uint32_t full_of(int bits) { return bits > 8 ? 65535 : 255; }

/// The expected pixels for these gray or RGB samples.
Image expected_of(const TiffChoices& choices, const Values& values, bool has_alpha) {
  const int colors = choices.photometric == 2 ? 3 : 1;
  const PixelFormat format{choices.bits > 8 ? Sample::u16 : Sample::u8, colors + (has_alpha ? 1 : 0)};
  const std::uint32_t full = full_of(choices.bits);
  const std::uint32_t stored_full = (1U << choices.bits) - 1;
  return image_of_pixels(kWidth, kHeight, format, [&](std::size_t i) {
    Values pixel;
    for (int c = 0; c < format.channels; ++c) {
      const std::uint64_t value = values[i * static_cast<std::size_t>(choices.samples) + static_cast<std::size_t>(c)];
      const std::uint32_t level = rounded(value * full, stored_full);
      pixel.push_back(choices.photometric == 0 && c == 0 ? full - level : level);
    }
    return pixel;
  });
}

Values random_samples(const TiffChoices& choices, std::uint32_t start) {
  const std::size_t count = kCount * static_cast<std::size_t>(choices.samples);
  return FixedNumbers(start).values(count, std::min(1U << choices.bits, 65536U));
}

void add_layouts(Catalogue& to) {
  for (const std::uint32_t photometric : {0U, 1U, 2U}) {
    for (const int bits : {1, 2, 4, 8, 12, 16}) {
      for (const bool is_big_endian : {false, true}) {
        for (const int layout : {0, 1, 2, 3}) {
          TiffChoices choices;
          choices.bits = bits;
          choices.photometric = photometric;
          choices.is_big_endian = is_big_endian;
          choices.samples = photometric == 2 ? 3 : 1;
          choices.rows_per_strip = layout == 1 ? 2 : kHeight;
          choices.is_tiled = layout == 2;
          choices.is_planar = layout == 3 && photometric == 2;
          if (layout == 3 && photometric != 2) {
            continue;
          }
          const Values values = random_samples(choices, static_cast<std::uint32_t>(bits + layout));
          constexpr const char* kLayouts[] = {"one_strip", "two_strips", "tiles", "planes"};
          to.add_good("tiff_" + std::to_string(photometric) + "_of_" + std::to_string(bits) + "_bits_" +
                          kLayouts[layout] + (is_big_endian ? "_big_endian" : "") + ".tif",
                      make_tiff(choices, values), expected_of(choices, values, false));
        }
      }
    }
  }
}

/// Samples of every number of bits up to 16.
void add_odd_bits(Catalogue& to) {
  for (const int bits : {3, 5, 6, 7, 9, 10, 11, 13, 14, 15}) {
    for (const std::uint32_t photometric : {1U, 2U}) {
      for (const bool is_tiled : {false, true}) {
        TiffChoices choices;
        choices.bits = bits;
        choices.photometric = photometric;
        choices.samples = photometric == 2 ? 3 : 1;
        choices.is_tiled = is_tiled;
        choices.is_big_endian = is_tiled;
        const Values values = random_samples(choices, static_cast<std::uint32_t>(bits));
        to.add_good("tiff_" + std::to_string(photometric) + "_of_" + std::to_string(bits) + "_bits" +
                        (is_tiled ? "_tiles" : "") + ".tif",
                    make_tiff(choices, values), expected_of(choices, values, false));
      }
    }
  }
}

Image colors(PixelFormat format, const std::vector<Values>& pixels) {
  return image_of_pixels(kWidth, kHeight, format, [&](std::size_t i) { return pixels[i]; });
}

/// The pixels are computed from docs/operations.md with exact fractions.
void add_computed_colors(Catalogue& to) {
  TiffChoices lab;
  lab.photometric = 8;
  lab.samples = 3;
  const Values lab8 = {255, 0,   0,   0,   0,   0,   128, 0,  0,   136, 81,  67,  224, 177, 81,
                       82,  79,  148, 248, 234, 94,  154, 98, 195, 232, 208, 242, 100, 127, 127,
                       100, 128, 128, 20,  5,   251, 200, 10, 20,  1,   0,   0,   254, 255, 1};
  to.add_good("tiff_cielab_of_8_bits.tif", make_tiff(lab, lab8),
              colors({Sample::u8, 3}, {{255, 255, 255},
                                       {0, 0, 0},
                                       {119, 119, 119},
                                       {252, 0, 8},
                                       {10, 255, 0},
                                       {89, 0, 255},
                                       {242, 255, 0},
                                       {255, 0, 255},
                                       {57, 255, 254},
                                       {255, 0, 0},
                                       {0, 133, 255},
                                       {27, 21, 30},
                                       {222, 187, 157},
                                       {1, 1, 1},
                                       {253, 254, 252}}),
              "CIELab is converted");
  lab.bits = 16;
  const Values lab16 = {65535, 0,     0,     0,     0,     0,     32768, 0,     0,     34952, 20480, 17152,
                        57568, 45536, 20736, 21074, 20224, 37888, 63736, 59904, 24064, 39578, 25088, 49920,
                        59624, 53248, 61952, 25700, 32767, 32767, 25700, 32768, 32768, 5140,  1280,  64256,
                        51400, 2561,  5123,  257,   1,     65535, 65278, 65280, 256};
  to.add_good("tiff_cielab_of_16_bits.tif", make_tiff(lab, lab16),
              colors({Sample::u16, 3}, {{65535, 65535, 65535},
                                        {0, 0, 0},
                                        {30561, 30561, 30561},
                                        {64424, 0, 1951},
                                        {7208, 65451, 261},
                                        {22933, 0, 65535},
                                        {62307, 65535, 0},
                                        {65535, 0, 65535},
                                        {14600, 65468, 65314},
                                        {65535, 0, 0},
                                        {0, 34209, 65535},
                                        {7058, 5410, 7686},
                                        {57166, 48026, 40439},
                                        {369, 367, 370},
                                        {64895, 65394, 64730}}),
              "CIELab is converted");
  const Values ycbcr = {0,     32768, 32768, 65535, 32768, 32768, 30000, 40000, 20000, 30000, 20000, 40000,
                        12345, 33333, 31111, 50000, 10000, 60000, 1,     0,     65535, 65534, 65535, 0,
                        40000, 32769, 32767, 20000, 32768, 50000, 20000, 50000, 32768, 60000, 60000, 60000,
                        5000,  5000,  5000,  33000, 33000, 33000, 100,   32000, 33000};
  const auto rgb = [] {
    return colors({Sample::u16, 3}, {{0, 0, 0},
                                     {65535, 65535, 65535},
                                     {12099, 36629, 42815},
                                     {40139, 29229, 7375},
                                     {10022, 13334, 13346},
                                     {65535, 38388, 9655},
                                     {45940, 0, 0},
                                     {19593, 65535, 65535},
                                     {39999, 40000, 40002},
                                     {44159, 7694, 20000},
                                     {20000, 14070, 50535},
                                     {65535, 31181, 65535},
                                     {0, 34386, 0},
                                     {33325, 32754, 33411},
                                     {425, 199, 0}});
  };
  for (const bool is_planar : {false, true}) {
    TiffChoices choices;
    choices.bits = 16;
    choices.photometric = 6;
    choices.samples = 3;
    choices.is_planar = is_planar;
    choices.more = {{kSubsampling, {1, 1}}};
    const std::string layout = is_planar ? "_in_planes" : "";
    to.add_good("tiff_ycbcr_of_16_bits" + layout + ".tif", make_tiff(choices, ycbcr), rgb());
    choices.bits = 8;
    Values grays;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      grays.insert(grays.end(), {16 * i, 128, 128});
    }
    to.add_good("tiff_ycbcr_of_8_bits" + layout + ".tif", make_tiff(choices, grays),
                image_of_pixels(kWidth, kHeight, {Sample::u8, 3},
                                [](std::size_t i) { return Values(3, static_cast<std::uint32_t>(16 * i)); }));
  }
}

/// Files that break a rule of the format. They are read as other programs read them; a note says so if it affects
/// pixels.
void add_tolerated(Catalogue& to) {
  TiffChoices choices;
  const Values values = random_samples(choices, 11);
  const auto shown = [&] { return expected_of(TiffChoices(), values, false); };
  for (const std::uint32_t orientation : {0U, 9U}) {
    choices.more = {{kOrientation, {orientation}}};
    const std::string number = std::to_string(orientation);
    to.add_good("tiff_of_orientation_" + number + ".tif", make_tiff(choices, values), shown(),
                "orientation " + number + " does not exist");
  }
  choices.more = {{kUnknown, {}}};
  to.add_good("tiff_unknown_tag_of_count_0.tif", make_tiff(choices, values), shown());
  choices.more = {{kMake, {}}};
  to.add_good("tiff_maker_of_count_0.tif", make_tiff(choices, values), shown());
  choices.more = {{kLeastValue, {}}};
  to.add_good("tiff_least_value_of_count_0.tif", make_tiff(choices, values), shown());

  TiffChoices bits;
  bits.bits = 1;
  bits.photometric = kUntold;
  const Values ones = random_samples(bits, 12);
  const FileBytes untold = make_tiff(bits, ones);
  bits.photometric = 0;
  to.add_good("tiff_of_1_bit_without_photometric.tif", untold, expected_of(bits, ones, false), "white or black");

  choices.more = {{kPhotometric, {3}}};
  to.add_good("tiff_palette_without_map.tif", make_tiff(choices, values), shown(), "color map is missing");

  // Two white pixels, three black pixels and the end of the block; the other rows are missing.
  TiffChoices fax;
  fax.bits = 1;
  fax.photometric = 0;
  fax.coded = bytes_of(std::string_view("\x2F\x00\x08\x00\x80", 5));
  fax.more = {{kCompression, {4}}};
  to.add_good("tiff_fax_of_too_few_rows.tif", make_tiff(fax, {}),
              image_of_pixels(kWidth, kHeight, {Sample::u8, 1},
                              [](std::size_t i) { return Values{i == 2 || i == 3 || i == 4 ? 0U : 255U}; }),
              "end early");
}

/// Strips and tiles without data: the directory gives their offset as 0.
void add_sparse(Catalogue& to) {
  TiffChoices choices;
  const Values values = random_samples(choices, 13);
  choices.rows_per_strip = 2;
  choices.more = {{kOffsets, {8, 0}}, {kByteCounts, {10, 0}}};
  Values kept = values;
  std::fill(kept.begin() + 10, kept.end(), 0);
  to.add_good("tiff_sparse_strips.tif", make_tiff(choices, values), expected_of(choices, kept, false),
              "strips without data: 1 of 2");
  choices.rows_per_strip = kHeight;
  choices.is_tiled = true;
  choices.more = {{kTileOffsets, {0}}, {kTileByteCounts, {0}}};
  to.add_good("tiff_sparse_tile.tif", make_tiff(choices, values), expected_of(choices, Values(kCount, 0), false),
              "tiles without data: 1 of 1");
}

void add_alpha(Catalogue& to) {
  for (const int bits : {8, 16}) {
    for (const bool is_color : {false, true}) {
      TiffChoices choices;
      choices.bits = bits;
      choices.photometric = is_color ? 2 : 1;
      choices.samples = is_color ? 4 : 2;
      const Values values = random_samples(choices, 9);
      const std::string name = "tiff_" + std::to_string(bits) + (is_color ? "_color_" : "_gray_");
      choices.more = {{kExtraSamples, {2}}};
      to.add_good(name + "alpha.tif", make_tiff(choices, values), expected_of(choices, values, true));
      choices.more = {{kExtraSamples, {0}}};
      to.add_good(name + "extra.tif", make_tiff(choices, values), expected_of(choices, values, false),
                  "1 extra samples");
      choices.more = {};
      to.add_good(name + "untold.tif", make_tiff(choices, values), expected_of(choices, values, is_color),
                  is_color ? "read as alpha" : "1 extra samples");
      choices.more = {{kExtraSamples, {1}}};
      Values divided = values;
      for (std::size_t i = 0; i < divided.size(); ++i) {
        const std::size_t samples = is_color ? 4 : 2;
        const std::uint32_t alpha = values[i / samples * samples + samples - 1];
        if (i % samples != samples - 1) {
          const std::uint64_t full = full_of(bits);
          divided[i] =
              alpha == 0 ? 0
                         : static_cast<std::uint32_t>(std::min<std::uint64_t>(full, rounded(values[i] * full, alpha)));
        }
      }
      to.add_good(name + "premultiplied.tif", make_tiff(choices, values), expected_of(choices, divided, true),
                  "divided by it");
    }
  }
}

void add_palettes_and_inks(Catalogue& to) {
  for (const int bits : {1, 2, 3, 4, 8, 12, 16}) {
    TiffChoices choices;
    choices.bits = bits;
    choices.photometric = 3;
    const std::size_t colors = std::size_t{1} << bits;
    choices.more = {{kColorMap, FixedNumbers(5).values(3 * colors, 65536)}};
    const Values map = choices.more[kColorMap];
    const Values values = random_samples(choices, 3);
    to.add_good("tiff_palette_of_" + std::to_string(bits) + "_bits.tif", make_tiff(choices, values),
                image_of_pixels(kWidth, kHeight, {Sample::u8, 3}, [&](std::size_t i) {
                  return Values{map[values[i]] >> 8, map[colors + values[i]] >> 8, map[2 * colors + values[i]] >> 8};
                }));
  }
  for (const int bits : {8, 16}) {
    TiffChoices choices;
    choices.bits = bits;
    choices.photometric = 5;
    choices.samples = 4;
    const Values values = random_samples(choices, 4);
    const std::uint64_t full = full_of(bits);
    to.add_good(
        "tiff_cmyk_of_" + std::to_string(bits) + "_bits.tif", make_tiff(choices, values),
        image_of_pixels(kWidth, kHeight, {bits == 16 ? Sample::u16 : Sample::u8, 3},
                        [&](std::size_t i) {
                          Values color;
                          for (std::size_t c = 0; c < 3; ++c) {
                            color.push_back(rounded((full - values[4 * i + c]) * (full - values[4 * i + 3]), full));
                          }
                          return color;
                        }),
        "CMYK");
  }
}

/// Raw photos. Their compression or DNG's version identifies them; or the file names a camera maker, and its first
/// image is a thumbnail of the photo, which is elsewhere in the file.
void add_raw_photos(Catalogue& to) {
  TiffChoices choices;
  const Values values = random_samples(choices, 1);
  const auto add = [&](const std::string& name, const std::string& kind, std::map<std::uint32_t, Values> tags) {
    choices.more = std::move(tags);
    to.add_unsupported("tiff_" + name + ".tif", make_tiff(choices, values),
                       kind + " is not supported; convert it, for example with: darktable-cli in.raw out.png");
  };
  const auto text = [](std::string_view letters) {
    Values codes(letters.begin(), letters.end());
    codes.push_back(0);
    return codes;
  };
  add("nef", "Nikon's raw photo (NEF)", {{kCompression, {34713}}});
  add("arw", "Sony's raw photo (ARW)", {{kCompression, {32767}}});
  add("pef", "Pentax' raw photo (PEF)", {{kCompression, {65535}}});
  add("srw", "Samsung's raw photo (SRW)", {{kCompression, {32770}}});
  add("dcr", "Kodak's raw photo (DCR)", {{kCompression, {65000}}});
  add("dng", "a raw photo (DNG)", {{kDngVersion, {1, 4, 0, 0}}});
  for (const auto& [maker, kind] : {std::pair{"NIKON CORPORATION", "Nikon's raw photo (NEF)"},
                                    {"SONY", "Sony's raw photo (ARW)"},
                                    {"PENTAX Corporation", "Pentax' raw photo (PEF)"},
                                    {"SAMSUNG", "Samsung's raw photo (SRW)"},
                                    {"KODAK", "Kodak's raw photo (DCR)"},
                                    {"Hasselblad", "Hasselblad's raw photo (3FR)"},
                                    {"Leica", "a raw photo"}}) {
    add(std::string("thumbnail_of_") + std::string(maker, 4), kind,
        {{kSubfileType, {1}}, {kSubDirectories, {8}}, {kMake, text(maker)}});
  }
  // An ordinary photo can name a camera maker, or have a smaller copy of itself elsewhere in the file.
  choices.more = {{kSubDirectories, {8}}, {kMake, text("NIKON CORPORATION")}};
  to.add_good("tiff_of_a_camera.tif", make_tiff(choices, values), expected_of(choices, values, false));
}

/// The file with a second page added. Both pages have the first page's byte order.
FileBytes with_page(const FileBytes& first, const FileBytes& second, bool is_big_endian) {
  FileBytes file = first;
  const auto start = static_cast<std::uint32_t>(first.size());
  const auto number_at = [&](const FileBytes& in, std::size_t at, int bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      const std::size_t byte = at + static_cast<std::size_t>(is_big_endian ? i : bytes - 1 - i);
      value = value << 8 | std::to_integer<std::uint32_t>(in[byte]);
    }
    return value;
  };
  const auto set = [&](std::size_t at, std::uint32_t value) {
    FileBytes bytes;
    is_big_endian ? add_be(bytes, value, 4) : add_le(bytes, value, 4);
    std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
  };
  add_bytes(file, second);
  const std::uint32_t directory = start + number_at(second, 4, 4);
  set(start - 4, directory);
  for (std::uint32_t i = 0; i < number_at(file, directory, 2); ++i) {
    const std::uint32_t entry = directory + 2 + 12 * i;
    const std::uint32_t tag = number_at(file, entry, 2);
    const auto bytes = static_cast<std::uint32_t>(type_of(tag).bytes) * number_at(file, entry + 4, 4);
    if (bytes > 4) {
      set(entry + 8, start + number_at(file, entry + 8, 4));
    } else if (tag == kOffsets) {  // the offset of the only strip, in the entry itself
      FileBytes place;
      is_big_endian ? add_be(place, start + number_at(file, entry + 8, 2), 2)
                    : add_le(place, start + number_at(file, entry + 8, 2), 2);
      std::copy(place.begin(), place.end(), file.begin() + entry + 8);
    }
  }
  return file;
}

/// If the file is truncated after its first page, the other pages are lost, and a note says so.
void add_pages(Catalogue& to) {
  for (const bool is_big_endian : {false, true}) {
    TiffChoices choices;
    choices.is_big_endian = is_big_endian;
    choices.rows_per_strip = 2;
    const Values values = random_samples(choices, 6);
    const FileBytes first = make_tiff(choices, values);
    const FileBytes file = with_page(first, make_tiff(choices, random_samples(choices, 7)), is_big_endian);
    to.add_good_with_rest(std::string("tiff_of_two_pages") + (is_big_endian ? "_big_endian" : "") + ".tif", file,
                          file.size() - first.size(), expected_of(choices, values, false), "TIFF of 2 pages",
                          "file is damaged after its first page");
  }
}

void add_rejected(Catalogue& to) {
  TiffChoices choices;
  const Values values = random_samples(choices, 1);
  const auto with = [&](std::uint32_t tag, std::uint32_t value) {
    choices.more = {{tag, {value}}};
    return make_tiff(choices, values);
  };
  const std::string levels = " is not supported; convert it, for example with: convert in.tif -auto-level out.png";
  to.add_unsupported("tiff_signed.tif", with(kSampleFormat, 2), "8-bit signed samples" + levels);
  to.add_unsupported("tiff_float.tif", with(kSampleFormat, 3), "8-bit float samples" + levels);
  to.add_unsupported("tiff_of_32_bits.tif", with(kBits, 32), "32-bit samples" + levels);
  to.add_unsupported("tiff_lab_of_lightness_alone.tif", with(kPhotometric, 8), "CIELab pixels without a* and b*");
  to.add_unsupported("tiff_logluv.tif", with(kPhotometric, 32845), "LogLuv (high dynamic range) pixels is not");
  to.add_unsupported("tiff_itu_lab.tif", with(kPhotometric, 10), "ITU Lab pixels");
  to.add_unsupported("tiff_unknown_photometric.tif", with(kPhotometric, 77), "photometric interpretation 77");
  to.add_unsupported("tiff_jpeg_2000.tif", with(kCompression, 34712),
                     "TIFF with JPEG 2000 compression is not supported; convert it, for example with: bfconvert");
  to.add_unsupported("tiff_unknown_compression.tif", with(kCompression, 777), "TIFF with compression 777 is not");
  choices.more = {{kWidthTag, {60000}}, {kHeightTag, {60000}}};
  to.add_unsupported("tiff_of_a_bomb.tif", make_tiff(choices, values), "--max-pixels");
  choices.more = {{kWidthTag, {30000}}, {kHeightTag, {30000}}};
  to.add_damaged("tiff_of_far_more_than_the_file_holds.tif", make_tiff(choices, values));
  to.add_damaged("tiff_of_width_0.tif", with(kWidthTag, 0));
  to.add_damaged("tiff_of_more_rows.tif", with(kHeightTag, 4));
  to.add_damaged("tiff_strip_beyond_the_file.tif", with(kOffsets, 5000), "truncated");
  to.add_damaged("tiff_strip_at_0.tif", with(kOffsets, 0), "overlaps the header");
  // libtiff computes the length of an uncompressed strip.
  to.add_good("tiff_strip_of_no_bytes.tif", with(kByteCounts, 0), expected_of(TiffChoices(), values, false));
  to.add_damaged("tiff_strip_too_short.tif", with(kByteCounts, 7), "a strip or tile is cut off");
  choices.rows_per_strip = 2;
  choices.more = {{kByteCounts, {9, 5}}};
  to.add_damaged("tiff_first_strip_too_short.tif", make_tiff(choices, values), "a strip or tile is cut off");
  choices.more = {{kByteCounts, {10, 0}}};
  to.add_damaged("tiff_last_strip_of_no_bytes.tif", make_tiff(choices, values), "a strip or tile is empty");
  choices.is_tiled = true;
  choices.more = {{kTileByteCounts, {255}}};
  to.add_damaged("tiff_tile_too_short.tif", make_tiff(choices, values), "a strip or tile is cut off");
  choices = TiffChoices();
  choices.photometric = kUntold;
  to.add_damaged("tiff_without_photometric.tif", make_tiff(choices, values), "what its samples mean");
  choices.photometric = 3;
  for (const std::uint32_t entries : {765U, 771U}) {
    choices.more = {{kColorMap, Values(entries, 1)}};
    to.add_damaged("tiff_color_map_of_" + std::to_string(entries) + ".tif", make_tiff(choices, values),
                   "its color map has " + std::to_string(entries) + " entries instead of 768");
  }
  choices.bits = 4;
  choices.photometric = 3;
  choices.more.clear();
  to.add_damaged("tiff_without_palette.tif", make_tiff(choices, Values(kCount, 1)));
}

/// Files that libtiff would decode wrongly or report as damaged.
void add_rejected_codings(Catalogue& to) {
  TiffChoices choices;
  choices.bits = 1;
  choices.samples = 3;
  choices.photometric = 2;
  choices.coded = bytes_of(std::string_view("\x2F\x00\x08\x00\x80", 5));
  choices.more = {{kCompression, {4}}};
  to.add_unsupported("tiff_fax_of_rgb.tif", make_tiff(choices, {}), "CCITT compression of 3 samples a pixel");
  choices.coded.clear();
  choices.bits = 8;
  choices.more = {{kBits, {5, 6, 5}}};
  to.add_unsupported("tiff_of_5_6_5_bits.tif", make_tiff(choices, random_samples(choices, 2)),
                     "samples of 5, 6, 5 bits");
  choices.more = {{kBits, {8, 8, 8}}, {kSampleFormat, {1, 2, 2}}};
  to.add_unsupported("tiff_of_mixed_sample_formats.tif", make_tiff(choices, random_samples(choices, 2)),
                     "several kinds of samples");
  choices.more = {{kPhotometric, {6}}, {kPlanar, {2}}, {kSubsampling, {2, 2}}};
  choices.is_planar = true;
  to.add_unsupported("tiff_ycbcr_in_smaller_planes.tif", make_tiff(choices, random_samples(choices, 2)),
                     "in planes with subsampled chroma");
  TiffChoices jpeg;
  jpeg.more = {{kCompression, {7}}, {kBits, {12}}};
  to.add_unsupported("tiff_12_bit_jpeg.tif", make_tiff(jpeg, random_samples(jpeg, 3)), "12-bit JPEG compression");
  const auto frame = [&](const std::string& name, char marker, char bits, const std::string& words) {
    jpeg.coded = bytes_of(std::string_view("\xFF\xD8\xFF", 3));
    add_bytes(jpeg.coded, bytes_of(std::string{marker, 0, 11, bits, 0, 3, 0, 5, 1, 1, 0x11, 0}));
    jpeg.more = {{kCompression, {7}}};
    to.add_unsupported("tiff_" + name + "_jpeg.tif", make_tiff(jpeg, {}), words);
  };
  frame("lossless", '\xC3', 8, "lossless JPEG compression");
  frame("hierarchical", '\xC5', 8, "hierarchical JPEG compression");
  frame("deep", '\xC1', 12, "12-bit JPEG compression");
}

}  // namespace

void add_tiffs(Catalogue& to) {
  add_layouts(to);
  add_odd_bits(to);
  add_computed_colors(to);
  add_tolerated(to);
  add_sparse(to);
  add_rejected_codings(to);
  add_alpha(to);
  add_palettes_and_inks(to);
  add_raw_photos(to);
  add_pages(to);
  add_rejected(to);
}

}  // namespace gpuimg::test
