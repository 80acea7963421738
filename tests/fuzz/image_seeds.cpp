// Image seeds: the test catalogue, and files with all kinds of metadata.
#include <string_view>

#include "codecs/image_writer.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "codecs/metadata/iptc.hpp"
#include "fuzz/seed_folder.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/icc_maker.hpp"
#include "support/jpeg_maker.hpp"
#include "support/metadata_maker.hpp"
#include "support/npy_maker.hpp"
#include "support/png_maker.hpp"

namespace gpuimg::fuzz {
using namespace codecs;
using namespace codecs::jpeg;

namespace {

using namespace test;

Image picture(int width, int height, PixelFormat format) {
  Image image(width, height, format);
  for (std::size_t i = 0; i < image.size_bytes(); ++i) {
    image.view().data[i] = static_cast<std::byte>(i * i / 7);
  }
  return image;
}

/// Small files of all formats, valid and broken.
void add_catalogue(SeedFolder& seeds) {
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    seeds.add("fuzz_decode", file.bytes);
    if (file.name.ends_with(".png")) {
      seeds.add("fuzz_png_fast", file.bytes);
      seeds.add("fuzz_png_device", file.bytes);
    }
    if (file.name.ends_with(".npy")) {
      seeds.add("fuzz_npy_roundtrip", file.bytes);
    }
    if (file.name.ends_with(".tif")) {
      seeds.add("fuzz_tiff", file.bytes);
    }
    if (file.name.ends_with(".jpg")) {
      seeds.add("fuzz_jpeg_device", file.bytes);
      if (read_jpeg_script(file.bytes)) {
        seeds.add("fuzz_jpeg_scans", file.bytes);
      }
    }
    if (file.name.ends_with(".avif") || file.name.ends_with(".heic")) {
      seeds.add("fuzz_heif", file.bytes);
    }
    if (file.name.ends_with(".webp")) {
      seeds.add("fuzz_webp", file.bytes);
    }
  }
}

/// Files with all metadata that gpuimg writes.
void add_metadata(SeedFolder& seeds) {
  const Image image = picture(24, 16, {Sample::u8, 3});
  for (int kind = 0; kind < 4; ++kind) {
    WriteOptions options;
    options.threads = 1;
    options.text = {{"gpuimg:hsl", "u16"}, {"Comment", "x"}};
    options.metadata.exif = kind < 2 ? exif_with(6, kind % 2 == 0) : rich_exif({.is_big_endian = kind % 2 == 0});
    options.metadata.density = PixelDensity{2835, 2835, DensityUnit::meter};
    options.metadata.gama = 45455;
    options.metadata.chrm = {{31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000}};
    options.metadata.cicp = {{std::byte{1}, std::byte{13}, std::byte{0}, std::byte{1}}};
    options.metadata.icc = kind < 2 ? make_icc({.version_4 = kind == 1}) : FileBytes();
    options.metadata.xmp = xmp_packet();
    options.metadata.iptc = iptc_data();
    options.metadata.srgb = kind < 2 ? std::nullopt : std::optional<std::uint8_t>(1);
    for (const Codec& codec : codecs::codecs()) {
      if (codec.fit_metadata != nullptr) {
        seeds.add("fuzz_decode", encode_image(image.view(), codec.format, "seed", options));
      }
    }
    seeds.add("fuzz_png_fast", encode_image(image.view(), FileFormat::png, "seed", options));
    seeds.add("fuzz_png_device", encode_image(image.view(), FileFormat::png, "seed", options));
  }
}

/// Seeds for every kind of text that fuzz_metadata parses.
void add_metadata_texts(SeedFolder& seeds) {
  const auto chunk = [&](std::string_view beginning, std::span<const std::byte> text) {
    FileBytes payload = bytes_of(beginning);
    add_bytes(payload, text);
    seeds.add("fuzz_metadata", payload);
  };
  seeds.add("fuzz_metadata", xmp_packet());
  seeds.add("fuzz_metadata",
            "<a xmlns:tiff='http://ns.adobe.com/tiff/1.0/'><tiff:Orientation>6</tiff:Orientation></a>");
  seeds.add("fuzz_metadata", "<a xmpNote:HasExtendedXMP='0123456789ABCDEF0123456789ABCDEF'/>");
  for (const bool is_big_endian : {false, true}) {
    const FileBytes exif = rich_exif({.is_big_endian = is_big_endian, .has_maker_note = true, .has_thumbnail = true});
    seeds.add("fuzz_metadata", exif);
  }
  seeds.add("fuzz_metadata", iptc_data());
  seeds.add("fuzz_metadata", iptc_resource(iptc_data()));
  seeds.add("fuzz_metadata", iptc_text(iptc_data()));
  chunk(std::string_view("XML:com.adobe.xmp\0\0\0\0\0", 22), xmp_packet());
  chunk(std::string_view("XML:com.adobe.xmp\0\1\0\0\0", 22), zlib_stored(xmp_packet()));
  chunk(std::string_view("Raw profile type iptc\0\0", 23), zlib_stored(iptc_text(iptc_data())));
}

/// JPEGs that are tall enough to be decoded in parts.
void add_high_jpegs(SeedFolder& seeds) {
  for (const int sampling : {11, 21, 12, 22}) {
    JpegChoices choices;
    choices.horizontal_sampling = sampling / 10;
    choices.vertical_sampling = sampling % 10;
    choices.restart_interval = sampling == 21 ? 2 : 0;
    seeds.add("fuzz_decode", make_jpeg(picture(17, 52, {Sample::u8, 3}).view(), choices));
  }
}

/// JPEGs with the usual progressive scans or with one scan per component, with and without restart markers.
void add_jpegs_of_scans(SeedFolder& seeds) {
  for (const int sampling : {11, 21, 12, 22}) {
    for (const int restart_interval : {0, 3}) {
      JpegChoices choices{.quality = 75, .progressive = sampling != 12, .separate_scans = sampling == 12};
      choices.horizontal_sampling = sampling / 10;
      choices.vertical_sampling = sampling % 10;
      choices.restart_interval = restart_interval;
      seeds.add("fuzz_jpeg_scans", make_jpeg(picture(17, 19, {Sample::u8, 3}).view(), choices));
    }
  }
}

void add_npys(SeedFolder& seeds) {
  for (const Sample sample : {Sample::u8, Sample::u16, Sample::u32, Sample::u64, Sample::f32, Sample::f64}) {
    for (int channels = 1; channels <= 4; ++channels) {
      seeds.add("fuzz_npy_roundtrip", test::npy_of(picture(3, 2, {sample, channels}).view()));
    }
  }
}

}  // namespace

void add_image_seeds(SeedFolder& seeds) {
  add_catalogue(seeds);
  add_metadata(seeds);
  add_metadata_texts(seeds);
  add_high_jpegs(seeds);
  add_jpegs_of_scans(seeds);
  add_npys(seeds);
}

}  // namespace gpuimg::fuzz
