// Chooses how to read a PNG, reads it with libpng if necessary, and reads the data other than pixels.
// docs/operations.md, "Files", explains why libpng is used and how strict the reader is.
#include "codecs/png/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/png/png_chunks.hpp"
#include "codecs/png/png_fast_reader.hpp"
#include "codecs/png/simple_png.hpp"
#include "codecs/rejections.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs::png {
namespace {

constexpr std::size_t kChunkHeaderBytes = 8;

/// Up to 256 KiB are read in one block; larger data in blocks of 64 KiB or slightly more. This makes the last read
/// longer than any reasonable end of a deflate stream, and longer than libpng's reads when it skips data.
std::size_t block_size_for(std::size_t total) {
  constexpr std::size_t kStart = std::size_t{64} << 10;
  if (total <= kMaxSingleRead) {
    return std::max<std::size_t>(total, 1);
  }
  std::size_t size = kStart;
  while (total % size != 0 && total % size < kMinLastRead) {
    size += kMinLastRead;
  }
  return size;
}

/// Presents a PNG to libpng: chunks checked, and all image data joined into one chunk, or a few if it is 2 GiB or more.
/// After the last row, libpng stops inflating at the end of the current chunk or read buffer, and so misses a wrong
/// checksum or extra data after it. With one chunk and a last read that is not short, libpng sees the end of the
/// stream.
class PngStream {
 public:
  /// Walks the chunks through IEND. Throws Error{decode} if a chunk extends past the file, if the checksum of a
  /// critical chunk is wrong, or if the image data is not contiguous. `bytes` starts with the PNG signature and must
  /// outlive the stream. Presents only the first `data_bytes` of the image data.
  PngStream(ByteSpan bytes, const std::string& name, std::uint64_t data_bytes);

  /// Number of image data bytes that libpng must read at a time.
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }

  /// Returns false if fewer bytes are left.
  bool read(std::byte* to, std::size_t size);

  /// True after libpng has read image data in portions other than block_bytes(), which means that it skipped the data.
  [[nodiscard]] bool skipped_image_data() const { return skipped_image_data_; }

 private:
  void walk(ByteSpan bytes, const std::string& name, std::uint64_t data_bytes);
  void join(ByteSpan bytes, std::size_t data_begin, std::size_t data_end, const std::string& name);
  [[nodiscard]] std::size_t max_chunk_bytes() const;
  void add_joined_chunks();
  void count_read(std::size_t size);

  std::vector<ByteSpan> image_data_;
  std::vector<ByteSpan> parts_;
  std::size_t next_part_ = 0;
  std::size_t data_left_ = 0;
  std::size_t chunk_left_ = 0;   // unread bytes of the current joined chunk; part of data_left_
  std::size_t before_data_ = 0;  // unread bytes before the image data, or before its next joined chunk
  std::size_t block_bytes_ = 0;
  bool skipped_image_data_ = false;
  std::vector<std::array<std::byte, 8>> joined_headers_;
  std::array<std::byte, 4> joined_checksum_{};  // libpng ignores it; the original checksums have been checked
};

PngStream::PngStream(ByteSpan bytes, const std::string& name, std::uint64_t data_bytes) {
  walk(bytes, name, data_bytes);
}

void PngStream::walk(ByteSpan bytes, const std::string& name, std::uint64_t data_bytes) {
  std::size_t data_begin = 0;
  std::size_t data_end = 0;
  PngChunkWalker walker(bytes, name);
  while (const auto chunk = walker.next()) {
    if (chunk->is_critical()) {
      chunk->check_crc(name);
    }
    if (chunk->type() == kIdat) {
      const std::size_t begin = walker.offset() - chunk->whole.size();
      if (data_begin == 0) {
        data_begin = begin;
      } else if (data_end != begin) {
        reject_damaged(name, "its image data is not contiguous");
      }
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(chunk->payload().size(), data_bytes));
      image_data_.push_back(chunk->payload().first(taken));
      data_bytes -= taken;
      data_end = walker.offset();
    }
  }
  join(bytes.first(walker.offset()), data_begin, data_end, name);
}

void PngStream::join(ByteSpan bytes, std::size_t data_begin, std::size_t data_end, const std::string& name) {
  if (data_begin == 0) {
    reject_damaged(name, "it has no image data");
  }
  for (const ByteSpan part : image_data_) {
    data_left_ += part.size();
  }
  block_bytes_ = block_size_for(data_left_);
  parts_.push_back(bytes.first(data_begin));
  add_joined_chunks();
  parts_.push_back(bytes.subspan(data_end));
  before_data_ = data_begin + kChunkHeaderBytes;
  chunk_left_ = std::min(data_left_, max_chunk_bytes());
}

/// The largest number of bytes in whole blocks that fits into one chunk.
std::size_t PngStream::max_chunk_bytes() const {
  constexpr std::size_t kMaxChunkBytes = 0x7FFFFFFF;
  return kMaxChunkBytes / block_bytes_ * block_bytes_;
}

void PngStream::add_joined_chunks() {
  const std::size_t max_bytes = max_chunk_bytes();
  joined_headers_.resize(std::max<std::size_t>((data_left_ + max_bytes - 1) / max_bytes, 1));
  std::size_t total = data_left_;
  auto part = image_data_.begin();
  for (auto& header : joined_headers_) {
    const std::size_t size = std::min(total, max_bytes);
    total -= size;
    for (std::size_t i = 0; i < 4; ++i) {
      header[i] = static_cast<std::byte>(size >> (24 - 8 * i));
      header[4 + i] = static_cast<std::byte>(kIdat >> (24 - 8 * i));
    }
    parts_.emplace_back(header);
    for (std::size_t left = size; left > 0;) {
      const std::size_t count = std::min(left, part->size());
      parts_.push_back(part->first(count));
      *part = part->subspan(count);
      part += part->empty() ? 1 : 0;
      left -= count;
    }
    parts_.emplace_back(joined_checksum_);
  }
}

void PngStream::count_read(std::size_t size) {
  if (before_data_ > 0) {
    before_data_ -= std::min(before_data_, size);
    return;
  }
  if (data_left_ == 0) {
    return;
  }
  skipped_image_data_ = skipped_image_data_ || size != std::min(block_bytes_, data_left_);
  const std::size_t count = std::min(chunk_left_, size);
  data_left_ -= count;
  chunk_left_ -= count;
  if (chunk_left_ == 0 && data_left_ > 0) {
    before_data_ = joined_checksum_.size() + kChunkHeaderBytes;
    chunk_left_ = std::min(data_left_, max_chunk_bytes());
  }
}

bool PngStream::read(std::byte* to, std::size_t size) {
  count_read(size);
  while (size > 0 && next_part_ < parts_.size()) {
    ByteSpan& part = parts_[next_part_];
    const std::size_t count = std::min(size, part.size());
    if (count > 0) {
      std::memcpy(to, part.data(), count);
    }
    to += count;
    size -= count;
    part = part.subspan(count);
    next_part_ += part.empty() ? 1 : 0;
  }
  return size == 0;
}

struct PlainWords {
  std::string_view libpng;
  std::string_view plain;
};

constexpr std::array kPlainWords = {
    PlainWords{"Not enough image data", "it holds less image data than it declares"},
    PlainWords{"Too much image data", "it holds more image data than it declares"},
    PlainWords{"Extra compressed data", "it holds more image data than it declares"},
    PlainWords{"incorrect data check", "the checksum of the image data is wrong"},
    PlainWords{"bad adaptive filter value", "a row has an unknown filter"},
    PlainWords{"Missing PLTE before IDAT", "its palette is missing"},
    PlainWords{"Missing IHDR before", "a chunk precedes the header"},
    PlainWords{"invalid chunk type", "a chunk has an invalid name"},
};

/// Chunks that gpuimg ignores or reads itself. libpng must not even allocate memory for them.
constexpr png_byte kUnusedChunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";
constexpr int kUnusedChunkCount = sizeof(kUnusedChunks) / 5;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

void set_limits(png_structp png, std::size_t file_bytes) {
  constexpr png_uint_32 kMaxSide = 0x7FFFFFFF;  // the declared size has already been checked
  png_set_user_limits(png, kMaxSide, kMaxSide);
  // A valid chunk is no larger than the file, which is already in memory.
  png_set_chunk_malloc_max(png, file_bytes);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kUnusedChunks, kUnusedChunkCount);
}

/// A libpng read struct over bytes in memory; turns libpng's errors into Error.
class PngSession {
 public:
  /// `bytes` and `name` (printable) must outlive the session. `data_bytes` has the meaning that it has for PngStream.
  /// Throws Error{out_of_memory}, and PngStream's errors.
  PngSession(ByteSpan bytes, const std::string& name, std::uint64_t data_bytes);
  ~PngSession();
  PngSession(const PngSession&) = delete;
  PngSession& operator=(const PngSession&) = delete;

  [[nodiscard]] png_structp png() const { return png_; }
  [[nodiscard]] png_infop info() const { return info_; }

  /// Runs `call`, which calls libpng. libpng reports errors by longjmp; this function converts them to exceptions.
  /// While `call` calls libpng, it must not hold an object with a destructor, because longjmp would skip the
  /// destructor.
  template <class Call>
  void guarded(Call call) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      throw_failure();
    }
    call();
  }

  /// Call after the last row: throws if libpng skipped image data, or merely warned about damage in it.
  void reject_damaged_data() const;

 private:
  [[noreturn]] void throw_failure() const;
  static void on_error(png_structp png, png_const_charp message);
  static void on_warning(png_structp png, png_const_charp message);
  static void on_read(png_structp png, png_bytep to, std::size_t size);

  PngStream stream_;
  const std::string& name_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  bool ended_early_ = false;
  std::array<char, 128> failure_{};
  std::array<char, 128> damage_{};
};

PngSession::PngSession(ByteSpan bytes, const std::string& name, std::uint64_t data_bytes)
    : stream_(bytes, name, data_bytes), name_(name) {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
  if (info_ == nullptr) {
    png_destroy_read_struct(&png_, nullptr, nullptr);
    throw Error(ErrorKind::out_of_memory, name + ": not enough memory to start libpng; free some memory");
  }
  try {
    guarded([&] {
      png_set_read_fn(png_, this, on_read);
      set_limits(png_, bytes.size());
      png_set_compression_buffer_size(png_, stream_.block_bytes());
      png_set_check_for_invalid_index(png_, 0);                      // PngPalette checks indices instead
      png_set_crc_action(png_, PNG_CRC_QUIET_USE, PNG_CRC_DEFAULT);  // PngStream has checked the critical chunks
    });
  } catch (...) {
    png_destroy_read_struct(&png_, &info_, nullptr);
    throw;
  }
}

PngSession::~PngSession() { png_destroy_read_struct(&png_, &info_, nullptr); }

void PngSession::reject_damaged_data() const {
  if (stream_.skipped_image_data()) {
    reject_damaged(name_, "it holds more image data than it declares");
  }
  if (damage_[0] != '\0') {
    reject_damaged(name_, damage_.data());
  }
}

void PngSession::throw_failure() const {
  const std::string_view reason = failure_.data();
  if (ended_early_) {
    reject_truncated(name_);
  }
  if (contains(reason, "memory")) {
    throw Error(ErrorKind::out_of_memory, name_ + ": libpng ran out of memory; use a machine with more memory");
  }
  reject_damaged(name_, reason);
}

// libpng calls these functions. They must not own memory, because longjmp runs no destructor.
void PngSession::on_error(png_structp png, png_const_charp message) {
  auto* session = static_cast<PngSession*>(png_get_error_ptr(png));
  const auto* plain = std::find_if(kPlainWords.begin(), kPlainWords.end(),
                                   [&](const PlainWords& words) { return contains(message, words.libpng); });
  std::snprintf(session->failure_.data(), session->failure_.size(), "%s",
                plain != kPlainWords.end() ? plain->plain.data() : message);
  png_longjmp(png, 1);
}

void PngSession::on_warning(png_structp png, png_const_charp message) {
  auto* session = static_cast<PngSession*>(png_get_error_ptr(png));
  const std::string_view text = message;
  if (!text.starts_with("IDAT") && !contains(text, "image data")) {
    return;
  }
  const auto* plain = std::find_if(kPlainWords.begin(), kPlainWords.end(),
                                   [&](const PlainWords& words) { return contains(text, words.libpng); });
  std::snprintf(session->damage_.data(), session->damage_.size(), "%s",
                plain != kPlainWords.end() ? plain->plain.data() : message);
}

void PngSession::on_read(png_structp png, png_bytep to, std::size_t size) {
  auto* session = static_cast<PngSession*>(png_get_io_ptr(png));
  if (!session->stream_.read(reinterpret_cast<std::byte*>(to), size)) {
    session->ended_early_ = true;
    png_error(png, "the file ends early");
  }
}

/// Deflate compresses at most 1032:1, so a short file that declares many pixels is rejected before they are allocated.
bool is_plausible(const PngHeader& header, std::uint64_t file_bytes) {
  constexpr std::uint64_t kMaxRatio = 1032;
  const std::uint64_t row_bytes = (std::uint64_t{header.width} * header.bit_depth + 7) / 8;
  return row_bytes * header.height / kMaxRatio <= file_bytes;
}

PngPalette palette_of(PngSession& session) {
  png_colorp colors = nullptr;
  png_bytep alpha = nullptr;
  int size = 0;
  int alpha_count = 0;
  session.guarded([&] {
    png_get_PLTE(session.png(), session.info(), &colors, &size);
    if (png_get_tRNS(session.png(), session.info(), &alpha, &alpha_count, nullptr) == 0) {
      alpha_count = 0;
    }
  });
  static_assert(sizeof(png_color) == 3);
  const auto entries = std::as_bytes(std::span(colors, static_cast<std::size_t>(size)));
  return {entries, std::as_bytes(std::span(alpha, static_cast<std::size_t>(alpha_count)))};
}

/// Reads rows of `row_bytes` each; all passes of an interlaced image write to the same rows.
void read_rows(PngSession& session, std::byte* rows, std::size_t row_bytes, int height, const std::string& name) {
  int passes = 1;
  std::size_t libpng_row_bytes = 0;
  session.guarded([&] {
    passes = png_set_interlace_handling(session.png());
    png_read_update_info(session.png(), session.info());
    libpng_row_bytes = png_get_rowbytes(session.png(), session.info());
  });
  if (libpng_row_bytes != row_bytes) {
    reject_damaged(name, "its row size does not match its header");
  }
  session.guarded([&] {
    for (int pass = 0; pass < passes; ++pass) {
      for (int y = 0; y < height; ++y) {
        png_read_row(session.png(), reinterpret_cast<png_bytep>(rows + static_cast<std::size_t>(y) * row_bytes),
                     nullptr);
      }
    }
  });
  session.reject_damaged_data();
  session.guarded([&] { png_read_end(session.png(), session.info()); });
  session.reject_damaged_data();
}

Image read_palette_image(PngSession& session, int width, int height, const std::string& name) {
  const PngPalette palette = palette_of(session);
  session.guarded([&] { png_set_packing(session.png()); });
  Image image(width, height, {Sample::u8, palette.channels()});
  read_rows(session, PngPalette::indices_of(image), static_cast<std::size_t>(width), height, name);
  palette.paint(image, name);
  return image;
}

Image read_direct_image(PngSession& session, const PngHeader& header, const std::string& name) {
  bool has_transparent_color = false;
  session.guarded([&] {
    int colors = 0;  // 0 for a color that libpng ignores because it precedes a suggested palette
    has_transparent_color = png_get_tRNS(session.png(), session.info(), nullptr, &colors, nullptr) != 0 && colors > 0;
    if (has_transparent_color) {
      png_set_tRNS_to_alpha(session.png());
    }
    if (header.bit_depth < 8) {
      png_set_expand_gray_1_2_4_to_8(session.png());
    }
    if (header.bit_depth == 16 && std::endian::native == std::endian::little) {
      png_set_swap(session.png());
    }
  });
  const bool is_color = (header.color_type & PNG_COLOR_MASK_COLOR) != 0;
  const bool has_alpha = (header.color_type & PNG_COLOR_MASK_ALPHA) != 0 || has_transparent_color;
  const PixelFormat format{header.bit_depth == 16 ? Sample::u16 : Sample::u8, (is_color ? 3 : 1) + (has_alpha ? 1 : 0)};
  Image image(static_cast<int>(header.width), static_cast<int>(header.height), format);
  read_rows(session, image.view().data, image.pitch_bytes(), image.height(), name);
  return image;
}

constexpr std::uint64_t kAllBytes = std::numeric_limits<std::uint64_t>::max();

/// libpng sees only the first `data_bytes` of the image data.
Image read_with_libpng(ByteSpan bytes, const PngHeader& header, const std::string& name,
                       std::uint64_t data_bytes = kAllBytes) {
  PngSession session(bytes, name, data_bytes);
  session.guarded([&] { png_read_info(session.png(), session.info()); });
  if (!is_plausible(header, bytes.size())) {
    reject_damaged(
        name, fmt::format("{} bytes cannot hold the declared {}x{} pixels", bytes.size(), header.width, header.height));
  }
  return header.color_type == PNG_COLOR_TYPE_PALETTE
             ? read_palette_image(session, static_cast<int>(header.width), static_cast<int>(header.height), name)
             : read_direct_image(session, header, name);
}

struct PngDataBytes {
  std::uint64_t stream = 0;  ///< size of the zlib stream at the start of the image data
  std::uint64_t all = 0;
};

/// Returns nullopt if the chunks or the stream are damaged, or if the stream holds more bytes than all rows need.
std::optional<PngDataBytes> data_bytes_of(ByteSpan bytes, const PngHeader& header, const std::string& name) {
  constexpr std::uint64_t kMaxPixelBytes = 8;
  constexpr std::uint64_t kMaxRowExtra = 4;  // for filter bytes and rounding, in all passes
  constexpr std::uint64_t kMaxExtra = 64;
  std::vector<ByteSpan> parts;
  try {
    PngChunkWalker walker(bytes, name);
    while (const auto chunk = walker.next()) {
      if (chunk->type() == kIdat && !chunk->payload().empty()) {
        parts.push_back(chunk->payload());
      }
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  const RandomAccess data = in_pieces(parts);
  const std::uint64_t most = (header.width * kMaxPixelBytes + kMaxRowExtra) * header.height + kMaxExtra;
  const std::optional<std::uint64_t> stream = deflate::zlib_stream_bytes(data, most);
  return stream ? std::optional(PngDataBytes{*stream, data.size}) : std::nullopt;
}

/// libpng gives the same warning for bytes after the zlib stream and for pixels after the last row. Bytes after the
/// stream cannot affect pixels, so the file is read again without them, and a note reports them.
Image read_with_libpng_or_without_excess(ByteSpan bytes, const PngHeader& header, const std::string& name,
                                         std::vector<std::string>* notes) {
  try {
    return read_with_libpng(bytes, header, name);
  } catch (const Error& error) {
    const auto data = error.kind() == ErrorKind::decode ? data_bytes_of(bytes, header, name) : std::nullopt;
    if (!data || data->stream == data->all) {
      throw;
    }
    Image image = read_with_libpng(bytes, header, name, data->stream);
    if (notes != nullptr) {
      notes->push_back(
          fmt::format("PNG: what follows its compressed data is ignored (bytes: {})", data->all - data->stream));
    }
    return image;
  }
}

/// Notes for the user: more frames follow, or libpng ignores a transparent color.
std::vector<std::string> notes_on(ByteSpan bytes, const std::string& name) {
  std::vector<std::string> notes;
  bool has_transparency = false;
  bool has_frame = false;
  std::uint32_t frames = 0;
  PngChunkWalker walker(bytes, name);
  while (walker.next_type() != kIdat) {
    const auto chunk = walker.next();
    has_frame = has_frame || chunk->type() == png_chunk_type("fcTL");
    has_transparency = has_transparency || chunk->type() == png_chunk_type("tRNS");
    if (chunk->type() == png_chunk_type("acTL") && chunk->payload().size() == 8 && chunk->crc_is_right()) {
      frames = u32be_at(chunk->payload(), 0);
    }
    if (chunk->type() == png_chunk_type("PLTE") && has_transparency) {
      notes.emplace_back("PNG: its transparency is ignored, because it precedes the palette");
    }
  }
  if (frames > 1 || (frames == 1 && !has_frame)) {
    notes.emplace_back(has_frame ? "PNG animation: first frame only"
                                 : "PNG animation: only the still image, which is not a frame");
  }
  return notes;
}

/// The first thousand tEXt entries in file order; skips damaged ones.
std::vector<TextEntry> texts_of(ByteSpan bytes, const std::string& name) {
  std::vector<TextEntry> texts;
  PngChunkWalker walker(bytes, name);
  constexpr std::size_t kMaxEntries = 1000;  // a file may hold millions of empty ones
  while (const auto chunk = walker.next()) {
    if (chunk->type() == png_chunk_type("tEXt") && texts.size() < kMaxEntries && chunk->crc_is_right()) {
      const ByteSpan payload = chunk->payload();
      const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
      const std::size_t end = std::min(text.find('\0'), text.size());
      texts.push_back({text.substr(0, end), text.substr(std::min(end + 1, text.size()))});
    }
  }
  return texts;
}

/// Everything in the result of decoding except the pixels. Needs only the start of the image data.
DecodedImage describe_png(ByteSpan bytes, const std::string& name) {
  DecodedImage decoded;
  decoded.scaled_from = read_png_header(bytes, name).scaled_from();
  decoded.notes = notes_on(bytes, name);
  decoded.text = texts_of(bytes, name);
  decoded.metadata = read_png_metadata(in_memory(bytes), name, decoded.details);
  return decoded;
}

/// Reads rows, and checks the checksums of the image data while decoding.
class PngRowReader final : public RowReader {
 public:
  PngRowReader(PngFile file, SimplePng png, std::string name, int threads)
      : RowReader(png.width, png.height, png.decoded()),
        file_(std::move(file)),
        png_(std::move(png)),
        name_(std::move(name)),
        threads_(threads) {}

  bool read(const BandOutput& to, Order /*order*/) override {
    PngDataCheck checksums(file_);
    const PngParts parts = PngParts::of(png_, threads_);
    SimplePng png = png_;
    if (parts.part_bytes == 0) {  // the data is inflated in order
      png.image_data = checksums.image_data();
    }
    try {
      return read_simple_png_rows(png, name_, threads_, parts, to,
                                  [&](std::uint64_t end) { return checksums.up_to(end); });
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::decode) {
        return false;  // libpng can find another error
      }
      throw;
    }
  }

 private:
  PngFile file_;
  SimplePng png_;
  std::string name_;
  int threads_;
};

}  // namespace

Image read_png_pixels(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options,
                      PngPath path, std::vector<std::string>* notes) {
  const PngHeader header = read_png_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  if (path == PngPath::fast_if_possible && is_plausible(header, bytes.size())) {
    if (const auto simple = parse_simple_png(bytes, name)) {
      if (auto image = read_simple_png(*simple, name, options)) {
        return std::move(*image);
      }
    }
  }
  return read_with_libpng_or_without_excess(bytes, header, name, notes);
}

DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  std::vector<std::string> notes;
  Image image = read_png_pixels(bytes, name, options, PngPath::fast_if_possible, &notes);
  DecodedImage decoded = describe_png(bytes, name);
  std::move(notes.begin(), notes.end(), std::back_inserter(decoded.notes));
  decoded.image = std::move(image);
  return decoded;
}

std::optional<DescribedImage> describe_png_image(std::span<const std::byte> bytes, const std::string& name,
                                                 const ReadOptions& options) {
  const PngHeader header = read_png_header(bytes, name);
  if (!is_size_for_backends(header.width, header.height)) {
    return std::nullopt;
  }
  check_size(name, header.width, header.height, options.max_pixels);
  std::optional<EncodedPng> encoded = describe_png_data(bytes);
  if (!encoded) {
    return std::nullopt;
  }
  DecodedImage rest = describe_png(bytes, name);
  if (options.auto_orient && exif_orientation(rest.metadata.exif) != 1) {
    return std::nullopt;
  }
  std::optional<DescribedImage> described(std::in_place);
  described->encoded = std::move(*encoded);
  described->rest = std::move(rest);
  return described;
}

std::optional<DecodedImage> open_png_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options) {
  std::optional<PngFile> scanned = scan_png(file);
  if (!scanned) {
    return std::nullopt;
  }
  std::optional<SimplePng> simple = parse_simple_png(*scanned, name);
  if (!simple || simple->row_bytes() > kMaxSimpleRowBytes ||
      !is_plausible(read_png_header(scanned->frame, name), file.size)) {
    return std::nullopt;
  }
  check_size(name, static_cast<std::uint64_t>(simple->width), static_cast<std::uint64_t>(simple->height),
             options.max_pixels);
  DecodedImage opened = describe_png(scanned->frame, name);
  opened.rows =
      std::make_shared<PngRowReader>(std::move(*scanned), std::move(*simple), name, allowed_threads(options.threads));
  return opened;
}

}  // namespace gpuimg::codecs::png
