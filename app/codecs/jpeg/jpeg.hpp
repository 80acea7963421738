// Reads and writes JPEG. libjpeg-turbo computes the pixels and writes files; gpuimg decodes most Huffman codes itself.
// Start with jpeg_reader.cpp to understand decoding, and with jpeg_writer.cpp to understand encoding.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::jpeg {

/// Codec::declared of JPEG.
DeclaredImage declared_jpeg(ByteSpan beginning, const std::string& name);

/// Codec::metadata of JPEG.
Metadata jpeg_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// A file with one channel stays gray; three channels become RGB. Uses libjpeg's defaults: the slow exact inverse DCT
/// and smooth chroma upsampling. CMYK and YCCK become RGB through stored_samples.hpp, with a note. Every libjpeg-turbo
/// warning causes Error{decode}, or a note if lenient. More than 500 scans always cause Error{decode}. Pixels are
/// returned as stored: the caller applies the orientation. Several threads decode a large image, unless
/// options.threads is 1. `name` is printable. Throws as decode_image does.
DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// Codec::describe of JPEG: describes a file that a backend may decode, or a large file of several scans, for which the
/// host decodes the Huffman codes. Returns nullopt for a damaged header.
std::optional<DescribedImage> describe_jpeg_image(std::span<const std::byte> bytes, const std::string& name,
                                                  const ReadOptions& options);

/// Like read_jpeg, but cuts an image of any size into parts at `cuts` (jpeg_pipeline.hpp). Without cuts, one decoder
/// reads the whole image.
DecodedImage read_jpeg_cut_at(const std::vector<int>& cuts, std::span<const std::byte> bytes, const std::string& name,
                              const ReadOptions& options);

/// Codec::open_rows of JPEG.
std::optional<DecodedImage> open_jpeg_rows(const RandomAccess& file, const std::string& name,
                                           const ReadOptions& options);

/// Writes baseline JFIF: RGB as YCbCr, gray as one component. Quality is on libjpeg's scale. The integer transforms
/// make the bytes independent of the processor. Writes options.metadata, which must fit (carried_metadata ensures it).
/// The image must pass check_holds. Throws Error{usage} for a quality out of range, and Error{out_of_memory}.
void encode_jpeg(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_writer of JPEG. Holds a few rows of blocks and 64 KB of the file in memory.
std::unique_ptr<RowWriter> open_jpeg_writer(int width, int height, PixelFormat format, const std::string& name,
                                            const WriteOptions& options, const ByteSink& sink);

inline constexpr int kMaxJpegSide = 65500;  ///< libjpeg's limit

/// Codec::fit_metadata of JPEG.
void fit_jpeg_metadata(Metadata& metadata, MetadataFilter& filter);

/// Codec::backend_encoding of JPEG: the scan that libjpeg would write. Returns nullopt for restart markers, for unusual
/// sampling, and if libjpeg fails.
std::optional<Encoding> jpeg_scan_format(int width, int height, PixelFormat format, const WriteOptions& options);

/// Codec::write_encoded of JPEG: libjpeg's header, the scan, and EOI.
void write_encoded_jpeg(const Encoded& scan, int width, int height, PixelFormat format, const std::string& name,
                        const WriteOptions& options, const ByteSink& sink);

/// A sentence for the user if the loaded libjpeg-turbo does not match the version that gpuimg was built for: names both
/// versions and a remedy. Empty if the versions match.
std::string jpeg_library_problem();

/// Like above, for a program built for another interface. Used by tests.
std::string jpeg_library_problem(int built_version, std::size_t built_struct_bytes);

}  // namespace gpuimg::codecs::jpeg
