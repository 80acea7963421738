// Decodes a deflate stream with many threads at once. Blocks are cut into windows, and windows into subsequences. A
// thread walks through each subsequence from a guessed start, and counts the bytes it makes. Then the results are
// joined: each subsequence, window and block must begin where its predecessor ends, starting at the first bit of the
// stream. docs/decisions/0030-png-decoded-on-the-device.md.
#pragma once

#include <cstdint>

#include "host_device.hpp"
#include "png/block_codes.hpp"
#include "png/deflate.hpp"

namespace gpuimg::png {

/// Reasons why the host must decode a PNG, as a set of bits.
struct Defect {
  enum : std::uint32_t {
    too_many_blocks = 1,      ///< more blocks than the lists hold, or the search missed more than more_rounds
    bad_chain = 2,            ///< the bits after a block are not a valid block
    bad_code = 4,             ///< a block has bits that match no code, or has no end
    not_synchronized = 8,     ///< windows do not join
    bad_size = 16,            ///< the stream makes more or fewer bytes than the image needs
    bad_distance = 32,        ///< a match begins before the first byte
    bad_filter = 64,          ///< a row has a filter that PNG does not define
    bad_checksum = 128,       ///< CRC of a chunk
    bad_data_checksum = 256,  ///< Adler-32 of the data
  };
};

constexpr std::uint32_t kUnknown = ~0U;

/// More bytes than any image has. Sums saturate here, so that they cannot overflow.
constexpr std::uint32_t kTooManyBytes = 1U << 31;

/// How the work is divided.
struct DecodeShape {
  std::uint32_t lanes = 128;                ///< subsequences per window
  std::uint32_t min_words = 9;              ///< words per subsequence, odd
  std::uint32_t max_words = 33;             ///< odd, so that lanes begin in different banks of shared memory
  std::uint32_t run_in_bits = 512;          ///< a walk from a guess begins this many bits (or half a subsequence) early
  std::uint32_t passes = 3;                 ///< repetitions for windows that do not join
  std::uint32_t more_rounds = 32;           ///< each handles one block whose beginning the search missed
  std::uint32_t tile_symbols = 4096;        ///< symbols that are resolved together; divides kMaxMatchDistance
  std::uint32_t tiles_per_supertile = 128;  ///< tiles that one group of threads resolves one after another
};

/// Capacities of the lists.
struct ListSizes {
  std::uint32_t candidates = 0;
  std::uint32_t blocks = 0;
  std::uint32_t windows = 0;
  std::uint32_t stored_runs = 0;
};

/// One group of threads sorts all blocks that the search finds.
constexpr std::uint32_t kMaxSortedBlocks = 8192;

GPUIMG_HD inline ListSizes list_sizes(std::uint32_t stream_bytes, const DecodeShape& shape) {
  ListSizes sizes;
  const std::uint32_t usual = stream_bytes / 256 + 64;
  sizes.candidates = stream_bytes / 64 + 4096;
  sizes.blocks = (usual < kMaxSortedBlocks ? usual : kMaxSortedBlocks) + shape.more_rounds + 1;
  // The windows of the blocks that the search finds do not overlap. The blocks that it misses need at most the same
  // number of windows again.
  sizes.windows = sizes.blocks + 4 * (stream_bytes / (4 * shape.lanes * shape.max_words)) + 64;
  sizes.stored_runs = stream_bytes / 1024 + 64;
  return sizes;
}

// --- Lists -----------------------------------------------------------------------------------------------------------

/// A candidate block of the stream. Initially all zero, except for `begin`.
struct Block {
  static constexpr std::uint32_t kIsNone = 3;  ///< value of `type` for an invalid header

  std::uint32_t begin;         ///< first bit of its header
  std::uint32_t data_begin;    ///< first bit of its codes
  std::uint32_t type;          ///< BlockType, or kIsNone
  std::uint32_t is_last;       ///< 1: the last block of the stream
  std::uint32_t first_window;  ///< index in the list of windows
  std::uint32_t windows;
  std::uint32_t subsequence_bits;  ///< a multiple of 32
  std::uint32_t end;               ///< the bit after it, or kUnknown
  std::uint32_t bytes;             ///< number of bytes it makes
  std::uint32_t offset;            ///< offset of these bytes in the output; kUnknown until the block is verified
  std::uint32_t is_joined;         ///< 1: each window begins where its predecessor ends
};

enum class WalkEnd : std::uint32_t {
  reached = 0,  ///< arrived at the requested bit
  ended = 1,    ///< passed the end of the block
  failed = 2,   ///< encountered bits that match no code
};

/// A part of a block's data that a group of threads decodes together. Bit positions count from the beginning of the
/// stream.
struct Window {
  std::uint32_t block;
  std::uint32_t number;  ///< index in the block
  std::uint32_t entry;   ///< bit where its first walk begins
  std::uint32_t exit;    ///< bit where its last walk ends
  std::uint32_t bytes;   ///< number of bytes that the walks make
  WalkEnd outcome;
  std::uint32_t offset;  ///< offset of these bytes within the block; kUnknown if the block ends before this window
};

/// Where a lane of a window begins.
struct LaneStart {
  std::uint32_t bit;
  std::uint32_t bytes;  ///< number of bytes that the lanes before it make
};

/// A window that must be decoded again, starting at `entry`.
struct Repair {
  std::uint32_t window;
  std::uint32_t entry;
};

/// A run of stored bytes in the stream.
struct StoredRun {
  std::uint32_t from;  ///< byte offset in the stream
  std::uint32_t size;
  std::uint32_t to;  ///< byte offset in the output
};

/// Parses the header of a block. put(place, length, count) receives its code lengths, as in read_code_lengths.
template <class Put>
GPUIMG_HD inline void parse_block(const std::uint32_t* words, std::uint32_t end, PrecodeTable table, Block& block,
                                  Put&& put) {
  const std::uint32_t bits = bits_at(words, block.begin);
  const auto type = static_cast<BlockType>(bits >> 1 & 3U);
  block.is_last = bits & 1U;
  block.type = bits >> 1 & 3U;
  block.data_begin = block.begin + kBlockHeaderBits;
  block.windows = 0;
  block.end = block.offset = kUnknown;
  block.bytes = block.is_joined = 0;
  if (type == BlockType::dynamic) {
    block.data_begin = read_code_lengths(words, block.begin + kBlockHeaderBits, end, table, put);
    block.type = block.data_begin == 0 ? Block::kIsNone : block.type;
  } else if (type == BlockType::fixed) {
    for (std::uint32_t place = 0; place < kBlockLengths; ++place) {
      put(place, fixed_length(place), 1);
    }
  }
  if (block.data_begin > end) {
    block.type = Block::kIsNone;
  }
}

GPUIMG_HD inline bool has_codes(const Block& block) {
  return block.type == static_cast<std::uint32_t>(BlockType::fixed) ||
         block.type == static_cast<std::uint32_t>(BlockType::dynamic);
}

/// The index of the first of `count` sorted blocks that begins at `bit` or later; `count` if there is none.
GPUIMG_HD inline std::uint32_t first_block_from(const Block* blocks, std::uint32_t count, std::uint32_t bit) {
  std::uint32_t low = 0;
  for (std::uint32_t high = count; low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (blocks[middle].begin < bit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Cuts a block into at least one window, up to bit `until`. Sets all members that describe windows, except
/// first_window.
GPUIMG_HD inline void plan_block(Block& block, std::uint32_t until, const DecodeShape& shape) {
  const std::uint32_t words = until > block.data_begin ? (until - block.data_begin + 31) / 32 : 1;
  const std::uint32_t window_words = shape.lanes * shape.max_words;
  block.windows = (words + window_words - 1) / window_words;
  const std::uint32_t lanes = block.windows * shape.lanes;
  const std::uint32_t each = ((words + lanes - 1) / lanes) | 1U;
  const std::uint32_t least = each < shape.min_words ? shape.min_words : each;
  block.subsequence_bits = 32 * (least < shape.max_words ? least : shape.max_words);
}

// --- Walks -----------------------------------------------------------------------------------------------------------

/// Reads bits in order.
class BitCursor {
 public:
  GPUIMG_HD BitCursor(const std::uint32_t* words, std::uint32_t bit)
      : words_(words), bit_(bit), low_(words[bit / 32]), high_(words[bit / 32 + 1]) {}

  [[nodiscard]] GPUIMG_HD std::uint32_t bit() const { return bit_; }
  [[nodiscard]] GPUIMG_HD std::uint32_t peek() const {
    const std::uint64_t both = low_ | std::uint64_t{high_} << 32;
    return static_cast<std::uint32_t>(both >> bit_ % 32);
  }
  /// `bits` must be at most 31.
  GPUIMG_HD void skip(std::uint32_t bits) {
    const std::uint32_t next = bit_ + bits;
    if (((next ^ bit_) & 32U) != 0) {
      low_ = high_;
      high_ = words_[next / 32 + 1];
    }
    bit_ = next;
  }

 private:
  const std::uint32_t* words_;
  std::uint32_t bit_;
  std::uint32_t low_;
  std::uint32_t high_;
};

/// The most bits that one step of a walk reads: a length and a distance, with their extra bits.
constexpr std::uint32_t kMaxStepBits = 2 * kMaxCodeBits + 5 + kMaxDistanceExtraBits;

/// Decodes until the cursor reaches or passes bit `end`, and counts the bytes. If kIsGuess, codes may begin elsewhere:
/// bits that match no code are skipped one by one, and an end-of-block code is skipped, too.
template <bool kIsGuess>
GPUIMG_HD inline WalkEnd walk(BitCursor& cursor, const CodeTables& tables, std::uint32_t end, std::uint32_t& bytes) {
  while (cursor.bit() < end) {
    const std::uint32_t bits = cursor.peek();
    const Coded coded = coded_literal(tables, bits);
    if (coded.meaning() == Meaning::nothing && !kIsGuess) {
      return WalkEnd::failed;
    }
    if (coded.meaning() == Meaning::end_of_block && !kIsGuess) {
      cursor.skip(coded.code_bits());
      return WalkEnd::ended;
    }
    cursor.skip(coded.all_bits());
    bytes += coded.bytes(bits);
    if (coded.meaning() == Meaning::match) {
      const Coded distance = coded_distance_at(tables, cursor.peek());
      if (distance.meaning() == Meaning::nothing && !kIsGuess) {
        return WalkEnd::failed;
      }
      cursor.skip(distance.all_bits());
    }
  }
  return WalkEnd::reached;
}

/// The subsequence of a lane, and where its run-in begins. Bit positions count from the first word that the walk reads.
struct Subsequence {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t run_in;
};

/// The result of a lane's walk.
struct LaneWalk {
  std::uint32_t entry;  ///< where the first code that counts begins
  std::uint32_t exit;   ///< where the code after the last counted code begins
  std::uint32_t bytes;
  WalkEnd outcome;
};

/// The positions of a walk after the first, second and third quarter of its subsequence (or kUnknown), and the number
/// of bytes so far. The checkpoints of one lane lie `stride` apart.
struct Checkpoints {
  static constexpr std::uint32_t kCount = 3;

  std::uint32_t* bits = nullptr;
  std::uint32_t* bytes = nullptr;
  std::uint32_t stride = 1;

  GPUIMG_HD void set(std::uint32_t i, std::uint32_t bit, std::uint32_t bytes_so_far) const {
    bits[i * stride] = bit;
    bytes[i * stride] = bytes_so_far;
  }
  GPUIMG_HD void forget_from(std::uint32_t i) const {
    for (; i < kCount; ++i) {
      bits[i * stride] = kUnknown;
    }
  }
  /// Adds `more` bytes, modulo 2³², to all checkpoints from `i` on.
  GPUIMG_HD void add_from(std::uint32_t i, std::uint32_t more) const {
    for (; i < kCount; ++i) {
      bytes[i * stride] += more;
    }
  }
};

GPUIMG_HD inline std::uint32_t quarter_end(const Subsequence& place, std::uint32_t quarter) {
  const std::uint32_t at = place.begin + (place.end - place.begin) / 4 * (quarter + 1);
  return quarter == Checkpoints::kCount ? place.end : at;
}

/// Walks from the cursor to the end of a subsequence, and records checkpoints.
GPUIMG_HD inline LaneWalk walk_quarters(BitCursor cursor, const CodeTables& tables, const Subsequence& place,
                                        const Checkpoints& checkpoints) {
  LaneWalk lane{cursor.bit(), 0, 0, WalkEnd::reached};
  std::uint32_t quarter = 0;
  for (; quarter <= Checkpoints::kCount && lane.outcome == WalkEnd::reached; ++quarter) {
    lane.outcome = walk<false>(cursor, tables, quarter_end(place, quarter), lane.bytes);
    if (quarter < Checkpoints::kCount && lane.outcome == WalkEnd::reached) {
      checkpoints.set(quarter, cursor.bit(), lane.bytes);
    }
  }
  if (lane.outcome != WalkEnd::reached) {
    checkpoints.forget_from(quarter - 1);
  }
  lane.exit = cursor.bit();
  return lane;
}

/// The first walk. Starts at bit `entry` if the lane's first code is known to begin there, or from a guess if it is
/// kUnknown.
GPUIMG_HD inline LaneWalk first_walk(const std::uint32_t* words, const CodeTables& tables, const Subsequence& place,
                                     std::uint32_t entry, const Checkpoints& checkpoints) {
  BitCursor cursor(words, entry == kUnknown ? place.run_in : entry);
  if (entry == kUnknown) {
    std::uint32_t ignored = 0;
    walk<true>(cursor, tables, place.begin, ignored);
  }
  return walk_quarters(cursor, tables, place, checkpoints);
}

/// Repeats a walk from `bit`, where the preceding lane ends. Stops at the first checkpoint at which both walks are at
/// the same bit.
GPUIMG_HD inline void walk_again(const std::uint32_t* words, const CodeTables& tables, const Subsequence& place,
                                 std::uint32_t bit, const Checkpoints& checkpoints, LaneWalk& lane) {
  BitCursor cursor(words, bit);
  lane.entry = bit;
  std::uint32_t bytes = 0;
  for (std::uint32_t quarter = 0; quarter <= Checkpoints::kCount; ++quarter) {
    const WalkEnd outcome = walk<false>(cursor, tables, quarter_end(place, quarter), bytes);
    const bool is_last = quarter == Checkpoints::kCount;
    if (!is_last && outcome == WalkEnd::reached && checkpoints.bits[quarter * checkpoints.stride] == cursor.bit()) {
      const std::uint32_t more = bytes - checkpoints.bytes[quarter * checkpoints.stride];
      checkpoints.add_from(quarter, more);
      lane.bytes += more;
      return;
    }
    if (is_last || outcome != WalkEnd::reached) {
      checkpoints.forget_from(quarter);
      lane.exit = cursor.bit();
      lane.bytes = bytes;
      lane.outcome = outcome;
      return;
    }
    checkpoints.set(quarter, cursor.bit(), bytes);
  }
}

/// Where the lanes of a window lie. Bit positions count from the word `first_word` on.
struct WindowPlace {
  std::uint32_t first_word;  ///< first word of the stream that a walk of the window reads
  std::uint32_t words;       ///< number of words that walks may read
  std::uint32_t begin;       ///< bit at which the first subsequence begins
  std::uint32_t low;         ///< no walk begins before this bit
  std::uint32_t end;         ///< end of the stream's codes
  std::uint32_t subsequence_bits;
  std::uint32_t run_in_bits;

  [[nodiscard]] GPUIMG_HD Subsequence lane(std::uint32_t number) const {
    Subsequence place;
    place.begin = begin + number * subsequence_bits;
    place.end = place.begin + subsequence_bits;
    place.begin = place.begin < end ? place.begin : end;
    place.end = place.end < end ? place.end : end;
    place.run_in = place.begin - low > run_in_bits ? place.begin - run_in_bits : low;
    return place;
  }
};

/// Words that a walk may read after the last subsequence of a window: the bits of one step, and the two words that a
/// BitCursor holds after it.
constexpr std::uint32_t kWordsBehind = (kMaxStepBits + 31) / 32 + 3;

/// `end` is the end of the codes. The window must begin before it.
GPUIMG_HD inline WindowPlace window_place(const Block& block, std::uint32_t number, std::uint32_t end,
                                          const DecodeShape& shape) {
  const std::uint32_t begin = block.data_begin + number * shape.lanes * block.subsequence_bits;
  const std::uint32_t half = block.subsequence_bits / 2;
  const std::uint32_t run_in = shape.run_in_bits < half ? shape.run_in_bits : half;
  const std::uint32_t low = begin - block.data_begin > run_in ? begin - run_in : block.data_begin;
  WindowPlace place;
  place.first_word = low / 32;
  const std::uint32_t base = 32 * place.first_word;
  place.begin = begin - base;
  place.low = low - base;
  place.end = end - base;
  place.subsequence_bits = block.subsequence_bits;
  place.run_in_bits = run_in;
  place.words = place.begin / 32 + shape.lanes * (block.subsequence_bits / 32) + kWordsBehind;
  return place;
}

/// The largest number of words of a window.
constexpr std::uint32_t most_window_words(const DecodeShape& shape) {
  return (shape.run_in_bits + 31) / 32 + 2 + shape.lanes * shape.max_words + kWordsBehind;
}

/// True if a lane must walk again, given the result `before` of the preceding lane.
GPUIMG_HD inline bool must_walk_again(const LaneWalk& lane, const LaneWalk& before) {
  return before.outcome == WalkEnd::reached && lane.entry != before.exit;
}

// --- Windows become blocks, blocks become the stream -----------------------------------------------------------------

/// Joins the windows of a block: sets the block's end and size, and the offsets of its windows. Calls repair(Repair)
/// for each window that does not begin where its predecessor ends.
template <class AddRepair>
GPUIMG_HD inline void join_windows(Block& block, Window* windows, AddRepair&& repair) {
  std::uint32_t at = block.data_begin;
  std::uint32_t bytes = 0;
  bool is_joined = true;
  WalkEnd outcome = WalkEnd::reached;
  for (std::uint32_t i = block.first_window; i < block.first_window + block.windows; ++i) {
    Window& window = windows[i];
    if (outcome != WalkEnd::reached) {
      window.offset = kUnknown;
      continue;
    }
    if (window.entry != at) {
      is_joined = false;
      repair(Repair{i, at});
    }
    window.offset = bytes;
    bytes = bytes + window.bytes < kTooManyBytes ? bytes + window.bytes : kTooManyBytes;
    at = window.exit;
    outcome = window.outcome;
  }
  block.is_joined = is_joined ? 1 : 0;
  block.end = is_joined && outcome == WalkEnd::ended ? at : kUnknown;
  block.bytes = bytes;
}

/// The header of a stored block at `bit`.
struct StoredHeader {
  bool is_valid;
  bool is_last;
  std::uint32_t from;  ///< offset of its first data byte
  std::uint32_t size;
};

/// `end` is the end of all blocks, a multiple of 8. `bit` + kBlockHeaderBits must not exceed it.
GPUIMG_HD inline StoredHeader stored_header(const std::uint32_t* words, std::uint32_t bit, std::uint32_t end) {
  StoredHeader header{};
  header.is_last = (bits_at(words, bit) & 1U) != 0;
  header.from = (bit + kBlockHeaderBits + 7) / 8 + 4;
  if (header.from > end / 8) {
    return header;
  }
  const std::uint32_t both = bits_at(words, 8 * (header.from - 4));
  header.size = both & 0xFFFFU;
  header.is_valid = (both >> 16 ^ 0xFFFFU) == header.size && header.size <= end / 8 - header.from;
  return header;
}

/// Skips empty stored blocks at `bit`, which encoders use to flush. Returns the bit after them. Skips at most kMost
/// blocks.
GPUIMG_HD inline std::uint32_t skip_empty_blocks(const std::uint32_t* words, std::uint32_t bit, std::uint32_t end) {
  constexpr int kMost = 4;
  for (int i = 0; i < kMost && bit + kBlockHeaderBits <= end && (bits_at(words, bit) & 7U) == 0; ++i) {
    const StoredHeader header = stored_header(words, bit, end);
    if (!header.is_valid || header.size != 0) {
      break;
    }
    bit = 8 * header.from;
  }
  return bit;
}

/// The known blocks. The first `sorted` blocks are in order; the chain has appended the other blocks.
struct BlockList {
  Block* blocks = nullptr;
  std::uint32_t sorted = 0;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;

  /// The index of the block that begins at `bit`; kUnknown if there is none.
  [[nodiscard]] GPUIMG_HD std::uint32_t find(std::uint32_t bit) const {
    const std::uint32_t first = first_block_from(blocks, sorted, bit);
    if (first < sorted && blocks[first].begin == bit) {
      return first;
    }
    for (std::uint32_t i = sorted; i < count; ++i) {
      if (blocks[i].begin == bit) {
        return i;
      }
    }
    return kUnknown;
  }
};

/// How far the stream is verified: all blocks before `bit` follow one another, starting with the first.
struct Chain {
  std::uint32_t bit;
  std::uint32_t bytes;
  std::uint32_t stored_runs;
  std::uint32_t is_done;  ///< 1: the last block ends where the checksum begins, and all bytes are there
  std::uint32_t defects;
};

/// The limits of the stream that the chain follows.
struct StreamEnds {
  const std::uint32_t* words = nullptr;
  std::uint32_t end = 0;    ///< bit at which the checksum of the data begins
  std::uint32_t bytes = 0;  ///< number of bytes that the stream must make
};

/// True if sorted block `i` is directly followed by the next block of the list; empty blocks between them do not
/// matter. If block `i` is in the stream, then so is the next. This verifies the first part of most chains in parallel.
GPUIMG_HD inline bool is_followed_by_next(const StreamEnds& stream, const BlockList& list, std::uint32_t i) {
  if (i + 1 >= list.sorted) {
    return false;
  }
  const Block& block = list.blocks[i];
  return block.end != kUnknown && block.is_last == 0 &&
         skip_empty_blocks(stream.words, block.end, stream.end) == list.blocks[i + 1].begin;
}

GPUIMG_HD inline void add_stored_run(Chain& chain, const StreamEnds& stream, StoredRun* runs, std::uint32_t capacity,
                                     bool& is_last) {
  const StoredHeader header = stored_header(stream.words, chain.bit, stream.end);
  if (!header.is_valid) {
    chain.defects |= Defect::bad_chain;
  } else if (header.size > stream.bytes - chain.bytes) {
    chain.defects |= Defect::bad_size;
  } else if (header.size != 0 && chain.stored_runs == capacity) {
    chain.defects |= Defect::too_many_blocks;
  } else {
    if (header.size != 0) {
      runs[chain.stored_runs++] = {header.from, header.size, chain.bytes};
    }
    chain.bytes += header.size;
    chain.bit = 8 * (header.from + header.size);
    is_last = header.is_last;
  }
}

/// Extends the chain by a known block.
GPUIMG_HD inline void add_block(Chain& chain, const StreamEnds& stream, Block& block, bool& is_last) {
  if (block.end == kUnknown) {
    chain.defects |= block.is_joined != 0 || !has_codes(block) ? Defect::bad_code : Defect::not_synchronized;
  } else if (block.bytes > stream.bytes - chain.bytes) {
    chain.defects |= Defect::bad_size;
  } else {
    block.offset = chain.bytes;
    chain.bytes += block.bytes;
    chain.bit = block.end;
    is_last = block.is_last != 0;
  }
}

/// Follows the blocks from the present end of the chain. Stops at the end of the stream, at a defect, or after
/// appending an unknown block to the list, which another round must parse and decode.
GPUIMG_HD inline void follow_chain(Chain& chain, const StreamEnds& stream, BlockList& list, StoredRun* runs,
                                   std::uint32_t run_capacity) {
  bool is_last = false;
  while (!is_last && chain.defects == 0) {
    const std::uint32_t known = list.find(chain.bit);
    if (chain.bit + kBlockHeaderBits > stream.end) {
      chain.defects |= Defect::bad_chain;
    } else if ((bits_at(stream.words, chain.bit) >> 1 & 3U) == static_cast<std::uint32_t>(BlockType::stored)) {
      add_stored_run(chain, stream, runs, run_capacity, is_last);
    } else if (known != kUnknown) {
      add_block(chain, stream, list.blocks[known], is_last);
    } else if (list.count == list.capacity) {
      chain.defects |= Defect::too_many_blocks;
    } else {
      Block added{};
      added.begin = chain.bit;
      list.blocks[list.count++] = added;
      return;
    }
  }
  const bool is_whole = chain.bytes == stream.bytes && (chain.bit + 7) / 8 == stream.end / 8;
  chain.defects |= chain.defects == 0 && !is_whole ? static_cast<std::uint32_t>(Defect::bad_size) : 0U;
  chain.is_done = chain.defects == 0 ? 1 : 0;
}

}  // namespace gpuimg::png
