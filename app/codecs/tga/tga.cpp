// Reads and writes TGA with the stb libraries, protected by five guards.
// Guard 1 checks the header's values and writes a new header, so that stb_image sees only checked values. Guards 2 to 5
// surround the call of stb_image: an allocator that zeroes memory and has a budget, a call that requests
// no conversions, a build for this format only, and a data source that records reads past the end. After such a read,
// the file is truncated, even if stb_image reports success.
#include "codecs/formats.hpp"

#include <fmt/format.h>
#include <stb_image.h>
#include <stb_image_write.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/rejections.hpp"
#include "codecs/rows.hpp"
#include "gpuimg/error.hpp"
#include "stb_budget.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::tga {
namespace {

struct TgaInput {
  std::vector<std::byte> header;   ///< first bytes that stb_image reads
  ByteSpan body;                   ///< next bytes that stb_image reads: part of the file, or `widened`
  std::vector<std::byte> widened;  ///< 16-bit pixels with alpha, converted to 32 bits
  int width = 0;
  int height = 0;
  int channels = 0;             ///< number that stb_image returns
  bool declares_alpha = false;  ///< if false, alpha is dropped if it is 0 or 255 throughout
  bool is_mirrored = false;     ///< rows are stored right to left
};

/// Rows with one byte per channel, not run-length coded, without a color map, and without 5-bit channels.
struct TgaRows {
  int width = 0;
  int height = 0;
  int channels = 0;
  bool is_mirrored = false;
  StoredRows stored;
};

constexpr std::size_t kHeaderBytes = 18;
constexpr std::uint32_t kMapped = 1;
constexpr std::uint32_t kColor = 2;
constexpr std::uint32_t kGray = 3;

struct TgaHeader {
  std::size_t id_bytes = 0;
  bool has_map = false;
  std::uint32_t kind = 0;
  bool is_run_length = false;
  std::uint32_t map_start = 0;
  std::uint32_t map_length = 0;
  std::uint32_t map_bits = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t bits = 0;
  std::uint32_t descriptor = 0;

  [[nodiscard]] std::size_t map_entry_bytes() const { return (map_bits + 7) / 8; }
  [[nodiscard]] std::size_t pixel_bytes() const { return (bits + 7) / 8; }
  [[nodiscard]] std::size_t map_offset() const { return kHeaderBytes + id_bytes; }
  [[nodiscard]] std::size_t map_bytes() const { return has_map ? map_length * map_entry_bytes() : 0; }
  [[nodiscard]] bool is_mirrored() const { return (descriptor & 16U) != 0; }
  [[nodiscard]] bool is_top_down() const { return (descriptor & 32U) != 0; }
};

TgaHeader read_header(ByteSpan bytes, const std::string& name) {
  require_bytes(bytes, kHeaderBytes, name);
  TgaHeader header;
  header.id_bytes = u8_at(bytes, 0);
  header.has_map = u8_at(bytes, 1) == 1;
  header.kind = u8_at(bytes, 2) & ~8U;
  header.is_run_length = (u8_at(bytes, 2) & 8U) != 0;
  header.map_start = u16le_at(bytes, 3);
  header.map_length = u16le_at(bytes, 5);
  header.map_bits = u8_at(bytes, 7);
  header.width = u16le_at(bytes, 12);
  header.height = u16le_at(bytes, 14);
  header.bits = u8_at(bytes, 16);
  header.descriptor = u8_at(bytes, 17);
  return header;
}

bool is_map_depth(std::uint32_t bits) { return bits == 15 || bits == 16 || bits == 24 || bits == 32; }

void check_kind(const TgaHeader& header, const std::string& name) {
  const bool is_sound_map = header.has_map && header.map_length > 0 && is_map_depth(header.map_bits);
  if (header.kind == kMapped && !is_sound_map) {
    reject_damaged(name, "its color map is missing or has an unknown depth");
  }
  if (header.kind == kMapped && header.map_start + header.map_length > 0xFFFF) {
    reject_damaged(name, "its color map is too long");
  }
  const bool is_known = (header.kind == kMapped && (header.bits == 8 || header.bits == 16)) ||
                        (header.kind == kColor && is_map_depth(header.bits)) ||
                        (header.kind == kGray && (header.bits == 8 || header.bits == 16));
  if (!is_known) {
    reject_unsupported(name, fmt::format("TGA of type {} with {} bits per pixel", header.kind, header.bits));
  }
  if ((header.descriptor & 0xC0U) != 0) {
    reject_unsupported(name, "interleaved TGA");
  }
}

/// Number of bits per color.
std::uint32_t color_bits(const TgaHeader& header) { return header.kind == kMapped ? header.map_bits : header.bits; }

/// True for pixels with one bit of alpha and three times five bits of color.
bool has_alpha_bit(const TgaHeader& header) {
  return header.kind != kGray && color_bits(header) == 16 && (header.descriptor & 15U) != 0;
}

int channels_of(const TgaHeader& header) {
  if (header.kind == kGray) {
    return header.bits == 8 ? 1 : 2;
  }
  return color_bits(header) == 32 || has_alpha_bit(header) ? 4 : 3;
}

bool declares_alpha(const TgaHeader& header) { return (header.descriptor & 15U) != 0 || channels_of(header) == 2; }

/// Applies check_size and the limits of stb_image's 32-bit sizes.
void check_size_for_stb(const TgaHeader& header, const std::string& name, std::uint64_t max_pixels) {
  check_size(name, header.width, header.height, max_pixels);
  constexpr std::uint64_t kMaxBytes = std::numeric_limits<int>::max();
  if (std::uint64_t{header.width} * header.height > kMaxBytes / 4) {
    reject_unsupported(name, "TGA with 2 GiB or more of pixels");
  }
}

void append_le(std::vector<std::byte>& to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

void check_index(ByteSpan pixel, const TgaHeader& header, const std::string& name) {
  if (header.kind != kMapped) {
    return;
  }
  const std::uint32_t index = header.bits == 8 ? u8_at(pixel, 0) : u16le_at(pixel, 0);
  if (index < header.map_start || index - header.map_start >= header.map_length) {
    reject_damaged(name, fmt::format("a pixel has color index {}, which is not in its color map", index));
  }
}

void check_raw(ByteSpan body, const TgaHeader& header, const std::string& name) {
  const std::size_t count = std::size_t{header.width} * header.height;
  if (body.size() < count * header.pixel_bytes()) {
    reject_truncated(name);
  }
  if (header.kind == kMapped) {
    for (std::size_t i = 0; i < count; ++i) {
      check_index(body.subspan(i * header.pixel_bytes()), header, name);
    }
  }
}

void check_runs(ByteSpan body, const TgaHeader& header, const std::string& name) {
  std::size_t left = std::size_t{header.width} * header.height;
  while (left > 0) {
    if (body.empty()) {
      reject_truncated(name);
    }
    const std::uint32_t packet = u8_at(body, 0);
    const std::size_t pixels = (packet & 127U) + 1;
    const std::size_t stored = (packet & 128U) != 0 ? 1 : pixels;
    if (pixels > left) {
      reject_damaged(name, "a run extends past the last pixel of the image");
    }
    body = body.subspan(1);
    if (body.size() < stored * header.pixel_bytes()) {
      reject_truncated(name);
    }
    for (std::size_t i = 0; i < stored; ++i) {
      check_index(body.subspan(i * header.pixel_bytes()), header, name);
    }
    body = body.subspan(stored * header.pixel_bytes());
    left -= pixels;
  }
}

/// Appends 16-bit colors with alpha as 32-bit colors, because stb_image drops their alpha. Scales 5 bits as stb_image
/// does.
void append_widened(ByteSpan colors, std::vector<std::byte>& to) {
  for (; colors.size() >= 2; colors = colors.subspan(2)) {
    const std::uint32_t color = u16le_at(colors, 0);
    for (const std::uint32_t channel : {color & 31U, color >> 5 & 31U, color >> 10 & 31U}) {
      to.push_back(static_cast<std::byte>(channel * 255 / 31));
    }
    to.push_back((color & 0x8000U) != 0 ? std::byte{255} : std::byte{0});
  }
}

/// `body` must have been checked.
std::vector<std::byte> widened_pixels(ByteSpan body, const TgaHeader& header) {
  std::vector<std::byte> wide;
  std::size_t left = std::size_t{header.width} * header.height;
  wide.reserve(header.is_run_length ? body.size() : 4 * left);
  while (left > 0) {
    std::size_t pixels = left;
    std::size_t stored = left;
    if (header.is_run_length) {
      const std::uint32_t packet = u8_at(body, 0);
      pixels = (packet & 127U) + 1;
      stored = (packet & 128U) != 0 ? 1 : pixels;
      wide.push_back(body[0]);
      body = body.subspan(1);
    }
    append_widened(body.first(2 * stored), wide);
    body = body.subspan(2 * stored);
    left -= pixels;
  }
  return wide;
}

/// Widens 16-bit colors with alpha to 32 bits, in the color map or in the pixels.
void widen(TgaHeader& header, std::vector<std::byte>& map, TgaInput& input) {
  if (header.kind == kMapped) {
    std::vector<std::byte> wide;
    append_widened(map, wide);
    map = std::move(wide);
    header.map_bits = 32;
  } else {
    input.widened = widened_pixels(input.body, header);
    input.body = input.widened;
    header.bits = 32;
  }
}

/// Writes a header without identification, and with a color map that starts at 0.
void append_header(const TgaHeader& header, ByteSpan map, std::vector<std::byte>& to) {
  const bool is_mapped = header.kind == kMapped;
  append_le(to, 0, 1);
  append_le(to, is_mapped ? 1 : 0, 1);
  append_le(to, header.kind | (header.is_run_length ? 8U : 0U), 1);
  append_le(to, 0, 2);
  append_le(to, is_mapped ? header.map_start + header.map_length : 0, 2);
  append_le(to, is_mapped ? header.map_bits : 0, 1);
  append_le(to, 0, 4);
  append_le(to, header.width, 2);
  append_le(to, header.height, 2);
  append_le(to, header.bits, 1);
  append_le(to, header.descriptor, 1);
  if (is_mapped) {
    to.resize(to.size() + header.map_start * header.map_entry_bytes());
    to.insert(to.end(), map.begin(), map.end());
  }
}

bool has_tga_extension(std::string_view name) {
  constexpr std::string_view kExtension = ".tga";
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; };
  return name.size() >= kExtension.size() &&
         std::equal(name.end() - kExtension.size(), name.end(), kExtension.begin(), same);
}

/// Throws like decode_image; `name` is printable.
TgaInput tga_input(ByteSpan bytes, const std::string& name, std::uint64_t max_pixels) {
  TgaHeader header = read_header(bytes, name);
  check_kind(header, name);
  TgaInput input;
  check_size_for_stb(header, name, max_pixels);
  input.width = static_cast<int>(header.width);
  input.height = static_cast<int>(header.height);
  require_bytes(bytes, header.map_offset() + header.map_bytes(), name);
  const ByteSpan stored_map = bytes.subspan(header.map_offset(), header.map_bytes());
  input.body = bytes.subspan(header.map_offset() + header.map_bytes());
  if (header.is_run_length) {
    check_runs(input.body, header, name);
  } else {
    check_raw(input.body, header, name);
  }
  input.channels = channels_of(header);
  input.declares_alpha = declares_alpha(header);
  input.is_mirrored = header.is_mirrored();
  std::vector<std::byte> map(stored_map.begin(), stored_map.end());
  if (has_alpha_bit(header)) {
    widen(header, map, input);
  }
  append_header(header, map, input.header);
  return input;
}

/// Returns nullopt for rows that TgaRows does not describe, and if alpha can be judged only from the pixels.
/// `beginning` is the beginning of a file. Throws like tga_input, but does not check the pixels.
std::optional<TgaRows> stored_tga_rows(ByteSpan beginning, const std::string& name, std::uint64_t max_pixels) {
  const TgaHeader header = read_header(beginning, name);
  check_kind(header, name);
  check_size_for_stb(header, name, max_pixels);
  const int channels = channels_of(header);
  const bool has_channels = header.kind != kMapped && header.pixel_bytes() == static_cast<std::size_t>(channels);
  const bool may_drop_alpha = channels == 4 && !declares_alpha(header);
  if (header.is_run_length || !has_channels || may_drop_alpha) {
    return std::nullopt;
  }
  return TgaRows{
      static_cast<int>(header.width),
      static_cast<int>(header.height),
      channels,
      header.is_mirrored(),
      {header.map_offset() + header.map_bytes(), header.width * header.pixel_bytes(), !header.is_top_down()}};
}

/// The header and the body as one stream. stb_image refills its own buffer, always at the same address, in blocks that
/// can be larger than the remaining stream, so a short read into this buffer is normal. A read past the end is an empty
/// read, or a short read into other memory.
class Source {
 public:
  explicit Source(const TgaInput& input) : parts_{input.header, input.body} {}

  [[nodiscard]] bool read_past_end() const { return read_past_end_; }

  static stbi_io_callbacks callbacks() { return {on_read, on_skip, on_end}; }

 private:
  static int on_read(void* user, char* to, int size) {
    auto* source = static_cast<Source*>(user);
    if (source->own_buffer_ == nullptr) {
      source->own_buffer_ = to;
    }
    const std::size_t wanted = size > 0 ? static_cast<std::size_t>(size) : 0;
    const std::size_t count = source->take(to, wanted);
    if (count < wanted && (count == 0 || to != source->own_buffer_)) {
      source->read_past_end_ = true;
    }
    return static_cast<int>(count);
  }
  static void on_skip(void* user, int size) {
    auto* source = static_cast<Source*>(user);
    const std::size_t wanted = size > 0 ? static_cast<std::size_t>(size) : 0;
    if (source->take(nullptr, wanted) < wanted) {
      source->read_past_end_ = true;
    }
  }
  static int on_end(void* user) {
    const auto* source = static_cast<const Source*>(user);
    return source->parts_[0].empty() && source->parts_[1].empty() ? 1 : 0;
  }

  std::size_t take(char* to, std::size_t wanted) {
    std::size_t taken = 0;
    for (ByteSpan& part : parts_) {
      const std::size_t count = std::min(wanted - taken, part.size());
      if (to != nullptr && count > 0) {
        std::memcpy(to + taken, part.data(), count);
      }
      part = part.subspan(count);
      taken += count;
    }
    return taken;
  }

  ByteSpan parts_[2];
  const char* own_buffer_ = nullptr;
  bool read_past_end_ = false;
};

std::size_t pixel_count(const TgaInput& input) {
  return static_cast<std::size_t>(input.width) * static_cast<std::size_t>(input.height);
}

[[noreturn]] void reject_failure(const StbBudget& budget, const std::string& name) {
  if (budget.out_of_memory()) {
    throw Error(ErrorKind::out_of_memory, name + ": cannot allocate its pixels; use a machine with more memory");
  }
  const char* reason = stbi_failure_reason();
  reject_damaged(name, budget.exceeded() ? "it needs more memory than its header declares"
                                         : (reason != nullptr && *reason != '\0' ? reason : "its structure is broken"));
}

PixelMemory decode(const TgaInput& input, const std::string& name) {
  constexpr std::size_t kMaxChannels = 4;
  constexpr std::size_t kTables = std::size_t{1} << 20;
  const StbBudget budget(pixel_count(input) * kMaxChannels + kTables);
  Source source(input);
  const stbi_io_callbacks callbacks = Source::callbacks();
  int width = 0;
  int height = 0;
  int channels = 0;
  stbi_uc* pixels = stbi_load_from_callbacks(&callbacks, &source, &width, &height, &channels, 0);
  PixelMemory memory(reinterpret_cast<std::byte*>(pixels), {[](std::byte* p) { stbi_image_free(p); }});
  if (source.read_past_end()) {
    reject_truncated(name);
  }
  if (memory == nullptr) {
    reject_failure(budget, name);
  }
  if (width != input.width || height != input.height || channels != input.channels) {
    reject_damaged(name, "its pixels do not match its header");
  }
  return memory;
}

bool alpha_is_throughout(ConstView pixels, std::byte value) {
  const auto step = static_cast<std::size_t>(pixels.format.channels);
  for (std::size_t i = 0; i < pixels.pixel_count(); ++i) {
    if (pixels.data[i * step + step - 1] != value) {
      return false;
    }
  }
  return true;
}

/// Removes the last channel in place. Returns the number of channels left.
int drop_alpha(View pixels) {
  const auto from = static_cast<std::size_t>(pixels.format.channels);
  for (std::size_t i = 0; i < pixels.pixel_count(); ++i) {
    std::copy_n(pixels.data + i * from, from - 1, pixels.data + i * (from - 1));
  }
  return pixels.format.channels - 1;
}

/// Drops undeclared alpha if it carries no information. Returns the number of channels left.
int settle_alpha(View pixels, const TgaInput& input) {
  const bool may_drop = pixels.format.has_alpha() && !input.declares_alpha;
  const bool carries_nothing =
      may_drop && (alpha_is_throughout(pixels, std::byte{0xFF}) || alpha_is_throughout(pixels, std::byte{0}));
  return carries_nothing ? drop_alpha(pixels) : pixels.format.channels;
}

/// Converts stored colors in the order blue, green, red. `step` is −1 for a mirrored row, otherwise 1.
template <int kChannels>
void unpack_row(const std::byte* from, int width, int step, std::byte* to) {
  for (int x = 0; x < width; ++x, from += kChannels, to += step * kChannels) {
    for (int c = 0; c < kChannels; ++c) {
      to[c] = from[kChannels >= 3 && c < 3 ? 2 - c : c];
    }
  }
}

void unpack_rows(ByteSpan stored, const TgaRows& rows, View to) {
  constexpr std::array kUnpack = {unpack_row<1>, unpack_row<2>, unpack_row<3>, unpack_row<4>};
  for (int y = 0; y < to.height; ++y) {
    const int row = rows.stored.is_bottom_up ? to.height - 1 - y : y;
    std::byte* const first = to.row_bytes(y) + (rows.is_mirrored ? (to.width - 1) * rows.channels : 0);
    kUnpack.at(static_cast<std::size_t>(rows.channels) - 1)(
        stored.data() + static_cast<std::size_t>(row) * rows.stored.row_bytes, to.width, rows.is_mirrored ? -1 : 1,
        first);
  }
}

void collect(void* bytes, void* data, int size) {
  static_cast<GrowingBytes*>(bytes)->append({static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
}

}  // namespace

DeclaredImage declared_tga(ByteSpan beginning, const std::string& name) {
  const TgaHeader header = read_header(beginning, name);
  check_kind(header, name);
  const bool is_mapped = header.kind == kMapped;
  const int channels = channels_of(header);
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = is_mapped ? "palette" : header.kind == kGray ? "gray" : "RGB";
  declared.bits = is_mapped ? static_cast<int>(header.bits) : header.kind == kColor && header.bits < 24 ? 5 : 8;
  declared.palette_colors = is_mapped ? static_cast<int>(header.map_length) : 0;
  declared.may_add_alpha = !declares_alpha(header) && channels == 4;
  declared.decoded = {Sample::u8, declared.may_add_alpha ? 3 : channels};
  declared.decoder_bytes_per_pixel = !is_mapped && has_alpha_bit(header) ? 8 : 0;
  declared.facts = {{"bits_per_pixel", std::uint64_t{header.bits}}, {"run_length_coded", header.is_run_length}};
  return declared;
}

bool looks_like_tga(ByteSpan bytes, std::string_view name) {
  constexpr std::string_view kFooter("TRUEVISION-XFILE.\0", 18);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool is_named = has_tga_extension(name);
  if (!is_named && !(bytes.size() >= kHeaderBytes && text.ends_with(kFooter))) {
    return false;
  }
  if (bytes.size() < kHeaderBytes) {
    return is_named;
  }
  const std::uint32_t map_kind = u8_at(bytes, 1);
  const std::uint32_t image_kind = u8_at(bytes, 2) & ~8U;
  const std::uint32_t bits = u8_at(bytes, 16);
  return map_kind <= 1 && image_kind >= kMapped && image_kind <= kGray &&
         (bits == 8 || bits == 15 || bits == 16 || bits == 24 || bits == 32);
}

std::optional<DecodedImage> open_tga_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options) {
  const std::optional<TgaRows> rows = stored_tga_rows(beginning_of(file), name, options.max_pixels);
  if (!rows) {
    return std::nullopt;
  }
  const auto unpack = [rows = *rows](ByteSpan stored, View to) { unpack_rows(stored, rows, to); };
  DecodedImage opened;
  opened.rows = std::make_shared<StoredRowReader>(rows->width, rows->height, PixelFormat{Sample::u8, rows->channels},
                                                  file, rows->stored, unpack);
  return opened;
}

DecodedImage read_tga(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const TgaInput input = tga_input(bytes, name, options.max_pixels);
  PixelMemory memory = decode(input, name);
  const PixelFormat stored{Sample::u8, input.channels};
  const View pixels{memory.get(), input.width, input.height,
                    static_cast<std::size_t>(input.width) * stored.bytes_per_pixel(), stored};
  const int channels = settle_alpha(pixels, input);
  DecodedImage decoded;
  decoded.image = Image(input.width, input.height, {Sample::u8, channels}, std::move(memory));
  if (input.is_mirrored) {
    constexpr int kMirrored = 2;
    decoded.image = apply_orientation(std::move(decoded.image), kMirrored);
  }
  return decoded;
}

void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& /*options*/, const ByteSink& sink) {
  // stb_image_write requires rows without padding.
  std::optional<Image> tight;
  if (pixels.pitch_bytes != pixels.tight_pitch_bytes() && pixels.height > 1) {
    tight = copy_of(pixels);
    pixels = tight->view();
  }
  GrowingBytes packed;
  if (stbi_write_tga_to_func(collect, &packed, pixels.width, pixels.height, pixels.format.channels, pixels.data) == 0) {
    throw std::logic_error("stb_image_write rejected its arguments");
  }
  if (packed.failed()) {
    throw Error(ErrorKind::out_of_memory,
                fmt::format("{}: cannot write: not enough memory; use a smaller image", printable_name(name)));
  }
  sink(packed.take().span());
}

}  // namespace gpuimg::codecs::tga
