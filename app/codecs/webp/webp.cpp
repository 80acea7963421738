// Reads and writes WebP. First walks the chunks of the RIFF container and checks their sizes; libwebp then decodes the
// image directly into the result. RFC 9649.
#include "codecs/formats.hpp"

#include <fmt/format.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/rejections.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::webp {
namespace {

/// The image, or the first frame of an animation.
struct WebpFrame {
  std::uint32_t x = 0;  ///< position on the canvas
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool has_alpha = false;
  bool is_lossless = false;
  std::size_t offset = 0;  ///< offset in the file
  ByteSpan data;           ///< its chunks, which can be cut off: optionally ALPH, then VP8 or VP8L
};

struct WebpFile {
  std::uint32_t width = 0;  ///< size of the canvas
  std::uint32_t height = 0;
  bool is_animation = false;
  WebpFrame frame;
  std::size_t frames = 1;
  ByteSpan icc;
  ByteSpan exif;
  ByteSpan xmp;
  std::vector<std::string> other_chunks;  ///< printable names, at most 16
  bool has_damaged_end = false;           ///< chunks after the image are damaged

  [[nodiscard]] bool fills_canvas() const { return frame.width == width && frame.height == height; }
};

constexpr std::size_t kChunkHeader = 8;
constexpr std::size_t kRiffHeader = 12;

struct Chunk {
  std::string_view type;
  std::size_t offset = 0;  ///< offset of the header
  std::size_t payload = 0;
  std::size_t size = 0;  ///< size of the payload, which lies inside the RIFF but can be cut off

  [[nodiscard]] std::size_t end() const { return payload + size; }
};

std::uint32_t u24le_at(ByteSpan bytes, std::size_t offset) {
  return u16le_at(bytes, offset) | (u8_at(bytes, offset + 2) << 16);
}

/// The chunk type without padding, for messages.
std::string shown(std::string_view type) { return printable_name(type.substr(0, type.find_last_not_of(' ') + 1)); }

/// Iterates over the chunks between two offsets. The second offset can be beyond the end of the file.
class Chunks {
 public:
  Chunks(ByteSpan bytes, std::size_t begin, std::size_t end, const std::string& name)
      : bytes_(bytes), name_(name), position_(begin), end_(end) {}

  /// Returns nullopt at the end. The padding of the last chunk may be missing.
  std::optional<Chunk> next() {
    if (position_ >= end_) {
      return std::nullopt;
    }
    const std::size_t left = end_ - position_;
    if (left < kChunkHeader) {
      reject_damaged(name_, fmt::format("the chunk at byte {} is too short", position_));
    }
    require_bytes(bytes_, position_ + kChunkHeader, name_);
    Chunk chunk;
    chunk.type = {reinterpret_cast<const char*>(bytes_.data()) + position_, 4};
    chunk.offset = position_;
    chunk.payload = position_ + kChunkHeader;
    chunk.size = u32le_at(bytes_, position_ + 4);
    if (chunk.size > left - kChunkHeader) {
      reject_damaged(name_,
                     fmt::format("the {} chunk at byte {} is longer than its container", shown(chunk.type), position_));
    }
    position_ = chunk.end() + chunk.size % 2;
    return chunk;
  }

  /// Throws if the payload is cut off, or shorter than `min_size`.
  ByteSpan payload(const Chunk& chunk, std::size_t min_size = 0) const {
    if (chunk.size < min_size) {
      reject_damaged(name_, fmt::format("the {} chunk at byte {} is too short", shown(chunk.type), chunk.offset));
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

/// Reads the size and the type of the image whose chunks are `frame.data` and end at `end`.
void read_image_header(WebpFrame& frame, std::size_t end, const Chunks& chunks) {
  WebPBitstreamFeatures features;
  const VP8StatusCode status =
      WebPGetFeatures(reinterpret_cast<const std::uint8_t*>(frame.data.data()), frame.data.size(), &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA) {
    require_bytes(chunks.bytes(), end, chunks.name());
  }
  if (status != VP8_STATUS_OK) {
    reject_damaged(chunks.name(), fmt::format("the image at byte {} has no valid header", frame.offset));
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
    reject_damaged(chunks.name(), fmt::format("the alpha channel at byte {} has no image", first.offset));
  }
  frame.offset = first.offset;
  const ByteSpan bytes = chunks.bytes();
  frame.data = bytes.subspan(first.offset, std::min(chunk->end(), bytes.size()) - first.offset);
  read_image_header(frame, chunk->end(), chunks);
}

/// Reads a frame of an animation from its ANMF chunk.
void read_frame(WebpFrame& frame, const Chunk& anmf, const Chunks& chunks) {
  constexpr std::size_t kFrameHeader = 16;
  if (anmf.size < kFrameHeader) {
    reject_damaged(chunks.name(), fmt::format("the frame at byte {} is too short", anmf.offset));
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
        reject_damaged(chunks.name(), fmt::format("the frame at byte {} is not as large as its image", anmf.offset));
      }
      return;
    }
  }
  reject_damaged(chunks.name(), fmt::format("the frame at byte {} has no image", anmf.offset));
}

/// Stores a chunk that is not part of the image.
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
  reject_damaged(chunks.name(), "it has no image");
}

/// Checks that the image has the size of the canvas. In an animation, it can be smaller.
void check_canvas(WebpFile& file, const std::string& name) {
  const WebpFrame& frame = file.frame;
  if (file.width == 0) {  // there is no VP8X chunk
    file.width = frame.width;
    file.height = frame.height;
  }
  const bool fits =
      std::uint64_t{frame.x} + frame.width <= file.width && std::uint64_t{frame.y} + frame.height <= file.height;
  if (!fits || (!file.is_animation && !file.fills_canvas())) {
    reject_damaged(name, fmt::format("its image of {}x{} pixels does not fit its canvas of {}x{}", frame.width,
                                     frame.height, file.width, file.height));
  }
}

Chunks chunks_of(ByteSpan bytes, const std::string& name) {
  require_bytes(bytes, kRiffHeader, name);
  if (!std::equal(bytes.begin(), bytes.begin() + 4, std::as_bytes(std::span("RIFF")).begin())) {
    reject_damaged(name, "it does not begin with RIFF");
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

/// Reads up to the image, which may be cut off, and no chunks after it. `name` is printable. Throws like
/// Codec::declared. Does not limit sizes.
WebpFile webp_beginning(ByteSpan beginning, const std::string& name) {
  WebpFile file;
  Chunks chunks = chunks_of(beginning, name);
  read_until_image(file, chunks);
  check_canvas(file, name);
  return file;
}

/// Reads all chunks. Throws like decode_image.
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

std::vector<std::byte> copy_of_bytes(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

/// Removes the signature that precedes EXIF data in JPEG and, incorrectly, in some WebP files.
ByteSpan without_mark(ByteSpan exif) {
  constexpr std::string_view kMark("Exif\0\0", 6);
  const std::string_view text(reinterpret_cast<const char*>(exif.data()), exif.size());
  return text.starts_with(kMark) ? exif.subspan(kMark.size()) : exif;
}

std::array<std::byte, 4> u32le(std::uint32_t value) {
  return {static_cast<std::byte>(value), static_cast<std::byte>(value >> 8), static_cast<std::byte>(value >> 16),
          static_cast<std::byte>(value >> 24)};
}

void add(std::vector<std::byte>& to, ByteSpan bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

void add_chunk(std::vector<std::byte>& to, std::string_view type, ByteSpan payload) {
  if (payload.empty()) {
    return;
  }
  add(to, letters(type));
  add(to, u32le(static_cast<std::uint32_t>(payload.size())));
  add(to, payload);
  if (payload.size() % 2 == 1) {
    to.push_back(std::byte{0});
  }
}

/// Builds the VP8X chunk: flags of the other chunks, and the size of the canvas.
std::array<std::byte, 10> extended_header(const WebpFile& file, const Metadata& metadata) {
  const std::uint32_t flags = (metadata.icc.empty() ? 0U : 0x20U) | (file.frame.has_alpha ? 0x10U : 0U) |
                              (metadata.exif.empty() ? 0U : 0x08U) | (metadata.xmp.empty() ? 0U : 0x04U);
  std::array<std::byte, 10> header{static_cast<std::byte>(flags)};
  for (std::size_t i = 0; i < 3; ++i) {
    header[4 + i] = static_cast<std::byte>((file.width - 1) >> (8 * i));
    header[7 + i] = static_cast<std::byte>((file.height - 1) >> (8 * i));
  }
  return header;
}

/// Reads the metadata. Adds a clause to `details` for each damaged part.
Metadata read_webp_metadata(const WebpFile& file, std::vector<std::string>& details) {
  Metadata metadata;
  metadata.icc = copy_of_bytes(icc_profile_in(file.icc));
  if (metadata.icc.empty() && !file.icc.empty()) {
    details.emplace_back("its ICC profile is damaged and is left out");
  }
  if (const ByteSpan exif = without_mark(file.exif); is_exif(exif)) {
    metadata.exif = copy_of_bytes(exif);
  } else if (!file.exif.empty()) {
    details.emplace_back("its EXIF data is damaged and is left out");
  }
  if (is_xmp(file.xmp)) {
    metadata.xmp = copy_of_bytes(file.xmp);
  } else if (!file.xmp.empty()) {
    details.emplace_back("its XMP is damaged and is left out");
  }
  if (file.has_damaged_end) {
    details.emplace_back("a chunk after its image is damaged; what follows is left out");
  }
  for (const std::string& type : file.other_chunks) {
    metadata.not_kept.push_back(fmt::format("the {} chunk", type));
  }
  return metadata;
}

/// Writes `encoded`, a file by libwebp, with these metadata added.
void write_with_metadata(ByteSpan encoded, const Metadata& metadata, const ByteSink& sink) {
  if (metadata.icc.empty() && metadata.exif.empty() && metadata.xmp.empty()) {
    return sink(encoded);
  }
  const WebpFile file = whole_webp(encoded, "output");
  const ByteSpan image = file.frame.data;
  std::vector<std::byte> front = copy_of_bytes(encoded.first(kRiffHeader));
  add_chunk(front, "VP8X", extended_header(file, metadata));
  add_chunk(front, "ICCP", metadata.icc);
  std::vector<std::byte> back(image.size() % 2);
  add_chunk(back, "EXIF", metadata.exif);
  add_chunk(back, "XMP ", metadata.xmp);
  const auto size = u32le(static_cast<std::uint32_t>(front.size() + image.size() + back.size() - 8));
  std::copy(size.begin(), size.end(), front.begin() + 4);
  sink(front);
  sink(image);
  sink(back);
}

PixelFormat format_of(const WebpFile& file) {
  return {Sample::u8, file.frame.has_alpha || !file.fills_canvas() ? 4 : 3};
}

/// Limits the number of pixels per byte: runs of equal pixels take no bits, so a few bytes could declare any size. The
/// limit is close to deflate's largest ratio, 1032 to 1.
void check_density(const WebpFile& file, const std::string& name, const ReadOptions& options) {
  constexpr std::uint64_t kMaxPixelsPerByte = 1024;
  const std::uint64_t pixels = std::uint64_t{file.width} * file.height;
  const std::uint64_t covered = std::min<std::uint64_t>(std::uint64_t{file.frame.width} * file.frame.height,
                                                        kMaxPixelsPerByte * file.frame.data.size());
  check_coverage(name, pixels, covered, options);
}

[[noreturn]] void reject_decoding(VP8StatusCode status, const WebpFrame& frame, const std::string& name) {
  if (status == VP8_STATUS_OUT_OF_MEMORY) {
    throw Error(ErrorKind::out_of_memory, name + ": libwebp ran out of memory; use a machine with more memory");
  }
  if (status == VP8_STATUS_UNSUPPORTED_FEATURE) {
    reject_unsupported(name, "this kind of WebP");
  }
  reject_damaged(
      name, fmt::format("the {} image at byte {} {}", frame.is_lossless ? "lossless" : "lossy", frame.offset,
                        status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED ? "ends early"
                                                                                               : "cannot be decoded"));
}

/// Decodes the frame into its position on the canvas `to`.
void decode_frame(const WebpFrame& frame, View to, const std::string& name, const ReadOptions& options) {
  const std::size_t pixel_bytes = to.format.bytes_per_pixel();
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) {
    throw Error(
        ErrorKind::unsupported,
        name +
            ": libwebp is of another version than gpuimg was built for; install the version that gpuimg was built for");
  }
  config.options.use_threads = allowed_threads(options.threads) > 1 ? 1 : 0;
  config.output.colorspace = to.format.has_alpha() ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  WebPRGBABuffer& rows = config.output.u.RGBA;
  rows.rgba = reinterpret_cast<std::uint8_t*>(to.row_bytes(static_cast<int>(frame.y))) + frame.x * pixel_bytes;
  rows.stride = static_cast<int>(to.pitch_bytes);
  rows.size = (frame.height - 1) * to.pitch_bytes + frame.width * pixel_bytes;
  const VP8StatusCode status =
      WebPDecode(reinterpret_cast<const std::uint8_t*>(frame.data.data()), frame.data.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) {
    reject_decoding(status, frame, name);
  }
}

/// libwebp's picture and its memory.
class EncoderPicture {
 public:
  EncoderPicture() : is_valid_(WebPPictureInit(&picture_) != 0) {}
  ~EncoderPicture() { WebPPictureFree(&picture_); }
  EncoderPicture(const EncoderPicture&) = delete;
  EncoderPicture& operator=(const EncoderPicture&) = delete;

  [[nodiscard]] bool is_valid() const { return is_valid_; }
  WebPPicture* operator->() { return &picture_; }
  WebPPicture* get() { return &picture_; }

 private:
  WebPPicture picture_ = {};
  bool is_valid_;
};

int on_bytes(const std::uint8_t* bytes, std::size_t size, const WebPPicture* picture) {
  auto* to = static_cast<GrowingBytes*>(picture->custom_ptr);
  return to->append({reinterpret_cast<const std::byte*>(bytes), size}) ? 1 : 0;
}

bool configure(WebPConfig& config, const WriteOptions& options) {
  constexpr int kLosslessLevel = 2;  // of 0 to 9; higher levels take several times as long and save a few percent
  if (WebPConfigInit(&config) == 0) {
    return false;
  }
  config.quality = static_cast<float>(options.webp_quality);
  config.exact = options.webp_lossless ? 1 : 0;
  return !options.webp_lossless || WebPConfigLosslessPreset(&config, kLosslessLevel) != 0;
}

void copy_row(const std::uint8_t* from, PixelFormat format, int width, std::uint32_t* to) {
  const bool is_gray = format.color_channels() == 1;
  const int alpha = format.channels - 1;
  for (int x = 0; x < width; ++x, from += format.channels) {
    const std::uint32_t opacity = format.has_alpha() ? from[alpha] : 255U;
    to[x] = opacity << 24 | std::uint32_t{from[0]} << 16 | std::uint32_t{from[is_gray ? 0 : 1]} << 8 |
            from[is_gray ? 0 : 2];
  }
}

[[noreturn]] void reject_encoding(const WebPPicture& picture, const std::string& name) {
  const std::string shown = printable_name(name);
  switch (picture.error_code) {
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
      throw Error(ErrorKind::usage, fmt::format("{}: the image takes more bytes at this quality than WebP holds; use a "
                                                "lower --quality, or write .png",
                                                shown));
    default:
      throw Error(ErrorKind::out_of_memory,
                  fmt::format("{}: cannot write: not enough memory; use a smaller image", shown));
  }
}

}  // namespace

void fit_webp_metadata(Metadata& metadata, MetadataFilter& filter) {
  constexpr std::string_view kNoPlace = "WebP has no place for it";
  if (!metadata.icc.empty() && icc_color_space(metadata.icc) == kIccGray) {
    filter.drop(metadata.icc, "the ICC profile", "it is for gray, which WebP stores as RGB");
  }
  if (!metadata.xmp_extension.empty()) {
    blank_xmp_extension(metadata.xmp);
  }
  filter.drop(metadata.xmp_extension, "the extended XMP", kNoPlace);
  if (exif_density(metadata.exif) == metadata.density) {
    metadata.density.reset();  // the EXIF data contains it
  }
  filter.drop(metadata.density, "the pixel density", kNoPlace);
  filter.drop(metadata.iptc, "the IPTC data", kNoPlace);
  filter.drop_png_chunks(metadata, kNoPlace);
}

bool looks_like_webp(ByteSpan bytes, std::string_view /*name*/) {
  constexpr std::size_t kSignatureEnd = 12;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kSignatureEnd));
  return text.starts_with("RIFF") &&
         std::string_view("WEBP").starts_with(text.substr(std::min<std::size_t>(8, text.size())));
}

DecodedImage read_webp(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const WebpFile file = whole_webp(bytes, name);
  check_size(name, file.width, file.height, options.max_pixels);
  check_density(file, name, options);
  DecodedImage decoded;
  decoded.metadata = read_webp_metadata(file, decoded.details);
  decoded.image = options.image(static_cast<int>(file.width), static_cast<int>(file.height), format_of(file));
  const View canvas = decoded.image.view();
  if (!file.fills_canvas()) {
    for (int y = 0; y < canvas.height; ++y) {
      std::memset(canvas.row_bytes(y), 0, canvas.tight_pitch_bytes());
    }
  }
  decode_frame(file.frame, canvas, name, options);
  if (file.frames > 1) {
    decoded.notes.emplace_back("WebP animation: first frame only");
  }
  return decoded;
}

DeclaredImage declared_webp(ByteSpan beginning, const std::string& name) {
  const WebpFile file = webp_beginning(beginning, name);
  DeclaredImage declared;
  declared.width = file.width;
  declared.height = file.height;
  declared.color = file.frame.is_lossless ? "RGB" : "YCbCr";
  declared.decoded = format_of(file);
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  // Lossless images are decoded whole, at 4 bytes per pixel. The alpha channel of a lossy image is also decoded whole,
  // twice.
  declared.decoder_bytes_per_pixel = file.frame.is_lossless ? 5 : file.frame.has_alpha ? 3 : 1;
  declared.facts = {{"lossless", file.frame.is_lossless}, {"animated", file.is_animation}};
  return declared;
}

Metadata webp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) {
  return read_webp_metadata(whole_webp(beginning, name), details);
}

void encode_webp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  if (options.webp_quality < 1 || options.webp_quality > 100) {
    throw Error(ErrorKind::usage, fmt::format("WebP quality {}: out of range; use 1 to 100", options.webp_quality));
  }
  WebPConfig config;
  EncoderPicture picture;
  if (!picture.is_valid() || !configure(config, options)) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: cannot write: libwebp is of another version than gpuimg was built for; write .png",
                            printable_name(name)));
  }
  picture->use_argb = 1;
  picture->width = pixels.width;
  picture->height = pixels.height;
  if (WebPPictureAlloc(picture.get()) == 0) {
    reject_encoding(*picture.get(), name);
  }
  for (int y = 0; y < pixels.height; ++y) {
    copy_row(pixels.row<std::uint8_t>(y), pixels.format, pixels.width,
             picture->argb + static_cast<std::ptrdiff_t>(y) * picture->argb_stride);
  }
  GrowingBytes encoded;
  picture->writer = on_bytes;
  picture->custom_ptr = &encoded;
  if (WebPEncode(&config, picture.get()) == 0) {
    reject_encoding(*picture.get(), name);
  }
  const Bytes file = encoded.take();
  write_with_metadata(file.span(), options.metadata, sink);
}

}  // namespace gpuimg::codecs::webp
