// Reads all 15 kinds of PNG, interlaced or not, strictly; and writes PNG. gpuimg itself reads flawless files without
// interlacing and leaves all others to libpng. PNG specification (ISO/IEC 15948). To read this folder, start in
// png_reader.cpp for reading and in png_writer.cpp for writing.
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

/// Expands gray below 8 bits to 8, palettes to RGB or (with transparency) RGBA, and a transparent color to alpha; 16
/// bits stay 16. Applies no gamma and no background. Requires correct checksums of critical chunks, a valid deflate
/// stream, valid palette indices and a file complete through IEND; skips damaged ancillary chunks. Returns pixels as
/// stored: decode_image applies the orientation. `name` is printable. Throws like decode_image.
DecodedImage read_png(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options);

/// Codec::describe of PNG: for a file of EncodedPng's kinds that is neither small nor huge and is not turned by EXIF
/// data.
std::optional<DescribedImage> describe_png_image(std::span<const std::byte> bytes, const std::string& name,
                                                 const ReadOptions& options);

/// Codec::open_rows of PNG: reads simple PNGs (simple_png.hpp) in bands of rows.
std::optional<DecodedImage> open_png_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

enum class PngPath { fast_if_possible, libpng_only };

/// Only the pixels. Both paths return the same pixels, append the same notes and reject the same files.
Image read_png_pixels(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options,
                      PngPath path, std::vector<std::string>* notes = nullptr);

/// Codec::fit_metadata of PNG.
void fit_png_metadata(Metadata& metadata, MetadataFilter& filter);

/// Takes u8 or u16 pixels with 1 to 4 channels; writes without interlacing. Strips of about 256 KB, a size that depends
/// only on the image, are filtered and deflated independently, in parallel, and joined in order. The bytes do not
/// depend on `threads` or on the processor. Holds less than 2 MB per thread.
///
/// png_level 0, 1 and 2 are StripDeflater's, with a filter chosen for each row. Level 3 is level 2 with the smallest of
/// six filterings of each strip: that one, and each of the five filters for the whole strip.
///
/// Throws Error{unsupported} for rows of more than 2³⁰ bytes, Error{usage} for a level out of range and for a text
/// entry that PNG does not allow (keyword: 1 to 79 printable Latin-1 characters without leading, trailing or
/// consecutive spaces; text: no NUL), and Error{out_of_memory}. Calls `sink` from one thread at a time, possibly not
/// the caller's.
void encode_png(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Part of what a writer of rows holds for each thread: strips that wait while others are packed.
constexpr std::size_t kWaitingBytesOfThread = std::size_t{512} << 10;

/// Codec::open_writer of PNG. Copies rows only if a call brings too few for all threads. Holds less than 3 MB per
/// thread, or some rows if that is more.
std::unique_ptr<RowWriter> open_png_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink);

/// Codec::backend_encoding of PNG: levels 0 and 1.
std::optional<Encoding> png_data_format(int width, int height, PixelFormat format, const WriteOptions& options);

/// Codec::write_encoded of PNG: the file around the IDAT chunks.
void write_encoded_png(const Encoded& chunks, int width, int height, PixelFormat format, const std::string& name,
                       const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::png
