// Describes file formats: the types that readers and writers share, and the type of an entry in the list of formats.
// The list itself is in codecs.cpp; docs/adding-a-format.md shows how to add to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/rows.hpp"
#include "gpuimg/encoded_image.hpp"
#include "gpuimg/image.hpp"
#include "gpuimg/picture.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// TIFF, WebP and HEIF exist only in builds where GPUIMG_HAS_TIFF, GPUIMG_HAS_WEBP or GPUIMG_HAS_HEIF is 1.
enum class FileFormat : std::uint8_t {
  png,
  jpeg,
  bmp,
  tga,
  gif,
  psd,
  pnm,
  npy,
#if GPUIMG_HAS_TIFF
  tiff,
#endif
#if GPUIMG_HAS_WEBP
  webp,
#endif
#if GPUIMG_HAS_HEIF
  heif,
#endif
};

struct TextEntry {
  std::string keyword;
  std::string text;
};

/// A page of a file of several images.
struct PageRef {
  std::uint32_t number = 0;  ///< counts from 1; 0 means the first page, with a note if there are more
  std::uint64_t place = 0;   ///< offset from PageList; 0 if unknown: the reader then skips all pages before this one
};

/// Locations of the pages in a file. If the file is damaged, the list holds the pages that can be found.
struct PageList {
  std::vector<std::uint64_t> places;  ///< in file order; never empty
  std::string lost;                   ///< a clause that says why later pages cannot be found; empty if none are lost
  std::string damage;                 ///< the first damage of the list or of a page's header; empty if there is none

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(places.size()); }
};

struct ReadOptions {
  std::uint64_t max_pixels = std::uint64_t{1} << 30;
  std::uint64_t max_sparse_pixels = std::uint64_t{64} << 20;  ///< limit if the file stores few of the image's pixels
  bool auto_orient = true;                                    ///< apply the EXIF orientation
  PageRef page = {};                                          ///< in a file with several pages
  bool lenient = false;  ///< accept a JPEG that libjpeg-turbo warns about; the warnings become notes
  int threads = 0;       ///< for PNG and JPEG; 0: as many as the caller may use
  /// Allocates pixels, for example Backend::new_image; null for ordinary memory. Not used for TGA and rare PNGs.
  std::function<Image(int width, int height, PixelFormat format)> new_image = nullptr;

  [[nodiscard]] Image image(int width, int height, PixelFormat format) const {
    return new_image ? new_image(width, height, format) : Image(width, height, format);
  }
};

enum class DensityUnit : std::uint8_t { none, inch, centimeter, meter };

/// A positive number as a fraction, as files store it. Integers convert to it implicitly.
struct Ratio {
  std::uint32_t numerator = 1;
  std::uint32_t denominator = 1;

  constexpr Ratio() = default;
  constexpr Ratio(std::uint32_t over, std::uint32_t under = 1)  // NOLINT(google-explicit-constructor)
      : numerator(over), denominator(under) {}

  [[nodiscard]] constexpr double value() const { return static_cast<double>(numerator) / denominator; }

  /// Compares values: 1/2 equals 2/4.
  constexpr bool operator==(const Ratio& other) const {
    return std::uint64_t{numerator} * other.denominator == std::uint64_t{other.numerator} * denominator;
  }
};

/// Pixels per unit. Without a unit, only the aspect ratio of a pixel is known. Never 0.
struct PixelDensity {
  Ratio x;
  Ratio y;
  DensityUnit unit = DensityUnit::none;

  bool operator==(const PixelDensity&) const = default;
};

/// The data of an image file other than pixels: color space, density, camera. docs/operations.md, "Metadata". Members
/// named after a PNG chunk hold that chunk's content; only PNG has them.
struct Metadata {
  std::vector<std::byte> icc;   ///< as returned by icc_profile_in; empty if there is none
  std::vector<std::byte> exif;  ///< begins with the byte order mark; empty if there is none
  std::optional<std::array<std::byte, 4>> cicp;
  std::optional<std::uint8_t> srgb;                  ///< rendering intent, 0 to 3
  std::optional<std::uint32_t> gama;                 ///< gamma of the file, times 100000
  std::optional<std::array<std::uint32_t, 8>> chrm;  ///< white, red, green and blue: x and y of each, times 100000
  std::optional<PixelDensity> density;
  std::vector<std::byte> xmp;            ///< a packet that is_xmp accepts; empty if there is none
  std::vector<std::byte> xmp_extension;  ///< the ExtendedXMP of a JPEG; `xmp` refers to it by GUID
  std::vector<std::byte> iptc;           ///< IPTC-IIM datasets; empty if there is none
  /// `geotiff` holds GeoTIFF tags, which give the location of each pixel on Earth; `imagej` holds ImageJ's calibration.
  /// Each is stored as a TIFF directory and is empty if there is none. Only TIFF has them, and an operation keeps them
  /// only if no pixel moves.
  std::vector<std::byte> geotiff;
  std::vector<std::byte> imagej;
  std::vector<std::string> not_kept;  ///< other content that is dropped, in words for the user: "the tIME chunk"

  bool operator==(const Metadata&) const = default;
};

/// How a lossy file encodes its picture, so that a writer of the same format can encode another picture the same way.
/// Opaque to other formats.
class SourceEncoding {
 public:
  SourceEncoding() = default;
  virtual ~SourceEncoding() = default;

  /// The encoding of the transposed picture.
  [[nodiscard]] virtual std::shared_ptr<const SourceEncoding> transposed() const = 0;

 protected:
  SourceEncoding(const SourceEncoding&) = default;
  SourceEncoding& operator=(const SourceEncoding&) = default;
};

struct DecodedImage {
  Image image;                               ///< u8 or u16, 1 to 4 channels; empty if a backend decoded the file
  std::optional<Picture> picture;            ///< from described_image; replaces `image`
  std::shared_ptr<RowReader> rows;           ///< from open_image_rows; replaces `image`
  FileFormat file_format = FileFormat::png;  ///< set by decode_image
  std::uint32_t pages = 1;                   ///< number of pages in the file; 1 for a page whose offset was given
  bool has_lost_pages = false;               ///< the file has more pages, which cannot be found: PageList::lost
  std::vector<TextEntry> text;               ///< PNG tEXt entries, in file order
  bool is_upright = false;                   ///< the reader has already applied the orientation
  std::uint32_t scaled_from = 0;             ///< see DeclaredImage::scaled_from
  Metadata metadata;                         ///< describes the pixels as they are now: upright if the pixels are
  /// Null if no writer can repeat the encoding. Rotated together with the pixels.
  std::shared_ptr<const SourceEncoding> source_encoding;
  std::vector<std::string> notes;    ///< messages for the user: "animation: first frame only"
  std::vector<std::string> details;  ///< less important messages: which metadata is left out

  [[nodiscard]] int width() const { return picture ? picture->width() : rows ? rows->width() : image.width(); }
  [[nodiscard]] int height() const { return picture ? picture->height() : rows ? rows->height() : image.height(); }
  [[nodiscard]] PixelFormat format() const {
    return picture ? picture->format() : rows ? rows->format() : image.format();
  }
  [[nodiscard]] std::size_t pixel_count() const {
    return static_cast<std::size_t>(width()) * static_cast<std::size_t>(height());
  }
};

/// A file that a backend may decode.
struct DescribedImage {
  EncodedImage encoded;  ///< borrows the bytes of the file
  DecodedImage rest;     ///< everything in the result of decoding except the pixels
  /// Adds to `rest` the facts that are known only after a backend has decoded the file. Null if there are none.
  std::function<void(DecodedImage& rest)> complete = nullptr;
};

/// A property that only some formats have, for `gpuimg info`. Its key is one or more words joined by underscores.
struct HeaderFact {
  std::string_view key;
  std::variant<bool, std::uint64_t, std::string> value;
};

/// The image that a file's header declares. The pixels have not been checked: use the values for planning, not for
/// allocation.
struct DeclaredImage {
  std::uint64_t width = 0;  ///< width and height are below 2³², and 0 if unknown
  std::uint64_t height = 0;
  std::uint64_t bytes_per_pixel = 4;          ///< upper limit for the decoded image
  std::uint64_t decoder_bytes_per_pixel = 0;  ///< additional memory that the decoder holds
  /// For reading in bands on several threads: the decoder holds at most `most_parts` parts of `part_bytes` each, and
  /// never more parts than its number of threads plus one.
  int most_parts = 0;
  std::uint64_t part_bytes = 0;

  std::string_view
      color;     ///< as stored: "gray", "RGB", "palette", "YCbCr", "CMYK", "YCCK" or "CIELab"; "table" for a .npy
  int bits = 8;  ///< stored bits of a channel or of a palette index
  int palette_colors = 0;  ///< 0 without a palette
  PixelFormat decoded;     ///< format of the decoded pixels
  /// If decoding scales samples to the full range of `decoded`: the stored value that becomes the largest one.
  /// Otherwise 0: samples are not scaled, are black and white, or come from a palette.
  std::uint32_t scaled_from = 0;
  bool may_add_alpha = false;     ///< decoding adds an alpha channel if the pixels use it
  bool suits_backends = false;    ///< a backend's own decoder may be able to read the file
  bool is_upright = false;        ///< the size is the upright image's, so an EXIF orientation has no effect
  bool is_read_in_parts = false;  ///< reading a regular file takes no more memory than the image itself
  /// Milliseconds for one CPU thread to decode a megapixel, used by `auto`; 0 unless suits_backends.
  double decoding_ms = 0.0;
  /// The file for a backend's decoder can be as large as the decoded pixels, so reading in bands needs less memory.
  bool is_large_beside_pixels = false;
  std::vector<HeaderFact> facts;

  [[nodiscard]] std::uint64_t pixels() const { return width * height; }
  /// Bytes in all parts together while `threads` threads read in bands.
  [[nodiscard]] std::uint64_t bytes_of_parts(int threads) const {
    return threads > 1 ? part_bytes * static_cast<std::uint64_t>(std::min(threads + 1, most_parts)) : 0;
  }
  /// Bytes that decoding allocates in addition to the file.
  [[nodiscard]] std::uint64_t decoding_bytes() const { return pixels() * (bytes_per_pixel + decoder_bytes_per_pixel); }
};

/// Size in pixels of the area that one chroma sample covers: 4:4:4 is 1×1, 4:2:2 2×1, 4:4:0 1×2, 4:2:0 2×2.
enum class ChromaSubsampling { s444, s422, s440, s420 };

/// The compression of a TIFF's pixels, as TIFF 6.0 defines it; group4 is ITU-T T.6 and needs one bit per pixel.
enum class TiffCompression : std::uint8_t { none, packbits, lzw, deflate, group4, jpeg };

struct WriteOptions {
  std::optional<FileFormat> format;  ///< overrides the format that the file name would select
  int png_level = 1;                 ///< 0 to 3: app/codecs/png/png.hpp
  int jpeg_quality = 90;             ///< 1 to 100
  /// An encoding that comes from a JPEG overrides jpeg_quality. It must have one component per channel. May be null.
  std::shared_ptr<const SourceEncoding> source_encoding;
  std::optional<ChromaSubsampling> jpeg_subsampling;  ///< if absent: the subsampling of source_encoding, or else 4:2:0
  int webp_quality = 90;                              ///< 1 to 100, unless lossless
  bool webp_lossless = false;
  int jpeg_restart_interval = 0;  ///< MCUs between restart markers; 0 for no markers
  TiffCompression tiff_compression = TiffCompression::deflate;
  bool one_bit = false;         ///< PNG, PNM and TIFF: write 8-bit gray pixels, all 0 or 255, at one bit each
  int threads = 0;              ///< for PNG; 0: as many as the caller may use. The bytes written do not depend on it
  std::vector<TextEntry> text;  ///< PNG only: tEXt entries, Latin-1, in this order
  Metadata metadata;            ///< must be the result of carried_metadata for the format and the pixels
};

/// Limits on the pixels that a format can hold when written. Default: 1 to 4 channels of 8 or 16 bits, of any size.
struct PixelLimits {
  int max_side = std::numeric_limits<int>::max();
  std::uint64_t max_bytes =
      std::numeric_limits<std::uint64_t>::max();  ///< limit for the uncompressed file, with four channels
  bool holds_16_bits = true;
  bool holds_gray_alpha = true;
  bool holds_color_alpha = true;
};

/// A list of at most 8 values, stored inline so that the list of formats can be constexpr.
template <class T>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> values) : size_(values.size()) {
    std::copy(values.begin(), values.end(), values_.begin());
  }

  [[nodiscard]] constexpr const T* begin() const { return values_.data(); }
  [[nodiscard]] constexpr const T* end() const { return values_.data() + size_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }

 private:
  std::array<T, 8> values_ = {};
  std::size_t size_ = 0;
};

struct Signature {
  std::string_view bytes;
  std::size_t offset = 0;
};

/// A value of --format, which is also a file extension of OUT.
struct WrittenName {
  std::string_view name;
  std::string_view meaning = {};  ///< a few words for --help, which leaves out a name without a meaning
  bool is_one_bit = false;        ///< such files hold only black and white: WriteOptions::one_bit
};

class MetadataFilter;

/// Joins files of one format into a file with several pages.
class PageJoiner {
 public:
  PageJoiner() = default;
  PageJoiner(const PageJoiner&) = delete;
  PageJoiner& operator=(const PageJoiner&) = delete;
  virtual ~PageJoiner() = default;

  /// Appends the pages of `file`, a file written by gpuimg, with their metadata.
  virtual void add(ByteSpan file) = 0;
  /// Completes the file. The caller must have added at least one page.
  virtual void finish() = 0;
};

/// How a format reads multi-page files. These functions read only the needed parts of the file.
struct PagedReading {
  /// Lists all images of a file.
  PageList (*pages)(const RandomAccess& file) = nullptr;
  /// The following functions do for one page what the members of Codec with the same names do for a whole file.
  DeclaredImage (*declared)(const RandomAccess& file, const std::string& name, PageRef page) = nullptr;
  Metadata (*metadata)(const RandomAccess& file, const std::string& name, PageRef page,
                       std::vector<std::string>& details) = nullptr;
  DecodedImage (*decode)(const RandomAccess& file, const std::string& name, const ReadOptions& options) = nullptr;
};

/// An entry of the list of formats. Its functions use `name` in messages; functions that read must be given a printable
/// name.
struct Codec {
  FileFormat format = FileFormat::png;
  std::string_view name;  ///< used in messages

  ShortList<Signature> signatures = {};  ///< a file must have one of them at its offset
  /// For a format without signatures. Called only if the file matches no format's signature.
  bool (*recognizes)(ByteSpan bytes, std::string_view name) = nullptr;
  ShortList<std::string_view> extensions = {};  ///< extensions of input files in folders: lower case, without a dot

  /// Reads the header from `beginning`, a prefix of any length of a file. Throws TruncatedFile if the header is cut
  /// off, and other Errors if decode would reject the header.
  DeclaredImage (*declared)(ByteSpan beginning, const std::string& name) = nullptr;
  /// Reads the metadata in a header that `declared` accepts. Leaves out each damaged part and adds a clause about it
  /// to `details`. Null if the format cannot hold metadata.
  Metadata (*metadata)(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) = nullptr;
  /// Replaces `metadata` for a format whose metadata may follow the pixels. Returns the metadata that decoding would
  /// give. The file may be cut off.
  Metadata (*file_metadata)(const RandomAccess& file, const std::string& name,
                            std::vector<std::string>& details) = nullptr;
  /// The format's own tags include EXIF tags, even in files without EXIF data: only the directories to which these tags
  /// refer are EXIF data.
  bool has_tags_of_exif = false;
  /// Decodes pixels in their stored orientation: decode_image applies the orientation afterwards.
  DecodedImage (*decode)(ByteSpan bytes, const std::string& name, const ReadOptions& options) = nullptr;
  /// Describes a file for a backend's decoder, which turns the pixels upright unless options.auto_orient is false.
  /// Returns nullopt if `decode` must read or reject the file. Null if no backend decodes the format.
  std::optional<DescribedImage> (*describe)(ByteSpan bytes, const std::string& name,
                                            const ReadOptions& options) = nullptr;
  /// Decodes a file as `decode` does, but leaves the pixels in the file: `rows` reads them. Returns nullopt if the file
  /// must be decoded whole, and sometimes also if `decode` would reject it. Throws as `decode` does. Null if the
  /// format's files must always be decoded whole.
  std::optional<DecodedImage> (*open_rows)(const RandomAccess& file, const std::string& name,
                                           const ReadOptions& options) = nullptr;
  /// If true, `open_rows` decodes large regular files while it reads them. A file is held whole in memory only if
  /// `open_rows` returns nullopt. Only for formats with one page per file.
  bool is_decoded_by_rows = false;
  /// Null for a format with one image per file.
  const PagedReading* paged = nullptr;

  bool holds_measurements = false;  ///< report scaled values as a note, not as a detail: files can hold measurements

  ShortList<WrittenName> written = {};  ///< the usual name first; empty if gpuimg only reads the format
  PixelLimits limits = {};
  bool holds_places = false;  ///< files can hold Metadata::geotiff and imagej
  /// Drops the metadata that a file cannot hold. carried_metadata has already dropped a color profile that does not fit
  /// the pixels. Null if the writer takes no metadata.
  void (*fit_metadata)(Metadata& metadata, MetadataFilter& filter) = nullptr;
  /// Encodes pixels within the limits. May call `sink` on other threads, but never on two at the same time.
  void (*encode)(ConstView pixels, const std::string& name, const WriteOptions& options,
                 const ByteSink& sink) = nullptr;
  /// Opens a writer that writes row by row and produces the same bytes as `encode`. `name`, `options` and `sink` must
  /// outlive the writer. Returns null for options that need the whole image. Null if the format always needs the whole
  /// image.
  std::unique_ptr<RowWriter> (*open_writer)(int width, int height, PixelFormat format, const std::string& name,
                                            const WriteOptions& options, const ByteSink& sink) = nullptr;
  /// Like open_writer, for a format that stores its last rows first.
  std::unique_ptr<RowWriter> (*open_placing_writer)(int width, int height, PixelFormat format, const std::string& name,
                                                    const WriteOptions& options, const BytePlacer& place) = nullptr;
  [[nodiscard]] bool takes_rows() const { return open_writer != nullptr || open_placing_writer != nullptr; }
  /// How a backend must encode pixels within the limits, so that write_encoded writes the same bytes as `encode`.
  /// Returns nullopt if only `encode` can write them. Null for a format that no backend encodes.
  std::optional<Encoding> (*backend_encoding)(int width, int height, PixelFormat format,
                                              const WriteOptions& options) = nullptr;
  void (*write_encoded)(const Encoded& encoded, int width, int height, PixelFormat format, const std::string& name,
                        const WriteOptions& options, const ByteSink& sink) = nullptr;
  /// Starts a file that joins the pages of other files. Null for a format with one image per file.
  std::unique_ptr<PageJoiner> (*open_page_joiner)(const BytePlacer& place) = nullptr;
  /// Encodes a table of u32, f32 or f64; `channels` names each channel. Null if files hold only images.
  std::vector<std::byte> (*encode_table)(ConstView table, std::span<const std::string_view> channels) = nullptr;

  [[nodiscard]] bool is_written() const { return encode != nullptr; }
};

/// Whether a file is an archive of other files, or is compressed.
enum class Packing : std::uint8_t {
  none,
  packed,
  of_tar,  ///< gpuimg reads tar archives compressed this way
};

/// A format that gpuimg cannot read but can name when it rejects a file.
struct ForeignFormat {
  std::string_view name;
  ShortList<Signature> signatures = {};
  ShortList<std::string_view> extensions = {};  ///< folder scans include these files, to report them instead of
                                                ///< skipping them
  std::string_view advice;  ///< a command that converts to PNG or unpacks the file, or other advice; may be empty
  Packing packing = Packing::none;
};

/// All formats, in the order of FileFormat. Messages list them in this order.
std::span<const Codec> codecs();
std::span<const ForeignFormat> foreign_formats();

const Codec& codec_of(FileFormat format);

/// The format other than NPY that can hold tables; nullptr if none is built in.
const Codec* table_codec();

/// The extensions of files that gpuimg reads.
std::vector<std::string> readable_extensions();

/// The extensions of input files in folders, from codecs() and from the list of foreign formats.
std::vector<std::string> input_extensions();

/// The format in which files with this extension (lower case, without a dot) are written; nullptr if there is none.
const Codec* codec_written_as(std::string_view extension);
inline bool is_written_extension(std::string_view extension) { return codec_written_as(extension) != nullptr; }

}  // namespace gpuimg::codecs
