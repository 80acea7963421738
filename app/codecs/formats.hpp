// Entry points of the formats. Only the list of formats (codecs.cpp) and a few other files use them. Each format's
// implementation is in its folder. JPEG, PNG and NPY have their own headers, because other files use more of their
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"

/// BMP. Reads the Windows and OS/2 variants; writes the Windows variant.
namespace gpuimg::codecs::bmp {

/// RGB, or RGBA if a mask declares alpha; channels of fewer than 8 bits are widened by repeating their bits. The fourth
/// byte of 32-bit pixels without masks is reserved, not alpha. `bytes` starts with the signature; `name` is printable.
/// Throws like decode_image.
DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of BMP.
std::optional<DecodedImage> open_bmp_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of BMP.
DeclaredImage declared_bmp(ByteSpan beginning, const std::string& name);

/// Codec::metadata of BMP. The color profile follows the pixels, so it is not included.
Metadata bmp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// Largest file size: other programs store the size as a signed 32-bit number.
inline constexpr std::uint64_t kMaxBmpBytes = std::numeric_limits<std::int32_t>::max();

/// Codec::fit_metadata of BMP: keeps the density if it has a unit.
void fit_bmp_metadata(Metadata& metadata, MetadataFilter& filter);

/// Writes an uncompressed file with the bottom row first: RGB as 24 bits, RGBA as 32 bits with alpha, and gray as RGB
/// with equal channels. The image must pass check_holds.
void encode_bmp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_placing_writer of BMP.
std::unique_ptr<RowWriter> open_bmp_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const BytePlacer& place);

}  // namespace gpuimg::codecs::bmp

/// GIF. Reads versions 87a and 89a. docs/decisions/0011-own-gif-reader.md explains why gpuimg has its own reader.
namespace gpuimg::codecs::gif {

/// Returns the first frame placed on its screen, as RGB, or as RGBA if any pixel is transparent. A screen smaller than
/// the frame is enlarged. The parts of the screen outside the frame are transparent, and transparent pixels are black.
/// Notes say whether more frames or damage follow. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_gif(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of GIF.
DeclaredImage declared_gif(ByteSpan beginning, const std::string& name);

}  // namespace gpuimg::codecs::gif

#if GPUIMG_HAS_HEIF
/// HEIC and AVIF (HEIF, ISO/IEC 23008-12). libheif decodes them.
namespace gpuimg::codecs::heif {

/// The primary image, as RGB or RGBA: 8-bit samples stay 8-bit, deeper samples become 16-bit. The file's rotation,
/// mirroring and cropping are always applied. `name` is printable. Throws like decode_image.
DecodedImage read_heif(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::recognizes of HEIF: accepts files whose list of compatible brands names a HEIF brand, and files that are cut
/// off inside their signature.
bool looks_like_heif(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of HEIF. Both need the whole file.
DeclaredImage declared_heif(ByteSpan beginning, const std::string& name);
Metadata heif_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// For `gpuimg version` and `gpuimg doctor`: "libheif 1.15.1 (HEVC, AV1)", with the codecs that libheif can decode;
/// empty if libheif is not installed.
std::string heif_library();

}  // namespace gpuimg::codecs::heif
#endif

/// PNM. Reads PBM, PGM and PPM (text and binary) and PAM. Writes binary PGM and PPM, and PAM for pixels with alpha.
namespace gpuimg::codecs::pnm {

/// Returns gray or RGB, with alpha if a PAM has it, scaled from the file's maximum value to the full range of 8 or 16
/// bits. If the file holds several images, reads only the first. `bytes` starts with the signature; `name` is
/// printable. Throws like decode_image.
DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of PNM.
std::optional<DecodedImage> open_pnm_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of PNM.
DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name);

/// Writes 1 to 4 channels of 8 or 16 bits. The extension of `name` has no effect: gray is written as P5, RGB as P6, and
/// pixels with alpha as P7.
void encode_pnm(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_writer of PNM.
std::unique_ptr<RowWriter> open_pnm_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::pnm

/// PSD and PSB. Reads the merged image.
namespace gpuimg::codecs::psd {

/// Reads gray, RGB, CMYK and duotone images of 8 or 16 bits, indexed images of 8 bits, and bitmaps. The result has
/// alpha if the merged image has transparency. Colors stay as stored, even those of transparent pixels. `bytes` starts
/// with the signature; `name` is printable. Throws like decode_image.
DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of PSD.
DeclaredImage declared_psd(ByteSpan beginning, const std::string& name);

/// Codec::metadata of PSD.
Metadata psd_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs::psd

/// TGA. stb_image reads it after gpuimg has checked the file (docs/decisions/0012-what-stb-image-reads.md);
/// stb_image_write writes it.
namespace gpuimg::codecs::tga {

/// Reads all six image types, as gray, RGB, or RGBA. Alpha is kept if the header declares it or the pixels visibly use
/// it. Throws like decode_image; `name` is printable.
DecodedImage read_tga(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of TGA, without stb_image. Reads uncompressed gray and color images, unless the alpha channel can
/// be judged only from the pixels.
std::optional<DecodedImage> open_tga_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of TGA.
DeclaredImage declared_tga(ByteSpan beginning, const std::string& name);

/// TGA has no signature: a file is TGA if its name ends in .tga (any case) or it has the footer of version 2, and its
/// header is plausible.
bool looks_like_tga(ByteSpan bytes, std::string_view name);

/// Largest file size: stb_image_write computes sizes in int.
inline constexpr std::uint64_t kMaxTgaBytes = std::numeric_limits<int>::max();

/// Writes 1 to 4 channels, run-length encoded. Requires an image that passes check_holds. Throws
/// Error{out_of_memory}.
void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::tga

#if GPUIMG_HAS_TIFF
/// TIFF and BigTIFF, images and tables. libtiff reads and writes them. Writes a BigTIFF if the pixels need it.
namespace gpuimg::codecs::tiff {

/// Reads the page that `options` names: gray, palette, RGB and CMYK of up to 16 bits, in strips or tiles, with every
/// compression that libtiff supports. Divides colors by premultiplied alpha. `bytes` starts with the signature; `name`
/// is printable. Throws like decode_image.
DecodedImage read_tiff(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of TIFF.
std::optional<DecodedImage> open_tiff_rows(const RandomAccess& content, const std::string& name,
                                           const ReadOptions& options);

/// Codec::recognizes of TIFF. Returns false for Canon's raw photos (CR2), which begin with the same bytes.
bool looks_like_tiff(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of TIFF, for the first page. Its directory is often at the end of the file, so
/// both then need the whole file.
DeclaredImage declared_tiff(ByteSpan beginning, const std::string& name);
Metadata tiff_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

extern const PagedReading kPagedTiff;

/// Writes 1 to 4 channels of 8 or 16 bits, in strips compressed by Deflate with the horizontal predictor. Alpha is not
/// premultiplied. Throws Error{out_of_memory}.
void encode_tiff(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_page_joiner. Keeps the directories in memory until the end, about 500 bytes per page. Writes a BigTIFF
/// if the file exceeds 4 GiB. The first pixels go to the offset `first`, which must be even.
std::unique_ptr<PageJoiner> join_pages(const BytePlacer& place, std::uint64_t first);
inline std::unique_ptr<PageJoiner> open_page_joiner(const BytePlacer& place) { return join_pages(place, 16); }

/// Codec::encode_table: writes each channel as a gray page. Uncompressed, because ImageJ reads 64-bit samples only
/// uncompressed.
std::vector<std::byte> encode_tiff_table(ConstView table, std::span<const std::string_view> channels);

}  // namespace gpuimg::codecs::tiff
#endif

#if GPUIMG_HAS_WEBP
/// WebP. libwebp reads and writes it; WriteOptions::webp_lossless selects lossless.
namespace gpuimg::codecs::webp {

/// Reads lossy and lossless files, as RGB, or as RGBA if the image has alpha. The first frame of an animation is placed
/// on its canvas; pixels that it leaves uncovered are transparent. `name` is printable. Throws like decode_image.
DecodedImage read_webp(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::recognizes of WebP: accepts RIFF files of type WEBP, and files that are cut off before their signature.
bool looks_like_webp(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of WebP.
DeclaredImage declared_webp(ByteSpan beginning, const std::string& name);
Metadata webp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// Codec::fit_metadata of WebP.
void fit_webp_metadata(Metadata& metadata, MetadataFilter& filter);

/// Largest width and height that WebP can store, in pixels.
inline constexpr int kMaxWebpSide = 16383;

/// Writes 1 to 4 channels of 8 bits; gray becomes RGB. Drops an alpha channel that is opaque everywhere. Lossless files
/// keep the colors of transparent pixels. Throws Error{out_of_memory}. Throws Error{usage} for a quality out of range,
/// and if the quality makes the encoded image too large for the format.
void encode_webp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::webp
#endif
