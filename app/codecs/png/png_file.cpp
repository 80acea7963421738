// Walks the chunks, and reads image data across them.
#include "codecs/png/png_file.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/png/png_chunks.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::uint32_t kIdat = png_chunk_type("IDAT");
constexpr std::uint64_t kLengthBytes = 4;
constexpr std::uint64_t kTypeBytes = 4;
constexpr std::uint64_t kCrcBytes = 4;
constexpr std::array<unsigned char, 12> kEmptyIdat = {0, 0, 0, 0, 'I', 'D', 'A', 'T', 0x35, 0xAF, 0x06, 0x1E};
using DataChunk = PngFile::DataChunk;

/// The checksum of a chunk of image data before its first byte: of its type, as that of an empty chunk.
std::uint32_t crc_of_type() { return u32be_at(std::as_bytes(std::span(kEmptyIdat)), kLengthBytes + kTypeBytes); }

bool append(const RandomAccess& file, std::uint64_t offset, std::uint64_t size, std::vector<std::byte>& to) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
  if (to.size() + size > kMaxBytes) {
    return false;
  }
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(size));
  return file.read(offset, std::span(to).subspan(before)) == size;
}

RandomAccess joined_data(const RandomAccess& file, std::shared_ptr<const std::vector<DataChunk>> chunks) {
  const std::uint64_t size = chunks->empty() ? 0 : chunks->back().data_end;
  return {size, [file, chunks = std::move(chunks)](std::uint64_t offset, std::span<std::byte> to) {
            auto chunk = std::partition_point(chunks->begin(), chunks->end(),
                                              [&](const DataChunk& c) { return c.data_end <= offset; });
            std::size_t done = 0;
            for (; chunk != chunks->end() && done < to.size(); ++chunk) {
              const std::uint64_t left = chunk->data_end - offset - done;
              const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, to.size() - done));
              const std::uint64_t at = chunk->offset + chunk->size - kCrcBytes - left;
              const std::size_t count = file.read(at, to.subspan(done, wanted));
              done += count;
              if (count < wanted) {
                break;
              }
            }
            return done;
          }};
}

}  // namespace

std::optional<PngFile> scan_png(const RandomAccess& file) {
  constexpr std::uint64_t kSignatureBytes = 8;
  constexpr std::uint64_t kOverhead = kLengthBytes + kTypeBytes + kCrcBytes;
  constexpr std::uint64_t kMaxBytes = 0x7FFFFFFF;  // of a chunk, and of all image data: libpng's limit
  constexpr std::uint64_t kUsualChunkBytes = 1024;
  PngFile png;
  png.file = file;
  auto chunks = std::make_shared<std::vector<DataChunk>>();
  std::uint64_t data_bytes = 0;
  std::uint64_t count = 0;
  std::uint32_t previous = 0;
  if (!append(file, 0, kSignatureBytes, png.frame)) {
    return std::nullopt;
  }
  for (std::uint64_t offset = kSignatureBytes; previous != png_chunk_type("IEND");) {
    std::array<std::byte, kLengthBytes + kTypeBytes> head{};
    if (file.read(offset, head) < head.size() || ++count > 64 + file.size / kUsualChunkBytes) {
      return std::nullopt;
    }
    const std::uint64_t size = u32be_at(head, 0);
    const std::uint32_t type = u32be_at(head, kLengthBytes);
    if (size > kMaxBytes || offset + kOverhead + size > file.size) {
      return std::nullopt;
    }
    if (type != kIdat) {
      if (!append(file, offset, kOverhead + size, png.frame)) {
        return std::nullopt;
      }
    } else if (chunks->empty() || previous == kIdat) {
      if (chunks->empty()) {
        const auto empty = std::as_bytes(std::span(kEmptyIdat));
        png.frame.insert(png.frame.end(), empty.begin(), empty.end());
      }
      data_bytes += size;
      chunks->push_back({offset + kLengthBytes, kTypeBytes + size + kCrcBytes, data_bytes});
    } else {
      return std::nullopt;
    }
    previous = type;
    offset += kOverhead + size;
  }
  if (data_bytes == 0 || data_bytes > kMaxBytes) {
    return std::nullopt;
  }
  png.chunks = std::move(chunks);
  png.image_data = joined_data(file, png.chunks);
  return png;
}

PngDataCheck::PngDataCheck(const PngFile& png) : png_(png), crc_(crc_of_type()) { end_chunks(); }

RandomAccess PngDataCheck::image_data() {
  return {png_.image_data.size, [this](std::uint64_t offset, std::span<std::byte> to) {
            const std::size_t count = png_.image_data.read(offset, to);
            if (offset <= done_ && done_ < offset + count) {
              add(to.first(count).subspan(static_cast<std::size_t>(done_ - offset)));
            }
            return count;
          }};
}

bool PngDataCheck::up_to(std::uint64_t end) {
  constexpr std::size_t kBufferBytes = std::size_t{128} << 10;
  while (are_right_ && done_ < std::min(end, png_.image_data.size)) {
    buffer_.resize(kBufferBytes);
    const std::size_t count = png_.image_data.read(done_, buffer_);
    are_right_ = count > 0;
    add(std::span(buffer_).first(count));
  }
  return are_right_;
}

/// The next bytes of the image data.
void PngDataCheck::add(std::span<const std::byte> bytes) {
  while (are_right_ && !bytes.empty()) {
    const std::uint64_t left = (*png_.chunks)[chunk_].data_end - done_;
    const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size())));
    crc_ = crc32_of(part, crc_);
    done_ += part.size();
    bytes = bytes.subspan(part.size());
    end_chunks();
  }
}

/// Compares the checksum of the chunk if its last byte has been added, and those of empty chunks that follow.
void PngDataCheck::end_chunks() {
  for (; are_right_ && chunk_ < png_.chunks->size() && done_ == (*png_.chunks)[chunk_].data_end; ++chunk_) {
    const DataChunk& chunk = (*png_.chunks)[chunk_];
    std::array<std::byte, kCrcBytes> stored{};
    are_right_ =
        png_.file.read(chunk.offset + chunk.size - kCrcBytes, stored) == stored.size() && u32be_at(stored, 0) == crc_;
    crc_ = crc_of_type();
  }
}

}  // namespace gpuimg::codecs
