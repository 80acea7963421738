// Fuzzes inflate: the verdict and the bytes must match zlib's for any division into pieces and runs, and for
// speculative parts. The first three bytes select the sizes of pieces, runs and parts; the remaining bytes are a
// deflate stream.
#include <cstdlib>

#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/deflate_streams.hpp"

namespace gpuimg::fuzz {
using namespace codecs;
using namespace codecs::deflate;

namespace {

using test::ZlibVerdict;

constexpr std::size_t kMaxBytes = std::size_t{160} << 10;

/// Each piece has a buffer of its exact size, so that the sanitizer sees reads past the end.
class Pieces {
 public:
  Pieces(ByteSpan whole, std::size_t size) {
    for (ByteSpan left = whole; !left.empty(); left = left.subspan(memory_.back().size())) {
      const ByteSpan piece = left.first(std::min(left.size(), size));
      memory_.emplace_back(piece.begin(), piece.end());
    }
    spans_.assign(memory_.begin(), memory_.end());
  }

  [[nodiscard]] std::span<const ByteSpan> spans() const { return spans_; }

 private:
  std::vector<test::FileBytes> memory_;
  std::vector<ByteSpan> spans_;
};

void check_whole(const Pieces& pieces, std::size_t stretch, const ZlibVerdict& expected, std::uint32_t adler) {
  const auto got = test::inflated_by_ours(pieces.spans(), stretch, kMaxBytes);
  demand(got.has_value() == (expected.end == ZlibVerdict::End::last_block), "the verdict differs from zlib's");
  demand(!got || got->data == expected.data, "the bytes differ from zlib's");
  demand(!got || got->declared_adler == adler, "the checksum differs from the declared one");
}

void check_parts(const Pieces& pieces, std::size_t size, std::size_t part_bytes, const ZlibVerdict& expected) {
  SpeculativeInflater part(in_pieces(pieces.spans()), test::kRoomOfParts, kMaxBytes);
  for (std::size_t begin = 1; begin < size; begin += part_bytes) {
    const std::size_t end = std::min(begin + part_bytes, size);
    part.run(begin, end);
    if (const auto difference = test::difference_of_part(part, begin, end, expected); difference && *difference != "") {
      report("a part from byte " + std::to_string(begin) + " on: " + *difference);
    }
  }
}

void check(FuzzInput input) {
  const std::size_t piece_bytes = std::size_t{1} << input.below(14);
  const std::size_t stretch = (std::size_t{600} << input.below(9)) + input.below(7);
  const std::size_t part_bytes = 100 + std::size_t{16} * input.below(256);
  test::Octets deflated(input.rest().begin(), input.rest().end());
  const ZlibVerdict expected = test::verdict_of_zlib(deflated, kMaxBytes);
  constexpr std::uint32_t kAdler = 0x61626364;
  test::FileBytes stream = test::zlib_stream_of(deflated, kAdler);
  if (expected.end == ZlibVerdict::End::last_block) {  // a last block must be the end
    deflated.resize(expected.taken);
    stream = test::zlib_stream_of(deflated, kAdler);
  } else {  // removes the checksum, so that both decoders get the same bytes
    stream.resize(stream.size() - 4);
  }
  const Pieces pieces(stream, piece_bytes);
  if (expected.end != ZlibVerdict::End::too_long) {
    check_whole(pieces, stretch, expected, kAdler);
  }
  check_parts(pieces, stream.size(), part_bytes, expected);
}

}  // namespace
}  // namespace gpuimg::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuimg::fuzz::check({data, size});
  return 0;
}
