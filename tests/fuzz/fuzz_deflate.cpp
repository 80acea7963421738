// Fuzzes the deflate encoder: zlib must decode its output to the input. The first byte selects the level, whether the
// stream ends, and how often the other bytes are repeated. Repetition makes short inputs give distant matches and
// several blocks.
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "codecs/deflate/compress.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxBytes = std::size_t{300} << 10;
  if (size == 0) {
    return -1;  // keep out of the corpus
  }
  const int level = data[0] % 3;
  const bool is_last = (data[0] / 3) % 2 == 0;
  const std::size_t repeats = std::min<std::size_t>(1 + data[0] / 6 * 7, size == 1 ? 0 : kMaxBytes / (size - 1));
  // A buffer of the exact size, so that the sanitizer sees reads past the end.
  const std::size_t total = (size - 1) * repeats;
  const std::unique_ptr<std::byte[]> bytes(new std::byte[total]);
  for (std::size_t i = 0; i < total; ++i) {
    // Repeats differ slightly; otherwise each would be one long match.
    bytes[i] = std::byte{data[1 + i % (size - 1)]} ^ std::byte(i % 97 == 0 ? i / 97 : 0);
  }
  std::vector<std::byte> deflated(gpuimg::codecs::deflate::deflate_bound(total));
  const std::size_t packed =
      gpuimg::codecs::deflate::StripDeflater(level).deflate({bytes.get(), total}, deflated, is_last);

  std::vector<std::byte> back(total + 1);
  z_stream stream{};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(deflated.data());
  stream.avail_in = static_cast<uInt>(packed);
  stream.next_out = reinterpret_cast<Bytef*>(back.data());
  stream.avail_out = static_cast<uInt>(back.size());
  const int code = inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  const bool is_right = code == (is_last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.total_out == total &&
                        std::equal(bytes.get(), bytes.get() + total, back.begin());
  if (!is_right) {
    std::fprintf(stderr, "level %d, %zu bytes: zlib says %d and reads %lu\n", level, total, code, stream.total_out);
    std::abort();
  }
  return 0;
}
