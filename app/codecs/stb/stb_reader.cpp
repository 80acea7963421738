// Calls stb_image behind guards 2 to 5: a zeroing allocator with a budget, no conversions inside stb_image, only these
// formats, and a source that records reads past the end. Such a read makes the file truncated, whatever stb_image
// returns.
#include "codecs/stb/stb_reader.hpp"

#include <stb_image.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/refusals.hpp"
#include "codecs/stb/stb_input.hpp"
#include "gpuimg/error.hpp"
#include "stb_budget.hpp"

namespace gpuimg::codecs {

namespace {

/// The header and the body as one stream. stb_image refills its own buffer, always the same one, in blocks that may be
/// larger than what is left. An empty read, or a short read into other memory, is a read past the end.
class Source {
 public:
  explicit Source(const StbInput& input) : parts_{input.header, input.body} {}

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

std::size_t pixel_count(const StbInput& input) {
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

PixelMemory decode(const StbInput& input, const std::string& name) {
  constexpr std::size_t kMaxChannels = 4;
  constexpr std::size_t kTables = std::size_t{1} << 20;
  const StbBudget budget(pixel_count(input) * kMaxChannels * sample_bytes(input.sample) + kTables);
  Source source(input);
  const stbi_io_callbacks callbacks = Source::callbacks();
  int width = 0;
  int height = 0;
  int channels = 0;
  void* pixels = nullptr;
  if (input.sample == Sample::u16) {
    pixels = stbi_load_16_from_callbacks(&callbacks, &source, &width, &height, &channels, 0);
  } else {
    pixels = stbi_load_from_callbacks(&callbacks, &source, &width, &height, &channels, 0);
  }
  PixelMemory memory(static_cast<std::byte*>(pixels), {[](std::byte* p) { stbi_image_free(p); }});
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

template <class T>
bool alpha_is_throughout(const T* pixels, std::size_t count, int channels, T value) {
  const auto step = static_cast<std::size_t>(channels);
  for (std::size_t i = 0; i < count; ++i) {
    if (pixels[i * step + step - 1] != value) {
      return false;
    }
  }
  return true;
}

/// Removes the last channel in place.
template <class T>
void drop_alpha(T* pixels, std::size_t count, int channels) {
  const auto from = static_cast<std::size_t>(channels);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c + 1 < from; ++c) {
      pixels[i * (from - 1) + c] = pixels[i * from + c];
    }
  }
}

/// Drops alpha if it carries nothing. Returns the number of channels left.
template <class T>
int settle_alpha(T* pixels, const StbInput& input) {
  if (input.channels % 2 != 0 || input.alpha == StbAlpha::keep) {
    return input.channels;
  }
  const std::size_t count = pixel_count(input);
  const T full = std::numeric_limits<T>::max();
  const bool is_dropped = input.alpha == StbAlpha::drop || alpha_is_throughout(pixels, count, input.channels, full) ||
                          alpha_is_throughout(pixels, count, input.channels, T{0});
  if (!is_dropped) {
    return input.channels;
  }
  drop_alpha(pixels, count, input.channels);
  return input.channels - 1;
}

/// stb_image 2.27 leaves 16-bit PNM in the file's byte order. Decodes a known pixel to find out what this version does.
bool leaves_pnm_big_endian(const std::string& name) {
  constexpr std::string_view kSample = "P5\n1 1\n65535\n\x01\x02";
  StbInput sample;
  sample.body = {reinterpret_cast<const std::byte*>(kSample.data()), kSample.size()};
  sample.width = sample.height = sample.channels = 1;
  sample.sample = Sample::u16;
  const PixelMemory pixel = decode(sample, name);
  std::uint16_t value = 0;
  std::memcpy(&value, pixel.get(), sizeof value);
  return value != 0x0102;
}

void swap_bytes(std::uint16_t* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::uint16_t>((values[i] << 8) | (values[i] >> 8));
  }
}

template <class T>
void scale_to_full_range(T* values, std::size_t count, std::uint32_t declared_max, const std::string& name) {
  constexpr std::uint32_t kFull = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] > declared_max) {
      refuse_damaged(name, "a value exceeds the declared maximum");
    }
    values[i] = static_cast<T>((values[i] * kFull + declared_max / 2) / declared_max);
  }
}

template <class T>
int finish(std::byte* memory, const StbInput& input, const std::string& name) {
  T* values = reinterpret_cast<T*>(memory);
  const std::size_t count = pixel_count(input) * static_cast<std::size_t>(input.channels);
  if constexpr (sizeof(T) == 2) {
    if (input.is_big_endian && leaves_pnm_big_endian(name)) {
      swap_bytes(values, count);
    }
  }
  if (input.declared_max != 0) {
    scale_to_full_range(values, count, input.declared_max, name);
  }
  return settle_alpha(values, input);
}

DecodedImage read_with_stb(StbInput input, const std::string& name) {
  PixelMemory memory = decode(input, name);
  const int channels = input.sample == Sample::u16 ? finish<std::uint16_t>(memory.get(), input, name)
                                                   : finish<std::uint8_t>(memory.get(), input, name);
  DecodedImage decoded;
  decoded.notes = std::move(input.notes);
  decoded.image = Image(input.width, input.height, {input.sample, channels}, std::move(memory));
  if (input.is_mirrored) {
    constexpr int kMirrored = 2;
    decoded.image = apply_orientation(std::move(decoded.image), kMirrored);
  }
  return decoded;
}

}  // namespace

void set_checked_size(StbInput& input, std::string_view format, const std::string& name, std::uint64_t width,
                      std::uint64_t height, std::size_t stb_bytes, std::uint64_t max_pixels) {
  check_size(name, width, height, max_pixels);
  constexpr std::uint64_t kMaxSide = std::uint64_t{1} << 24;
  constexpr std::uint64_t kMaxBytes = std::numeric_limits<int>::max();
  if (width > kMaxSide || height > kMaxSide || width * height > kMaxBytes / stb_bytes) {
    refuse_unsupported(name, std::string(format) + " with 2 GiB or more of pixels");
  }
  input.width = static_cast<int>(width);
  input.height = static_cast<int>(height);
}

void append_le(std::vector<std::byte>& to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  return read_with_stb(bmp_input(bytes, name, options.max_pixels), name);
}

DecodedImage read_tga(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  return read_with_stb(tga_input(bytes, name, options.max_pixels), name);
}

DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  return read_with_stb(psd_input(bytes, name, options.max_pixels), name);
}

DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  return read_with_stb(pnm_input(bytes, name, options.max_pixels), name);
}

}  // namespace gpuimg::codecs
