// Pixels to the bytes of an image file. The same pixels and options always give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Throws Error{usage} if the format cannot hold the image: Codec::limits. The message names the options that make it
/// fit, and a format that holds it. `name` appears in messages.
void check_holds(FileFormat file_format, int width, int height, PixelFormat format, const std::string& name);

/// Throws Error{usage} for pixels that the format cannot hold (check_holds) and for options out of range,
/// Error{unsupported} for pixels that no image file holds, Error{out_of_memory}. `name` stands in messages. `sink` may
/// be called on other threads, by one at a time.
void encode_image(ConstView pixels, FileFormat file_format, const std::string& name, const WriteOptions& options,
                  const ByteSink& sink);

/// The whole file in memory.
std::vector<std::byte> encode_image(ConstView pixels, FileFormat file_format, const std::string& name,
                                    const WriteOptions& options);

}  // namespace gpuimg::codecs
