// Image files: their pixels, exact and upright, and back into a file. Needs the target gpuimg::codecs. Formats,
// strictness and limits: docs/operations.md, "Files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/image.hpp"

namespace gpuimg {

/// What a file says besides its pixels: color profile, EXIF, XMP, IPTC, density. Only write_image_file() and
/// encode_image_file() look into it.
class FileMetadata;

struct ReadFileOptions {
  std::uint64_t max_pixels = std::uint64_t{1} << 30;  ///< a file that declares more is refused
  bool auto_orient = true;                            ///< apply the EXIF orientation
  std::uint32_t page = 0;                             ///< of a file of several images, from 1; 0 = the first
  bool lenient = false;                               ///< read a damaged JPEG as far as possible, with notes
  int threads = 0;                                    ///< for PNG and JPEG; 0 = all processors
};

/// What the header of a file declares. The pixels are not checked: use it for planning.
struct ImageFileHeader {
  std::uint64_t width = 0;  ///< before the orientation is applied; below 2³², and 0 if unknown
  std::uint64_t height = 0;
  PixelFormat pixels;                ///< of the image that is read; alpha may be added
  std::uint64_t decoding_bytes = 0;  ///< what reading allocates at most, beside the file
};

struct ImageFile {
  Image image;         ///< u8 or u16, 1 to 4 channels; gray, gray and alpha, RGB, or RGB and alpha
  std::string format;  ///< "PNG", "JPEG", …
  std::uint32_t pages = 1;
  std::shared_ptr<const FileMetadata> metadata;  ///< fits the pixels: upright if they are. Never null
  std::vector<std::string> notes;                ///< for the user: "animation: first frame only"
};

/// Reads a regular file, or standard input if `path` is "-". Reading an image of a lossy format gives the pixels that
/// its reference library gives, in every sample: docs/operations.md, "Files".
/// Throws Error{read}; Error{decode} for a file that is damaged, truncated or not an image; Error{unsupported} for a
/// format or a feature that gpuimg does not read; Error{usage} for a page that the file does not have;
/// Error{out_of_memory}.
ImageFile read_image_file(const std::string& path, const ReadFileOptions& options = {});

/// The same for a file in memory. `name` stands in messages, and matters for TGA, which has no signature.
ImageFile decode_image_file(std::span<const std::byte> file, const std::string& name,
                            const ReadFileOptions& options = {});

/// Reads no more of the file than its header. Declares nothing for a file that cannot be read.
ImageFileHeader read_image_file_header(const std::string& path, const ReadFileOptions& options = {});

struct WriteFileOptions {
  std::string format = {};                            ///< an extension such as "jpg"; empty: that of the path decides
  int quality = 90;                                   ///< of JPEG and lossy WebP, 1 to 100
  bool lossless = false;                              ///< of WebP
  int png_level = 1;                                  ///< 0 (fast) to 3 (small); every level gives the same pixels
  bool may_replace = false;                           ///< an existing file
  int threads = 0;                                    ///< for PNG; 0 = all processors. The bytes do not depend on it
  std::shared_ptr<const FileMetadata> metadata = {};  ///< of ImageFile, as far as the format can hold it; null: none
};

/// Writes the pixels to a temporary file in the same folder, and renames it at the end: `path` holds the whole new
/// file, or is as it was. The same pixels and options give the same bytes, on every machine. Throws Error{write};
/// Error{usage} for an option out of range, an extension that is not written, and pixels that the format cannot hold;
/// Error{unsupported} for samples other than u8 and u16; Error{out_of_memory}.
void write_image_file(ConstView pixels, const std::string& path, const WriteFileOptions& options = {});

/// The bytes of that file. `options.format` must not be empty.
std::vector<std::byte> encode_image_file(ConstView pixels, const WriteFileOptions& options);

/// The extensions of the files that this build writes, without a dot, and of those that it reads.
std::vector<std::string> written_extensions();
std::vector<std::string> read_extensions();

}  // namespace gpuimg
