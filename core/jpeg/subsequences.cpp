// Removes stuffing from a scan, and skims it, on the host.
#include "jpeg/subsequences.hpp"

#include <cstring>
#include <utility>

#include "jpeg/scan_bytes.hpp"

namespace gpuimg::jpeg {

namespace {

/// Collects the data bytes and restart markers of a scan.
class ScanCleaner {
 public:
  explicit ScanCleaner(std::span<const std::byte> scan) : scan_(scan) {
    clean_.words.resize((scan.size() + kReadableBytesAfterScan) / sizeof(std::uint32_t) + 2);
    clean_.first_byte.push_back(0);
  }

  /// Stops after the first marker that is not a restart marker.
  CleanScan run(std::uint32_t segment_count) {
    bool has_end = false;
    for (std::size_t at = 0; at < scan_.size() && !has_end; at += kScanChunkBytes) {
      ScanChunk chunk = chunk_at(at);
      if (chunk.ends != 0) {
        has_end = true;
        const std::uint32_t end = first_bit(chunk.ends);
        chunk.cut(end);
        clean_.defects |= byte_at(at + end + 1) == kEndOfImage ? 0U : Defect::bad_end;
      }
      clean_.defects |= chunk.fills != 0 ? Defect::bad_marker : 0U;
      take(at, chunk);
    }
    clean_.defects |= has_end ? 0U : Defect::bad_end;
    clean_.defects |= clean_.first_byte.size() == segment_count ? 0U : Defect::bad_marker;
    clean_.first_byte.push_back(size_);
    return std::move(clean_);
  }

 private:
  static constexpr std::uint32_t kEndOfImage = 0xD9;

  static std::uint32_t first_bit(std::uint32_t mask) {
    std::uint32_t bit = 0;
    while ((mask >> bit & 1U) == 0) {
      ++bit;
    }
    return bit;
  }

  [[nodiscard]] std::uint32_t byte_at(std::size_t at) const {
    return at < scan_.size() ? std::to_integer<std::uint32_t>(scan_[at]) : 1;
  }

  [[nodiscard]] ScanChunk chunk_at(std::size_t at) const {
    const std::size_t left = scan_.size() - at;
    const auto count = static_cast<std::uint32_t>(left < kScanChunkBytes ? left : kScanChunkBytes);
    std::uint32_t words[4] = {};
    std::memcpy(words, scan_.data() + at, count);
    return classify(words, count, at == 0 ? 0 : byte_at(at - 1), byte_at(at + count));
  }

  void take(std::size_t at, const ScanChunk& chunk) {
    if (chunk.coded == 0xFFFF) {
      std::memcpy(bytes() + size_, scan_.data() + at, kScanChunkBytes);
      size_ += kScanChunkBytes;
      return;
    }
    for (std::uint32_t i = 0; i < kScanChunkBytes; ++i) {
      if ((chunk.coded >> i & 1U) != 0) {
        bytes()[size_++] = scan_[at + i];
      }
      if ((chunk.restarts >> i & 1U) != 0) {
        const std::uint32_t expected = (clean_.first_byte.size() - 1) & 7U;
        clean_.defects |= (byte_at(at + i + 1) & 7U) == expected ? 0U : Defect::bad_marker;
        clean_.first_byte.push_back(size_);
      }
    }
  }

  std::byte* bytes() { return reinterpret_cast<std::byte*>(clean_.words.data()); }

  std::span<const std::byte> scan_;
  CleanScan clean_;
  std::uint32_t size_ = 0;
};

}  // namespace

CleanScan clean_scan(std::span<const std::byte> scan, std::uint32_t segment_count) {
  return ScanCleaner(scan).run(segment_count);
}

std::vector<std::uint32_t> first_subsequences(const std::vector<std::uint32_t>& first_byte,
                                              std::uint32_t subsequence_bits) {
  std::vector<std::uint32_t> first{0};
  for (std::size_t i = 0; i + 1 < first_byte.size(); ++i) {
    first.push_back(first.back() + subsequences_of(first_byte[i + 1] - first_byte[i], subsequence_bits));
  }
  return first;
}

void walk_states(const SubsequenceTable& table, const Segments& segments, const ScanCode& code) {
  DecoderState state;
  ScanSums sums;
  for (std::uint32_t i = 0; i < table.count; ++i) {
    const Subsequence place = subsequence_at(segments, i);
    if (place.is_first) {
      state = place.guess();
      sums = {};
    }
    table.before[i] = sums;
    table.own[i] = skim(code, state, place.end);
    table.ends[i] = state;
    sums = sums + table.own[i];
  }
  table.before_tile[0] = {};
}

}  // namespace gpuimg::jpeg
