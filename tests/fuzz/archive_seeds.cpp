// Seeds of tar archives, compressed and uncompressed: one byte that selects the members to skip, then the archive.
#include <zlib.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "fuzz/seed_folder.hpp"

namespace gpuimg::fuzz {
namespace {

constexpr std::size_t kBlock = 512;

/// A header and content. POSIX.1-1988, "ustar".
std::string member(const std::string& name, char type, const std::string& content) {
  std::string header(kBlock, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  const auto octal = [](std::size_t value, int digits) {
    char text[32];
    return std::string(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%0*zo", digits, value)));
  };
  put(0, name);
  put(100, octal(0644, 7));
  put(124, octal(content.size(), 11));
  put(136, octal(1, 11));
  put(148, "        ");
  header[156] = type;
  put(257, std::string("ustar\00000", 8));
  std::size_t sum = 0;
  for (const char byte : header) {
    sum += static_cast<unsigned char>(byte);
  }
  put(148, octal(sum, 6) + '\0');
  return header + content + std::string((kBlock - content.size() % kBlock) % kBlock, '\0');
}

std::string gzipped(const std::string& text, int level) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemory = 8;
  z_stream stream{};
  std::string out(text.size() + kBlock, '\0');
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib has no memory");
  }
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

void add_archive_seeds(SeedFolder& seeds) {
  const std::string end(2 * kBlock, '\0');
  const std::string pax = member("x", 'x', "31 path=a name of a pax header\n");
  const std::string long_name = member("././@LongLink", 'L', std::string(150, 'n') + '\0');
  const std::string text = member("a.txt", '0', std::string(700, 't'));
  const std::string files = member("b.ppm", '0', "P6 1 1 255 abc") + member("c", '5', "") + member("d", '2', "");
  const std::string tar = text + files + long_name + text + pax + text + end;
  for (const char skipped : {'\0', '\1', '\xff'}) {
    const std::string first(1, skipped);
    seeds.add("fuzz_tar", first + tar);
    seeds.add("fuzz_tar", first + gzipped(tar, 6));
    seeds.add("fuzz_tar", first + gzipped(tar.substr(0, kBlock + 9), 0) + gzipped(tar.substr(kBlock + 9), 1) + '\0');
    seeds.add("fuzz_tar", first + gzipped(member("large.txt", '0', std::string(300000, 'l')) + tar, 6));
  }
}

}  // namespace gpuimg::fuzz
