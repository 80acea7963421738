// Compares the fast path with libpng, and repairs checksums with zlib.
#include "support/png_paths.hpp"

#include <zlib.h>

#include <optional>

#include "codecs/byte_fields.hpp"
#include "codecs/png/png.hpp"
#include "codecs/png/png_fast_reader.hpp"
#include "codecs/png/simple_png.hpp"
#include "support/row_paths.hpp"

namespace gpuimg::test {

using namespace codecs;
using namespace codecs::png;

namespace {

constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 22;

struct Verdict {
  std::string rejection;  ///< empty if the file was read
  Image image;
};

Verdict read(std::span<const std::byte> file, PngPath path, int threads) {
  Verdict verdict;
  try {
    const ReadOptions options{.max_pixels = kMaxPixels, .threads = threads};
    verdict.image = read_png_pixels(file, "file", options, path);
  } catch (const Error& error) {
    verdict.rejection = error.what();
  }
  return verdict;
}

std::string difference(const Verdict& expected, const Verdict& got) {
  if (expected.rejection != got.rejection) {
    return "libpng: '" + expected.rejection + "', fast: '" + got.rejection + "'";
  }
  if (!expected.rejection.empty()) {
    return "";
  }
  const ConstView a = expected.image.view();
  const ConstView b = got.image.view();
  if (a.width != b.width || a.height != b.height || a.format != b.format) {
    return "size or format differs";
  }
  return std::memcmp(a.data, b.data, expected.image.size_bytes()) == 0 ? "" : "pixels differ";
}

/// The fast path's result; nullopt if it leaves the file to libpng.
template <class... Parts>
std::optional<Verdict> read_fast(const SimplePng& png, const Parts&... parts) {
  Verdict verdict;
  try {
    std::optional<Image> image = read_simple_png(png, "file", {.max_pixels = kMaxPixels, .threads = 1}, parts...);
    if (!image) {
      return std::nullopt;
    }
    verdict.image = std::move(*image);
  } catch (const Error& error) {
    verdict.rejection = error.what();
  }
  return verdict;
}

/// Returns the difference between reading in blocks and reading in parts on two threads.
std::string difference_of_parts(std::span<const std::byte> file) {
  std::optional<SimplePng> simple;
  try {
    simple = parse_simple_png(file, "file");
  } catch (const Error&) {
    return "";
  }
  if (!simple || static_cast<std::uint64_t>(simple->width) * static_cast<std::uint64_t>(simple->height) > kMaxPixels) {
    return "";
  }
  const std::optional<Verdict> expected = read_fast(*simple);
  for (const std::size_t part_bytes : {300, 5000}) {
    const std::optional<Verdict> got = read_fast(*simple, PngParts{part_bytes, std::size_t{1} << 20, 2});
    if (expected.has_value() != got.has_value()) {
      return expected ? "rejected in parts" : "taken in parts alone";
    }
    if (std::string text = expected ? difference(*expected, *got) : ""; !text.empty()) {
      return text + ", in parts";
    }
  }
  return "";
}

/// The Adler-32 of a zlib stream's output, and the stream's size without its checksum; nullopt if the stream is
/// damaged.
struct ZlibContent {
  uLong adler = 1;
  std::size_t bytes = 0;
};

std::optional<ZlibContent> content_of(FileBytes& data) {
  constexpr std::size_t kHeader = 2;
  constexpr uLong kMaxBytes = uLong{1} << 26;
  if (data.size() < kHeader) {
    return std::nullopt;
  }
  z_stream stream{};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(data.data()) + kHeader;
  stream.avail_in = static_cast<uInt>(data.size() - kHeader);
  std::vector<Bytef> out(std::size_t{1} << 16);
  ZlibContent content;
  int code = Z_OK;
  while (code == Z_OK && stream.total_out < kMaxBytes) {
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    code = inflate(&stream, Z_NO_FLUSH);
    content.adler = adler32(content.adler, out.data(), static_cast<uInt>(out.size()) - stream.avail_out);
  }
  content.bytes = kHeader + stream.total_in;
  inflateEnd(&stream);
  return code == Z_STREAM_END ? std::optional(content) : std::nullopt;
}

void put_be(std::span<std::byte> to, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) {
    to[i] = static_cast<std::byte>(value >> (24 - 8 * i));
  }
}

}  // namespace

std::string difference_of_png_paths(std::span<const std::byte> file) {
  const FileBytes exact(file.begin(), file.end());  // a sanitizer detects every read past the end
  const Verdict expected = read(exact, PngPath::libpng_only, 1);
  for (const int threads : {1, 2}) {
    if (std::string text = difference(expected, read(exact, PngPath::fast_if_possible, threads)); !text.empty()) {
      return text;
    }
  }
  const RowPaths rows = compare_row_paths(exact, "file", {.max_pixels = kMaxPixels, .threads = 1}, {3});
  return !rows.difference.empty() ? rows.difference : difference_of_parts(exact);
}

FileBytes with_checksums_repaired(std::span<const std::byte> file) {
  constexpr std::size_t kOverhead = 12;
  FileBytes repaired(file.begin(), file.end());
  std::vector<std::size_t> data_at;  // the offset of each byte of image data
  std::vector<std::size_t> chunks;
  for (std::size_t offset = 8; repaired.size() >= offset + kOverhead;) {
    const std::size_t length = u32be_at(repaired, offset);
    if (length > repaired.size() - offset - kOverhead) {
      break;
    }
    chunks.push_back(offset);
    for (std::size_t i = 0; u32be_at(repaired, offset + 4) == 0x49444154 && i < length; ++i) {
      data_at.push_back(offset + 8 + i);
    }
    offset += kOverhead + length;
  }
  FileBytes data;
  for (const std::size_t at : data_at) {
    data.push_back(repaired[at]);
  }
  if (const auto content = content_of(data); content && content->bytes + 4 <= data.size()) {
    FileBytes adler(4);
    put_be(adler, static_cast<std::uint32_t>(content->adler));
    for (std::size_t i = 0; i < 4; ++i) {
      repaired[data_at[content->bytes + i]] = adler[i];
    }
  }
  for (const std::size_t offset : chunks) {
    const std::size_t length = u32be_at(repaired, offset);
    const auto* const named = reinterpret_cast<const Bytef*>(repaired.data()) + offset + 4;
    const uLong crc = crc32(0, named, static_cast<uInt>(length + 4));
    put_be(std::span(repaired).subspan(offset + 8 + length, 4), static_cast<std::uint32_t>(crc));
  }
  return repaired;
}

}  // namespace gpuimg::test
