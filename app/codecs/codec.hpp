// What a file format is to gpuimg: the types that readers and writers share, and an entry of the list of formats.
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

/// TIFF, WebP and HEIF only if they are built in: GPUIMG_HAS_TIFF, … are 1.
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
  std::uint32_t number = 0;  ///< from 1; 0 = the first, with a note if there are more
  std::uint64_t place = 0;   ///< from PageList; 0 if unknown: the reader then skips all pages before it
};

/// Where the pages of a file are. If the file is damaged, the list holds the pages that can be found.
struct PageList {
  std::vector<std::uint64_t> places;  ///< in file order; never empty
  std::string lost;                   ///< a clause that says why later pages cannot be found; empty if none are lost
  std::string damage;                 ///< the first damage of the list or of a page's header; empty if there is none

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(places.size()); }
};

struct ReadOptions {
  std::uint64_t max_pixels = std::uint64_t{1} << 30;
  std::uint64_t max_sparse_pixels = std::uint64_t{64} << 20;  ///< of an image whose file holds few of its pixels
  bool auto_orient = true;                                    ///< apply the EXIF orientation
  PageRef page = {};                                          ///< in a file with several pages
  bool lenient = false;  ///< accept a JPEG that libjpeg-turbo warns about, with notes
  int threads = 0;       ///< for PNG and JPEG; 0 = as many as the caller may use
  /// Allocates pixels, for example Backend::new_image; null for ordinary memory. Not used for TGA and rare PNGs.
  std::function<Image(int width, int height, PixelFormat format)> new_image = nullptr;

  [[nodiscard]] Image image(int width, int height, PixelFormat format) const {
    return new_image ? new_image(width, height, format) : Image(width, height, format);
  }
};

enum class DensityUnit : std::uint8_t { none, inch, centimeter, meter };

/// A positive number, as files store it. Whole numbers convert to it.
struct Ratio {
  std::uint32_t numerator = 1;
  std::uint32_t denominator = 1;

  constexpr Ratio() = default;
  constexpr Ratio(std::uint32_t over, std::uint32_t under = 1)  // NOLINT(google-explicit-constructor)
      : numerator(over), denominator(under) {}

  [[nodiscard]] constexpr double value() const { return static_cast<double>(numerator) / denominator; }

  /// 1/2 equals 2/4.
  constexpr bool operator==(const Ratio& other) const {
    return std::uint64_t{numerator} * other.denominator == std::uint64_t{other.numerator} * denominator;
  }
};

/// Pixels per unit; without a unit, only the aspect ratio of a pixel. Never 0.
struct PixelDensity {
  Ratio x;
  Ratio y;
  DensityUnit unit = DensityUnit::none;

  bool operator==(const PixelDensity&) const = default;
};

/// What a photograph's file says besides its pixels: color space, density, camera. docs/operations.md, "Metadata".
/// Members named after a PNG chunk hold that chunk's content; only PNG has them.
struct Metadata {
  std::vector<std::byte> icc;   ///< as returned by icc_profile_in; empty if there is none
  std::vector<std::byte> exif;  ///< begins with the byte order mark; empty if there is none
  std::optional<std::array<std::byte, 4>> cicp;
  std::optional<std::uint8_t> srgb;                  ///< rendering intent, 0 … 3
  std::optional<std::uint32_t> gama;                 ///< gamma of the file times 100000
  std::optional<std::array<std::uint32_t, 8>> chrm;  ///< white, red, green, blue: x and y of each times 100000
  std::optional<PixelDensity> density;
  std::vector<std::byte> xmp;            ///< a packet as is_xmp accepts it; empty if there is none
  std::vector<std::byte> xmp_extension;  ///< the ExtendedXMP of a JPEG; `xmp` refers to it by GUID
  std::vector<std::byte> iptc;           ///< IPTC-IIM datasets; empty if there is none
  /// GeoTIFF tags, which say where on Earth each pixel lies, and ImageJ's calibration: each as a TIFF directory, empty
  /// if there is none. Only for TIFF, and only while every pixel stays where it is.
  std::vector<std::byte> geotiff;
  std::vector<std::byte> imagej;
  std::vector<std::string> not_kept;  ///< other content of the file, for the user: "the tIME chunk"

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
  std::optional<Picture> picture;            ///< the pixels in place of `image`: from described_image
  std::shared_ptr<RowReader> rows;           ///< the pixels in place of `image`: from open_image_rows
  FileFormat file_format = FileFormat::png;  ///< set by decode_image
  std::uint32_t pages = 1;                   ///< in the file; 1 for a page whose place was given
  bool has_lost_pages = false;               ///< the file has more pages that cannot be found: PageList::lost
  std::vector<TextEntry> text;               ///< PNG tEXt entries, in file order
  bool is_upright = false;                   ///< set by a reader that has applied the orientation
  std::uint32_t scaled_from = 0;             ///< as DeclaredImage::scaled_from
  Metadata metadata;                         ///< matches the pixels: upright if they are
  /// Null if no writer can repeat it. Turned like the pixels.
  std::shared_ptr<const SourceEncoding> source_encoding;
  std::vector<std::string> notes;    ///< for the user: "animation: first frame only"
  std::vector<std::string> details;  ///< less important notes: which metadata is left out

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
  DecodedImage rest;     ///< everything that decoding gives except the pixels
  /// Adds to `rest` what is only known once a backend has decoded the file. Null if there is nothing.
  std::function<void(DecodedImage& rest)> complete = nullptr;
};

/// A property that only some formats have, for `gpuimg info`. Its key consists of words joined by underscores.
struct HeaderFact {
  std::string_view key;
  std::variant<bool, std::uint64_t, std::string> value;
};

/// What a file's header declares about its image. Pixels are not checked: use it for planning, not for allocation.
struct DeclaredImage {
  std::uint64_t width = 0;  ///< both below 2³², and 0 if unknown
  std::uint64_t height = 0;
  std::uint64_t bytes_per_pixel = 4;          ///< at most
  std::uint64_t decoder_bytes_per_pixel = 0;  ///< held by the decoder in addition
  /// A decoder with several threads that is read in bands holds at most `most_parts` parts of `part_bytes` each, and at
  /// most one part more than it has threads.
  int most_parts = 0;
  std::uint64_t part_bytes = 0;

  std::string_view
      color;     ///< as stored: "gray", "RGB", "palette", "YCbCr", "CMYK", "YCCK" or "CIELab"; "table" of a .npy
  int bits = 8;  ///< as stored, of a channel or of a palette index
  int palette_colors = 0;  ///< 0 without a palette
  PixelFormat decoded;     ///< what decoding gives
  /// The largest stored sample value, if decoding scales samples so that it becomes the largest value of `decoded`. 0
  /// if values are not scaled, are black and white, or come from a palette.
  std::uint32_t scaled_from = 0;
  bool may_add_alpha = false;     ///< decoding adds an alpha channel if the pixels use it
  bool suits_backends = false;    ///< a backend's own decoder may take the file
  bool is_upright = false;        ///< the size is that of the upright image: an EXIF orientation has no effect
  bool is_read_in_parts = false;  ///< reading a regular file takes no more memory than the image
  /// Milliseconds that one CPU thread takes to decode a megapixel, which `auto` counts; 0 unless suits_backends.
  double decoding_ms = 0.0;
  /// A file for a backend's decoder may be as large as its pixels, so that bands need less memory.
  bool is_large_beside_pixels = false;
  std::vector<HeaderFact> facts;

  [[nodiscard]] std::uint64_t pixels() const { return width * height; }
  /// Bytes that the parts take while `threads` threads read in bands.
  [[nodiscard]] std::uint64_t bytes_of_parts(int threads) const {
    return threads > 1 ? part_bytes * static_cast<std::uint64_t>(std::min(threads + 1, most_parts)) : 0;
  }
  /// What decoding allocates, besides the file.
  [[nodiscard]] std::uint64_t decoding_bytes() const { return pixels() * (bytes_per_pixel + decoder_bytes_per_pixel); }
};

/// Width and height of a chroma sample in pixels: 4:4:4 is 1×1, 4:2:2 2×1, 4:4:0 1×2, 4:2:0 2×2.
enum class ChromaSubsampling { s444, s422, s440, s420 };

/// How a TIFF stores its pixels. TIFF 6.0; group4 is ITU-T T.6, for one bit a pixel.
enum class TiffCompression : std::uint8_t { none, packbits, lzw, deflate, group4, jpeg };

struct WriteOptions {
  std::optional<FileFormat> format;  ///< overrides what the name says, where the name decides
  int png_level = 1;                 ///< 0 … 3: app/codecs/png/png.hpp
  int jpeg_quality = 90;             ///< 1 … 100
  /// Overrides jpeg_quality if it comes from a JPEG; it then has as many components as there are channels. May be null.
  std::shared_ptr<const SourceEncoding> source_encoding;
  std::optional<ChromaSubsampling> jpeg_subsampling;  ///< if absent, that of source_encoding, else 4:2:0
  int webp_quality = 90;                              ///< 1 … 100, unless lossless
  bool webp_lossless = false;
  int jpeg_restart_interval = 0;  ///< MCUs from one restart marker to the next; 0 for none
  TiffCompression tiff_compression = TiffCompression::deflate;
  bool one_bit = false;         ///< PNG, PNM and TIFF: write 8-bit gray pixels, all 0 or 255, at one bit each
  int threads = 0;              ///< for PNG; 0 = all that the caller may use. Bytes do not depend on it
  std::vector<TextEntry> text;  ///< PNG only: tEXt entries, Latin-1, in this order
  Metadata metadata;            ///< as carried_metadata returns it for the format and the pixels
};

/// The pixels that a written format can hold. By default 1 to 4 channels of 8 or 16 bits, of any size.
struct PixelLimits {
  int max_side = std::numeric_limits<int>::max();
  std::uint64_t max_bytes =
      std::numeric_limits<std::uint64_t>::max();  ///< of the uncompressed file, with four channels
  bool holds_16_bits = true;
  bool holds_gray_alpha = true;
  bool holds_color_alpha = true;
};

/// At most 8 values, stored inline so that the list of formats can be constexpr.
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

/// A name for --format, which is also an extension of OUT.
struct WrittenName {
  std::string_view name;
  std::string_view meaning = {};  ///< a few words for --help, which does not list a name without meaning
  bool is_one_bit = false;        ///< such files hold only black and white: WriteOptions::one_bit
};

class MetadataFilter;

/// Joins files of one format to a file of several pages.
class PageJoiner {
 public:
  PageJoiner() = default;
  PageJoiner(const PageJoiner&) = delete;
  PageJoiner& operator=(const PageJoiner&) = delete;
  virtual ~PageJoiner() = default;

  /// Appends the pages of `file`, which gpuimg has written, with their metadata.
  virtual void add(ByteSpan file) = 0;
  /// Completes the file; it has at least one page.
  virtual void finish() = 0;
};

/// How a format reads multi-page files. Reads only the needed parts of the file.
struct PagedReading {
  /// All images of a file.
  PageList (*pages)(const RandomAccess& file) = nullptr;
  /// Like the members of Codec, for one page of a whole file.
  DeclaredImage (*declared)(const RandomAccess& file, const std::string& name, PageRef page) = nullptr;
  Metadata (*metadata)(const RandomAccess& file, const std::string& name, PageRef page,
                       std::vector<std::string>& details) = nullptr;
  DecodedImage (*decode)(const RandomAccess& file, const std::string& name, const ReadOptions& options) = nullptr;
};

/// An entry of the list. Its functions use `name` in messages; functions that read receive it in printable form.
struct Codec {
  FileFormat format = FileFormat::png;
  std::string_view name;  ///< in messages

  ShortList<Signature> signatures = {};  ///< a file has one of them
  /// For a format without signatures; called if no format's signature matches.
  bool (*recognizes)(ByteSpan bytes, std::string_view name) = nullptr;
  ShortList<std::string_view> extensions = {};  ///< of input files in folders: lower case, without a dot

  /// Reads the header at the `beginning` of a file, of any length. Throws TruncatedFile if it is cut off, and other
  /// Errors for a header that decode would reject.
  DeclaredImage (*declared)(ByteSpan beginning, const std::string& name) = nullptr;
  /// Reads the metadata in a header that `declared` accepts. Adds a clause to `details` for each damaged piece, which
  /// is left out. Null if the format carries none.
  Metadata (*metadata)(ByteSpan beginning, const std::string& name, std::vector<std::string>& details) = nullptr;
  /// Used instead of `metadata` for a format whose metadata may follow the pixels: returns what decoding would give,
  /// from a file that may be cut off.
  Metadata (*file_metadata)(const RandomAccess& file, const std::string& name,
                            std::vector<std::string>& details) = nullptr;
  /// The format has EXIF tags of its own without EXIF data: only the directories that these tags refer to are EXIF
  /// data.
  bool has_tags_of_exif = false;
  /// Decodes as stored: decode_image applies the orientation.
  DecodedImage (*decode)(ByteSpan bytes, const std::string& name, const ReadOptions& options) = nullptr;
  /// Describes a file for a backend's decoder, which turns the pixels upright unless options.auto_orient is false.
  /// Returns nullopt for a file that `decode` must read or reject. Null for a format that no backend
  /// decodes.
  std::optional<DescribedImage> (*describe)(ByteSpan bytes, const std::string& name,
                                            const ReadOptions& options) = nullptr;
  /// Decodes a file as `decode` does, but leaves the pixels in the file: `rows` reads them. Returns nullopt for a file
  /// that must be decoded whole, and possibly for one that `decode` rejects; throws as `decode` does. Null if all files
  /// must be decoded whole.
  std::optional<DecodedImage> (*open_rows)(const RandomAccess& file, const std::string& name,
                                           const ReadOptions& options) = nullptr;
  /// Regular files that are not small are decoded by `open_rows` while they are read, and held whole only if
  /// `open_rows` rejects them. For formats of one page.
  bool is_decoded_by_rows = false;
  /// Null for a format with one image in a file.
  const PagedReading* paged = nullptr;

  bool holds_measurements = false;  ///< its files are not only for display: scaling is a note, not a detail

  ShortList<WrittenName> written = {};  ///< the usual name first; empty if the format is only read
  PixelLimits limits = {};
  bool holds_places = false;  ///< files can hold Metadata::geotiff and imagej
  /// Drops the metadata that a file cannot hold, except the profile. Null if the writer takes no metadata.
  void (*fit_metadata)(Metadata& metadata, MetadataFilter& filter) = nullptr;
  /// Encodes pixels within the limits. May call `sink` on other threads, from one at a time.
  void (*encode)(ConstView pixels, const std::string& name, const WriteOptions& options,
                 const ByteSink& sink) = nullptr;
  /// Starts writing the same bytes as `encode`, row by row. `name`, `options` and `sink` outlive the writer. Returns
  /// null for options that need the whole image. Null if the format always needs the whole image.
  std::unique_ptr<RowWriter> (*open_writer)(int width, int height, PixelFormat format, const std::string& name,
                                            const WriteOptions& options, const ByteSink& sink) = nullptr;
  /// The same for a format whose last rows come first in the file.
  std::unique_ptr<RowWriter> (*open_placing_writer)(int width, int height, PixelFormat format, const std::string& name,
                                                    const WriteOptions& options, const BytePlacer& place) = nullptr;
  [[nodiscard]] bool takes_rows() const { return open_writer != nullptr || open_placing_writer != nullptr; }
  /// How a backend must encode pixels within the limits, so that write_encoded writes the same bytes as `encode`.
  /// Returns nullopt if only `encode` can write them. Null for a format that no backend encodes.
  std::optional<Encoding> (*backend_encoding)(int width, int height, PixelFormat format,
                                              const WriteOptions& options) = nullptr;
  void (*write_encoded)(const Encoded& encoded, int width, int height, PixelFormat format, const std::string& name,
                        const WriteOptions& options, const ByteSink& sink) = nullptr;
  /// Starts a file that joins the pages of other files. Null for a format with one image in a file.
  std::unique_ptr<PageJoiner> (*open_page_joiner)(const BytePlacer& place) = nullptr;
  /// Encodes a table of u32, f32 or f64; `channels` names each channel. Null if files hold only images.
  std::vector<std::byte> (*encode_table)(ConstView table, std::span<const std::string_view> channels) = nullptr;

  [[nodiscard]] bool is_written() const { return encode != nullptr; }
};

/// Whether a file holds other files, or is compressed.
enum class Packing : std::uint8_t {
  none,
  packed,
  of_tar,  ///< gpuimg reads tar archives that are compressed this way
};

/// A format that gpuimg cannot read, but names when it rejects a file.
struct ForeignFormat {
  std::string_view name;
  ShortList<Signature> signatures = {};
  ShortList<std::string_view> extensions = {};  ///< that folder scans take, so that such a file is not overlooked
  std::string_view advice;  ///< a command that makes a PNG or unpacks, or other advice; may be empty
  Packing packing = Packing::none;
};

/// All formats, in the order of FileFormat and of messages.
std::span<const Codec> codecs();
std::span<const ForeignFormat> foreign_formats();

const Codec& codec_of(FileFormat format);

/// The format that also holds tables, besides NPY; nullptr if none is built in.
const Codec* table_codec();

/// The extensions of files that gpuimg reads.
std::vector<std::string> readable_extensions();

/// The extensions of input files in folders, from both lists.
std::vector<std::string> input_extensions();

/// The format in which files with this extension (lower case, without a dot) are written; nullptr if there is none.
const Codec* codec_written_as(std::string_view extension);
inline bool is_written_extension(std::string_view extension) { return codec_written_as(extension) != nullptr; }

}  // namespace gpuimg::codecs
