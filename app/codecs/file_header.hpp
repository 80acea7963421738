// Detects the format of a file and reads its header, without decoding pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"
#include "io/input_file.hpp"

namespace gpuimg::codecs {

// --- The format: one of the list, or a rejection that names the file's actual format --------------------------------

/// Detection reads at most this many bytes at the beginning of a file and at its end.
inline constexpr std::size_t kDetectionBytes = 1024;
inline constexpr std::size_t kDetectionEndBytes = 26;

/// Returns the codec for the content of a file. `name` is printable and serves to detect TGA, which has no signature.
/// Throws Error{decode} for an empty file, for text and for anything that is not an image, and Error{unsupported} for a
/// known format that gpuimg does not read.
const Codec& detected_codec(ByteSpan bytes, std::string_view name);

/// Like detected_codec, but reads only the beginning and the end of the input.
const Codec& detected_codec_of(PartialInput& input, const std::string& name);

/// Throws as detected_codec does if a file with this beginning cannot be an image that gpuimg reads. Does nothing if
/// `beginning` has fewer than kDetectionBytes bytes.
void check_beginning(ByteSpan beginning, std::string_view name);

/// Throws Error{unsupported} for the beginning of an archive or of a compressed file, unless it may be a tar archive
/// that gpuimg reads. `name` is printable.
void check_archive(ByteSpan beginning, std::string_view name);

/// Throws Error{unsupported} for an archive or a compressed file other than plain tar. Accepts every other file, even a
/// file that cannot be read.
void reject_packed(const std::string& path);

/// Names the format of a regular file by its first and last bytes: "PNG", "PDF", "a gzip archive". Empty for text
/// (including SVG), for an unknown format, and for a file that cannot be read.
std::string binary_format_of(const std::string& path);

/// True if an extension (lower case, without a dot) belongs to images or tables, whether or not gpuimg reads them.
bool is_image_extension(std::string_view extension);

// --- The header -----------------------------------------------------------------------------------------------------

/// `bytes` may be only the beginning of a file. Returns an empty declaration if they do not hold the header of an
/// image. `name` is used to detect TGA, which has no signature.
DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name);

/// Reads the header of a page of the file at `path`. Returns an empty declaration if the file cannot be read.
DeclaredImage declared_image_in(const std::string& path, PageRef page = {});

/// Reads the header of an image that is part of a file.
DeclaredImage declared_image_in(const FileSection& section, const std::string& name);

/// Reads the header of an input whose codec is known, and no more of the input than needed. Throws as Codec::declared
/// does.
DeclaredImage declared_image_in(PartialInput& input, const Codec& codec, const std::string& name);

/// The pages of a file. Returns a single page without an offset if the file cannot be read, or if its format has no
/// pages.
PageList pages_in(const std::string& path);

/// Like pages_in above, for a file in memory.
PageList pages_in(std::span<const std::byte> bytes, const std::string& name);

/// All facts in the header of a file.
struct FileHeader {
  std::string_view format;
  DeclaredImage image;
  Metadata metadata;                        ///< as stored: its orientation is not applied
  std::size_t exif_bytes = 0;               ///< size of the EXIF data; 0 if `metadata.exif` comes from TIFF tags alone
  std::vector<std::string> details;         ///< which metadata is damaged and therefore left out
  std::string damage;                       ///< PageList::damage
  std::optional<std::uint64_t> file_bytes;  ///< size, if the input is a regular file
};

/// Reads the header of an image or of a table in .npy, without reading the rest of the file. `path` may be "-". Throws
/// as read_input and decode_image do.
FileHeader read_file_header(const std::string& path, PageRef page = {});

}  // namespace gpuimg::codecs
