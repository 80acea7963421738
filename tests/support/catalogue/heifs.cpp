// HEIC and AVIF: properties, transformations, alpha, metadata, several images, and broken files. The boxes are written
// by hand around known images with a few gray levels. The catalogue leaves out files for which
// the installed libheif has no decoder.
#include <string>
#include <string_view>

#include "codecs/formats.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/metadata_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 8;
constexpr int kHeight = 6;

/// AV1, 8×6: the quarters have the levels 10, 90, 170 and 250.
constexpr std::string_view kAv1 =
    "\x12\x00\x0a\x08\x18\x08\xbd\x60\x81\x01\x03\x42\x32\x15\x10\x00\x00\x8a\x0c\xd0\x74\xb6\x72\xb7\x4a\x41"
    "\xe1\xcf\xb2\x42\x4a\x65\xee\x55\x60"sv;

/// AV1, 8×6, monochrome: the quarters have the levels 255, 128, 255 and 0.
constexpr std::string_view kAv1Alpha =
    "\x12\x00\x0a\x05\x18\x08\xbd\x61\x50\x32\x13\x10\x00\x86\xa2\xb9\x41\x95\xbe\x2e\x95\xd9\x69\x3a\x32\x55"
    "\xeb\x83\x2d\xa8"sv;

/// HEVC of 10 bits, 64×64, of level 361.
constexpr std::string_view kHevcHeader =
    "\x01\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x1e\xf0\x00\xfc\xfd\xfa\xfa\x00\x00\x0f\x03\x20\x00\x01"
    "\x00\x17\x40\x01\x0c\x01\xff\xff\x04\x08\x00\x00\x03\x00\x9d\xb8\x00\x00\x03\x00\x00\x1e\xba\x02\x40\x21"
    "\x00\x01\x00\x2a\x42\x01\x01\x04\x08\x00\x00\x03\x00\x9d\xb8\x00\x00\x03\x00\x00\x1e\xa0\x20\x81\x04\xd9"
    "\x6e\xaa\xe9\xae\x6e\x04\x04\x0c\x08\x00\x00\x03\x00\x08\x00\x00\x03\x00\x08\x40\x22\x00\x01\x00\x06\x44"
    "\x01\xc1\x73\xc1\x89"sv;
constexpr std::string_view kHevc =
    "\x00\x00\x00\x2a\x28\x01\xaf\x06\xb2\x13\x1d\xa0\x92\x29\xb8\x67\xf8\x48\xc4\x09\x1f\xd5\xea\x1e\x80\x66"
    "\xc4\xc9\x5d\xdd\x85\xe7\xa0\x61\xf2\xd5\xf5\x9c\x2b\x68\x21\xfc\x9d\xf7\xfe\xef"sv;

/// HEVC, 64×64, noise in blocks of 16×16, in one slice. The slice can end at any block.
constexpr std::string_view kHevcBlocksHeader =
    "\x01\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x1e\xf0\x00\xfc\xfc\xf8\xf8\x00\x00\x0f\x03\x20\x00\x01"
    "\x00\x17\x40\x01\x0c\x01\xff\xff\x04\x08\x00\x00\x03\x00\x9f\xf8\x00\x00\x03\x00\x00\x1e\xba\x02\x40\x21"
    "\x00\x01\x00\x26\x42\x01\x01\x04\x08\x00\x00\x03\x00\x9f\xf8\x00\x00\x03\x00\x00\x1e\xc0\x82\x04\x16\x5b"
    "\xaa\xba\x6b\x9b\x02\x00\x00\x03\x00\x02\x00\x00\x03\x00\x02\x10\x22\x00\x01\x00\x06\x44\x01\xc1\x73\xc0"
    "\x89"sv;
constexpr std::string_view kHevcBlocks =
    "\x00\x00\x00\x8e\x28\x01\xae\x08\x30\xe0\xec\x78\x02\x9b\x42\x06\x9f\xe5\xf1\xd6\x8c\x23\x36\x53\xa4\xa5"
    "\xc6\x24\xd3\xa1\xc8\x30\x7d\x19\x59\x08\xde\x60\x3e\xdb\x5c\xbb\x77\x24\x1f\xcd\xa7\xb9\x32\x42\x91\xb9"
    "\xca\x7e\xbb\x49\x47\x00\x33\xed\x5a\xc3\x75\xad\xd6\x02\x15\x19\xa8\x2b\x10\xcf\xdc\x49\x96\x7a\xfc\xe7"
    "\xdf\xfa\x1d\xd1\xc2\xd1\x2d\x3d\x5b\x80\x7f\xb0\xc3\xe6\xb1\x01\xc0\xcf\x89\x94\x82\xa4\xf5\x68\x97\x76"
    "\x4c\xff\xce\x0a\xd4\xaf\xed\xa7\x70\x8e\x83\x5a\x46\xa2\x0d\x43\x54\xd2\xa5\xea\x29\x50\x9d\x7c\x95\x13"
    "\x9b\xc1\xe5\x86\xe0\xbd\x63\x9f\xba\x29\xda\xb2\x1c\x55\xf6\x40"sv;

/// AV1 of 12 bits, 8×6, monochrome, of level 2000.
constexpr std::string_view kAv1DeepGray =
    "\x12\x00\x0a\x05\x58\x08\xbd\x63\xa8\x32\x08\x10\x00\x00\x18\xe1\x43\x9e\x40"sv;

/// HEVC, 64×64, monochrome, of level 126.
constexpr std::string_view kHevcGrayHeader =
    "\x01\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xf0\x00\xfc\xfc\xf8\xf8\x00\x00\x0f\x03\x20\x00\x01"
    "\x00\x17\x40\x01\x0c\x01\xff\xff\x04\x08\x00\x00\x03\x00\x9f\xf8\x00\x00\x03\x00\x00\xff\xba\x02\x40\x21"
    "\x00\x01\x00\x26\x42\x01\x01\x04\x08\x00\x00\x03\x00\x9f\xf8\x00\x00\x03\x00\x00\xff\xc0\x82\x04\x16\x5b"
    "\xa9\x24\xa6\xb9\xb0\x20\x00\x00\x03\x00\x20\x00\x00\x03\x00\x21\x22\x00\x01\x00\x06\x44\x01\xc1\x71\x89"
    "\x12"sv;
constexpr std::string_view kHevcGray =
    "\x00\x00\x00\x18\x28\x01\xae\x0b\x70\x19\x4b\x9a\xdf\xe5\x43\xd5\x67\x34\xf5\x5b\x8a\x3c\x92\x43\xcb\x33"
    "\x83\x80"sv;

FileBytes box(std::string_view type, const FileBytes& content) {
  FileBytes bytes;
  add_be(bytes, content.size() + 8, 4);
  add_text(bytes, type);
  add_bytes(bytes, content);
  return bytes;
}

/// A box that starts with its version and flags.
FileBytes full_box(std::string_view type, const FileBytes& content, std::uint32_t version = 0) {
  FileBytes bytes;
  add_be(bytes, version << 24, 4);
  add_bytes(bytes, content);
  return box(type, bytes);
}

FileBytes numbers(const Values& values, int bytes_each) {
  FileBytes bytes;
  for (const std::uint32_t value : values) {
    add_be(bytes, value, bytes_each);
  }
  return bytes;
}

FileBytes ispe(std::uint32_t width, std::uint32_t height) { return full_box("ispe", numbers({width, height}, 4)); }
FileBytes av1_header(std::uint32_t kind) { return box("av1C", numbers({0x81, 0, kind, 0}, 1)); }
FileBytes irot(std::uint32_t quarters) { return box("irot", numbers({quarters}, 1)); }
FileBytes imir(std::uint32_t axis) { return box("imir", numbers({axis}, 1)); }
FileBytes clap(std::uint32_t width, std::uint32_t height) {
  return box("clap", numbers({width, 1, height, 1, 0, 1, 0, 1}, 4));
}
/// A color property with the code points of sRGB (nclx).
FileBytes colors(bool is_full_range) {
  FileBytes content = bytes_of("nclx");
  add_bytes(content, numbers({1, 13, 6}, 2));
  add_be(content, is_full_range ? 0x80 : 0, 1);
  return box("colr", content);
}
FileBytes alpha_mark() { return full_box("auxC", bytes_of("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"sv)); }

struct Item {
  std::string type;
  FileBytes data;
  std::vector<FileBytes> properties;
  std::string content_type = {};  ///< only for type "mime"
  std::string reference = {};     ///< the kind of the item's reference to the first item
  Values sources = {};            ///< the items that make up this item's image
};

FileBytes item_info(std::size_t id, const Item& item) {
  FileBytes bytes = numbers({static_cast<std::uint32_t>(id), 0}, 2);
  add_text(bytes, item.type);
  bytes.push_back(std::byte{0});  // no name
  add_text(bytes, item.content_type);
  if (!item.content_type.empty()) {
    bytes.push_back(std::byte{0});
  }
  return full_box("infe", bytes, 2);
}

FileBytes item_properties(const std::vector<Item>& items) {
  FileBytes all;
  FileBytes links = numbers({static_cast<std::uint32_t>(items.size())}, 4);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    add_be(links, i + 1, 2);
    add_be(links, items[i].properties.size(), 1);
    for (const FileBytes& property : items[i].properties) {
      add_bytes(all, property);
      add_be(links, ++count, 1);
    }
  }
  FileBytes both = box("ipco", all);
  add_bytes(both, full_box("ipma", links));
  return box("iprp", both);
}

FileBytes item_references(const std::vector<Item>& items) {
  FileBytes all;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].reference.empty()) {
      add_bytes(all, box(items[i].reference, numbers({static_cast<std::uint32_t>(i + 1), 1, 1}, 2)));
    }
    if (!items[i].sources.empty()) {
      Values link = {static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(items[i].sources.size())};
      link.insert(link.end(), items[i].sources.begin(), items[i].sources.end());
      add_bytes(all, box("dimg", numbers(link, 2)));
    }
  }
  return full_box("iref", all);
}

/// The "meta" box. The data of the items begin at `offset` in the file.
FileBytes meta(const std::vector<Item>& items, std::size_t offset, std::uint32_t primary) {
  FileBytes places = numbers({0x4400, static_cast<std::uint32_t>(items.size())}, 2);
  FileBytes infos = numbers({static_cast<std::uint32_t>(items.size())}, 2);
  for (std::size_t i = 0; i < items.size(); ++i) {
    add_bytes(infos, item_info(i + 1, items[i]));
    add_bytes(places, numbers({static_cast<std::uint32_t>(i + 1), 0, 1}, 2));
    add_be(places, offset, 4);
    add_be(places, items[i].data.size(), 4);
    offset += items[i].data.size();
  }
  FileBytes all = full_box("hdlr", bytes_of("\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0"sv));
  for (const FileBytes& part : {full_box("pitm", numbers({primary}, 2)), full_box("iloc", places),
                                full_box("iinf", infos), item_properties(items), item_references(items)}) {
    add_bytes(all, part);
  }
  return full_box("meta", all);
}

FileBytes heif(const std::vector<Item>& items, std::string_view brand = "avif", std::uint32_t primary = 1) {
  FileBytes bytes = box("ftyp", bytes_of(std::string(brand) + "\0\0\0\0mif1miaf"s));
  const std::size_t offset = bytes.size() + meta(items, 0, primary).size() + 8;
  add_bytes(bytes, meta(items, offset, primary));
  FileBytes data;
  for (const Item& item : items) {
    add_bytes(data, item.data);
  }
  add_bytes(bytes, box("mdat", data));
  return bytes;
}

/// The image of quarters, with additional properties.
Item quarters(const std::vector<FileBytes>& more = {}) {
  Item item{"av01", bytes_of(kAv1), {ispe(kWidth, kHeight), av1_header(0x0C)}};
  item.properties.insert(item.properties.end(), more.begin(), more.end());
  return item;
}

Image quarters_shown(int left = 0, int top = 0, int width = kWidth, int height = kHeight) {
  return image_of_pixels(width, height, {Sample::u8, 3}, [&](std::size_t i) {
    const int x = left + static_cast<int>(i) % width;
    const int y = top + static_cast<int>(i) / width;
    return Values(3, (y < kHeight / 2 ? 10U : 170U) + (x < kWidth / 2 ? 0U : 80U));
  });
}

void add_stills(Catalogue& to) {
  to.add_good("heif_quarters.avif", heif({quarters()}), quarters_shown());
  to.add_good("heif_of_another_brand.heif", heif({quarters()}, "mif1"), quarters_shown());
  to.add_good("heif_sequence.avif", heif({quarters()}, "avis"), quarters_shown(), "HEIF sequence");
  to.add_good("heif_of_two_images.avif", heif({quarters(), quarters({box("free", FileBytes(3))})}), quarters_shown(),
              "HEIF of 2 images: primary image only");
  to.add_good("heif_cropped.avif", heif({quarters({clap(6, 4)})}), quarters_shown(1, 1, 6, 4));
  to.add_good("heif_turned_left.avif", heif({quarters({irot(1)})}),
              image_of_pixels(kHeight, kWidth, {Sample::u8, 3}, [](std::size_t i) {
                return Values(3, (i / kHeight < kWidth / 2 ? 90U : 10U) + (i % kHeight < kHeight / 2 ? 0U : 160U));
              }));
  to.add_good("heif_of_brand_mif2.heif", heif({quarters()}, "mif2"), quarters_shown());
}

/// The quarters, rotated left and mirrored top to bottom.
Image quarters_turned() {
  return image_of_pixels(kHeight, kWidth, {Sample::u8, 3}, [](std::size_t i) {
    return Values(3, (i / kHeight < kWidth / 2 ? 10U : 90U) + (i % kHeight < kHeight / 2 ? 0U : 160U));
  });
}

/// Images whose size property comes after the transformations.
void add_late_sizes(Catalogue& to) {
  const auto late = [](const std::vector<FileBytes>& transformations) {
    Item item = quarters();
    item.properties.insert(item.properties.begin(), transformations.begin(), transformations.end());
    return heif({item});
  };
  to.add_good("heif_cropped_before_its_size.avif", late({clap(6, 4)}), quarters_shown(1, 1, 6, 4));
  to.add_good("heif_turned_before_its_size.avif", late({irot(1), imir(0)}), quarters_turned());
}

Item alpha_of(const std::vector<FileBytes>& more, std::string_view data = kAv1Alpha) {
  Item item{"av01", bytes_of(data), {ispe(kWidth, kHeight), av1_header(0x1C), alpha_mark()}, "", "auxl"};
  item.properties.insert(item.properties.end(), more.begin(), more.end());
  return item;
}

/// The image of quarters with its alpha.
Image quarters_with_alpha(std::uint32_t second = 128, int left = 0, int top = 0, int width = kWidth,
                          int height = kHeight) {
  return image_of_pixels(width, height, {Sample::u8, 4}, [&](std::size_t i) {
    const int x = left + static_cast<int>(i) % width;
    const int y = top + static_cast<int>(i) / width;
    const std::size_t quarter = (y < kHeight / 2 ? 0U : 2U) + (x < kWidth / 2 ? 0U : 1U);
    const std::uint32_t alpha[] = {255, second, 255, 0};
    const auto level = static_cast<std::uint32_t>(10 + 80 * quarter);
    return Values{level, level, level, alpha[quarter]};
  });
}

Image with_alpha_turned() {
  return image_of_pixels(kHeight, kWidth, {Sample::u8, 4}, [](std::size_t i) {
    const std::size_t quarter = (i % kHeight < kHeight / 2 ? 0U : 2U) + (i / kHeight < kWidth / 2 ? 1U : 0U);
    constexpr std::uint32_t kAlpha[] = {255, 128, 255, 0};
    const auto level = static_cast<std::uint32_t>(10 + 80 * quarter);
    return Values{level, level, level, kAlpha[quarter]};
  });
}

void add_alpha(Catalogue& to) {
  to.add_good("heif_alpha.avif", heif({quarters(), alpha_of({})}), quarters_with_alpha());
  to.add_good("heif_alpha_turned_alike.avif", heif({quarters({irot(1)}), alpha_of({irot(1)})}), with_alpha_turned());
  to.add_good("heif_alpha_not_turned.avif", heif({quarters({irot(1)}), alpha_of({})}), with_alpha_turned());
  to.add_good("heif_alpha_turned_alone.avif", heif({quarters(), alpha_of({irot(1)})}), quarters_with_alpha());
  to.add_good("heif_alpha_not_cropped.avif", heif({quarters({clap(6, 4)}), alpha_of({})}),
              quarters_with_alpha(128, 1, 1, 6, 4));
  const Item gray{"av01", bytes_of(kAv1Alpha), {ispe(kWidth, kHeight), av1_header(0x1C)}};
  to.add_good("heif_gray_with_alpha.avif", heif({gray, alpha_of({})}),
              image_of_pixels(kWidth, kHeight, {Sample::u8, 4}, [](std::size_t i) {
                constexpr std::uint32_t kLevels[] = {255, 128, 255, 0};
                return Values(4, kLevels[(i / kWidth < kHeight / 2 ? 0 : 2) + (i % kWidth < kWidth / 2 ? 0 : 1)]);
              }));
  Item other = alpha_of({});
  other.properties[0] = ispe(kWidth + 1, kHeight);
  to.add_good("heif_alpha_of_another_size.avif", heif({quarters(), other}), quarters_shown(),
              "its alpha of 9x6 does not fit the image and is left out");
  std::string video(kAv1Alpha);
  constexpr std::size_t kRange = 8;
  video[kRange] = '\x10';
  to.add_good("heif_alpha_of_video_range.avif", heif({quarters(), alpha_of({}, video)}), quarters_with_alpha(130));
}

/// Gray in video range: 8-bit levels from 16 to 235 become levels from 0 to 255.
void add_gray(Catalogue& to) {
  const auto gray = [](const std::vector<FileBytes>& more, std::string_view data = kAv1Alpha) {
    Item item{"av01", bytes_of(data), {ispe(kWidth, kHeight), av1_header(0x1C)}};
    item.properties.insert(item.properties.end(), more.begin(), more.end());
    return item;
  };
  const auto shown = [](std::uint32_t middle, int width = kWidth) {
    return image_of_pixels(width, kHeight, {Sample::u8, 3}, [&](std::size_t i) {
      const std::size_t x = i % static_cast<std::size_t>(width) % kWidth;
      const std::size_t y = i / static_cast<std::size_t>(width);
      return Values(3, x < kWidth / 2 ? 255U : y < kHeight / 2 ? middle : 0U);
    });
  };
  std::string video(kAv1Alpha);
  constexpr std::size_t kRange = 8;
  video[kRange] = '\x10';
  to.add_good("heif_gray.avif", heif({gray({})}), shown(128));
  to.add_good("heif_gray_of_video_range.avif", heif({gray({colors(false)})}), shown(130));
  to.add_good("heif_gray_whose_data_are_of_video_range.avif", heif({gray({}, video)}), shown(130));
  to.add_good("heif_gray_that_declares_the_full_range.avif", heif({gray({colors(true)}, video)}), shown(128));
  Item grid{"grid", numbers({0, 0, 0, 1, 0, 2 * kWidth, 0, kHeight}, 1), {ispe(2 * kWidth, kHeight)}};
  grid.sources = {2, 3};
  to.add_good("heif_gray_grid_of_video_range.avif", heif({grid, gray({}, video), gray({}, video)}),
              shown(130, 2 * kWidth), "HEIF of 3 images");
  const Item deep{
      "av01", bytes_of(kAv1DeepGray), {ispe(kWidth, kHeight), box("av1C", numbers({0x81, 0x40, 0x7C, 0}, 1))}};
  Item deep_video = deep;
  deep_video.properties.push_back(colors(false));
  to.add_good("heif_gray_of_12_bits.avif", heif({deep}),
              constant_image(kWidth, kHeight, {Sample::u16, 3}, (2000 * 65535U + 2047) / 4095));
  to.add_good("heif_gray_of_12_bits_with_alpha_of_8.avif", heif({deep, alpha_of({})}),
              image_of_pixels(kWidth, kHeight, {Sample::u16, 4}, [](std::size_t i) {
                constexpr std::uint32_t kLevels[] = {255, 128, 255, 0};
                const std::size_t quarter = (i / kWidth < kHeight / 2 ? 0U : 2U) + (i % kWidth < kWidth / 2 ? 0U : 1U);
                constexpr std::uint32_t kLevel = (2000 * 65535U + 2047) / 4095;
                return Values{kLevel, kLevel, kLevel, 257 * kLevels[quarter]};
              }));
  to.add_good("heif_gray_of_12_bits_of_video_range.avif", heif({deep_video}),
              constant_image(kWidth, kHeight, {Sample::u16, 3}, (1744 * 65535U + 1752) / 3504));
}

void add_gray_of_hevc(Catalogue& to) {
  const auto gray = [](const std::vector<FileBytes>& more) {
    Item item{"hvc1", bytes_of(kHevcGray), {ispe(64, 64), box("hvcC", bytes_of(kHevcGrayHeader))}};
    item.properties.insert(item.properties.end(), more.begin(), more.end());
    return heif({item}, "heic");
  };
  to.add_good("heif_gray_of_hevc.heic", gray({}), constant_image(64, 64, {Sample::u8, 3}, 126));
  to.add_good("heif_gray_of_hevc_of_video_range.heic", gray({colors(false)}),
              constant_image(64, 64, {Sample::u8, 3}, 128));
}

/// Valid files that libheif 1.15 cannot read.
void add_uncommon(Catalogue& to) {
  FileBytes compact = box("ftyp", bytes_of("mif3\0\0\0\0heic"sv));
  add_bytes(compact, box("mini", bytes_of("\x08\x08\x80\xff\x01\xfe\x20"sv)));
  to.add_unsupported("heif_of_the_compact_form.heif", compact, "HEIF in the compact form of a mini box is not");
  Item unknown = quarters();
  unknown.type = "unci";
  to.add_unsupported("heif_of_another_kind.heif", heif({unknown}, "mif1"), "HEIF with an image of the kind 'unci'");
  FileBytes animation = box("ftyp", bytes_of("msf1\0\0\0\0hevcmif1"sv));
  add_bytes(animation, box("moov", bytes_of("...")));
  to.add_unsupported("heif_of_an_animation.heif", animation, "HEIF that holds an animation without a still image");
}

void add_metadata(Catalogue& to) {
  FileBytes profile = bytes_of("prof");
  add_bytes(profile, make_icc({}));
  FileBytes exif = numbers({0}, 4);
  add_bytes(exif, exif_with(6, true));  // no effect: rotation is a property of the image
  to.add_good("heif_with_metadata.avif",
              heif({quarters({box("colr", profile)}), Item{"Exif", exif, {}, "", "cdsc"},
                    Item{"mime", xmp_packet(), {}, "application/rdf+xml", "cdsc"}}),
              quarters_shown());
  to.add_good("heif_of_damaged_metadata.avif",
              heif({quarters(), Item{"Exif", bytes_of("\xFF\xFF\xFF\xFF"), {}, "", "cdsc"},
                    Item{"mime", bytes_of("no XMP"), {}, "application/rdf+xml", "cdsc"}}),
              quarters_shown());
}

void add_deep(Catalogue& to) {
  const auto level = static_cast<std::uint32_t>((361 * 65535 + 511) / 1023);
  to.add_good("heif_of_10_bits.heic",
              heif({Item{"hvc1", bytes_of(kHevc), {ispe(64, 64), box("hvcC", bytes_of(kHevcHeader))}}}, "heic"),
              constant_image(64, 64, {Sample::u16, 3}, level));
}

void add_broken(Catalogue& to) {
  const auto with = [](std::string_view data, std::uint32_t width, std::uint32_t height) {
    return heif({Item{"av01", bytes_of(data), {ispe(width, height), av1_header(0x0C)}}});
  };
  FileBytes short_box = heif({quarters()});
  constexpr std::ptrdiff_t kAfterType = 24;
  const FileBytes seven = bytes_of("\0\0\0\7free"sv);
  short_box.insert(short_box.begin() + kAfterType, seven.begin(), seven.end());
  to.add_damaged("heif_of_a_short_box.avif", short_box, "is too short");
  to.add_damaged("heif_without_items.avif", heif({}), "");
  to.add_damaged("heif_of_a_missing_primary.avif", heif({quarters()}, "avif", 7), "");
  to.add_damaged("heif_of_another_height.avif", with(kAv1, kWidth, kHeight + 1), "");
  to.add_damaged("heif_of_short_data.avif", with(kAv1.substr(0, 20), kWidth, kHeight), "");
  to.add_damaged("heif_of_no_data.avif", with("not AV1 at all"sv, kWidth, kHeight), "");
  to.add_unsupported("heif_too_large.avif", with(kAv1, 40000, 30000), "");
  to.add_unsupported("heif_of_few_bytes.avif", with(kAv1, 16384, 16384), "its data covers at most");
  Item alpha = alpha_of({clap(kWidth, kHeight), ispe(kWidth, kHeight)});
  alpha.properties[0] = ispe(100, 100);  // the crop selects the middle
  to.add_damaged("heif_alpha_of_two_sizes.avif", heif({quarters(), alpha}), "another size");
  Item cropped = quarters({clap(6, 4)});
  cropped.properties[0] = ispe(16384, 16384);
  to.add_unsupported("heif_of_few_bytes_cropped.avif", heif({cropped}), "its data covers at most");
}

/// Each file has one flipped bit. Decoders conceal the damage, so libheif returns an image. The images of the first two
/// files end with previous contents of memory.
void add_flipped(Catalogue& to) {
  const auto flipped = [](std::size_t at, unsigned bit) {
    FileBytes data = bytes_of(kHevcBlocks);
    data[at] ^= static_cast<std::byte>(1U << bit);
    return heif({Item{"hvc1", data, {ispe(64, 64), box("hvcC", bytes_of(kHevcBlocksHeader))}}}, "heic");
  };
  to.add_damaged("heif_of_a_slice_that_ends_early.heic", flipped(9, 6), "leaves out parts of the image");
  to.add_damaged("heif_of_another_slice_that_ends_early.heic", flipped(12, 3), "leaves out parts of the image");
  to.add_damaged("heif_of_a_slice_without_end.heic", flipped(7, 0), "CTB outside of image area");
  to.add_damaged("heif_of_another_slice_header.heic", flipped(6, 3), "slice header invalid");
  to.add_damaged("heif_of_another_slice_kind.heic", flipped(6, 2), "reference picture");
}

}  // namespace

void add_heifs(Catalogue& to) {
  const std::string library = codecs::heif::heif_library();
  if (library.find("AV1") != std::string::npos) {
    add_stills(to);
    add_late_sizes(to);
    add_alpha(to);
    add_gray(to);
    add_uncommon(to);
    add_metadata(to);
    add_broken(to);
  }
  if (library.find("HEVC") != std::string::npos) {
    add_deep(to);
    add_gray_of_hevc(to);
    add_flipped(to);
  }
}

}  // namespace gpuimg::test
