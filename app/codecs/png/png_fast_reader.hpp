// Reads the pixels of a simple PNG without libpng: inflates, in parallel parts where that pays, and unfilters at the
// same time.
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

/// How libpng reads image data (png_reader.cpp): up to kMaxSingleRead bytes at once; if there are more, the last read
/// has at least kMinLastRead bytes. A stream that libpng would reject for what follows its data must be rejected here
/// too.
inline constexpr std::size_t kMaxSingleRead = std::size_t{256} << 10;
inline constexpr std::size_t kMinLastRead = 2048;

/// Blocks of longer rows would need too much memory: libpng reads them.
inline constexpr std::size_t kMaxSimpleRowBytes = std::size_t{4} << 20;

/// Called in order, by one thread at a time, with the byte up to which the image data is wanted. False ends the
/// reading.
using CheckPngData = std::function<bool(std::uint64_t end)>;

/// How the image data is divided into parts.
struct PngParts {
  std::size_t part_bytes = 0;  ///< of deflated data; 0 to read without parts
  std::size_t capacity = 0;    ///< the largest output of a part; parts that exceed it are not used
  int threads = 1;

  /// Returns part_bytes 0 for images that are too small, or whose image data has no suitable block starts.
  static PngParts of(const SimplePng& png, int threads);
};

/// Passes the pixels on in bands, from top to bottom. Returns false for a file that libpng would reject: the bands are
/// then void, and the last one has not been passed on. Throws Error{decode} for an index outside the palette, which is
/// the verdict only if no band has been passed on yet.
bool read_simple_png_rows(const SimplePng& png, const std::string& name, int threads, const PngParts& parts,
                          const BandOutput& to, const CheckPngData& check);

/// Returns the same pixels as libpng, or nullopt for a file that libpng would reject, so that libpng can say why. Uses
/// as many threads as the options allow. Besides the image it holds about 1 MB, or three rows if rows are longer than
/// 256 KB; in parallel parts, up to 13 MB per thread plus 13 MB. Throws Error{decode} for an index outside the palette,
/// and Error{out_of_memory}. `name` is printable.
std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options);

/// The same with the given division into parts, for tests.
std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options,
                                     const PngParts& parts);

}  // namespace gpuimg::codecs::png
