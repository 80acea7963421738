// Fuzzes the reader of tar archives, plain and compressed with gzip or zstd: any bytes are read or rejected, in finite
// time. The first byte selects the members to skip, which must not change the other members. A gzip file must give the
// same content as zlib.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fuzz/finding.hpp"
#include "gpuimg/error.hpp"
#include "io/tar.hpp"

namespace {

using namespace gpuimg;

constexpr std::uint64_t kMostRead = std::uint64_t{1} << 20;  // in bytes; larger members are skipped

/// A file without a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : number_(::memfd_create("fuzzed", 0)) {
    if (number_ < 0 || ::write(number_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("no file in memory");
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(number_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

struct Member {
  std::string name;
  std::uint64_t size = 0;
  bool is_file = false;
  std::string content;  ///< empty if the member was skipped
};

struct Reading {
  std::vector<Member> members;
  bool is_whole = false;
};

/// Reads an archive. Skips the contents of members whose bit in `skipped` is set; member i has bit i % 8.
Reading read(const std::string& path, unsigned skipped) {
  Reading reading;
  try {
    TarReader reader(path);
    for (unsigned i = 0; const auto member = reader.next(); ++i) {
      Member& read = reading.members.emplace_back(Member{member->name, member->size, member->is_file, {}});
      const bool is_read = member->is_file && member->size <= kMostRead && (skipped >> i % 8 & 1) == 0;
      if (is_read) {
        const Bytes bytes = reader.content(*member);
        read.content.assign(reinterpret_cast<const char*>(bytes.data.get()), bytes.size);
      }
    }
    reading.is_whole = true;
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::decode, error.what());
  }
  return reading;
}

struct Unzipped {
  std::string content;
  bool is_sound = false;
  bool has_wrong_sum = false;
};

bool is_gzip(std::span<const std::byte> bytes) {
  constexpr std::array kMagic = {std::byte{0x1f}, std::byte{0x8b}, std::byte{8}};
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

/// Decompresses one or more concatenated gzip files with zlib, up to bytes that do not begin another gzip file.
Unzipped unzipped(std::span<const std::byte> bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  Unzipped all;
  std::vector<unsigned char> out(std::size_t{1} << 16);
  int result = Z_STREAM_END;
  while (result == Z_STREAM_END && !bytes.empty() && bytes.front() == std::byte{0x1f}) {
    z_stream stream{};
    if (inflateInit2(&stream, kGzip) != Z_OK) {
      throw std::runtime_error("zlib has no memory");
    }
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<unsigned>(bytes.size());
    do {
      stream.next_out = out.data();
      stream.avail_out = static_cast<unsigned>(out.size());
      result = inflate(&stream, Z_NO_FLUSH);
      all.content.append(reinterpret_cast<const char*>(out.data()), out.size() - stream.avail_out);
    } while (result == Z_OK);
    all.has_wrong_sum = stream.msg != nullptr && std::string_view(stream.msg) == "incorrect data check";
    bytes = bytes.last(stream.avail_in);
    inflateEnd(&stream);
  }
  all.is_sound = result == Z_STREAM_END;
  return all;
}

/// Demands the members of `expected`, except for skipped contents.
void demand_same(const Reading& found, const Reading& expected) {
  fuzz::demand(found.is_whole == expected.is_whole && found.members.size() == expected.members.size(), "other members");
  for (std::size_t i = 0; i < expected.members.size(); ++i) {
    const Member& one = found.members[i];
    const Member& same = expected.members[i];
    fuzz::demand(std::tie(one.name, one.size, one.is_file) == std::tie(same.name, same.size, same.is_file),
                 "another member");
    fuzz::demand(one.content.empty() || one.content == same.content, "other content");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const MemoryFile file(bytes);
  const Reading all = read(file.path(), 0);
  const Reading some = read(file.path(), data[0]);
  if (all.is_whole) {
    demand_same(some, all);
  }
  if (is_gzip(bytes)) {
    const Unzipped tar = unzipped(bytes);
    fuzz::demand(!all.is_whole || !tar.has_wrong_sum, "a wrong check sum was not found");
    if (tar.is_sound) {
      const Reading plain = read(MemoryFile(std::as_bytes(std::span(tar.content))).path(), 0);
      fuzz::demand(all.is_whole || !plain.is_whole, "gzip data of a sound archive were rejected");
      if (plain.is_whole) {
        demand_same(all, plain);
      }
    }
  }
  return 0;
}
