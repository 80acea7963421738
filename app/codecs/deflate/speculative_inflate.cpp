// Finds a block (RFC 1951, section 3.2.7), decodes it to symbols, switches to bytes, and resolves the symbols.
#include "codecs/deflate/speculative_inflate.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

namespace gpuimg::codecs::deflate {
namespace {

/// The code space of a complete code; a code of the maximum length takes one unit.
constexpr std::uint32_t kCompleteCode = 1U << kMaxCodeLengthBits;
constexpr int kFourLengthsBits = 12;

/// The code space taken by four codes whose lengths are stored in 3 bits each.
constexpr auto code_space_table() {
  std::array<std::uint16_t, 1U << kFourLengthsBits> table{};
  for (std::uint32_t lengths = 0; lengths < table.size(); ++lengths) {
    for (std::uint32_t left = lengths; left != 0; left >>= 3) {
      const std::uint32_t length = left & 7U;
      table[lengths] = static_cast<std::uint16_t>(table[lengths] + (length == 0 ? 0 : kCompleteCode >> length));
    }
  }
  return table;
}

constexpr std::array kCodeSpace = code_space_table();

/// At least 57 bits of the stream, starting at bit `bit`.
std::uint64_t bits_at(const std::uint8_t* bytes, std::size_t bit) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + bit / 8, sizeof word);
  return word >> bit % 8;
}

constexpr std::size_t kFirstBits = 13;                   // last-block flag, block type, two symbol counts
constexpr std::size_t kPositions = 57 - kFirstBits + 1;  // number of positions that 57 bits cover

/// A mask of the positions at which a header can start: last-block flag 0, block type 2, then two 5-bit counts that are
/// not 30 or 31.
std::uint64_t possible_starts(std::uint64_t bits) {
  const std::uint64_t type = ~bits & ~(bits >> 1) & bits >> 2;
  const std::uint64_t too_many_literals = bits >> 4 & bits >> 5 & bits >> 6 & bits >> 7;
  const std::uint64_t too_many_distances = bits >> 9 & bits >> 10 & bits >> 11 & bits >> 12;
  return type & ~too_many_literals & ~too_many_distances & ((std::uint64_t{1} << kPositions) - 1);
}

bool has_complete_code(const std::uint8_t* bytes, std::size_t bit) {
  const std::uint64_t count = bits_at(bytes, bit + kFirstBits) & 15U;
  const std::uint64_t lengths = bits_at(bytes, bit + kFirstBits + 4) & ((std::uint64_t{1} << 3 * (count + 4)) - 1);
  std::uint32_t sum = 0;
  for (int i = 0; i < 5; ++i) {
    sum += kCodeSpace[lengths >> i * kFourLengthsBits & (kCodeSpace.size() - 1)];
  }
  return sum == kCompleteCode;
}

constexpr std::size_t kWindow = Inflater::kWindow;
/// Number of symbols decoded between two scans for markers.
constexpr std::size_t kStretch = 16384;

/// Number of symbols from `begin` to `end` that follow the last marker.
std::size_t count_after_markers(const std::uint16_t* begin, const std::uint16_t* end, std::uint16_t first_marker) {
  constexpr std::size_t kGroup = 64;
  const std::uint16_t* at = end;
  const auto has_marker = [&](const std::uint16_t* from, const std::uint16_t* to) {
    return std::accumulate(from, to, std::uint16_t{0}, [](std::uint16_t a, std::uint16_t b) {
             return static_cast<std::uint16_t>(a | b);
           }) >= first_marker;
  };
  while (at - begin >= static_cast<std::ptrdiff_t>(kGroup) && !has_marker(at - kGroup, at)) {
    at -= kGroup;
  }
  while (at > begin && at[-1] < first_marker) {
    --at;
  }
  return static_cast<std::size_t>(end - at);
}

}  // namespace

/// Tests the first fields of a header at 45 bit positions at a time, then checks the code lengths with a table.
std::optional<std::size_t> find_block_header(const std::uint8_t* bytes, std::size_t begin, std::size_t end) {
  for (std::size_t first = begin; first < end; first += kPositions) {
    for (std::uint64_t starts = possible_starts(bits_at(bytes, first)); starts != 0; starts &= starts - 1) {
      const std::size_t bit = first + static_cast<std::size_t>(std::countr_zero(starts));
      if (bit < end && has_complete_code(bytes, bit)) {
        return bit;
      }
    }
  }
  return std::nullopt;
}

SpeculativeInflater::SpeculativeInflater(const RandomAccess& stream, std::size_t room, std::size_t capacity)
    : stream_(stream),
      room_(room),
      capacity_(capacity),
      blocks_(stream),
      wide_(new std::uint16_t[kWindow + capacity + Inflater::kOvershoot]),
      bytes_(new std::uint8_t[room + capacity + Inflater::kOvershoot]) {
  std::iota(wide_.get(), wide_.get() + kWindow, kFirstMarker);
}

void SpeculativeInflater::run(std::size_t begin, std::size_t end) {
  const std::uint64_t end_bit = 8 * std::uint64_t{end};
  is_sound_ =
      search(begin, std::min(end - begin, kSearchBytes), end_bit) && (has_reached(end_bit) || inflate_bytes(end_bit));
  end_ = blocks_.input.position();
  holds_last_block_ = blocks_.stage() == InflateBlocks::Stage::ended;
}

bool SpeculativeInflater::try_settle(std::size_t begin) {
  return search(begin, kSearchBytes, std::numeric_limits<std::uint64_t>::max());
}

/// Tries the candidate blocks in the `size` bytes from `begin` on.
bool SpeculativeInflater::search(std::size_t begin, std::size_t size, std::uint64_t end) {
  // Limits the time: a false block without output can continue for long before its damage is found.
  constexpr std::uint64_t kMaxTriedBits = 8 * std::uint64_t{8} * kSearchBytes;
  const std::span<const std::uint8_t> bytes = copy_search_range(begin, size);
  const std::size_t bits = 8 * bytes.size();
  std::uint64_t tried = 0;
  Attempt result = Attempt::no_block;
  for (std::size_t next = 0; result == Attempt::no_block;) {
    const auto bit = find_block_header(bytes.data(), next, bits);
    if (!bit || tried > kMaxTriedBits) {
      return false;
    }
    const std::uint64_t position = 8 * std::uint64_t{begin} + *bit;
    result = try_block(position, end);
    tried += blocks_.input.position() - position;
    next = *bit + 1;
  }
  return result == Attempt::block;
}

std::span<const std::uint8_t> SpeculativeInflater::copy_search_range(std::size_t begin, std::size_t wanted) {
  search_range_.resize(kSearchBytes + kBlockFinderOverread);
  const std::size_t size = stream_.read(begin, std::as_writable_bytes(std::span(search_range_)).first(wanted));
  std::fill_n(search_range_.begin() + static_cast<std::ptrdiff_t>(size), kBlockFinderOverread, std::uint8_t{0});
  return std::span(search_range_).first(size);
}

SpeculativeInflater::Attempt SpeculativeInflater::try_block(std::uint64_t position, std::uint64_t end) {
  blocks_.move_to(position);
  begin_ = position;
  data_end_ = position;
  wide_count_ = 0;
  byte_count_ = 0;
  if (inflate_wide(end)) {
    return Attempt::block;
  }
  // Damage in a false block appears early; later damage is in the file itself.
  constexpr std::size_t kEarly = 2 * kWindow;
  const bool is_damaged = blocks_.stage() == InflateBlocks::Stage::damaged;
  return is_damaged && wide_count_ < kEarly ? Attempt::no_block : Attempt::hopeless;
}

bool SpeculativeInflater::has_reached(std::uint64_t end) const {
  return blocks_.stage() == InflateBlocks::Stage::ended ||
         (blocks_.stage() == InflateBlocks::Stage::header && blocks_.input.position() >= end);
}

/// Decodes symbols up to `end`, or until a whole window has no markers. Returns false if neither is reached.
bool SpeculativeInflater::inflate_wide(std::uint64_t end) {
  std::uint16_t* const first = wide_.get() + kWindow;
  const std::uint16_t* const last = first + capacity_;
  std::uint16_t* out = first;
  std::size_t clean = 0;
  while (!has_reached(end) && clean < kWindow) {
    std::uint16_t* const reached =
        blocks_.advance(wide_.get(), out, std::min<const std::uint16_t*>(out + kStretch, last));
    const std::size_t added = static_cast<std::size_t>(reached - out);
    const std::size_t unmarked = count_after_markers(out, reached, kFirstMarker);
    clean = unmarked < added ? unmarked : clean + added;
    data_end_ = added > 0 ? blocks_.input.position() : data_end_;
    out = reached;
    wide_count_ = static_cast<std::size_t>(out - first);
    if (blocks_.stage() == InflateBlocks::Stage::damaged || out >= last) {
      return false;
    }
  }
  return true;
}

/// Decodes the remainder as bytes. Requires a window without markers.
bool SpeculativeInflater::inflate_bytes(std::uint64_t end) {
  std::uint8_t* const first = bytes_.get() + room_ + wide_count_;
  const std::uint8_t* const last = bytes_.get() + room_ + capacity_;
  const std::uint16_t* const window = wide_.get() + wide_count_;  // the last kWindow symbols
  std::transform(window, window + kWindow, first - kWindow,
                 [](std::uint16_t s) { return static_cast<std::uint8_t>(s); });
  std::uint8_t* out = first;
  while (!has_reached(end)) {
    const std::uint8_t* const before = out;
    out = blocks_.advance(first - kWindow, out, last);
    data_end_ = out > before ? blocks_.input.position() : data_end_;
    if (blocks_.stage() == InflateBlocks::Stage::damaged || out >= last) {
      return false;
    }
  }
  byte_count_ = static_cast<std::size_t>(out - first);
  return true;
}

std::span<std::uint8_t> SpeculativeInflater::resolve(const Window& window) {
  std::array<std::uint8_t, kFirstMarker + kWindow> meanings;
  std::iota(meanings.begin(), meanings.begin() + kFirstMarker, std::uint8_t{0});
  std::copy(window.begin(), window.end(), meanings.begin() + kFirstMarker);
  const std::uint16_t* const symbols = wide_.get() + kWindow;
  std::uint8_t* const bytes = bytes_.get() + room_;
  std::transform(symbols, symbols + wide_count_, bytes, [&](std::uint16_t symbol) { return meanings[symbol]; });
  return {bytes, size()};
}

}  // namespace gpuimg::codecs::deflate
