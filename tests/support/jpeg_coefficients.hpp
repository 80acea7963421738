// Decodes the coefficients of a JPEG with several scans, and compares them with libjpeg's. The fuzzers use it, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "gpuimg/encoded_image.hpp"

namespace gpuimg::test {

/// A sink that is as slow as the contract allows: it copies blocks only when the next ones arrive, and then overwrites
/// the memory of the copied blocks.
class SlowSink final : public JpegBlockSink {
 public:
  explicit SlowSink(std::size_t coefficients) : all_(coefficients, kUnwritten) {}

  std::span<std::int16_t> memory(std::size_t blocks) override;
  void take(std::span<const JpegBlocks> blocks) override;

  /// Call after all blocks have been taken.
  [[nodiscard]] std::vector<std::int16_t> all();

 private:
  static constexpr std::int16_t kUnwritten = 0x5555;

  void copy_and_spoil();

  std::vector<std::int16_t> memory_;
  std::vector<JpegBlocks> taken_;
  std::vector<std::int16_t> all_;
};

enum class JpegCodesVerdict : std::uint8_t {
  same,      ///< decoded to libjpeg's coefficients
  left,      ///< left to the ordinary decoder
  mistaken,  ///< decoded, but libjpeg warns, fails or has other coefficients
};

/// `file` starts with SOI.
JpegCodesVerdict verdict_on_jpeg_codes(std::span<const std::byte> file,
                                       const codecs::jpeg::JpegPipelineChoices& choices);

}  // namespace gpuimg::test
