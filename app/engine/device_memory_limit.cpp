// Shares of the device's memory, and fallbacks if it has too little: the host decodes, then strips, then with `auto`
// the CPU. docs/batch.md, "Memory".
#include <fmt/format.h>

#include <algorithm>

#include "engine/command_context.hpp"
#include "jpeg/encode.hpp"
#include "jpeg/layout.hpp"
#include "operations/operations.hpp"
#include "png/strips.hpp"

namespace gpuimg {
namespace {

/// What a backend takes to encode a picture as JPEG with the least subsampling, beside the picture: 16-bit
/// coefficients, packed codes, and notes about each block.
std::size_t jpeg_encoding_bytes(int width, int height, PixelFormat format) {
  constexpr std::size_t kNotesPerBlock = 16;
  constexpr std::size_t kBytesPerBlock = 2 * jpeg::kBlockSize + jpeg::kUsualBlockBytes + kNotesPerBlock;
  const auto blocks_of = [](int side) { return (static_cast<std::size_t>(side) + 15) / 16 * 2; };  // whole MCUs
  return blocks_of(width) * blocks_of(height) * static_cast<std::size_t>(format.color_channels()) * kBytesPerBlock;
}

/// The same as PNG, for 16 bits a channel, and that picture.
std::size_t with_png_encoding_bytes(std::size_t pixels, PixelFormat format) {
  const std::size_t result = pixels * sizeof(std::uint16_t) * static_cast<std::size_t>(std::max(format.channels, 3));
  return result + png::encoding_bytes(result);
}

/// Of a pixel of `integral --variance`: a level of 16 bits, its sum, that of its square, and the result.
constexpr std::size_t kBytesOfMoments = sizeof(std::uint16_t) + 2 * sizeof(std::uint64_t) + sizeof(float);

/// An image, its mask, and the larger of: the largest result of any operation, or the moments of windows, which also
/// leaves room for the tables and scratch memory of the others; and a result like the image with what it takes to
/// encode it.
std::size_t needed_bytes(int width, int height, PixelFormat format, std::size_t mask_bytes) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t to_compute = pixels * std::max(most_result_bytes(), kBytesOfMoments);
  const std::size_t as_jpeg = pixels * format.bytes_per_pixel() + jpeg_encoding_bytes(width, height, format);
  const std::size_t as_png = with_png_encoding_bytes(pixels, format);
  return pixels * format.bytes_per_pixel() + std::max({to_compute, as_jpeg, as_png}) + mask_bytes;
}

/// What a backend takes to decode, beside the picture: the coded bytes twice and notes about them and about each
/// restart segment, 16-bit coefficients and samples, and the pixels before they are turned.
std::size_t decoding_bytes(const EncodedJpeg& jpeg) {
  constexpr std::size_t kTables = std::size_t{1} << 20;
  constexpr std::size_t kBytesPerSegment = 48;
  const jpeg::Layout layout = jpeg::layout_of(jpeg);
  const std::size_t samples = std::size_t{layout.block_count()} * jpeg::kBlockSize;
  const std::size_t marks = layout.segment_count * kBytesPerSegment;
  return kTables + 3 * jpeg.scan.size() + marks + 3 * samples + samples;
}

}  // namespace

bool CommandContext::takes_memory_for(const EncodedImage& encoded, Backend& on) {
  const EncodedJpeg& jpeg = frame_of(encoded);
  const std::size_t needed =
      needed_bytes(jpeg.width, jpeg.height, {Sample::u8, jpeg.component_count}, 0) + decoding_bytes(jpeg);
  MemoryBudget& memory = device_memory(on);
  if (share_.is_held() || needed > memory.bytes()) {
    return false;
  }
  share_ = MemoryShare(memory, needed);
  return true;
}

void CommandContext::keep_memory_for(const std::optional<Picture>& decoded) {
  if (decoded) {
    share_.shrink_to(needed_bytes(decoded->width(), decoded->height(), decoded->format(), 0));
  } else {
    share_.release();
  }
}

void CommandContext::computed(Backend& on, OperationInput input, const Compute& compute) {
  MemoryShare share = std::move(share_);  // of a picture that is there already
  if (input.rows) {
    try {
      return in_bands(on, [&](Backend& backend, const StripMemory& memory) {
        StripedBackend bands(backend, memory, &times_);
        compute(bands, AttemptInput(std::as_const(input)));
      });
    } catch (const VoidStrips&) {
      input = read_whole(std::move(input));
    }
  }
  if (on.memory_is_host()) {
    return compute(on, AttemptInput(std::move(input)));
  }
  std::size_t room = device_memory_limit(on, input, share);
  if (room == 0) {
    try {
      return compute(on, AttemptInput(std::as_const(input)));
    } catch (const Error& error) {
      room = room_after(error, on, input, share);
    }
  }
  Backend* instead = nullptr;
  try {
    StripedBackend strips(on, room, &times_);
    return compute(strips, AttemptInput(std::as_const(input)));
  } catch (const Error& error) {
    instead = &cpu_after(error);
  }
  share.release();
  compute(*instead, AttemptInput(std::move(input)));
}

std::size_t CommandContext::device_memory_limit(Backend& on, const OperationInput& input, MemoryShare& share) {
  if (on.memory_is_host() || share.is_held()) {
    return 0;
  }
  const std::size_t mask_bytes = input.mask ? input.mask->size_bytes() : 0;
  const std::size_t needed = needed_bytes(input.width(), input.height(), input.format(), mask_bytes);
  MemoryBudget& memory = device_memory(on);
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, needed); });
  if (needed <= memory.bytes()) {
    return 0;
  }
  if (options_.max_device_memory != 0) {
    return memory.bytes();
  }
  const std::size_t available = on.available_bytes();
  detail(fmt::format("the device has {} MB of memory left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

std::size_t CommandContext::room_after(const Error& error, Backend& on, OperationInput& input, MemoryShare& share) {
  if (error.kind() != ErrorKind::out_of_memory || on.memory_is_host()) {
    throw;  // the exception being handled
  }
  bring_to_host(on, input);
  share.release();
  MemoryBudget& memory = device_memory(on);
  times_.measure(Phase::start, [&] { share = MemoryShare(memory, memory.bytes()); });
  const std::size_t available = on.available_bytes();
  note(fmt::format("the device ran out of memory and has {} MB left: the image is taken in strips", available >> 20));
  return std::max<std::size_t>(available / 2, 1);
}

Backend& CommandContext::cpu_after(const Error& error) {
  if (error.kind() != ErrorKind::out_of_memory || !options_.can_use_cpu || options_.verify) {
    throw;  // the exception being handled
  }
  note("the device has no memory for strips either: the CPU takes the image");
  Backend& cpu = backends_.other();
  record(cpu);
  return cpu;
}

}  // namespace gpuimg
