// Drives isal_inflate() from one gzip file to the next.
#include "io/gzip_stream.hpp"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gpuimg {
namespace {

constexpr std::byte kFirst{0x1f};  // of a gzip file
constexpr std::byte kSecond{0x8b};
constexpr std::byte kDeflated{8};  // the only method there is

void begin(inflate_state& state) {
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
}

std::uint32_t at_most_uint32(std::size_t size) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

bool GzipStream::begins(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagicBytes && bytes[0] == kFirst && bytes[1] == kSecond && bytes[2] == kDeflated;
}

GzipStream::GzipStream() : state_(std::make_unique<inflate_state>()) { begin(*state_); }

GzipStream::~GzipStream() = default;

bool GzipStream::is_whole() const { return state_->block_state == ISAL_BLOCK_FINISH; }

std::size_t GzipStream::inflate(std::span<const std::byte>& in, std::span<std::byte> out) {
  inflate_state& state = *state_;
  if (is_whole() && !in.empty() && !has_ended_) {
    has_ended_ = in.front() != kFirst;  // such as padding
    if (!has_ended_) {
      begin(state);
    }
  }
  if (is_whole() || is_damaged_) {
    in = {};
    return 0;
  }
  auto* const next = reinterpret_cast<std::uint8_t*>(out.data());
  state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(in.data()));
  state.avail_in = at_most_uint32(in.size());
  state.next_out = next;
  state.avail_out = at_most_uint32(out.size());
  is_damaged_ = isal_inflate(&state) < 0;
  in = in.subspan(static_cast<std::size_t>(state.next_in - reinterpret_cast<const std::uint8_t*>(in.data())));
  return is_damaged_ ? 0 : static_cast<std::size_t>(state.next_out - next);
}

}  // namespace gpuimg
