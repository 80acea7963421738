// Takes a valid file apart and changes its coded bytes, or writes the codes of libjpeg's standard tables one by one.
#include "support/catalogue/jpeg_defects.hpp"

#include <algorithm>
#include <string_view>

#include "jpeg/entropy.hpp"
#include "support/catalogue/jpeg_segments.hpp"
#include "support/jpeg_maker.hpp"

namespace gpuimg::test {
namespace {

// Codes of gray blocks: ITU-T T.81, tables K.3 and K.5.
constexpr std::string_view kNoDifference = "00";
constexpr std::string_view kDifferenceOf2047 =
    "111111110"
    "11111111111";
constexpr std::string_view kSixteenZeros = "11111111001";
constexpr std::string_view kEndOfBlock = "1010";

FileBytes sound_file(int channels, int restart_interval = 0) {
  Image image(48, 40, {Sample::u8, channels});
  for (int y = 0; y < image.height(); ++y) {
    auto* row = image.view().row<std::uint8_t>(y);
    for (std::size_t i = 0; i < image.view().tight_pitch_bytes(); ++i) {
      row[i] = static_cast<std::uint8_t>((i * i + static_cast<std::size_t>(y) * 7) % 251);
    }
  }
  JpegChoices choices{.restart_interval = restart_interval};
  choices.horizontal_sampling = choices.vertical_sampling = channels == 1 ? 1 : 2;
  return make_jpeg(image.view(), choices);
}

/// `codes` as bytes, padded with ones and stuffed.
FileBytes coded(std::string codes) {
  codes.append((8 - codes.size() % 8) % 8, '1');
  FileBytes bytes;
  for (std::size_t i = 0; i < codes.size(); i += 8) {
    bytes.push_back(static_cast<std::byte>(std::stoi(codes.substr(i, 8), nullptr, 2)));
    if (bytes.back() == std::byte{0xFF}) {
      bytes.push_back(std::byte{0});
    }
  }
  return bytes;
}

/// A gray file with one row of 8×8 blocks. Each block has the codes `block`.
FileBytes row_of_blocks(int count, std::initializer_list<std::string_view> block) {
  const Image image(8 * count, 8, {Sample::u8, 1});
  std::vector<JpegPart> parts = jpeg_parts(make_jpeg(image.view(), {.horizontal_sampling = 1, .vertical_sampling = 1}));
  std::string codes;
  for (int i = 0; i < count; ++i) {
    for (const std::string_view code : block) {
      codes += code;
    }
  }
  part_of(parts, 0xDA).coded = coded(codes);
  return assemble_jpeg(parts);
}

/// Calls `change` with the coded bytes of `file`.
template <class Change>
FileBytes with_other_scan(const FileBytes& file, const Change& change) {
  std::vector<JpegPart> parts = jpeg_parts(file);
  change(part_of(parts, 0xDA).coded);
  return assemble_jpeg(parts);
}

FileBytes::iterator first_restart(FileBytes& scan) {
  return std::adjacent_find(scan.begin(), scan.end(), [](std::byte a, std::byte b) {
    return a == std::byte{0xFF} && b >= std::byte{0xD0} && b <= std::byte{0xD7};
  });
}

FileBytes with_largest_steps(const FileBytes& file) {
  std::vector<JpegPart> parts = jpeg_parts(file);
  for (JpegPart& part : parts) {
    if (part.marker == 0xDB) {
      std::fill(part.payload.begin() + 1, part.payload.begin() + 65, std::byte{255});
    }
  }
  return assemble_jpeg(parts);
}

}  // namespace

std::vector<JpegDefect> jpeg_defects() {
  using jpeg::Defect;
  std::vector<JpegDefect> files;
  const auto add = [&](std::string name, std::uint32_t defect, FileBytes bytes) {
    files.push_back({std::move(name), std::move(bytes), defect});
  };
  for (const int channels : {1, 3}) {
    const FileBytes sound = sound_file(channels);
    const FileBytes restarts = sound_file(channels, 2);
    const std::string suffix = channels == 1 ? ", gray" : ", color";
    add("ones in place of codes" + suffix, Defect::bad_code, with_other_scan(sound, [](FileBytes& scan) {
          const FileBytes ones = coded(std::string(64, '1'));
          std::copy(ones.begin(), ones.end(), scan.begin() + static_cast<std::ptrdiff_t>(scan.size() / 2));
        }));
    add("the second half missing" + suffix, Defect::bad_block_count, with_other_scan(sound, [](FileBytes& scan) {
          scan.resize(scan.size() / 2);
          scan.back() = std::byte{0};
        }));
    add("bytes behind the last block" + suffix, Defect::bits_left,
        with_other_scan(sound, [](FileBytes& scan) { scan.insert(scan.end(), 2, std::byte{0x55}); }));
    add("large coefficients and steps" + suffix, Defect::wild_block, with_largest_steps(sound));
    add("restart markers out of order" + suffix, Defect::bad_marker,
        with_other_scan(restarts, [](FileBytes& scan) { first_restart(scan)[1] ^= std::byte{1}; }));
    add("a fill byte" + suffix, Defect::bad_marker,
        with_other_scan(restarts, [](FileBytes& scan) { scan.insert(first_restart(scan), std::byte{0xFF}); }));
    add("a restart marker missing" + suffix, Defect::bad_marker, with_other_scan(restarts, [](FileBytes& scan) {
          const auto marker = first_restart(scan);
          scan.erase(marker, marker + 2);
        }));
    add("no end of the image" + suffix, Defect::bad_end, FileBytes(sound.begin(), sound.end() - 2));
  }
  add("a coefficient beyond the last", Defect::bad_index,
      row_of_blocks(3, {kNoDifference, kSixteenZeros, kSixteenZeros, kSixteenZeros, kSixteenZeros, kEndOfBlock}));
  add("a DC value beyond 16 bits", Defect::bad_dc, row_of_blocks(20, {kDifferenceOf2047, kEndOfBlock}));
  return files;
}

}  // namespace gpuimg::test
