// Entry points of the formats, used almost only by the list of formats (codecs.cpp). A format's implementation is in
// its folder. JPEG, PNG and NPY have headers of their own, because other files use more of them.
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

/// BMP: the Windows and OS/2 variants are read; the Windows variant is written.
namespace gpuimg::codecs::bmp {

/// RGB, or RGBA if a mask declares alpha; channels of fewer than 8 bits are widened by repeating them. The fourth byte
/// of 32-bit pixels without masks is reserved, not alpha. `bytes` starts with the signature; `name` is printable.
/// Throws like decode_image.
DecodedImage read_bmp(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of BMP.
std::optional<DecodedImage> open_bmp_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of BMP.
DeclaredImage declared_bmp(ByteSpan beginning, const std::string& name);

/// Codec::metadata of BMP. The profile is after the pixels.
Metadata bmp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// Size limit of a file, because other programs compute the size as a signed 32-bit number.
inline constexpr std::uint64_t kMaxBmpBytes = std::numeric_limits<std::int32_t>::max();

/// Codec::fit_metadata of BMP: the density stays, if it has a unit.
void fit_bmp_metadata(Metadata& metadata, MetadataFilter& filter);

/// Writes an image that passes check_holds: RGB as 24 bits, RGBA as 32 bits with alpha, gray as RGB with equal
/// channels, uncompressed, from the bottom row up.
void encode_bmp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_placing_writer of BMP.
std::unique_ptr<RowWriter> open_bmp_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const BytePlacer& place);

}  // namespace gpuimg::codecs::bmp

/// GIF, versions 87a and 89a, is read. Why gpuimg has its own reader: docs/decisions/0011-own-gif-reader.md.
namespace gpuimg::codecs::gif {

/// Returns the first frame placed on its screen, as RGB, or as RGBA if any pixel is transparent. The screen grows to
/// hold the frame. Parts of it that the frame does not cover are transparent, and transparent pixels are black. Notes
/// say whether more frames or damage follow. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_gif(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of GIF.
DeclaredImage declared_gif(ByteSpan beginning, const std::string& name);

}  // namespace gpuimg::codecs::gif

#if GPUIMG_HAS_HEIF
/// HEIC and AVIF (HEIF, ISO/IEC 23008-12) are read with libheif.
namespace gpuimg::codecs::heif {

/// The primary image, as RGB or RGBA: 8 bits stay, more become 16. The file's rotation, mirroring and cropping are
/// always applied. `name` is printable. Throws like decode_image.
DecodedImage read_heif(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::recognizes of HEIF: files of any brand that name one of HEIF as compatible, and those that are cut off inside
/// their signature.
bool looks_like_heif(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of HEIF: they need the whole file.
DeclaredImage declared_heif(ByteSpan beginning, const std::string& name);
Metadata heif_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// For `gpuimg version` and `gpuimg doctor`: "libheif 1.15.1 (HEVC, AV1)", with the codecs that it decodes; empty if it
/// is not installed.
std::string heif_library();

}  // namespace gpuimg::codecs::heif
#endif

/// PNM is read: PBM, PGM, PPM (as text and binary) and PAM. Binary PGM and PPM are written, and PAM for pixels with
/// alpha.
namespace gpuimg::codecs::pnm {

/// Gray, RGB, and alpha of a PAM, scaled from the file's maximum value to the full range of 8 or 16 bits. Reads only
/// the first of several images in a file. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_pnm(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of PNM.
std::optional<DecodedImage> open_pnm_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of PNM.
DeclaredImage declared_pnm(ByteSpan beginning, const std::string& name);

/// 1 to 4 channels of 8 or 16 bits. The extension of `name` has no effect: gray is P5, RGB P6, and with alpha P7.
void encode_pnm(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_writer of PNM.
std::unique_ptr<RowWriter> open_pnm_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::pnm

/// The merged image of PSD and PSB is read.
namespace gpuimg::codecs::psd {

/// Gray, RGB, CMYK and duotone of 8 or 16 bits, indexed of 8, bitmaps; with alpha if the merged image has
/// transparency. Colors stay as stored, also under transparent pixels. `bytes` starts with the signature; `name` is
/// printable. Throws like decode_image.
DecodedImage read_psd(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::declared of PSD.
DeclaredImage declared_psd(ByteSpan beginning, const std::string& name);

/// Codec::metadata of PSD.
Metadata psd_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

}  // namespace gpuimg::codecs::psd

/// TGA is read with stb_image, behind guards (docs/decisions/0012-what-stb-image-reads.md), and written with
/// stb_image_write.
namespace gpuimg::codecs::tga {

/// All six kinds, as gray, RGB, or RGBA if alpha is declared or visibly used. Throws like decode_image; `name` is
/// printable.
DecodedImage read_tga(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of TGA, without stb_image: for uncompressed gray and color, unless only the pixels show whether
/// there is alpha.
std::optional<DecodedImage> open_tga_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options);

/// Codec::declared of TGA.
DeclaredImage declared_tga(ByteSpan beginning, const std::string& name);

/// TGA has no signature: a file is TGA if its name ends in .tga (any case) or it has the footer of version 2, and its
/// header is plausible.
bool looks_like_tga(ByteSpan bytes, std::string_view name);

/// stb_image_write computes sizes in int.
inline constexpr std::uint64_t kMaxTgaBytes = std::numeric_limits<int>::max();

/// 1 to 4 channels, run-length encoded. Requires an image that passes check_holds, and throws Error{out_of_memory}.
void encode_tga(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::tga

#if GPUIMG_HAS_TIFF
/// TIFF and BigTIFF are read and written with libtiff: images and tables. BigTIFF is written if the pixels need it.
namespace gpuimg::codecs::tiff {

/// The page of `options`: gray, palette, RGB and CMYK of up to 16 bits, in strips or tiles, of every compression that
/// libtiff has. Premultiplied alpha is divided out. `bytes` starts with the signature; `name` is printable. Throws like
/// decode_image.
DecodedImage read_tiff(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::open_rows of TIFF.
std::optional<DecodedImage> open_tiff_rows(const RandomAccess& content, const std::string& name,
                                           const ReadOptions& options);

/// Codec::recognizes of TIFF: not Canon's raw photos (CR2), which begin the same way.
bool looks_like_tiff(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of TIFF, of its first page. The directory often stands at the end of the file.
DeclaredImage declared_tiff(ByteSpan beginning, const std::string& name);
Metadata tiff_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

extern const PagedReading kPagedTiff;

/// 1 to 4 channels of 8 or 16 bits, in strips that are deflated with the horizontal predictor; alpha is not
/// premultiplied. Throws Error{out_of_memory}.
void encode_tiff(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

/// Codec::open_page_joiner. Directories, of some 500 bytes a page, are held until the end; the file is a BigTIFF if it
/// is larger than 4 GiB. The first pixels go to the offset `first`, which is even.
std::unique_ptr<PageJoiner> join_pages(const BytePlacer& place, std::uint64_t first);
inline std::unique_ptr<PageJoiner> open_page_joiner(const BytePlacer& place) { return join_pages(place, 16); }

/// Codec::encode_table: each channel is a gray page. Uncompressed, because ImageJ reads 64-bit samples in no other way.
std::vector<std::byte> encode_tiff_table(ConstView table, std::span<const std::string_view> channels);

}  // namespace gpuimg::codecs::tiff
#endif

#if GPUIMG_HAS_WEBP
/// WebP is read and written with libwebp; lossless with WriteOptions::webp_lossless.
namespace gpuimg::codecs::webp {

/// Lossy and lossless, as RGB, or as RGBA if the image has alpha. The first frame of an animation is placed on its
/// canvas; pixels that it leaves uncovered are transparent. `name` is printable. Throws like decode_image.
DecodedImage read_webp(ByteSpan bytes, const std::string& name, const ReadOptions& options);

/// Codec::recognizes of WebP: its form of RIFF, and files that are cut off before their signature.
bool looks_like_webp(ByteSpan bytes, std::string_view name);

/// Codec::declared and Codec::metadata of WebP.
DeclaredImage declared_webp(ByteSpan beginning, const std::string& name);
Metadata webp_header_metadata(ByteSpan beginning, const std::string& name, std::vector<std::string>& details);

/// Codec::fit_metadata of WebP.
void fit_webp_metadata(Metadata& metadata, MetadataFilter& filter);

/// WebP's limit of pixels per side.
inline constexpr int kMaxWebpSide = 16383;

/// 1 to 4 channels of 8 bits; gray becomes RGB. Alpha that is opaque everywhere is left out. Lossless data keep the
/// colors of transparent pixels. Throws Error{out_of_memory}, and Error{usage} for an image that this quality makes too
/// large for the format, or a quality out of range.
void encode_webp(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg::codecs::webp
#endif
