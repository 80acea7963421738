// Reads the pixels of a simple PNG without libpng: inflates, in parallel parts where that pays, and unfilters at the
// same time.
#pragma once

#include <optional>
#include <string>

#include "codecs/image_reader.hpp"
#include "codecs/png/png_parts.hpp"
#include "codecs/png/simple_png.hpp"
#include "gpuimg/image.hpp"

namespace gpuimg::codecs {

/// Blocks of longer rows would need too much memory: libpng reads them.
inline constexpr std::size_t kMaxSimpleRowBytes = std::size_t{4} << 20;

/// Passes the pixels on in bands, from top to bottom; `check` as in png_parts.hpp. Returns false for a file that libpng
/// would refuse: the bands are then void, and the last one has not been passed on. Throws Error{decode} for an index
/// outside the palette, which is the verdict only if no band has been passed on yet.
bool read_simple_png_rows(const SimplePng& png, const std::string& name, int threads, const PngParts& parts,
                          const BandOutput& to, const CheckPngData& check);

/// Returns the same pixels as libpng, or nullopt for a file that libpng would refuse, so that libpng can say why. Uses
/// as many threads as the options allow. Besides the image it holds about 1 MB, or three rows if rows are longer than
/// 256 KB; in parallel parts, up to 13 MB per thread plus 13 MB. Throws Error{decode} for an index outside the palette,
/// and Error{out_of_memory}. `name` is printable.
std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options);

/// The same with the given division into parts, for tests.
std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options,
                                     const PngParts& parts);

}  // namespace gpuimg::codecs
