// Writes a PNG whose IDAT chunks are made from rows, or come from a backend. Filters and deflates rows in independent
// strips. The strips form a ring buffer; any idle thread packs the next one. PNG specification, sections 5, 7.2, 9 and
// 11.
#include "codecs/png/png.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/png/ordered_tasks.hpp"
#include "codecs/png/png_chunks.hpp"
#include "codecs/png/png_filter.hpp"
#include "codecs/stored_samples.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"
#include "png/strips.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::png {
namespace {

/// The division of an image into strips of whole rows, about 256 KB after filtering. Depends only on the image.
struct StripPlan {
  std::size_t row_bytes = 0;  ///< without the filter byte
  int rows_per_strip = 1;
  int strips = 1;

  StripPlan(std::size_t bytes_of_row, int height);

  [[nodiscard]] std::size_t filtered_bytes() const {
    return static_cast<std::size_t>(rows_per_strip) * (row_bytes + 1);
  }
};

/// A filtered and deflated strip, ready to be written.
struct PackedStrip {
  int index = 0;
  std::vector<std::byte> chunk;  ///< type and data of an IDAT chunk, without length and CRC
  std::uint32_t crc = 0;         ///< checksum of `chunk`
  std::uint32_t adler = 0;       ///< checksum of the filtered bytes
  std::size_t filtered_size = 0;
};

/// The rows of one strip.
struct StripRows {
  ConstView rows;
  const std::byte* above = nullptr;  ///< the row above the first; null at the top of the image
};

/// Provides the rows of strips in PNG's byte order, together with the row above each.
class RowSource {
 public:
  RowSource(PixelFormat format, std::size_t row_bytes);

  /// With u16 pixels, the rows of a strip must be requested from top to bottom without gaps. The result is valid until
  /// the next call.
  PngRow row(const StripRows& strip, int y);

 private:
  const std::uint8_t* zeros();

  PixelFormat format_;
  std::size_t row_bytes_;
  std::vector<std::uint8_t> current_;
  std::vector<std::uint8_t> above_;
};

/// Filters and deflates strips in any order. Holds less than 1 MB, or six rows if they are larger. Use one object per
/// thread.
class StripPacker {
 public:
  /// png_level is 0 to 3, as in encode_png.
  StripPacker(PixelFormat format, const StripPlan& plan, int png_level);

  /// Replaces the contents of `strip` with strip number `index`, and reuses its memory.
  void pack(const StripRows& rows, int index, PackedStrip& strip);

 private:
  std::size_t try_filter(const StripRows& rows, PackedStrip& strip, int filter);
  std::size_t smallest_of_all(const StripRows& rows, PackedStrip& strip);
  void finish(PackedStrip& strip, std::size_t size) const;

  StripPlan plan_;
  bool tries_all_;
  RowSource rows_;
  deflate::StripDeflater deflater_;
  std::vector<std::uint8_t> filtered_;
  std::vector<std::byte> packed_;
  std::vector<std::byte> best_;
};

constexpr int kChooseForEachRow = -1;

StripPlan::StripPlan(std::size_t bytes_of_row, int height)
    : row_bytes(bytes_of_row),
      rows_per_strip(static_cast<int>(gpuimg::png::rows_per_strip(row_bytes, static_cast<std::uint32_t>(height)))),
      strips((height - 1) / rows_per_strip + 1) {}

RowSource::RowSource(PixelFormat format, std::size_t row_bytes)
    : format_(format), row_bytes_(row_bytes), above_(row_bytes) {
  if (format.sample == Sample::u16) {
    current_.resize(row_bytes);
  }
}

PngRow RowSource::row(const StripRows& strip, int y) {
  const std::size_t pixel_bytes = format_.bytes_per_pixel();
  const auto* current = strip.rows.row<std::uint8_t>(y);
  const auto* above = y > 0 ? strip.rows.row<std::uint8_t>(y - 1) : reinterpret_cast<const std::uint8_t*>(strip.above);
  if (format_.sample == Sample::u8) {
    return {current, above != nullptr ? above : zeros(), row_bytes_, pixel_bytes};
  }
  if (y > 0) {
    current_.swap(above_);
  } else if (above != nullptr) {
    swap_sample_bytes(above, above_.data(), row_bytes_);
  } else {
    zeros();
  }
  swap_sample_bytes(current, current_.data(), row_bytes_);
  return {current_.data(), above_.data(), row_bytes_, pixel_bytes};
}

const std::uint8_t* RowSource::zeros() {
  std::fill(above_.begin(), above_.end(), std::uint8_t{0});
  return above_.data();
}

StripPacker::StripPacker(PixelFormat format, const StripPlan& plan, int png_level)
    : plan_(plan),
      tries_all_(png_level == 3),
      rows_(format, plan.row_bytes),
      deflater_(std::min(png_level, 2)),
      filtered_(plan.filtered_bytes()),
      packed_(deflate::deflate_bound(plan.filtered_bytes())),
      best_(tries_all_ ? packed_.size() : 0) {}

void StripPacker::pack(const StripRows& rows, int index, PackedStrip& strip) {
  strip.index = index;
  strip.chunk.clear();
  finish(strip, tries_all_ ? smallest_of_all(rows, strip) : try_filter(rows, strip, kChooseForEachRow));
}

/// Leaves the deflated strip in packed_ and returns its size.
std::size_t StripPacker::try_filter(const StripRows& rows, PackedStrip& strip, int filter) {
  std::uint8_t* out = filtered_.data();
  for (int y = 0; y < rows.rows.height; ++y) {
    const PngRow row = rows_.row(rows, y);
    const PngFilter chosen = filter == kChooseForEachRow ? choose_filter(row) : static_cast<PngFilter>(filter);
    *out = static_cast<std::uint8_t>(chosen);
    filter_row(chosen, row, out + 1);
    out += plan_.row_bytes + 1;
  }
  strip.filtered_size = static_cast<std::size_t>(out - filtered_.data());
  const auto filtered = std::as_bytes(std::span(filtered_).first(strip.filtered_size));
  strip.adler = deflate::adler32_of(filtered);
  return deflater_.deflate(filtered, packed_, strip.index + 1 == plan_.strips);
}

/// Like try_filter, but tries all filterings and keeps the smallest result; the first one on a tie.
std::size_t StripPacker::smallest_of_all(const StripRows& rows, PackedStrip& strip) {
  std::size_t size = try_filter(rows, strip, kChooseForEachRow);
  best_.swap(packed_);
  for (int filter = 0; filter < kPngFilterCount; ++filter) {
    PackedStrip other = strip;
    if (const std::size_t other_size = try_filter(rows, other, filter); other_size < size) {
      size = other_size;
      strip = other;
      best_.swap(packed_);
    }
  }
  best_.swap(packed_);
  return size;
}

void StripPacker::finish(PackedStrip& strip, std::size_t size) const {
  constexpr std::string_view kType = "IDAT";
  const std::size_t header = strip.index == 0 ? sizeof deflate::kZlibHeader : 0;
  strip.chunk.resize(kType.size() + header + size);
  std::memcpy(strip.chunk.data(), kType.data(), kType.size());
  std::memcpy(strip.chunk.data() + kType.size(), deflate::kZlibHeader, header);
  std::memcpy(strip.chunk.data() + kType.size() + header, packed_.data(), size);
  strip.crc = deflate::crc32_of(strip.chunk);
}

/// Writes the chunks of a file in order to a sink. Buffers small writes. The sink must outlive the object.
class PngOutput {
 public:
  explicit PngOutput(const ByteSink& sink) : sink_(sink) {}

  /// Writes everything before the IDAT chunks: signature, header, metadata and text. Throws Error{usage} for a text
  /// entry that PNG does not allow.
  void begin(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options);

  /// Appends the bytes of whole chunks.
  void append(std::span<const std::byte> bytes);

  /// Appends strips in order. Completes the zlib stream after the last one.
  void append_strip(PackedStrip& strip, bool is_last);

  /// Writes everything after the IDAT chunks.
  void finish();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

  void append_chunk(std::span<const std::byte> content);
  void flush();

  const ByteSink& sink_;
  std::unique_ptr<std::byte[]> buffer_{new std::byte[kBufferBytes]};
  std::size_t size_ = 0;
  std::uint32_t adler_ = 1;
};

constexpr std::array<unsigned char, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

std::vector<std::byte> header_chunk(int width, int height, PixelFormat format, bool one_bit) {
  constexpr std::array<std::byte, 5> kTypeOfChannels = {std::byte{0}, std::byte{0}, std::byte{4}, std::byte{2},
                                                        std::byte{6}};
  std::vector<std::byte> chunk;
  chunk.reserve(17);
  const auto add = [&](std::span<const std::byte> part) { chunk.insert(chunk.end(), part.begin(), part.end()); };
  add(std::as_bytes(std::span("IHDR", 4)));
  add(u32be(static_cast<std::uint32_t>(width)));
  add(u32be(static_cast<std::uint32_t>(height)));
  chunk.push_back(static_cast<std::byte>(one_bit ? 1 : sample_bytes(format.sample) * 8));
  chunk.push_back(kTypeOfChannels.at(static_cast<std::size_t>(format.channels)));
  chunk.resize(chunk.size() + 3);  // compression method, filter method, no interlacing
  return chunk;
}

bool is_keyword(std::string_view keyword) {
  const auto is_printable = [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code >= 32 && code <= 126) || code >= 161;
  };
  return !keyword.empty() && keyword.size() <= 79 && std::all_of(keyword.begin(), keyword.end(), is_printable) &&
         keyword.front() != ' ' && keyword.back() != ' ' && keyword.find("  ") == std::string_view::npos;
}

std::vector<std::byte> text_chunk(const TextEntry& entry, const std::string& name) {
  constexpr std::size_t kMaxTextBytes = 0x7FFFFF00;
  if (!is_keyword(entry.keyword) || entry.text.find('\0') != std::string::npos || entry.text.size() > kMaxTextBytes) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: cannot write: '{}' is not a valid PNG text entry; use a keyword of 1 to 79 printable Latin-1 "
                    "characters and a text without NUL",
                    printable_name(name), printable_name(entry.keyword)));
  }
  const std::string content = "tEXt" + entry.keyword + '\0' + entry.text;
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

void PngOutput::begin(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options) {
  std::vector<std::vector<std::byte>> chunks = {
      header_chunk(width, height, format, options.one_bit && can_pack_bits(format))};
  for (std::vector<std::byte>& chunk : png_metadata_chunks(options.metadata)) {
    chunks.push_back(std::move(chunk));
  }
  for (const TextEntry& entry : options.text) {
    chunks.push_back(text_chunk(entry, name));
  }
  append(std::as_bytes(std::span(kSignature)));
  for (const auto& chunk : chunks) {
    append_chunk(chunk);
  }
}

void PngOutput::append(std::span<const std::byte> bytes) {
  if (bytes.size() > kBufferBytes - size_) {
    flush();
  }
  if (bytes.size() > kBufferBytes) {
    sink_(bytes);
  } else {
    std::memcpy(buffer_.get() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
}

void PngOutput::append_strip(PackedStrip& strip, bool is_last) {
  adler_ = deflate::adler32_combined(adler_, strip.adler, strip.filtered_size);
  if (is_last) {
    const auto trailer = u32be(adler_);
    strip.chunk.insert(strip.chunk.end(), trailer.begin(), trailer.end());
    strip.crc = deflate::crc32_of(trailer, strip.crc);
  }
  append(u32be(static_cast<std::uint32_t>(strip.chunk.size() - 4)));
  append(strip.chunk);
  append(u32be(strip.crc));
}

void PngOutput::finish() {
  append_chunk(std::as_bytes(std::span("IEND", 4)));
  flush();
}

/// `content` is the type and data of the chunk.
void PngOutput::append_chunk(std::span<const std::byte> content) {
  append(u32be(static_cast<std::uint32_t>(content.size() - 4)));
  append(content);
  append(u32be(deflate::crc32_of(content)));
}

void PngOutput::flush() {
  if (size_ > 0) {
    sink_({buffer_.get(), size_});
    size_ = 0;
  }
}

/// Cuts rows into strips, packs the strips on several threads, and writes them in order. The output does not depend on
/// how rows are divided among calls. If a call passes enough rows, or all remaining rows, packs them in place.
/// Otherwise copies the rows, and packs them while the caller makes the next rows.
class PngStripWriter {
 public:
  /// Only the bytes per sample and per pixel of `format` are used. `threads` and `png_level` are those of WriteOptions.
  PngStripWriter(int width, int height, PixelFormat format, int threads, int png_level, PngOutput& file);

  /// Takes the next rows, at most rows_left(). The call with the last rows passes everything to the file. Calls the
  /// sink on this thread. Throws std::bad_alloc, and passes on the sink's exceptions.
  void write(ConstView rows);

  [[nodiscard]] int rows_left() const { return rows_left_; }

 private:
  struct Slot {
    StripRows rows;
    PackedStrip strip;
  };

  [[nodiscard]] int rows_in_whole_strips(int rows) const;
  void pack_in_place(ConstView rows);
  int copy(ConstView rows);
  std::byte* copied_row(int strip, int y);
  Slot& slot_of(int strip) { return slots_[static_cast<std::size_t>(strip) % slots_.size()]; }
  void begin(const StripRows& rows);
  void finish_until(int strip);

  int width_;
  PixelFormat format_;
  StripPlan plan_;
  PngOutput& file_;
  int workers_;
  tbb::enumerable_thread_specific<StripPacker> packers_;
  std::vector<Slot> slots_;                           ///< strips in flight; used in rotation
  std::vector<std::unique_ptr<std::byte[]>> copies_;  ///< copied rows; each slot starts with the row above them
  OrderedTasks packing_;                              ///< packs strips; its threads use the members above
  int finished_ = 0;                                  ///< number of strips passed to the file

  int rows_left_;                     ///< rows not yet passed to write()
  int copied_rows_ = 0;               ///< number of rows copied to the next strip
  const std::byte* above_ = nullptr;  ///< the row above the next strip, in copies_; null at the top of the image
};

constexpr int kMaxWorkers = 32;                                 // more threads would cost memory without saving time
constexpr std::size_t kMaxCopiedBytes = std::size_t{16} << 20;  // or one strip, if it is larger

ConstView rows_of(ConstView rows, int first, int count) {
  return {rows.row_bytes(first), rows.width, count, rows.pitch_bytes, rows.format};
}

PngStripWriter::PngStripWriter(int width, int height, PixelFormat format, int threads, int png_level, PngOutput& file)
    : width_(width),
      format_(format),
      plan_(static_cast<std::size_t>(width) * format.bytes_per_pixel(), height),
      file_(file),
      workers_(std::min({allowed_threads(threads), kMaxWorkers, plan_.strips})),
      packers_([format, plan = plan_, png_level] { return StripPacker(format, plan, png_level); }),
      slots_(static_cast<std::size_t>(workers_ == 1 ? 1 : 2 * workers_)),
      copies_(std::clamp<std::size_t>(kMaxCopiedBytes / plan_.filtered_bytes(), 1, slots_.size())),
      packing_(workers_, slots_.size(),
               [this](int strip) {
                 Slot& slot = slot_of(strip);
                 packers_.local().pack(slot.rows, strip, slot.strip);
               }),
      rows_left_(height) {}

void PngStripWriter::write(ConstView rows) {
  try {
    while (rows.height > 0) {
      int count = rows_in_whole_strips(rows.height);
      const bool are_enough = static_cast<std::size_t>(count / plan_.rows_per_strip) >= slots_.size();
      if (copied_rows_ == 0 && (are_enough || count == rows_left_)) {
        rows_left_ -= count;
        pack_in_place(rows_of(rows, 0, count));
      } else {
        count = copy(rows);
      }
      rows = rows_of(rows, count, rows.height - count);
    }
  } catch (...) {
    packing_.abandon();  // the tasks refer to the caller's rows
    throw;
  }
}

/// The largest number of rows, at most `rows`, that completes whole strips.
int PngStripWriter::rows_in_whole_strips(int rows) const {
  return rows == rows_left_ ? rows : rows - rows % plan_.rows_per_strip;
}

/// `rows` must be whole strips, or the last rows of the image.
void PngStripWriter::pack_in_place(ConstView rows) {
  for (int y = 0; y < rows.height; y += plan_.rows_per_strip) {
    const int count = std::min(plan_.rows_per_strip, rows.height - y);
    begin({rows_of(rows, y, count), y > 0 ? rows.row_bytes(y - 1) : above_});
  }
  finish_until(packing_.begun());
  if (rows_left_ > 0) {
    std::byte* above = copied_row(packing_.begun(), -1);
    std::memcpy(above, rows.row_bytes(rows.height - 1), plan_.row_bytes);
    above_ = above;
  }
}

/// Copies as many of these rows as the next strip still needs. Returns the number of copied rows.
int PngStripWriter::copy(ConstView rows) {
  const int strip = packing_.begun();
  if (copied_rows_ == 0) {
    finish_until(strip - static_cast<int>(copies_.size()) + 1);
    std::byte* above = copied_row(strip, -1);
    if (above_ != nullptr && above_ != above) {
      std::memcpy(above, above_, plan_.row_bytes);
    }
  }
  const int count = std::min(rows.height, plan_.rows_per_strip - copied_rows_);
  for (int y = 0; y < count; ++y) {
    std::memcpy(copied_row(strip, copied_rows_ + y), rows.row_bytes(y), plan_.row_bytes);
  }
  copied_rows_ += count;
  rows_left_ -= count;
  if (copied_rows_ == plan_.rows_per_strip || rows_left_ == 0) {
    const int height = std::exchange(copied_rows_, 0);
    begin({{copied_row(strip, 0), width_, height, plan_.row_bytes, format_},
           above_ != nullptr ? copied_row(strip, -1) : nullptr});
    above_ = copied_row(strip, height - 1);
  }
  if (rows_left_ == 0) {
    finish_until(packing_.begun());
  }
  return count;
}

/// `y` = −1 is the row above the strip.
std::byte* PngStripWriter::copied_row(int strip, int y) {
  auto& rows = copies_[static_cast<std::size_t>(strip) % copies_.size()];
  if (rows == nullptr) {
    rows.reset(new std::byte[(static_cast<std::size_t>(plan_.rows_per_strip) + 1) * plan_.row_bytes]);
  }
  return rows.get() + static_cast<std::size_t>(y + 1) * plan_.row_bytes;
}

/// Starts packing the next strip.
void PngStripWriter::begin(const StripRows& rows) {
  const int strip = packing_.begun();
  finish_until(strip - static_cast<int>(slots_.size()) + 1);
  slot_of(strip).rows = rows;
  packing_.begin();
}

/// Passes the strips before this one to the file.
void PngStripWriter::finish_until(int strip) {
  for (; finished_ < strip; ++finished_) {
    packing_.wait_for(finished_);
    file_.append_strip(slot_of(finished_).strip, finished_ + 1 == plan_.strips);
  }
}

[[noreturn]] void reject_without_memory(const std::string& name, int width, int height) {
  throw Error(ErrorKind::out_of_memory,
              fmt::format("{}: cannot write: not enough memory to encode {}x{} pixels; use a smaller image or fewer "
                          "threads",
                          printable_name(name), width, height));
}

class PngWriter final : public RowWriter {
 public:
  PngWriter(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options,
            const ByteSink& sink)
      : name_(name),
        width_(width),
        height_(height),
        format_(format),
        one_bit_(options.one_bit && can_pack_bits(format)),
        file_(sink),
        strips_(one_bit_ ? packed_row_bytes(width) : width, height, format, options.threads, options.png_level, file_) {
    file_.begin(width, height, format, name, options);
  }

  void write(ConstView rows) override {
    if (rows.width != width_ || rows.format != format_ || rows.height > strips_.rows_left()) {
      throw std::logic_error("PNG: rows of another image");
    }
    try {
      if (one_bit_) {
        strips_.write(packed_bits(rows).view());
      } else {
        strips_.write(rows);
      }
    } catch (const std::bad_alloc&) {
      reject_without_memory(name_, width_, height_);
    }
  }

  void finish() override {
    if (strips_.rows_left() > 0) {
      throw std::logic_error("PNG: rows are missing");
    }
    file_.finish();
  }

 private:
  const std::string& name_;
  int width_;
  int height_;
  PixelFormat format_;
  bool one_bit_;
  PngOutput file_;
  PngStripWriter strips_;
};

void check_level(int level) {
  if (level < 0 || level > 3) {
    throw Error(ErrorKind::usage, fmt::format("PNG level {}: out of range; use 0 to 3", level));
  }
}

std::size_t row_bytes_of(int width, PixelFormat format) {
  return static_cast<std::size_t>(width) * format.bytes_per_pixel();
}

}  // namespace

std::unique_ptr<RowWriter> open_png_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink) {
  check_level(options.png_level);
  if (row_bytes_of(width, format) >= deflate::kMaxStripBytes) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: cannot write: rows of {} pixels are too long for PNG; write .npy, or a narrower image",
                            printable_name(name), width));
  }
  try {
    return std::make_unique<PngWriter>(width, height, format, name, options, sink);
  } catch (const std::bad_alloc&) {
    reject_without_memory(name, width, height);
  }
}

void encode_png(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  const auto writer = open_png_writer(pixels.width, pixels.height, pixels.format, name, options, sink);
  writer->write(pixels);
  writer->finish();
}

std::optional<Encoding> png_data_format(int width, int /*height*/, PixelFormat format, const WriteOptions& options) {
  const PngDataFormat data{options.png_level, options.one_bit && can_pack_bits(format)};
  const bool is_short = row_bytes_of(width, format) < deflate::kMaxStripBytes;
  return is_short && gpuimg::png::can_encode(format, data) ? std::optional<Encoding>(data) : std::nullopt;
}

void write_encoded_png(const Encoded& chunks, int width, int height, PixelFormat format, const std::string& name,
                       const WriteOptions& options, const ByteSink& sink) {
  try {
    PngOutput file(sink);
    file.begin(width, height, format, name, options);
    file.append(chunks.span());
    file.finish();
  } catch (const std::bad_alloc&) {
    reject_without_memory(name, width, height);
  }
}

}  // namespace gpuimg::codecs::png
