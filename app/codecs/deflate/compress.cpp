// Divides a strip into blocks and writes each block in its smallest format. core/png/deflate.hpp defines the formats
// and builds the Huffman trees.
#include "codecs/deflate/compress.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gpuimg::codecs::deflate {
namespace {

/// The symbols that occur, rarest first. A key is the count followed by the symbol, so no two keys are equal.
struct Occurring {
  std::array<std::uint64_t, kFixedLiteralSymbols> keys;
  std::size_t size = 0;

  explicit Occurring(std::span<const std::uint32_t> counts) {
    for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
      keys[size] = std::uint64_t{counts[symbol]} << 16 | symbol;
      size += counts[symbol] != 0 ? 1 : 0;
    }
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(size));
  }

  [[nodiscard]] std::uint32_t count(std::size_t i) const { return static_cast<std::uint32_t>(keys[i] >> 16); }
  [[nodiscard]] std::size_t symbol(std::size_t i) const { return keys[i] & 0xFFFFU; }
};

constexpr std::array<MatchSettings, 3> kLevels = {{
    {.hash_bits = kPartHashBits, .search = search_settings(0)},
    {.hash_bits = kPartHashBits, .search = search_settings(1)},
    {.hash_bits = 15, .search = {.min_length = 10, .skip_bits = 8}, .is_lazy = true},
}};

Bits header_bits(BlockType type, bool is_last) { return {block_header(type, is_last), kBlockHeaderBits}; }

CodeLengths fixed_lengths() {
  CodeLengths lengths;
  lengths.literals = kFixedLiteralLengths;
  lengths.distances.fill(kFixedDistanceLength);
  return lengths;
}

/// The size of all symbols in bits, including extra bits.
std::uint64_t symbol_bits(const SymbolCounts& counts, const CodeLengths& lengths) {
  std::uint64_t bits = 0;
  for (std::uint32_t symbol = 0; symbol < kLiteralSymbols; ++symbol) {
    bits += std::uint64_t{counts.literals[symbol]} * (lengths.literals[symbol] + literal_extra_bits(symbol));
  }
  for (std::uint32_t symbol = 0; symbol < kDistanceSymbols; ++symbol) {
    bits += std::uint64_t{counts.distances[symbol]} * (lengths.distances[symbol] + distance_extra_bits(symbol));
  }
  return bits;
}

void write_stored(std::span<const std::uint8_t> bytes, bool is_last, BitWriter& out) {
  do {
    const auto part = bytes.first(std::min(bytes.size(), kMaxStoredBytes));
    bytes = bytes.subspan(part.size());
    out.write(header_bits(BlockType::stored, is_last && bytes.empty()));
    out.fill_last_byte();
    out.write({part.size() | (~part.size() & 0xFFFFU) << 16, 32});
    out.write_bytes(part);
  } while (!bytes.empty());
}

}  // namespace

void choose_code_lengths(std::span<const std::uint32_t> counts, std::uint32_t max_length,
                         std::span<std::uint8_t> lengths) {
  std::fill(lengths.begin(), lengths.end(), std::uint8_t{0});
  const Occurring leaves(counts);
  if (leaves.size <= 1) {
    for (std::size_t i = 0; i < leaves.size; ++i) {
      lengths[leaves.symbol(i)] = 1;
    }
    return;
  }
  HuffmanTree<kFixedLiteralSymbols> tree;
  tree.leaves = static_cast<std::uint32_t>(leaves.size);
  for (std::size_t i = 0; i < leaves.size; ++i) {
    tree.weight[i] = leaves.count(i);
  }
  tree.join();
  LengthCounts of_length{};
  for (std::uint32_t leaf = 0; leaf < tree.leaves; ++leaf) {
    ++of_length.of[std::min(tree.leaf_depth(leaf), max_length)];
  }
  restore_prefix_code(of_length, max_length);
  std::size_t next = 0;
  for (std::uint32_t length = max_length; length > 0; --length) {
    for (std::uint32_t i = 0; i < of_length.of[length]; ++i) {
      lengths[leaves.symbol(next++)] = static_cast<std::uint8_t>(length);
    }
  }
}

void assign_codes(std::span<const std::uint8_t> lengths, std::span<Bits> codes) {
  gpuimg::png::assign_codes(lengths.data(), static_cast<std::uint32_t>(lengths.size()),
                            [&](std::uint32_t symbol, std::uint32_t code, std::uint32_t length) {
                              codes[symbol] = {code, length};
                            });
}

void write_deflate_block(std::span<const std::uint8_t> bytes, std::span<const DeflateSequence> sequences, bool is_last,
                         BitWriter& out) {
  static const CodeLengths kFixed = fixed_lengths();
  const SymbolCounts counts = count_symbols(bytes, sequences);
  CodeLengths own;
  choose_code_lengths(counts.literals, kMaxLiteralCodeBits, std::span(own.literals).first(kLiteralSymbols));
  choose_code_lengths(counts.distances, kMaxCodeBits, own.distances);
  const DynamicHeader header(own.literals.data(), own.distances.data());

  const std::uint64_t dynamic = header.bits() + symbol_bits(counts, own);
  const std::uint64_t fixed = symbol_bits(counts, kFixed);
  const BlockType type = choose_block_type(bytes.size(), dynamic, fixed);
  if (type == BlockType::stored) {
    write_stored(bytes, is_last, out);
    return;
  }
  out.write(header_bits(type, is_last));
  if (type == BlockType::dynamic) {
    header.write([&](std::uint32_t bits, std::uint32_t count) { out.write({bits, count}); });
  }
  write_symbols(bytes, sequences, type == BlockType::dynamic ? own : kFixed, out);
}

StripDeflater::StripDeflater(int level) : finder_(kLevels.at(static_cast<std::size_t>(level))) {}

std::size_t StripDeflater::deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last) {
  if (strip.size() > kMaxStripBytes || out.size() < deflate_bound(strip.size())) {
    throw std::logic_error("a strip to deflate is too long or its output too small");
  }
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(strip.data()), strip.size());
  BitWriter writer(out.data());
  finder_.restart();
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min<std::size_t>(bytes.size(), begin + kBlockBytes);
    const auto sequences = finder_.find(bytes, begin, end);
    write_deflate_block(bytes.subspan(begin, end - begin), sequences, is_last && end == bytes.size(), writer);
    begin = end;
  } while (begin < bytes.size());
  if (is_last) {
    writer.fill_last_byte();
  } else {
    write_stored({}, false, writer);  // an empty stored block ends at a byte boundary
  }
  return writer.whole_bytes();
}

}  // namespace gpuimg::codecs::deflate
