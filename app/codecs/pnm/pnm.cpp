// Reads and writes PNM. Parses the headers of the seven types P1 to P7, then rows of text, bits or samples.
// Specification: Netpbm's manual pages pbm(5), pgm(5), ppm(5) and pam(5).
#include "codecs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/rejections.hpp"
#include "codecs/rows.hpp"
#include "codecs/stored_samples.hpp"
#include "gpuimg/image.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::pnm {
namespace {

/// Reads decimal numbers that are separated by white space and comments.
class PnmText {
 public:
  PnmText(ByteSpan bytes, std::size_t offset, const std::string& name) : bytes_(bytes), offset_(offset), name_(name) {}

  /// The next number of a header. Rejects the file as truncated if no byte follows the number.
  std::uint64_t number() {
    skip_space();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; is_digit(peek()); ++offset_, ++digits) {
      value = value * 10 + (peek() - '0');
      if (value > 0xFFFFFFFFU) {
        reject_damaged(name_, "a number in its header is too large");
      }
    }
    if (digits == 0) {
      reject_damaged(name_, "its header lacks a number");
    }
    return value;
  }

  /// The next value of a P2 or P3. The last value of a file must be followed by white space if another digit would also
  /// be valid: otherwise the file could be cut off.
  std::uint32_t value(std::uint32_t max) {
    skip_space();
    std::uint32_t value = 0;
    std::size_t digits = 0;
    for (; has_more() && is_digit(peek()); ++offset_, ++digits) {
      value = value * 10 + (peek() - '0');
      if (value > max) {
        reject_damaged(name_, "a value exceeds the declared maximum");
      }
    }
    if (digits == 0) {
      reject_damaged(name_, "its pixels are not all numbers");
    }
    if (!has_more() && value * 10 <= max) {
      reject_truncated(name_);
    }
    return value;
  }

  /// The next pixel of a P1, where white space is optional. Returns true for 1, which is black.
  bool take_bit() {
    skip_space();
    const std::uint32_t digit = peek();
    if (digit != '0' && digit != '1') {
      reject_damaged(name_, "its pixels are not all 0 or 1");
    }
    ++offset_;
    return digit == '1';
  }

  /// The offset after the single white space character that ends a header. If a comment starts in place of this
  /// character, the end of its line ends the header.
  std::size_t end_of_header() {
    skip_comment();
    if (!is_space(peek())) {
      reject_damaged(name_, "its header does not end in white space");
    }
    return offset_ + 1;
  }

 private:
  static bool is_space(std::uint32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool is_digit(std::uint32_t c) { return c >= '0' && c <= '9'; }

  [[nodiscard]] bool has_more() const { return offset_ < bytes_.size(); }

  [[nodiscard]] std::uint32_t peek() const {
    if (!has_more()) {
      reject_truncated(name_);
    }
    return u8_at(bytes_, offset_);
  }

  void skip_space() {
    for (; is_space(peek()) || peek() == '#'; ++offset_) {
      skip_comment();
    }
  }

  /// Skips to the end of the line.
  void skip_comment() {
    if (peek() == '#') {
      while (peek() != '\n' && peek() != '\r') {
        ++offset_;
      }
    }
  }

  ByteSpan bytes_;
  std::size_t offset_;
  const std::string& name_;
};

struct PnmHeader {
  int kind = 0;  ///< the digit after the P; 7 is PAM
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  int channels = 1;        ///< 2 and 4 include alpha
  std::uint32_t max = 1;   ///< the value of white, 1 to 65535
  std::size_t pixels = 0;  ///< offset of the pixels

  [[nodiscard]] bool is_text() const { return kind <= 3; }
  [[nodiscard]] bool is_bitmap() const { return kind == 1 || kind == 4; }
  [[nodiscard]] Sample sample() const { return max > 255 ? Sample::u16 : Sample::u8; }
  [[nodiscard]] PixelFormat format() const { return {sample(), channels}; }
  [[nodiscard]] std::uint32_t scaled_from() const { return max == 1 || max == format().max_value() ? 0 : max; }
};

constexpr std::string_view kSpaces = " \t\v\f\r";

std::uint32_t checked_max(std::uint64_t max, const std::string& name) {
  if (max == 0 || max > 65535) {
    reject_damaged(name, fmt::format("its maximum value is {}, but must be 1 to 65535", max));
  }
  return static_cast<std::uint32_t>(max);
}

/// Reads the header of P1 to P6: width, height and, except for bitmaps, the maximum value.
PnmHeader read_numbers(ByteSpan bytes, int kind, const std::string& name) {
  PnmText text(bytes, 2, name);
  PnmHeader header;
  header.kind = kind;
  header.channels = kind == 3 || kind == 6 ? 3 : 1;
  header.width = text.number();
  header.height = text.number();
  if (!header.is_bitmap()) {
    header.max = checked_max(text.number(), name);
  }
  header.pixels = text.end_of_header();
  return header;
}

/// The lines of a PAM header.
class PamLines {
 public:
  PamLines(ByteSpan bytes, const std::string& name)
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), name_(name) {}

  [[nodiscard]] std::size_t offset() const { return offset_; }

  /// The next line, without white space at its ends.
  std::string_view next() {
    const std::size_t end = text_.find('\n', offset_);
    if (end == std::string_view::npos) {
      reject_truncated(name_);
    }
    const std::string_view line = text_.substr(offset_, end - offset_);
    offset_ = end + 1;
    const std::size_t first = std::min(line.find_first_not_of(kSpaces), line.size());
    return line.substr(first, line.find_last_not_of(kSpaces) + 1 - first);
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 3;
  const std::string& name_;
};

std::uint64_t number_in(std::string_view text, std::string_view key, const std::string& name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    reject_damaged(name, fmt::format("the {} in its header is not a whole number, or is too large", key));
  }
  return number;
}

/// A file without a type has the type that matches its number of channels.
void check_type(std::string_view type, std::uint64_t depth, const std::string& name) {
  struct Type {
    std::string_view name;
    std::uint64_t depth;
  };
  constexpr std::array<Type, 6> kTypes = {{{"BLACKANDWHITE", 1},
                                           {"GRAYSCALE", 1},
                                           {"RGB", 3},
                                           {"BLACKANDWHITE_ALPHA", 2},
                                           {"GRAYSCALE_ALPHA", 2},
                                           {"RGB_ALPHA", 4}}};
  const bool is_known = std::any_of(kTypes.begin(), kTypes.end(), [&](const Type& known) {
    return known.depth == depth && (type.empty() || known.name == type);
  });
  if (!is_known) {
    constexpr std::size_t kMaxShown = 40;
    const std::string shown = type.empty() ? "without a type" : printable_name(std::string(type.substr(0, kMaxShown)));
    reject_unsupported(name, fmt::format("PAM with {} channels {}{}", depth, type.empty() ? "" : "of type ", shown));
  }
}

PnmHeader read_pam(ByteSpan bytes, const std::string& name) {
  PamLines lines(bytes, name);
  PnmHeader header;
  header.kind = 7;
  std::uint64_t depth = 0;
  std::uint64_t max = 0;
  std::string type;
  for (std::string_view line = lines.next(); line != "ENDHDR"; line = lines.next()) {
    const std::string_view key = line.substr(0, line.find_first_of(kSpaces));
    const std::string_view rest = line.substr(std::min(line.find_first_not_of(kSpaces, key.size()), line.size()));
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (key == "TUPLTYPE") {
      type += type.empty() ? "" : " ";
      type += rest;
      continue;
    }
    const std::uint64_t number = number_in(rest, printable_name(std::string(key.substr(0, 16))), name);
    if (key == "WIDTH") {
      header.width = number;
    } else if (key == "HEIGHT") {
      header.height = number;
    } else if (key == "DEPTH") {
      depth = number;
    } else if (key == "MAXVAL") {
      max = number;
    } else {
      reject_damaged(name, fmt::format("its header has an unknown line {}", printable_name(std::string(key))));
    }
  }
  check_type(type, depth, name);
  header.channels = static_cast<int>(depth);
  header.max = checked_max(max, name);
  header.pixels = lines.offset();
  return header;
}

/// `bytes` starts with the signature, and may be cut off after the header. Throws like decode_image. Does not check the
/// size.
PnmHeader read_pnm_header(ByteSpan bytes, const std::string& name) {
  const auto kind = static_cast<int>(u8_at(bytes, 1) - '0');
  return kind == 7 ? read_pam(bytes, name) : read_numbers(bytes, kind, name);
}

std::size_t row_values(const PnmHeader& header) {
  return static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.channels);
}

/// Number of bytes in a row; for text, the minimum.
std::size_t row_bytes(const PnmHeader& header) {
  if (header.kind == 4) {
    return (static_cast<std::size_t>(header.width) + 7) / 8;
  }
  return row_values(header) * (header.is_text() ? 1 : sample_bytes(header.sample()));
}

/// Scales values to the full range, rounded to nearest.
template <class T>
void scale_to_full_range(T* values, std::size_t count, std::uint32_t max, const std::string& name) {
  constexpr std::uint32_t kFull = std::numeric_limits<T>::max();
  if (max == kFull) {
    return;
  }
  if (*std::max_element(values, values + count) > max) {
    reject_damaged(name, "a value exceeds the declared maximum");
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>((values[i] * kFull + max / 2) / max);
  }
}

void unpack_bits(const std::byte* bits, std::size_t count, std::uint8_t* to) {
  for (std::size_t x = 0; x < count; ++x) {
    const bool is_black = (std::to_integer<unsigned>(bits[x / 8]) >> (7 - x % 8) & 1U) != 0;
    to[x] = is_black ? 0 : 255;
  }
}

template <class T>
void read_text(ByteSpan bytes, const PnmHeader& header, const std::string& name, View to) {
  PnmText text(bytes, header.pixels, name);
  for (int y = 0; y < to.height; ++y) {
    T* row = to.row<T>(y);
    for (std::size_t i = 0; i < row_values(header); ++i) {
      row[i] = static_cast<T>(header.is_bitmap() ? (text.take_bit() ? 0 : 1) : text.value(header.max));
    }
    scale_to_full_range(row, row_values(header), header.max, name);
  }
}

template <class T>
void read_binary(ByteSpan pixels, const PnmHeader& header, const std::string& name, View to) {
  const std::size_t bytes = row_bytes(header);
  for (int y = 0; y < to.height; ++y) {
    const std::byte* from = pixels.data() + static_cast<std::size_t>(y) * bytes;
    T* row = to.row<T>(y);
    if (header.is_bitmap()) {
      unpack_bits(from, row_values(header), to.row<std::uint8_t>(y));
      continue;
    }
    if constexpr (sizeof(T) == 2) {
      swap_sample_bytes(reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(row), bytes);
    } else {
      std::memcpy(row, from, bytes);
    }
    scale_to_full_range(row, row_values(header), header.max, name);
  }
}

template <class T>
void read_pixels(ByteSpan bytes, const PnmHeader& header, const std::string& name, View to) {
  header.is_text() ? read_text<T>(bytes, header, name, to)
                   : read_binary<T>(bytes.subspan(header.pixels), header, name, to);
}

std::string header_of(int width, int height, PixelFormat format, bool one_bit) {
  const bool is_color = format.color_channels() == 3;
  if (one_bit) {
    return fmt::format("P4\n{} {}\n", width, height);
  }
  if (!format.has_alpha()) {
    return fmt::format("P{}\n{} {}\n{}\n", is_color ? 6 : 5, width, height, format.max_value());
  }
  return fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}\nENDHDR\n", width, height,
                     format.channels, format.max_value(), is_color ? "RGB_ALPHA" : "GRAYSCALE_ALPHA");
}

class PnmWriter final : public RowWriter {
 public:
  PnmWriter(int width, int height, PixelFormat format, const WriteOptions& options, const ByteSink& sink)
      : sink_(sink),
        width_(width),
        format_(format),
        rows_left_(height),
        one_bit_(options.one_bit && can_pack_bits(format)) {
    sink(letters(header_of(width, height, format, one_bit_)));
  }

  void write(ConstView rows) override {
    if (rows.width != width_ || rows.format != format_ || rows.height > rows_left_) {
      throw std::logic_error("PNM: rows of another image");
    }
    rows_left_ -= rows.height;
    if (one_bit_) {
      constexpr unsigned kWhite = 0;
      const Image bits = packed_bits(rows, kWhite);
      sink_({bits.view().data, bits.size_bytes()});
    } else {
      write_blocks(rows);
    }
  }

  void finish() override {
    if (rows_left_ > 0) {
      throw std::logic_error("PNM: rows are missing");
    }
  }

 private:
  void write_blocks(ConstView rows);

  const ByteSink& sink_;
  int width_;
  PixelFormat format_;
  int rows_left_;
  bool one_bit_;
  std::vector<std::byte> block_;
};

void PnmWriter::write_blocks(ConstView rows) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::size_t row_bytes = rows.tight_pitch_bytes();
  const std::size_t rows_a_block = std::max<std::size_t>(1, kBlock / row_bytes);
  const auto height = static_cast<std::size_t>(rows.height);
  for (std::size_t y = 0; y < height; y += rows_a_block) {
    const std::size_t count = std::min(rows_a_block, height - y);
    block_.resize(count * row_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::byte* from = rows.row_bytes(static_cast<int>(y + i));
      std::byte* to = block_.data() + i * row_bytes;
      if (format_.sample == Sample::u16) {
        swap_sample_bytes(reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(to), row_bytes);
      } else {
        std::memcpy(to, from, row_bytes);
      }
    }
    sink_(block_);
  }
}

}  // namespace

DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const PnmHeader header = read_pnm_header(bytes, name);
  check_size(name, header.width, header.height, options.max_pixels);
  if ((bytes.size() - header.pixels) / row_bytes(header) < header.height) {
    reject_truncated(name);
  }
  DecodedImage decoded;
  decoded.scaled_from = header.scaled_from();
  decoded.image = options.image(static_cast<int>(header.width), static_cast<int>(header.height), header.format());
  if (header.sample() == Sample::u16) {
    read_pixels<std::uint16_t>(bytes, header, name, decoded.image.view());
  } else {
    read_pixels<std::uint8_t>(bytes, header, name, decoded.image.view());
  }
  return decoded;
}

std::optional<DecodedImage> open_pnm_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options) {
  const PnmHeader header = read_pnm_header(beginning_of(file), name);
  check_size(name, header.width, header.height, options.max_pixels);
  if (header.is_text() || (file.size - header.pixels) / row_bytes(header) < header.height) {
    return std::nullopt;
  }
  DecodedImage opened;
  opened.scaled_from = header.scaled_from();
  opened.rows = std::make_shared<StoredRowReader>(
      static_cast<int>(header.width), static_cast<int>(header.height), header.format(), file,
      StoredRows{header.pixels, row_bytes(header)}, [header, name](ByteSpan stored, View to) {
        header.sample() == Sample::u16 ? read_binary<std::uint16_t>(stored, header, name, to)
                                       : read_binary<std::uint8_t>(stored, header, name, to);
      });
  return opened;
}

DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name) {
  const PnmHeader header = read_pnm_header(beginning, name);
  DeclaredImage declared;
  declared.width = header.width;
  declared.height = header.height;
  declared.color = header.format().color_channels() == 3 ? "RGB" : "gray";
  declared.bits = header.is_bitmap() ? 1 : 8 * static_cast<int>(sample_bytes(header.sample()));
  declared.decoded = header.format();
  declared.scaled_from = header.scaled_from();
  declared.bytes_per_pixel = declared.decoded.bytes_per_pixel();
  declared.facts = {{"max_value", std::uint64_t{header.max}}};
  return declared;
}

std::unique_ptr<RowWriter> open_pnm_writer(int width, int height, PixelFormat format, const std::string& /*name*/,
                                           const WriteOptions& options, const ByteSink& sink) {
  return std::make_unique<PnmWriter>(width, height, format, options, sink);
}

void encode_pnm(ConstView pixels, const std::string& /*name*/, const WriteOptions& options, const ByteSink& sink) {
  PnmWriter writer(pixels.width, pixels.height, pixels.format, options, sink);
  writer.write(pixels);
  writer.finish();
}

}  // namespace gpuimg::codecs::pnm
