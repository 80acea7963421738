// Codes in canonical order, as libjpeg assigns and checks them (jdhuff.c).
#include "codecs/jpeg/jpeg_code_table.hpp"

#include <algorithm>
#include <numeric>

namespace gpuimg::codecs {

/// `entry_of(symbol, bits, rest, rest_bits)`: for a code of `bits` bits, and the rest of the index.
template <class Entry>
bool JpegCodeTable::set(const JpegHuffmanTable& from, Entry entry_of) {
  symbols_ = from.symbols;
  entries_.fill({0, JpegCodeEntry::kLong, 0});
  unsigned code = 0;
  unsigned index = 0;
  for (unsigned length = 1; length <= kMaxLength; ++length) {
    index_[length] = index - code;
    const unsigned count = from.codes_of_length[length - 1];
    if (index + count > symbols_.size()) {
      return false;
    }
    for (unsigned i = 0; i < count && length <= kBits && (code + i) >> length == 0; ++i) {
      const unsigned rest_bits = kBits - length;
      for (unsigned rest = 0; rest < 1U << rest_bits; ++rest) {
        entries_[(code + i) << rest_bits | rest] = entry_of(symbols_[index + i], length, rest, rest_bits);
      }
    }
    index += count;
    code += count;
    if (count != 0 && code >> length != 0) {  // no code may be all ones
      return false;
    }
    end_[length] = code;
    code <<= 1;
  }
  return true;
}

bool JpegCodeTable::set_dc(const JpegHuffmanTable& from) {
  constexpr unsigned kMaxValueBits = 15;
  const auto entry_of = [](unsigned symbol, unsigned bits, unsigned rest, unsigned rest_bits) {
    const bool fits = symbol <= rest_bits;
    const int value = fits ? jpeg_value(rest >> (rest_bits - symbol), symbol) : static_cast<int>(symbol);
    return JpegCodeEntry(value, fits ? 0 : JpegCodeEntry::kSymbol, fits ? bits + symbol : bits);
  };
  const unsigned count = std::accumulate(from.codes_of_length.begin(), from.codes_of_length.end(), 0U);
  return set(from, entry_of) && std::all_of(symbols_.begin(), symbols_.begin() + count,
                                            [](unsigned symbol) { return symbol <= kMaxValueBits; });
}

bool JpegCodeTable::set_ac(const JpegHuffmanTable& from, unsigned shift, unsigned max_value_bits) {
  const auto entry_of = [&](unsigned symbol, unsigned bits, unsigned rest, unsigned rest_bits) {
    const unsigned run = symbol >> 4;
    const unsigned value_bits = symbol & 15;
    const JpegCodeEntry as_symbol(static_cast<int>(symbol), JpegCodeEntry::kSymbol, bits);
    if (value_bits == 0) {
      const bool fits = run < 15 && run <= rest_bits;
      const auto blocks = [&] { return static_cast<int>((1U << run) + (rest >> (rest_bits - run))); };
      return fits ? JpegCodeEntry(blocks(), JpegCodeEntry::kEndOfBand, bits + run) : as_symbol;
    }
    if (value_bits > rest_bits || value_bits > max_value_bits) {
      return as_symbol;
    }
    const int value = jpeg_value(rest >> (rest_bits - value_bits), value_bits) * (1 << shift);
    return JpegCodeEntry(value, run, bits + value_bits);
  };
  return set(from, entry_of);
}

JpegCodeTable::Symbol JpegCodeTable::long_code(unsigned window) const {
  for (unsigned length = kBits + 1; length <= kMaxLength; ++length) {
    const unsigned code = window >> (kMaxLength - length);
    if (code < end_[length]) {
      return {symbols_[index_[length] + code], length};
    }
  }
  return {};
}

}  // namespace gpuimg::codecs
