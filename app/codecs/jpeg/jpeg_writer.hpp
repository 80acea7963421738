// Writes JPEG through libjpeg-turbo.
#pragma once

#include <memory>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Writes baseline JFIF: RGB as YCbCr, gray as one component. Quality is on libjpeg's scale. The integer transforms
/// make the bytes independent of the processor. Writes options.metadata, which must fit (carried_metadata ensures it).
/// The image must pass check_holds. Throws Error{usage} for a quality out of range, and Error{out_of_memory}.
void encode_jpeg(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_writer of JPEG. Holds some rows of blocks and 64 KB of the file.
std::unique_ptr<RowWriter> open_jpeg_writer(int width, int height, PixelFormat format, const std::string& name,
                                            const WriteOptions& options, const ByteSink& sink);

inline constexpr int kMaxJpegSide = 65500;  ///< libjpeg's limit

}  // namespace gpuimg::codecs
