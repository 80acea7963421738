// A PNG file as it is written: chunks in order, to a sink. PNG specification, sections 5 and 11.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "codecs/codec.hpp"
#include "codecs/png/png_strips.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Collects small pieces before passing them to the sink, which it borrows.
class PngOutput {
 public:
  explicit PngOutput(const ByteSink& sink) : sink_(sink) {}

  /// Everything before the IDAT chunks: signature, header, metadata and text. Throws Error{usage} for a text entry that
  /// PNG does not allow.
  void begin(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options);

  /// Bytes of whole chunks.
  void append(std::span<const std::byte> bytes);

  /// Strips in order. Completes the last one.
  void append_strip(PackedStrip& strip, bool is_last);

  /// Everything after the IDAT chunks.
  void finish();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

  void append_chunk(std::span<const std::byte> content);
  void flush();

  const ByteSink& sink_;
  std::unique_ptr<std::byte[]> buffer_{new std::byte[kBufferBytes]};
  std::size_t size_ = 0;
  std::uint32_t adler_ = 1;
};

}  // namespace gpuimg::codecs
