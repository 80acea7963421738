// Runs zlib and Inflater on the same streams.
#include "support/deflate_streams.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/deflate/zlib_stream.hpp"

namespace gpuimg::test {
using namespace codecs;
using namespace codecs::deflate;

namespace {

constexpr int kWithoutHeader = -15;

/// The window before a byte of the data. Bytes of the window that lie before the data are 0xCD.
SpeculativeInflater::Window window_before(const Octets& data, std::size_t byte) {
  SpeculativeInflater::Window window;
  window.fill(0xCD);
  const std::size_t known = std::min(byte, window.size());
  std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(byte - known), known,
              window.end() - static_cast<std::ptrdiff_t>(known));
  return window;
}

}  // namespace

Octets deflated_by_zlib(const Octets& data, const DeflateSettings& settings) {
  z_stream stream{};
  deflateInit2(&stream, settings.level, Z_DEFLATED, kWithoutHeader, settings.memory_level, settings.strategy);
  Octets in = data;
  const std::size_t block = settings.block_bytes == 0 ? std::max<std::size_t>(data.size(), 1) : settings.block_bytes;
  const std::size_t blocks = data.size() / block + 1;
  constexpr std::size_t kMaxOverhead = 20;  // for a block that ends early
  Octets out(deflateBound(&stream, static_cast<uLong>(data.size())) + kMaxOverhead * blocks);
  stream.next_in = in.data();
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  int code = Z_OK;
  while (code == Z_OK) {
    const std::size_t left = data.size() - stream.total_in;
    stream.avail_in = static_cast<uInt>(std::min(left, block));
    code = ::deflate(&stream, left <= block ? Z_FINISH : Z_BLOCK);
  }
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

FileBytes zlib_stream_of(const Octets& deflated, std::uint32_t adler) {
  FileBytes stream;
  stream.reserve(deflated.size() + 6);
  add_be(stream, 0x7801, 2);
  add_bytes(stream, std::as_bytes(std::span(deflated)));
  add_be(stream, adler, 4);
  return stream;
}

const ZlibVerdict::Block* ZlibVerdict::block_at(std::uint64_t bit) const {
  const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) { return b.first_bit == bit; });
  return found == blocks.end() ? nullptr : &*found;
}

ZlibVerdict verdict_of_zlib(const Octets& deflated, std::size_t max_bytes) {
  constexpr int kAtBlock = 128;
  constexpr int kAfterLastBlock = 64;
  constexpr int kUnusedBits = 7;
  z_stream stream{};
  inflateInit2(&stream, kWithoutHeader);
  ZlibVerdict verdict;
  verdict.data.resize(max_bytes);
  Octets in = deflated;
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = verdict.data.data();
  stream.avail_out = static_cast<uInt>(verdict.data.size());
  verdict.blocks.push_back({});  // zlib reports the end of a block, but not the start of the first one
  int code = Z_OK;
  while (code == Z_OK) {
    code = inflate(&stream, Z_BLOCK);
    const bool at_block = (stream.data_type & kAtBlock) != 0 && (stream.data_type & kAfterLastBlock) == 0;
    const std::uint64_t bit =
        8 * std::uint64_t{stream.total_in} - static_cast<unsigned>(stream.data_type & kUnusedBits);
    if (at_block && bit > verdict.blocks.back().first_bit) {
      verdict.blocks.push_back({bit, stream.total_out});
    }
  }
  using End = ZlibVerdict::End;
  verdict.end = code == Z_STREAM_END                           ? End::last_block
                : code == Z_BUF_ERROR && stream.avail_out == 0 ? End::too_long
                                                               : End::damage;
  verdict.data.resize(stream.total_out);
  verdict.taken = stream.total_in;
  inflateEnd(&stream);
  return verdict;
}

std::optional<OurInflated> inflated_by_ours(std::span<const ByteSpan> pieces, std::size_t stretch,
                                            std::size_t max_bytes) {
  Inflater inflater(in_pieces(pieces));
  Octets memory(Inflater::kWindow + stretch + Inflater::kOvershoot);
  std::uint8_t* const begin = memory.data() + Inflater::kWindow;
  OurInflated result;
  std::size_t known = 0;
  std::size_t ahead = 0;
  while (result.data.size() <= max_bytes) {
    const std::uint8_t* const reached = inflater.run(begin - known, begin + ahead, begin + stretch);
    if (reached == nullptr) {
      return std::nullopt;
    }
    const auto count = static_cast<std::size_t>(reached - begin);
    if (count > stretch + Inflater::kOvershoot) {
      return std::nullopt;
    }
    if (inflater.has_ended()) {
      result.data.insert(result.data.end(), begin, begin + count);
      result.declared_adler = inflater.declared_adler();
      return result.data.size() <= max_bytes ? std::optional(result) : std::nullopt;
    }
    if (count < stretch) {
      return std::nullopt;
    }
    result.data.insert(result.data.end(), begin, begin + stretch);
    ahead = count - stretch;
    known = std::min(Inflater::kWindow, known + stretch);
    std::memmove(begin - known, begin + stretch - known, known + ahead);
  }
  return std::nullopt;
}

std::optional<std::string> difference_of_part(SpeculativeInflater& part, std::size_t begin, std::size_t end,
                                              const ZlibVerdict& expected) {
  constexpr std::uint64_t kHeaderBits = 16;
  const auto* const first =
      part.is_sound() && part.begin() >= kHeaderBits  // otherwise the part does not start at a block of this stream
          ? expected.block_at(part.begin() - kHeaderBits)
          : nullptr;
  if (first == nullptr || first->first_byte < Inflater::kWindow) {
    return std::nullopt;
  }
  const auto* const next = expected.block_at(part.end() - kHeaderBits);
  const bool is_at_end = next == nullptr && part.holds_last_block() && expected.end == ZlibVerdict::End::last_block;
  if (next == nullptr && !is_at_end && expected.end != ZlibVerdict::End::too_long) {
    return "is sound but does not end at the end of a block";
  }
  if (part.begin() < 8 * begin || (!part.holds_last_block() && part.end() < 8 * end)) {
    return "does not cover the range";
  }
  if (next != nullptr && part.holds_last_block()) {
    return "mistakes a block for the last";
  }
  const std::size_t end_byte = next != nullptr ? next->first_byte : expected.data.size();
  const std::span<std::uint8_t> bytes = part.resolve(window_before(expected.data, first->first_byte));
  std::fill_n(bytes.data() - kRoomOfParts, kRoomOfParts, std::uint8_t{0});  // must be writable
  const auto same = [&](std::size_t count) {
    return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count),
                      expected.data.begin() + static_cast<std::ptrdiff_t>(first->first_byte));
  };
  const std::size_t known = end_byte - first->first_byte;
  const bool is_right =
      next != nullptr || is_at_end ? bytes.size() == known && same(known) : same(std::min(known, bytes.size()));
  return is_right ? "" : "the bytes differ from zlib's";
}

}  // namespace gpuimg::test
