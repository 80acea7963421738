// Deflate and checksums through ISA-L: app/files/deflate_strips.hpp.
#include "files/deflate_strips.hpp"

#include <isa-l.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpuimg {
namespace {

constexpr std::array<std::uint32_t, 3> kLevelBytes = {ISAL_DEF_LVL0_DEFAULT, ISAL_DEF_LVL1_DEFAULT,
                                                      ISAL_DEF_LVL2_DEFAULT};

const unsigned char* unsigned_data(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

struct StripDeflater::State {
  isal_zstream stream{};
  std::uint32_t level = 0;
  std::vector<std::uint8_t> tables;
};

StripDeflater::StripDeflater(int isal_level) : state_(std::make_unique<State>()) {
  state_->level = static_cast<std::uint32_t>(isal_level);
  state_->tables.resize(kLevelBytes.at(state_->level));
}

StripDeflater::~StripDeflater() = default;
StripDeflater::StripDeflater(StripDeflater&&) noexcept = default;

std::size_t StripDeflater::deflate(std::span<const std::byte> strip, std::span<std::byte> out, bool is_last) {
  isal_zstream& stream = state_->stream;
  isal_deflate_stateless_init(&stream);
  stream.level = state_->level;
  stream.level_buf = state_->tables.data();
  stream.level_buf_size = static_cast<std::uint32_t>(state_->tables.size());
  stream.flush = FULL_FLUSH;
  stream.end_of_stream = is_last ? 1 : 0;
  stream.next_in = const_cast<std::uint8_t*>(unsigned_data(strip));  // ISA-L only reads it
  stream.avail_in = static_cast<std::uint32_t>(strip.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  // The bound, not out.size(): ISA-L stores what would not fit, so the room it is given must follow from the input.
  stream.avail_out = static_cast<std::uint32_t>(deflate_bound(strip.size()));
  const int code = strip.size() > kMaxStripBytes ? INVALID_PARAM : isal_deflate_stateless(&stream);
  if (code != COMP_OK || stream.avail_in != 0) {
    throw std::logic_error("ISA-L deflate returned " + std::to_string(code));
  }
  return stream.total_out;
}

std::uint32_t adler32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  return isal_adler32(so_far, unsigned_data(bytes), bytes.size());
}

std::uint32_t joined_adler32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  constexpr std::uint64_t kModulus = 65521;
  const std::uint64_t first_sum = first & 0xFFFFU;
  const std::uint64_t low = first_sum + (second & 0xFFFFU) + kModulus - 1;
  const std::uint64_t high = (first >> 16) + (second >> 16) + (second_size % kModulus) * (first_sum + kModulus - 1);
  return static_cast<std::uint32_t>((high % kModulus) << 16 | low % kModulus);
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  return crc32_gzip_refl(so_far, unsigned_data(bytes), bytes.size());
}

}  // namespace gpuimg
