// Walks over the chunks. libwebp reads only the header of the image among them.
#include "codecs/webp/webp_file.hpp"

#include <fmt/format.h>
#include <webp/decode.h>

#include <algorithm>
#include <optional>

#include "codecs/refusals.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kChunkHeader = 8;
constexpr std::size_t kRiffHeader = 12;

struct Chunk {
  std::string_view type;
  std::size_t offset = 0;  ///< of the header
  std::size_t payload = 0;
  std::size_t size = 0;  ///< of the payload, which lies inside the RIFF but may be cut off

  [[nodiscard]] std::size_t end() const { return payload + size; }
};

std::uint32_t u24le_at(ByteSpan bytes, std::size_t offset) {
  return u16le_at(bytes, offset) | (u8_at(bytes, offset + 2) << 16);
}

/// Its type without padding, for messages.
std::string shown(std::string_view type) { return printable_name(type.substr(0, type.find_last_not_of(' ') + 1)); }

/// The chunks from one place of the file to another, which may lie beyond its end.
class Chunks {
 public:
  Chunks(ByteSpan bytes, std::size_t begin, std::size_t end, const std::string& name)
      : bytes_(bytes), name_(name), position_(begin), end_(end) {}

  /// nullopt at the end; the padding of the last chunk may be missing.
  std::optional<Chunk> next() {
    if (position_ >= end_) {
      return std::nullopt;
    }
    const std::size_t left = end_ - position_;
    if (left < kChunkHeader) {
      refuse_damaged(name_, fmt::format("the chunk at byte {} is too short", position_));
    }
    require_bytes(bytes_, position_ + kChunkHeader, name_);
    Chunk chunk;
    chunk.type = {reinterpret_cast<const char*>(bytes_.data()) + position_, 4};
    chunk.offset = position_;
    chunk.payload = position_ + kChunkHeader;
    chunk.size = u32le_at(bytes_, position_ + 4);
    if (chunk.size > left - kChunkHeader) {
      refuse_damaged(name_,
                     fmt::format("the {} chunk at byte {} is longer than what holds it", shown(chunk.type), position_));
    }
    position_ = chunk.end() + chunk.size % 2;
    return chunk;
  }

  /// Throws if the payload is cut off, or shorter than `min_size`.
  ByteSpan payload(const Chunk& chunk, std::size_t min_size = 0) const {
    if (chunk.size < min_size) {
      refuse_damaged(name_, fmt::format("the {} chunk at byte {} is too short", shown(chunk.type), chunk.offset));
    }
    require_bytes(bytes_, chunk.end(), name_);
    return bytes_.subspan(chunk.payload, chunk.size);
  }

  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  ByteSpan bytes_;
  const std::string& name_;
  std::size_t position_;
  std::size_t end_;
};

bool is_image_chunk(const Chunk& chunk) { return chunk.type == "VP8 " || chunk.type == "VP8L"; }

/// Takes size and kind of the image whose chunks are `frame.data`, and end at `end`.
void read_image_header(WebpFrame& frame, std::size_t end, const Chunks& chunks) {
  WebPBitstreamFeatures features;
  const VP8StatusCode status =
      WebPGetFeatures(reinterpret_cast<const std::uint8_t*>(frame.data.data()), frame.data.size(), &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA) {
    require_bytes(chunks.bytes(), end, chunks.name());
  }
  if (status != VP8_STATUS_OK) {
    refuse_damaged(chunks.name(), fmt::format("the image at byte {} has no valid header", frame.offset));
  }
  frame.width = static_cast<std::uint32_t>(features.width);
  frame.height = static_cast<std::uint32_t>(features.height);
  frame.has_alpha = features.has_alpha != 0;
  frame.is_lossless = features.format == 2;
}

/// Reads the image that begins with `first`: an image chunk, or ALPH and the chunks that follow.
void read_image(WebpFrame& frame, const Chunk& first, Chunks& chunks) {
  std::optional<Chunk> chunk = first;
  while (chunk && !is_image_chunk(*chunk)) {
    chunk = chunks.next();
  }
  if (!chunk) {
    refuse_damaged(chunks.name(), fmt::format("the alpha channel at byte {} has no image", first.offset));
  }
  frame.offset = first.offset;
  const ByteSpan bytes = chunks.bytes();
  frame.data = bytes.subspan(first.offset, std::min(chunk->end(), bytes.size()) - first.offset);
  read_image_header(frame, chunk->end(), chunks);
}

/// Reads a frame of an animation: ANMF.
void read_frame(WebpFrame& frame, const Chunk& anmf, const Chunks& chunks) {
  constexpr std::size_t kFrameHeader = 16;
  if (anmf.size < kFrameHeader) {
    refuse_damaged(chunks.name(), fmt::format("the frame at byte {} is too short", anmf.offset));
  }
  require_bytes(chunks.bytes(), anmf.payload + kFrameHeader, chunks.name());
  frame.x = 2 * u24le_at(chunks.bytes(), anmf.payload);
  frame.y = 2 * u24le_at(chunks.bytes(), anmf.payload + 3);
  const std::uint32_t width = 1 + u24le_at(chunks.bytes(), anmf.payload + 6);
  const std::uint32_t height = 1 + u24le_at(chunks.bytes(), anmf.payload + 9);
  Chunks inner(chunks.bytes(), anmf.payload + kFrameHeader, anmf.end(), chunks.name());
  while (const std::optional<Chunk> chunk = inner.next()) {
    if (chunk->type == "ALPH" || is_image_chunk(*chunk)) {
      read_image(frame, *chunk, inner);
      if (frame.width != width || frame.height != height) {
        refuse_damaged(chunks.name(), fmt::format("the frame at byte {} is not as large as its image", anmf.offset));
      }
      return;
    }
  }
  refuse_damaged(chunks.name(), fmt::format("the frame at byte {} has no image", anmf.offset));
}

/// Takes what is not the image.
void keep(WebpFile& file, const Chunk& chunk, const Chunks& chunks) {
  constexpr std::size_t kMaxOthers = 16;
  ByteSpan* const to = chunk.type == "ICCP"   ? &file.icc
                       : chunk.type == "EXIF" ? &file.exif
                       : chunk.type == "XMP " ? &file.xmp
                                              : nullptr;
  if (to != nullptr) {
    *to = to->empty() ? chunks.payload(chunk) : *to;
  } else if (chunk.type != "ANIM" && chunk.type != "VP8X" && file.other_chunks.size() < kMaxOthers) {
    file.other_chunks.push_back(shown(chunk.type));
  }
}

void read_canvas(WebpFile& file, const Chunk& vp8x, const Chunks& chunks) {
  constexpr std::uint32_t kAnimation = 0x02;
  const ByteSpan fields = chunks.payload(vp8x, 10);
  file.is_animation = (u8_at(fields, 0) & kAnimation) != 0;
  file.width = 1 + u24le_at(fields, 4);
  file.height = 1 + u24le_at(fields, 7);
}

void read_until_image(WebpFile& file, Chunks& chunks) {
  constexpr std::size_t kFirst = kRiffHeader;
  while (const std::optional<Chunk> chunk = chunks.next()) {
    if (chunk->type == "VP8X" && chunk->offset == kFirst) {
      read_canvas(file, *chunk, chunks);
    } else if (chunk->type == "ANMF" && file.is_animation) {
      return read_frame(file.frame, *chunk, chunks);
    } else if ((chunk->type == "ALPH" || is_image_chunk(*chunk)) && !file.is_animation) {
      return read_image(file.frame, *chunk, chunks);
    } else {
      keep(file, *chunk, chunks);
    }
  }
  refuse_damaged(chunks.name(), "it has no image");
}

/// Compares the image with the canvas, which is as large unless there is an animation.
void check_canvas(WebpFile& file, const std::string& name) {
  const WebpFrame& frame = file.frame;
  if (file.width == 0) {  // no VP8X
    file.width = frame.width;
    file.height = frame.height;
  }
  const bool fits =
      std::uint64_t{frame.x} + frame.width <= file.width && std::uint64_t{frame.y} + frame.height <= file.height;
  if (!fits || (!file.is_animation && !file.fills_canvas())) {
    refuse_damaged(name, fmt::format("its image of {}x{} pixels does not fit its canvas of {}x{}", frame.width,
                                     frame.height, file.width, file.height));
  }
}

Chunks chunks_of(ByteSpan bytes, const std::string& name) {
  require_bytes(bytes, kRiffHeader, name);
  if (!std::equal(bytes.begin(), bytes.begin() + 4, std::as_bytes(std::span("RIFF")).begin())) {
    refuse_damaged(name, "it does not begin with RIFF");
  }
  return {bytes, kRiffHeader, kChunkHeader + std::size_t{u32le_at(bytes, 4)}, name};
}

void read_after_image(WebpFile& file, Chunks& chunks) {
  try {
    while (const std::optional<Chunk> chunk = chunks.next()) {
      if (chunk->type == "ANMF") {
        ++file.frames;
      } else {
        keep(file, *chunk, chunks);
      }
    }
  } catch (const Error&) {
    file.has_damaged_end = true;
  }
}

}  // namespace

WebpFile webp_beginning(ByteSpan beginning, const std::string& name) {
  WebpFile file;
  Chunks chunks = chunks_of(beginning, name);
  read_until_image(file, chunks);
  check_canvas(file, name);
  return file;
}

WebpFile whole_webp(ByteSpan bytes, const std::string& name) {
  require_bytes(bytes, kRiffHeader, name);
  require_bytes(bytes, kChunkHeader + std::size_t{u32le_at(bytes, 4)}, name);
  WebpFile file;
  Chunks chunks = chunks_of(bytes, name);
  read_until_image(file, chunks);
  check_canvas(file, name);
  read_after_image(file, chunks);
  return file;
}

}  // namespace gpuimg::codecs
