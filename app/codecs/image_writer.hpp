// Encodes pixels as an image file. The same pixels and options always give the same bytes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// Throws Error{usage} if the format cannot hold the image (Codec::limits). The message names options that make the
/// image fit, and a format that can hold it. `name` appears in messages.
void check_holds(FileFormat file_format, int width, int height, PixelFormat format, const std::string& name);

/// Throws Error{usage} for pixels that the format cannot hold (check_holds) and for options out of range,
/// Error{unsupported} for pixels that no image format can hold, and Error{out_of_memory}. `name` appears in messages.
/// `sink` may be called on other threads, one at a time.
void encode_image(ConstView pixels, FileFormat file_format, const std::string& name, const WriteOptions& options,
                  const ByteSink& sink);

/// Opens a writer that writes row by row and produces the same file as encode_image. Uses Codec::open_placing_writer if
/// the format has it, otherwise Codec::open_writer. Returns null if the format needs the whole image. Throws as
/// encode_image does.
std::unique_ptr<RowWriter> open_image_writer(int width, int height, PixelFormat format, FileFormat file_format,
                                             const std::string& name, const WriteOptions& options, const FileParts& to);

/// Tells a backend how to encode pixels that pass check_holds; write_encoded then writes the file. Returns nullopt if
/// the host must encode them.
std::optional<Encoding> backend_encoding(int width, int height, PixelFormat format, FileFormat file_format,
                                         const WriteOptions& options);

/// Writes the same file as encode_image. `encoded` is a backend's result for backend_encoding(). Size, format and
/// options must be those passed to backend_encoding(), except for the metadata. Throws as encode_image does.
void write_encoded(const Encoded& encoded, int width, int height, PixelFormat format, FileFormat file_format,
                   const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Returns the whole file in memory.
std::vector<std::byte> encode_image(ConstView pixels, FileFormat file_format, const std::string& name,
                                    const WriteOptions& options);

}  // namespace gpuimg::codecs
