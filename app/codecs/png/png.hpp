// Reads all 15 combinations of color type and bit depth of PNG, interlaced or not, with strict checks; and writes PNG.
// gpuimg itself reads intact files without interlacing, and uses libpng for all others. PNG specification (ISO/IEC
// 15948).
// Start with png_reader.cpp to understand reading, and with png_writer.cpp to understand writing.
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

namespace gpuimg::codecs::png {

/// Codec::declared of PNG.
DeclaredImage declared_png(ByteSpan beginning, const std::string& name);

/// Expands gray of fewer than 8 bits to 8 bits, palettes to RGB (RGBA with transparency), and a transparent color to an
/// alpha channel. 16-bit samples stay 16-bit. Does not apply gamma or a background. Requires correct checksums of
/// critical chunks, a valid deflate stream, valid palette indices and a file complete through IEND; skips damaged
/// ancillary chunks. Returns pixels as stored: decode_image applies the orientation. `name` is printable. Throws like
/// decode_image.
DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// Codec::describe of PNG: describes a file of a kind that EncodedPng allows. The file must be neither small nor huge,
/// and EXIF data must not rotate it.
std::optional<DescribedImage> describe_png_image(std::span<const std::byte> bytes, const std::string& name,
                                                 const ReadOptions& options);

/// Codec::open_rows of PNG: reads simple PNGs (simple_png.hpp) in bands of rows.
std::optional<DecodedImage> open_png_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

enum class PngPath { fast_if_possible, libpng_only };

/// Decodes only the pixels. Both implementations return the same pixels, append the same notes and reject the same
/// files.
Image read_png_pixels(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options,
                      PngPath path, std::vector<std::string>* notes = nullptr);

/// Codec::fit_metadata of PNG.
void fit_png_metadata(Metadata& metadata, MetadataFilter& filter);

/// Writes u8 or u16 pixels with 1 to 4 channels, without interlacing. Divides the image into strips of about 256 KB;
/// the division depends only on the image. Filters and deflates the strips in parallel, and joins them in order. The
/// bytes do not depend on `threads` or on the processor. Holds less than 2 MB per thread.
///
/// png_level 0, 1 and 2 select StripDeflater's levels, with a filter chosen for each row. Level 3 deflates each strip
/// six times at level 2 and keeps the smallest result: once with a filter chosen for each row, and once with each of
/// the five filters for the whole strip.
///
/// Throws Error{unsupported} for rows of more than 2³⁰ bytes, Error{usage} for a level out of range and for a text
/// entry that PNG does not allow (keyword: 1 to 79 printable Latin-1 characters without leading, trailing or
/// consecutive spaces; text: no NUL), and Error{out_of_memory}. Calls `sink` from one thread at a time, which can be
/// another thread than the caller's.
void encode_png(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Part of the memory that a row writer holds for each thread: packed strips that wait while others are being packed.
constexpr std::size_t kWaitingBytesOfThread = std::size_t{512} << 10;

/// Codec::open_writer of PNG. Copies the rows of a call only if they are too few to keep all threads busy. Holds less
/// than 3 MB per thread, or a few rows if they are larger.
std::unique_ptr<RowWriter> open_png_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink);

/// Codec::backend_encoding of PNG: supports levels 0 and 1.
std::optional<Encoding> png_data_format(int width, int height, PixelFormat format, const WriteOptions& options);

/// Codec::write_encoded of PNG: writes the parts of the file before and after the IDAT chunks.
void write_encoded_png(const Encoded& chunks, int width, int height, PixelFormat format, const std::string& name,
                       const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::png
