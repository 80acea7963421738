// Writes TIFF. Keeps the whole file in memory, because libtiff goes back to fill in offsets.
#include "codecs/formats.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codecs/byte_fields.hpp"
#include "codecs/deflate/compress.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/stored_samples.hpp"
#include "codecs/threads.hpp"
#include "codecs/tiff/tiff_metadata.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::tiff {
namespace {

/// The file in memory, with the callbacks through which libtiff accesses it. Exceptions must not pass through C.
struct Output {
  std::vector<std::byte> bytes;
  std::uint64_t position = 0;

  static Output& of(thandle_t handle) { return *static_cast<Output*>(handle); }

  static tmsize_t on_write(thandle_t handle, void* from, tmsize_t size) {
    Output& output = of(handle);
    const auto count = static_cast<std::size_t>(size);
    try {
      if (output.bytes.size() < output.position + count) {
        output.bytes.resize(static_cast<std::size_t>(output.position) + count);
      }
    } catch (const std::bad_alloc&) {
      return 0;
    }
    std::memcpy(output.bytes.data() + output.position, from, count);
    output.position += count;
    return size;
  }

  static tmsize_t on_read(thandle_t handle, void* to, tmsize_t size) {
    Output& output = of(handle);
    const std::uint64_t left = output.bytes.size() - std::min<std::uint64_t>(output.position, output.bytes.size());
    const auto count = static_cast<std::size_t>(std::min(left, static_cast<std::uint64_t>(size)));
    std::memcpy(to, output.bytes.data() + output.position, count);
    output.position += count;
    return static_cast<tmsize_t>(count);
  }

  static toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
    Output& output = of(handle);
    const std::uint64_t from = whence == SEEK_CUR ? output.position : whence == SEEK_END ? output.bytes.size() : 0;
    output.position = from + offset;
    return output.position;
  }

  static int on_close(thandle_t /*handle*/) { return 0; }
  static toff_t on_size(thandle_t handle) { return of(handle).bytes.size(); }
  static int on_message(TIFF* /*tiff*/, void* /*user*/, const char* /*module*/, const char* /*format*/,
                        va_list /*arguments*/) {
    return 1;  // the return values of the calls are sufficient
  }
};

using Tiff = std::unique_ptr<TIFF, void (*)(TIFF*)>;

/// A BigTIFF is necessary only above 4 GiB. Directories and most compressions add little to the size of the pixels; LZW
/// and JPEG can enlarge noise by half.
bool needs_big_tiff(ConstView pixels, TiffCompression compression) {
  const bool may_grow = compression == TiffCompression::lzw || compression == TiffCompression::jpeg;
  const std::uint64_t most_bytes = std::uint64_t{may_grow ? 5U : 7U} << 29;
  return static_cast<std::uint64_t>(pixels.height) * pixels.tight_pitch_bytes() > most_bytes;
}

Tiff opened(Output& output, ConstView pixels, TiffCompression compression) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (options == nullptr) {
    return {nullptr, TIFFClose};
  }
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), Output::on_message, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), Output::on_message, nullptr);
  return {TIFFClientOpenExt("output", needs_big_tiff(pixels, compression) ? "w8l" : "wl", &output, Output::on_read,
                            Output::on_write, Output::on_seek, Output::on_close, Output::on_size, nullptr, nullptr,
                            options.get()),
          TIFFClose};
}

bool has_predictor(TiffCompression compression) {
  return compression == TiffCompression::deflate || compression == TiffCompression::lzw;
}

/// Group 4 uses a single strip, because rows refer to the row above in the same strip. A JPEG strip consists of whole
/// MCUs.
std::uint32_t rows_per_strip(ConstView pixels, TiffCompression compression = TiffCompression::none) {
  constexpr std::size_t kStripBytes = std::size_t{256} << 10;
  constexpr std::size_t kMcuRows = 16;
  const auto height = static_cast<std::size_t>(pixels.height);
  std::size_t rows = std::max<std::size_t>(1, kStripBytes / pixels.tight_pitch_bytes());
  if (compression == TiffCompression::group4) {
    rows = height;
  } else if (compression == TiffCompression::jpeg) {
    rows = (rows + kMcuRows - 1) / kMcuRows * kMcuRows;
  }
  return static_cast<std::uint32_t>(std::min(rows, height));
}

void set_common_tags(TIFF* tiff, ConstView pixels, int bits) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(pixels.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(pixels.height));
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows_per_strip(pixels));
}

int bits_of(ConstView pixels) { return static_cast<int>(8 * sample_bytes(pixels.format.sample)); }

int compression_tag(TiffCompression compression) {
  switch (compression) {
    case TiffCompression::none: return COMPRESSION_NONE;
    case TiffCompression::packbits: return COMPRESSION_PACKBITS;
    case TiffCompression::lzw: return COMPRESSION_LZW;
    case TiffCompression::deflate: return COMPRESSION_ADOBE_DEFLATE;
    case TiffCompression::group4: return COMPRESSION_CCITTFAX4;
    case TiffCompression::jpeg: return COMPRESSION_JPEG;
  }
  return COMPRESSION_NONE;
}

std::pair<int, int> chroma_sample_size(ChromaSubsampling subsampling) {
  const bool halves_width = subsampling == ChromaSubsampling::s422 || subsampling == ChromaSubsampling::s420;
  const bool halves_height = subsampling == ChromaSubsampling::s440 || subsampling == ChromaSubsampling::s420;
  return {halves_width ? 2 : 1, halves_height ? 2 : 1};
}

/// Makes libtiff convert to YCbCr and subsample chroma.
void set_jpeg_tags(TIFF* tiff, bool is_color, const WriteOptions& options) {
  TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, options.jpeg_quality);
  if (is_color) {
    const auto [width, height] = chroma_sample_size(options.jpeg_subsampling.value_or(ChromaSubsampling::s420));
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, width, height);
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
}

void set_image_tags(TIFF* tiff, ConstView pixels, bool one_bit, const WriteOptions& options) {
  const TiffCompression compression = options.tiff_compression;
  const bool is_color = pixels.format.color_channels() == 3;
  set_common_tags(tiff, pixels, one_bit ? 1 : bits_of(pixels));
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows_per_strip(pixels, compression));
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, pixels.format.channels);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
               is_color                                 ? PHOTOMETRIC_RGB
               : compression == TiffCompression::group4 ? PHOTOMETRIC_MINISWHITE
                                                        : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression_tag(compression));
  if (has_predictor(compression)) {
    TIFFSetField(tiff, TIFFTAG_PREDICTOR, one_bit ? PREDICTOR_NONE : PREDICTOR_HORIZONTAL);
  } else if (compression == TiffCompression::jpeg) {
    set_jpeg_tags(tiff, is_color, options);
  }
  if (pixels.format.has_alpha()) {
    const std::uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
  }
}

void set_table_tags(TIFF* tiff, ConstView table, std::size_t channel, std::span<const std::string_view> channels) {
  set_common_tags(tiff, table, bits_of(table));
  const bool is_float = table.format.sample == Sample::f32 || table.format.sample == Sample::f64;
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  if (channels.size() > 1) {
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
    TIFFSetField(tiff, TIFFTAG_PAGENUMBER, static_cast<int>(channel), static_cast<int>(channels.size()));
    TIFFSetField(tiff, TIFFTAG_PAGENAME, std::string(channels[channel]).c_str());
  }
}

/// Copies the samples of one channel, row by row.
bool write_channel(TIFF* tiff, ConstView table, std::size_t channel) {
  const std::size_t sample = sample_bytes(table.format.sample);
  const std::size_t pixel = table.format.bytes_per_pixel();
  std::vector<std::byte> row(static_cast<std::size_t>(table.width) * sample);
  for (int y = 0; y < table.height; ++y) {
    const std::byte* from = table.row_bytes(y) + channel * sample;
    for (std::size_t at = 0; at < row.size(); at += sample, from += pixel) {
      std::memcpy(row.data() + at, from, sample);
    }
    if (TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0) != 1) {
      return false;
    }
  }
  return true;
}

/// Replaces samples by differences from the previous pixel: TIFF 6.0, section 14.
template <class T>
void predict(const std::byte* row, std::size_t bytes, std::size_t channels, std::byte* to) {
  const auto* from = reinterpret_cast<const T*>(row);
  auto* differences = reinterpret_cast<T*>(to);
  const std::size_t samples = bytes / sizeof(T);
  std::copy_n(from, std::min(channels, samples), differences);
  for (std::size_t i = channels; i < samples; ++i) {
    differences[i] = static_cast<T>(from[i] - from[i - channels]);
  }
}

/// Deflates strips in any order; use one object per thread. libtiff's own compression takes several times as long: it
/// passes one row at a time to zlib, at a slower level.
class StripPacker {
 public:
  /// Strips have at most `rows` rows.
  StripPacker(ConstView pixels, bool has_predictor, int rows)
      : pixels_(pixels),
        has_predictor_(has_predictor),
        strip_(static_cast<std::size_t>(rows) * pixels.tight_pitch_bytes()) {}

  /// Returns the strip of `rows` rows that starts at row `first`, as a zlib stream.
  std::vector<std::byte> pack(int first, int rows) {
    const std::size_t row_bytes = pixels_.tight_pitch_bytes();
    for (int y = 0; y < rows; ++y) {
      add_row(pixels_.row_bytes(first + y), row_bytes, strip_.data() + static_cast<std::size_t>(y) * row_bytes);
    }
    const ByteSpan strip = ByteSpan(strip_).first(static_cast<std::size_t>(rows) * row_bytes);
    const ByteSpan header = std::as_bytes(std::span(deflate::kZlibHeader));
    std::vector<std::byte> packed(header.begin(), header.end());
    for (std::size_t at = 0; at < strip.size(); at += deflate::kMaxStripBytes) {
      const ByteSpan part = strip.subspan(at, std::min(deflate::kMaxStripBytes, strip.size() - at));
      const std::size_t size = packed.size();
      packed.resize(size + deflate::deflate_bound(part.size()));
      const bool is_last = at + part.size() == strip.size();
      packed.resize(size + deflater_.deflate(part, std::span(packed).subspan(size), is_last));
    }
    const auto checksum = u32be(deflate::adler32_of(strip));
    packed.insert(packed.end(), checksum.begin(), checksum.end());
    return packed;
  }

 private:
  void add_row(const std::byte* row, std::size_t bytes, std::byte* to) const {
    const auto channels = static_cast<std::size_t>(pixels_.format.channels);
    if (!has_predictor_) {
      std::memcpy(to, row, bytes);
    } else if (pixels_.format.sample == Sample::u8) {
      predict<std::uint8_t>(row, bytes, channels, to);
    } else {
      predict<std::uint16_t>(row, bytes, channels, to);
    }
  }

  static constexpr int kLevel = 1;

  ConstView pixels_;
  bool has_predictor_;
  std::vector<std::byte> strip_;
  deflate::StripDeflater deflater_{kLevel};
};

bool append_strips(TIFF* tiff, int first, std::span<std::vector<std::byte>> strips) {
  for (std::vector<std::byte>& strip : strips) {
    const auto size = static_cast<tmsize_t>(strip.size());
    if (TIFFWriteRawStrip(tiff, static_cast<std::uint32_t>(first++), strip.data(), size) != size) {
      return false;
    }
  }
  return true;
}

/// Writes strips of `rows` rows each. Several threads pack strips at the same time.
bool write_strips(TIFF* tiff, ConstView pixels, bool has_predictor, int rows, int threads) {
  constexpr int kStripsOfThread = 4;
  const int count = (pixels.height - 1) / rows + 1;
  const int used = std::min(allowed_threads(threads), count);
  tbb::enumerable_thread_specific<StripPacker> packers([&] { return StripPacker(pixels, has_predictor, rows); });
  std::vector<std::vector<std::byte>> strips(static_cast<std::size_t>(std::min(used * kStripsOfThread, count)));
  std::optional<CodecArena> arena;
  if (used > 1) {
    arena.emplace(used);
  }
  bool is_written = true;
  for (int first = 0; first < count && is_written; first += static_cast<int>(strips.size())) {
    const int packed = std::min(static_cast<int>(strips.size()), count - first);
    const auto pack = [&](int i) {
      const int row = (first + i) * rows;
      strips[static_cast<std::size_t>(i)] = packers.local().pack(row, std::min(rows, pixels.height - row));
    };
    if (arena) {
      arena->execute([&] { tbb::parallel_for(0, packed, pack); });
    } else {
      for (int i = 0; i < packed; ++i) {
        pack(i);
      }
    }
    is_written = append_strips(tiff, first, std::span(strips).first(static_cast<std::size_t>(packed)));
  }
  return is_written;
}

/// Lets libtiff encode and write the strips, one after another.
bool encode_strips(TIFF* tiff, ConstView pixels, int rows) {
  const std::size_t row_bytes = pixels.tight_pitch_bytes();
  std::vector<std::byte> strip(static_cast<std::size_t>(rows) * row_bytes);
  for (int first = 0; first < pixels.height; first += rows) {
    const int count = std::min(rows, pixels.height - first);
    for (int y = 0; y < count; ++y) {
      std::memcpy(strip.data() + static_cast<std::size_t>(y) * row_bytes, pixels.row_bytes(first + y), row_bytes);
    }
    const auto size = static_cast<tmsize_t>(static_cast<std::size_t>(count) * row_bytes);
    if (TIFFWriteEncodedStrip(tiff, static_cast<std::uint32_t>(first / rows), strip.data(), size) < 0) {
      return false;
    }
  }
  return true;
}

bool is_black_and_white(ConstView pixels) {
  for (int y = 0; y < pixels.height; ++y) {
    const std::byte* row = pixels.row_bytes(y);
    if (!std::all_of(row, row + pixels.width, [](std::byte v) { return v == std::byte{0} || v == std::byte{255}; })) {
      return false;
    }
  }
  return true;
}

/// The reason why the compression cannot hold the pixels, and a remedy; empty if it can.
std::string misfit(ConstView pixels, TiffCompression compression, std::optional<ChromaSubsampling> subsampling) {
  constexpr int kMaxJpegSide = 65500;  // libjpeg's JPEG_MAX_DIMENSION
  if (compression == TiffCompression::group4 && !can_pack_bits(pixels.format)) {
    return "--compression g4 stores only 8-bit gray of 0 and 255, and this image has color, alpha or 16 bits; add "
           "--then threshold";
  }
  if (compression == TiffCompression::group4 && !is_black_and_white(pixels)) {
    return "--compression g4 stores only black and white, and this image has other values; add --then threshold";
  }
  if (compression == TiffCompression::jpeg && subsampling == ChromaSubsampling::s440) {
    return "a TIFF cannot store --subsampling 440; choose 422 or 420";
  }
  if (compression == TiffCompression::jpeg && pixels.format.has_alpha()) {
    return "--compression jpeg stores no alpha; add --background white";
  }
  if (compression == TiffCompression::jpeg && pixels.format.sample != Sample::u8) {
    return "--compression jpeg stores 8 bits per channel; add --depth 8";
  }
  if (compression == TiffCompression::jpeg && std::max(pixels.width, pixels.height) > kMaxJpegSide) {
    return fmt::format("--compression jpeg stores up to {} pixels a side; add --then resize", kMaxJpegSide);
  }
  return "";
}

/// Throws Error{usage} for pixels that the compression cannot hold, and Error{unsupported} if the loaded libtiff lacks
/// the compression.
void check_compression(ConstView pixels, const std::string& name, const WriteOptions& options) {
  const TiffCompression compression = options.tiff_compression;
  const bool is_own = compression == TiffCompression::deflate;  // StripPacker deflates, so libtiff's codec is not
                                                                // needed
  if (!is_own && TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression_tag(compression))) == 0) {
    throw Error(ErrorKind::unsupported,
                printable_name(name) + ": this libtiff lacks the compression; choose --compression deflate");
  }
  if (const std::string why = misfit(pixels, compression, options.jpeg_subsampling); !why.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}, or choose --compression deflate", printable_name(name), why));
  }
}

/// Returns false if memory runs out.
bool write_image(Output& output, ConstView pixels, bool one_bit, const WriteOptions& options) {
  const TiffCompression compression = options.tiff_compression;
  const unsigned white = compression == TiffCompression::group4 ? 0 : 1;
  const Image bits = one_bit ? packed_bits(pixels, white) : Image();
  Tiff tiff = opened(output, pixels, compression);
  if (tiff == nullptr) {
    return false;
  }
  set_image_tags(tiff.get(), pixels, one_bit, options);
  // libtiff appends the pixels and its directory to these bytes.
  const ExifOffsets exif = begin_tiff_metadata(output.bytes, options.metadata, needs_big_tiff(pixels, compression));
  write_tiff_metadata(tiff.get(), options.metadata, exif);
  const ConstView stored = one_bit ? bits.view() : pixels;
  const auto rows = static_cast<int>(rows_per_strip(pixels, compression));
  const bool is_written = compression == TiffCompression::deflate
                              ? write_strips(tiff.get(), stored, !one_bit, rows, options.threads)
                              : encode_strips(tiff.get(), stored, rows);
  return is_written && TIFFFlush(tiff.get()) == 1;
}

}  // namespace

void encode_tiff(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  check_compression(pixels, name, options);
  const bool is_group4 = options.tiff_compression == TiffCompression::group4;
  const bool is_jpeg = options.tiff_compression == TiffCompression::jpeg;
  const bool one_bit = (options.one_bit || is_group4) && !is_jpeg && can_pack_bits(pixels.format);
  Output output;
  bool is_written = false;
  try {
    is_written = write_image(output, pixels, one_bit, options);
  } catch (const std::bad_alloc&) {
  }
  if (!is_written) {
    throw Error(ErrorKind::out_of_memory,
                fmt::format("{}: cannot write: not enough memory; use a smaller image", printable_name(name)));
  }
  sink(output.bytes);
}

std::vector<std::byte> encode_tiff_table(ConstView table, std::span<const std::string_view> channels) {
  Output output;
  Tiff tiff = opened(output, table, TiffCompression::none);
  bool is_written = tiff != nullptr;
  for (std::size_t channel = 0; channel < channels.size() && is_written; ++channel) {
    set_table_tags(tiff.get(), table, channel, channels);
    is_written = write_channel(tiff.get(), table, channel) && TIFFWriteDirectory(tiff.get()) == 1;
  }
  tiff.reset();
  if (!is_written) {
    throw Error(ErrorKind::out_of_memory, "TIFF: cannot write: not enough memory; use a smaller image");
  }
  return std::move(output.bytes);
}

}  // namespace gpuimg::codecs::tiff
