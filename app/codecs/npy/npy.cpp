// An .npy file starts with a header: magic, version, length and a Python dictionary as text. The header is padded with
// spaces, so that the data starts at a multiple of 64. The data follows as it is in memory.
#include "codecs/npy/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "codecs/rejections.hpp"
#include "codecs/stored_samples.hpp"
#include "gpuimg/error.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::npy {
namespace {

struct NpyLayout {
  int width = 0;
  int height = 0;
  PixelFormat format;
  bool is_big_endian = false;
  std::string type;             ///< as the header spells it: "<f8"
  std::string shape;            ///< "(4,5,3)"
  std::size_t data_offset = 0;  ///< offset of the data in the file
};

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderStart = 10;  // magic, version, and the header length in two bytes
constexpr std::size_t kAlignment = 64;
constexpr std::string_view kAdvice = "save it with numpy.save";

/// A name of a sample type in headers. The writer uses the first name of a type. Byte order has no meaning for single
/// bytes.
struct SampleName {
  Sample sample;
  std::string_view text;
  bool is_big_endian = false;
};
constexpr std::array<SampleName, 9> kSampleNames = {{{Sample::u8, "|u1"},
                                                     {Sample::u8, "<u1"},
                                                     {Sample::u8, ">u1"},
                                                     {Sample::u16, "<u2"},
                                                     {Sample::u16, ">u2", true},
                                                     {Sample::u32, "<u4"},
                                                     {Sample::u64, "<u8"},
                                                     {Sample::f32, "<f4"},
                                                     {Sample::f64, "<f8"}}};

std::string message(const std::string& name, const std::string& why) {
  return fmt::format("{}: {}; {}", printable_name(name), why, kAdvice);
}

[[noreturn]] void fail_npy(ErrorKind kind, const std::string& name, const std::string& why) {
  throw Error(kind, message(name, why));
}

/// Throws Error{unsupported}: `what` names a kind of array, and `advice` is the expression that converts it, or empty.
[[noreturn]] void reject_npy(const std::string& name, const std::string& what, std::string_view advice) {
  std::string message = fmt::format("{}: {} is not supported; ", printable_name(name), what);
  if (advice.empty()) {
    message += "gpuimg reads arrays of uint8 and uint16 of shape (h,w), or (h,w,c) with c from 1 to 4";
  } else {
    message +=
        fmt::format("convert it, for example with: python3 -c \"import numpy; numpy.save('out.npy', {})\"", advice);
  }
  throw Error(ErrorKind::unsupported, message);
}

/// A NumPy expression that converts an array of this type in 'in.npy' to an image: fractions become 16-bit samples,
/// booleans become black and white.
std::string_view type_advice(std::string_view type) {
  return type.find('f') != std::string_view::npos   ? "(numpy.load('in.npy') * 65535).astype('uint16')"
         : type.find('b') != std::string_view::npos ? "numpy.load('in.npy').astype('uint8') * 255"
                                                    : "numpy.load('in.npy').astype('uint16')";
}

std::string text_of(const std::vector<std::uint64_t>& shape) {
  constexpr std::size_t kShown = 8;
  const auto end = shape.begin() + static_cast<std::ptrdiff_t>(std::min(shape.size(), kShown));
  return fmt::format("({}{})", fmt::join(shape.begin(), end, ","), shape.size() > kShown ? ",..." : "");
}

struct NpyHeader {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Parses the Python dictionaries that NumPy writes: three keys in any order, strings without escapes, booleans, and a
/// tuple of integers. All functions return false or nullopt for any other text.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  /// Returns all three entries, or nullopt.
  std::optional<NpyHeader> parse() {
    NpyHeader found;
    if (!accept('{')) {
      return std::nullopt;
    }
    while (!accept('}')) {
      if (!entry(found) || (!accept(',') && !at('}'))) {
        return std::nullopt;
      }
    }
    skip_spaces();
    if (!rest_.empty() || !found.descr || !found.fortran_order || !found.shape) {
      return std::nullopt;
    }
    return found;
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool at(char c) {
    skip_spaces();
    return rest_.starts_with(c);
  }

  bool accept(char c) {
    const bool found = at(c);
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    const bool found = rest_.starts_with(word);
    rest_.remove_prefix(found ? word.size() : 0);
    return found;
  }

  std::optional<std::string_view> quoted() {
    skip_spaces();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
      return std::nullopt;
    }
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  std::optional<bool> boolean() {
    if (accept_word("True")) {
      return true;
    }
    return accept_word("False") ? std::optional(false) : std::nullopt;
  }

  std::optional<std::vector<std::uint64_t>> tuple() {
    std::vector<std::uint64_t> numbers;
    if (!accept('(')) {
      return std::nullopt;
    }
    while (!accept(')')) {
      skip_spaces();
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) {
        return std::nullopt;
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      numbers.push_back(number);
      if (!accept(',') && !at(')')) {
        return std::nullopt;
      }
    }
    return numbers;
  }

  bool entry(NpyHeader& found) {
    const auto key = quoted();
    if (!key || !accept(':')) {
      return false;
    }
    if (*key == "descr" && !found.descr) {
      return (found.descr = quoted()).has_value();
    }
    if (*key == "fortran_order" && !found.fortran_order) {
      return (found.fortran_order = boolean()).has_value();
    }
    if (*key == "shape" && !found.shape) {
      return (found.shape = tuple()).has_value();
    }
    return false;
  }

  std::string_view rest_;
};

/// The NumPy expression that converts an array of this shape to an image; empty if there is none.
std::string_view shape_advice(const std::vector<std::uint64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end() || shape.size() == 2) {
    return "";
  }
  switch (shape.size()) {
    case 0:
    case 1: return "numpy.atleast_2d(numpy.load('in.npy'))";
    case 3:
      return shape[0] <= 4         ? "numpy.moveaxis(numpy.load('in.npy'), 0, -1)"
             : shape[2] < shape[0] ? "numpy.load('in.npy')[..., :3]"
                                   : "numpy.load('in.npy')[0]";
    default: return "numpy.load('in.npy')[0]";
  }
}

NpyLayout layout_of(const NpyHeader& header, std::size_t data_offset, const std::string& name) {
  const auto* type = std::find_if(kSampleNames.begin(), kSampleNames.end(),
                                  [&](const SampleName& known) { return known.text == header.descr; });
  if (type == kSampleNames.end()) {
    reject_npy(name, fmt::format("npy of type '{}'", printable_name(header.descr->substr(0, 16))),
               type_advice(*header.descr));
  }
  if (*header.fortran_order) {
    reject_npy(name, "npy in Fortran order", "numpy.ascontiguousarray(numpy.load('in.npy'))");
  }
  const std::vector<std::uint64_t>& shape = *header.shape;
  constexpr std::uint64_t kMaxSide = std::numeric_limits<int>::max();
  const bool fits = (shape.size() == 2 || (shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4)) && shape[0] >= 1 &&
                    shape[0] <= kMaxSide && shape[1] >= 1 && shape[1] <= kMaxSide;
  if (!fits) {
    reject_npy(name, fmt::format("npy of shape {}", text_of(shape)), shape_advice(shape));
  }
  const int channels = shape.size() == 2 ? 1 : static_cast<int>(shape[2]);
  return {static_cast<int>(shape[1]),
          static_cast<int>(shape[0]),
          {type->sample, channels},
          type->is_big_endian,
          std::string(*header.descr),
          text_of(shape),
          data_offset};
}

/// Everything before the data, including the magic.
std::string npy_header_for(int width, int height, PixelFormat format) {
  const auto* entry = std::find_if(kSampleNames.begin(), kSampleNames.end(),
                                   [&](const SampleName& known) { return known.sample == format.sample; });
  const std::string depth = format.channels == 1 ? "" : fmt::format(", {}", format.channels);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}{}), }}", entry->text,
                                   height, width, depth);
  const std::size_t used = kHeaderStart + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  const std::array<char, 4> start = {1, 0, static_cast<char>(header.size() & 0xFFU),
                                     static_cast<char>(header.size() >> 8)};
  return std::string(kMagic) + std::string(start.data(), start.size()) + header;
}

/// Throws TruncatedFile if the header is cut off, Error{decode} if it is damaged, and Error{unsupported} for another
/// version, order or type, or for a shape other than (h,w) and (h,w,c) with c from 1 to 4.
NpyLayout read_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  if (!is_npy(bytes) || bytes.size() < kHeaderStart) {
    fail_npy(ErrorKind::decode, name, "is not a complete npy file");
  }
  const auto byte_at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  if (byte_at(6) != 1 || byte_at(7) != 0) {
    fail_npy(ErrorKind::unsupported, name,
             fmt::format("npy version {}.{} is not supported; gpuimg reads 1.0", byte_at(6), byte_at(7)));
  }
  const std::size_t header_size = byte_at(8) | byte_at(9) << 8;
  if (bytes.size() - kHeaderStart < header_size) {
    throw TruncatedFile(message(name, "file is truncated: it ends inside its header"));
  }
  const auto* text = reinterpret_cast<const char*>(bytes.data() + kHeaderStart);
  const auto header = HeaderParser({text, header_size}).parse();
  if (!header) {
    fail_npy(ErrorKind::decode, name, "file is damaged: its header is not a valid NumPy header");
  }
  return layout_of(*header, kHeaderStart + header_size, name);
}

static_assert(std::endian::native == std::endian::little, "only big-endian .npy data is swapped");

bool is_image(const NpyLayout& layout) {
  return layout.format.sample == Sample::u8 || layout.format.sample == Sample::u16;
}

std::string_view color_of(const NpyLayout& layout) {
  return !is_image(layout) ? "table" : layout.format.color_channels() == 3 ? "RGB" : "gray";
}

/// Returns the bytes after the header. Rejects the file if there are too few or too many.
std::span<const std::byte> data_of(std::span<const std::byte> after_header, const NpyLayout& layout,
                                   const std::string& name) {
  const std::uint64_t pixels = static_cast<std::uint64_t>(layout.width) * static_cast<std::uint64_t>(layout.height);
  const std::uint64_t pixel_bytes = layout.format.bytes_per_pixel();
  const bool whole = after_header.size() % pixel_bytes == 0 && after_header.size() / pixel_bytes == pixels;
  if (!whole) {
    const bool is_short = after_header.size() / pixel_bytes < pixels;
    fail_npy(ErrorKind::decode, name,
             fmt::format("file is damaged: it has {} after the header than {}x{} pixels of {} bytes need",
                         is_short ? "fewer bytes" : "more bytes", layout.width, layout.height, pixel_bytes));
  }
  return after_header;
}

/// Copies the rows; the rows of `to` may have padding.
void copy_rows(std::span<const std::byte> data, const NpyLayout& layout, View to) {
  const std::size_t row_bytes = to.tight_pitch_bytes();
  for (int y = 0; y < to.height; ++y) {
    const std::byte* from = data.data() + static_cast<std::size_t>(y) * row_bytes;
    if (layout.is_big_endian) {
      swap_sample_bytes(reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<std::uint8_t*>(to.row_bytes(y)),
                        row_bytes);
    } else {
      std::memcpy(to.row_bytes(y), from, row_bytes);
    }
  }
}

class NpyWriter final : public RowWriter {
 public:
  NpyWriter(int width, int height, PixelFormat format, const ByteSink& sink) : sink_(sink) {
    const std::string header = npy_header_for(width, height, format);
    sink_(std::as_bytes(std::span(header)));
  }
  void write(ConstView rows) override {
    const std::size_t row_bytes = rows.tight_pitch_bytes();
    if (rows.pitch_bytes == row_bytes) {
      return sink_({rows.data, row_bytes * static_cast<std::size_t>(rows.height)});
    }
    for (int y = 0; y < rows.height; ++y) {
      sink_({rows.row_bytes(y), row_bytes});
    }
  }
  void finish() override {}

 private:
  const ByteSink& sink_;
};

}  // namespace

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::unique_ptr<RowWriter> open_npy_writer(int width, int height, PixelFormat format, const ByteSink& sink) {
  return std::make_unique<NpyWriter>(width, height, format, sink);
}

DeclaredImage declared_npy(std::span<const std::byte> beginning, const std::string& name) {
  const NpyLayout file = read_npy_header(beginning, name);
  DeclaredImage declared;
  declared.width = static_cast<std::uint64_t>(file.width);
  declared.height = static_cast<std::uint64_t>(file.height);
  declared.bytes_per_pixel = file.format.bytes_per_pixel();
  declared.color = color_of(file);
  declared.bits = static_cast<int>(8 * sample_bytes(file.format.sample));
  declared.decoded = file.format;
  declared.facts = {{"dtype", file.type}, {"shape", file.shape}};
  return declared;
}

Image decode_npy(std::span<const std::byte> bytes, const std::string& name) {
  const NpyLayout layout = read_npy_header(bytes, name);
  const auto data = data_of(bytes.subspan(layout.data_offset), layout, name);
  Image image(layout.width, layout.height, layout.format);
  copy_rows(data, layout, image.view());
  return image;
}

DecodedImage read_npy(ByteSpan bytes, const std::string& name, const ReadOptions& options) {
  const NpyLayout layout = read_npy_header(bytes, name);
  if (!is_image(layout)) {
    reject_npy(name, "npy of type '" + layout.type + "' (a table, not an image)", type_advice(layout.type));
  }
  check_size(name, static_cast<std::uint64_t>(layout.width), static_cast<std::uint64_t>(layout.height),
             options.max_pixels);
  const auto data = data_of(bytes.subspan(layout.data_offset), layout, name);
  DecodedImage decoded;
  decoded.image = options.image(layout.width, layout.height, layout.format);
  copy_rows(data, layout, decoded.image.view());
  return decoded;
}

}  // namespace gpuimg::codecs::npy
