// Reads image files into exact, upright pixels, and writes pixels to files. Needs the target gpuimg::codecs. Formats,
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

/// Everything that a file holds in addition to its pixels: color profile, EXIF, XMP, IPTC, density. Opaque to callers,
/// which pass it from ImageFile to WriteFileOptions.
class FileMetadata;

struct ReadFileOptions {
  std::uint64_t max_pixels = std::uint64_t{1} << 30;  ///< a file that declares more pixels is rejected
  bool auto_orient = true;                            ///< apply the EXIF orientation
  std::uint32_t page = 0;                             ///< which image of a multi-image file, from 1; 0 = the first
  bool lenient = false;                               ///< decode as much of a damaged JPEG as possible, and add notes
  int threads = 0;                                    ///< threads for PNG and JPEG; 0 = all processors
};

/// What a file's header declares. Use it for planning: the pixels are not checked.
struct ImageFileHeader {
  std::uint64_t width = 0;  ///< in pixels, before the orientation is applied; below 2³²; 0 if unknown
  std::uint64_t height = 0;
  PixelFormat pixels;                ///< format of the decoded image; decoding may add alpha
  std::uint64_t decoding_bytes = 0;  ///< upper bound on what decoding allocates, not counting the file itself
};

struct ImageFile {
  Image image;         ///< u8 or u16, 1 to 4 channels; gray, gray and alpha, RGB, or RGB and alpha
  std::string format;  ///< "PNG", "JPEG", …
  std::uint32_t pages = 1;
  std::shared_ptr<const FileMetadata> metadata;  ///< its orientation matches `image`; never null
  std::vector<std::string> notes;                ///< messages for the user: "animation: first frame only"
};

/// Reads a regular file, or standard input if `path` is "-". For lossy formats, the pixels equal the output of the
/// format's reference library: docs/operations.md, "Files". Throws Error{read} if the file cannot be read;
/// Error{decode} if it is damaged, truncated or not an image; Error{unsupported} for a format or feature that gpuimg
/// does not read; Error{usage} if the file has fewer pages than `options.page`; Error{out_of_memory}.
ImageFile read_image_file(const std::string& path, const ReadFileOptions& options = {});

/// Like read_image_file(), for a file in memory. `name` appears in messages; its extension identifies TGA, which has no
/// signature.
ImageFile decode_image_file(std::span<const std::byte> file, const std::string& name,
                            const ReadFileOptions& options = {});

/// Reads only the header of a file. If the file cannot be read, the result has size 0 and no error is thrown.
ImageFileHeader read_image_file_header(const std::string& path, const ReadFileOptions& options = {});

struct WriteFileOptions {
  std::string format = {};                            ///< an extension such as "jpg"; empty = the extension of the path
  int quality = 90;                                   ///< of JPEG and lossy WebP, 1 (small) to 100 (good)
  bool lossless = false;                              ///< for WebP: lossless instead of lossy
  int png_level = 1;                                  ///< 0 (fast) to 3 (small); every level gives the same pixels
  bool may_replace = false;                           ///< may replace an existing file
  int threads = 0;                                    ///< threads for PNG; 0 = all processors; never changes the bytes
  std::shared_ptr<const FileMetadata> metadata = {};  ///< from an ImageFile; the format may drop some; null = none
};

/// Writes the pixels to a temporary file in the same folder, then renames it: on an error, `path` is unchanged. The
/// same pixels and options give the same bytes on every machine. Throws Error{write} if the file cannot be written, or
/// if it exists and `may_replace` is false; Error{usage} for an option out of range, an extension that gpuimg does not
/// write, or pixels that the format cannot hold; Error{unsupported} for samples other than u8 and u16;
/// Error{out_of_memory}.
void write_image_file(ConstView pixels, const std::string& path, const WriteFileOptions& options = {});

/// The bytes that write_image_file() would write. `options.format` must not be empty.
std::vector<std::byte> encode_image_file(ConstView pixels, const WriteFileOptions& options);

/// File extensions, without a dot, that this build can write and read.
std::vector<std::string> written_extensions();
std::vector<std::string> read_extensions();

}  // namespace gpuimg
