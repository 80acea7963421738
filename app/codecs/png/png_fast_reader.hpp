// Reads the pixels of a simple PNG without libpng. Inflates and unfilters at the same time, and inflates parts in
// parallel if that is faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "codecs/image_reader.hpp"
#include "codecs/png/simple_png.hpp"
#include "codecs/rows.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs::png {

/// How libpng reads image data (png_reader.cpp). Up to kMaxSingleRead bytes take one read; with more bytes, the last
/// read has at least kMinLastRead bytes. If libpng would reject a stream for the bytes after its data, this reader must
/// reject it too.
inline constexpr std::size_t kMaxSingleRead = std::size_t{256} << 10;
inline constexpr std::size_t kMinLastRead = 2048;

/// Longer rows would make blocks need too much memory, so libpng reads them.
inline constexpr std::size_t kMaxSimpleRowBytes = std::size_t{4} << 20;

/// Called by one thread at a time with increasing offsets: the image data up to byte `end` will be used next. Returning
/// false stops reading.
using CheckPngData = std::function<bool(std::uint64_t end)>;

/// How the image data is divided into parts.
struct PngParts {
  std::size_t part_bytes = 0;  ///< size in deflated bytes; 0 to read without parts
  std::size_t capacity = 0;    ///< largest possible output of a part; larger parts are not used
  int threads = 1;

  /// Returns part_bytes 0 if the image is too small, or if no suitable block starts are found in its data.
  static PngParts of(const SimplePng& png, int threads);
};

/// Passes the pixels on in bands, from top to bottom. Returns false for a file that libpng would reject: all bands are
/// then invalid, and the last one has not been passed on. Throws Error{decode} for an index outside the palette. If
/// bands have already been passed on, the caller must not report this error, because libpng can find another one first.
bool read_simple_png_rows(const SimplePng& png, const std::string& name, int threads, const PngParts& parts,
                          const BandOutput& to, const CheckPngData& check);

/// Returns the same pixels as libpng, or nullopt for a file that libpng would reject: libpng then reports the reason.
/// Uses as many threads as the options allow. In addition to the image, holds about 1 MB, or three rows if rows are
/// longer than 256 KB. With parallel parts, holds up to 13 MB per thread plus 13 MB. Throws Error{decode} for an index
/// outside the palette, and Error{out_of_memory}. `name` is printable.
std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options);

/// Like above, but divides the data into the given parts. Used by tests.
std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options,
                                     const PngParts& parts);

}  // namespace gpuimg::codecs::png
