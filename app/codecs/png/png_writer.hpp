// Encodes pixels as PNG. PNG specification (ISO/IEC 15948).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::png {

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

/// Of what a writer of rows holds for each thread: strips that wait while others are packed.
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
