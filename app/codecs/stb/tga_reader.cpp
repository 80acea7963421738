// Calls stb_image behind guards 2 to 5: a zeroing allocator with a budget, no conversions inside stb_image, only this
// format, and a source that records reads past the end. Such a read makes the file truncated, whatever stb_image
// returns.
#include "codecs/stb/tga_reader.hpp"

#include <stb_image.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/refusals.hpp"
#include "codecs/stb/tga_input.hpp"
#include "gpuimg/error.hpp"
#include "stb_budget.hpp"

namespace gpuimg::codecs {

namespace {

/// The header and the body as one stream. stb_image refills its own buffer, always the same one, in blocks that may be
/// larger than what is left. An empty read, or a short read into other memory, is a read past the end.
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

[[noreturn]] void refuse_failure(const StbBudget& budget, const std::string& name) {
  if (budget.out_of_memory()) {
    throw Error(ErrorKind::out_of_memory, name + ": cannot allocate its pixels; use a machine with more memory");
  }
  const char* reason = stbi_failure_reason();
  refuse_damaged(name, budget.exceeded() ? "it needs more memory than its header declares"
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
    refuse_truncated(name);
  }
  if (memory == nullptr) {
    refuse_failure(budget, name);
  }
  if (width != input.width || height != input.height || channels != input.channels) {
    refuse_damaged(name, "its pixels do not match its header");
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

/// Drops undeclared alpha if it carries nothing. Returns the number of channels left.
int settle_alpha(View pixels, const TgaInput& input) {
  const bool may_drop = pixels.format.has_alpha() && !input.declares_alpha;
  const bool carries_nothing =
      may_drop && (alpha_is_throughout(pixels, std::byte{0xFF}) || alpha_is_throughout(pixels, std::byte{0}));
  return carries_nothing ? drop_alpha(pixels) : pixels.format.channels;
}

/// Stored colors are blue, green, red. `step` is −1 for a mirrored row, else 1.
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

}  // namespace

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

}  // namespace gpuimg::codecs
