// PSD: the merged image of 8- and 16-bit RGB files. Layers, resources and extra channels are removed here, so stb_image
// sees three channels and empty sections.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "codecs/refusals.hpp"
#include "codecs/stb/stb_input.hpp"
#include "codecs/stb/stb_reader.hpp"

namespace gpuimg::codecs {

namespace {

constexpr std::size_t kHeaderBytes = 26;
constexpr std::size_t kColorChannels = 3;
constexpr std::uint32_t kRunLength = 1;

void require(ByteSpan bytes, std::size_t size, const std::string& name) {
  if (bytes.size() < size) {
    refuse_truncated(name);
  }
}

void check_kind(ByteSpan bytes, const std::string& name) {
  constexpr std::array<std::string_view, 10> kModes = {"bitmap", "grayscale", "indexed",      "RGB",     "CMYK",
                                                       "?",      "?",         "multichannel", "duotone", "Lab"};
  constexpr std::uint32_t kRgbMode = 3;
  if (u16be_at(bytes, 4) != 1) {
    refuse_unsupported(name, "large-document Photoshop (PSB)");
  }
  const std::uint32_t bits = u16be_at(bytes, 22);
  if (bits != 8 && bits != 16) {
    refuse_unsupported(name, fmt::format("{}-bit PSD", bits));
  }
  const std::uint32_t mode = u16be_at(bytes, 24);
  if (mode != kRgbMode) {
    refuse_unsupported(name, fmt::format("PSD in {} mode", mode < kModes.size() ? kModes[mode] : "an unknown"));
  }
  const std::uint32_t channels = u16be_at(bytes, 12);
  if (channels < kColorChannels) {  // no upper limit: the specification says 56, but Photoshop writes more
    refuse_damaged(name, fmt::format("it declares {} channels for RGB", channels));
  }
}

/// Offset of the merged image. It follows the color data, the resources and the layers, each preceded by its length.
std::size_t image_offset(ByteSpan bytes, const std::string& name) {
  std::size_t offset = kHeaderBytes;
  for (int section = 0; section < 3; ++section) {
    require(bytes, offset + 4, name);
    offset += 4 + std::size_t{u32be_at(bytes, offset)};
  }
  require(bytes, offset + 2, name);
  return offset;
}

/// The rows of the first three channels, located by the table of row lengths that precedes all rows.
ByteSpan run_length_body(ByteSpan data, std::size_t height, std::size_t channels, const std::string& name) {
  const std::size_t table_bytes = 2 * height * channels;
  require(data, table_bytes, name);
  std::size_t color_bytes = 0;
  std::size_t all_bytes = 0;
  for (std::size_t row = 0; row < height * channels; ++row) {
    all_bytes += u16be_at(data, 2 * row);
    color_bytes = row < height * kColorChannels ? all_bytes : color_bytes;
  }
  require(data, table_bytes + all_bytes, name);
  return data.subspan(table_bytes, color_bytes);
}

}  // namespace

StbInput psd_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels) {
  require(bytes, kHeaderBytes, name);
  check_kind(bytes, name);
  const std::size_t channels = u16be_at(bytes, 12);
  const std::size_t height = u32be_at(bytes, 14);
  const std::size_t width = u32be_at(bytes, 18);
  StbInput input;
  input.sample = u16be_at(bytes, 22) == 16 ? Sample::u16 : Sample::u8;
  set_checked_size(input, "PSD", name, width, height, 4 * sample_bytes(input.sample), max_pixels);

  const std::size_t offset = image_offset(bytes, name);
  const std::uint32_t compression = u16be_at(bytes, offset);
  const ByteSpan data = bytes.subspan(offset + 2);
  if (compression > kRunLength) {
    refuse_unsupported(name, "PSD with a deflated merged image");
  }
  if (compression == kRunLength && input.sample == Sample::u16) {
    refuse_unsupported(name, "16-bit PSD with a run-length encoded merged image");
  }
  input.header.assign(bytes.begin(), bytes.begin() + kHeaderBytes);
  input.header[13] = std::byte{kColorChannels};
  input.header[12] = std::byte{0};
  input.header.resize(kHeaderBytes + 12);  // three empty sections
  input.header.push_back(std::byte{0});
  input.header.push_back(static_cast<std::byte>(compression));
  if (compression == kRunLength) {
    input.body = run_length_body(data, height, channels, name);
    input.header.resize(input.header.size() + 2 * height * kColorChannels);  // row lengths, which stb_image skips
  } else {
    const std::size_t plane_bytes = width * height * sample_bytes(input.sample);
    require(data, plane_bytes * channels, name);
    input.body = data.first(plane_bytes * kColorChannels);
  }
  input.channels = 4;
  input.alpha = StbAlpha::drop;
  if (channels > kColorChannels) {
    input.notes.emplace_back("PSD: the merged image is read as RGB; its extra channels are left out");
  }
  return input;
}

DeclaredImage declared_psd(ByteSpan beginning, const std::string& name) {
  require(beginning, kHeaderBytes, name);
  check_kind(beginning, name);
  DeclaredImage declared;
  declared.width = u32be_at(beginning, 18);
  declared.height = u32be_at(beginning, 14);
  declared.color = "RGB";
  declared.bits = static_cast<int>(u16be_at(beginning, 22));
  declared.decoded = {declared.bits == 16 ? Sample::u16 : Sample::u8, 3};
  declared.bytes_per_pixel = 4 * sample_bytes(declared.decoded.sample);  // stb_image adds a channel
  declared.facts = {{"stored_channels", std::uint64_t{u16be_at(beginning, 12)}}};
  return declared;
}

}  // namespace gpuimg::codecs
