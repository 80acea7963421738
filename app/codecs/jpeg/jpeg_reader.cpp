// Decodes a JPEG whole, in parts if that is faster, or in bands of rows. docs/operations.md, "Files", describes which
// files are rejected.
// The parts of an image (jpeg_pipeline.hpp) become bands. In top-down order, the bands of a part wait for the parts
// above it.
#include "codecs/jpeg/jpeg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "codecs/jpeg/jpeg_coefficients.hpp"
#include "codecs/jpeg/jpeg_decoder.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "codecs/jpeg/jpeg_segments.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/rejections.hpp"
#include "codecs/stored_samples.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

/// Throws Error{decode} or Error{unsupported} for a size that gpuimg does not read.
void check_jpeg_kind(const JpegHeader& header, const ReadOptions& options, const std::string& name) {
  check_size(name, header.frame.width, header.frame.height, options.max_pixels);
  if (header.frame.width > JPEG_MAX_DIMENSION || header.frame.height > JPEG_MAX_DIMENSION) {
    reject_unsupported(name, fmt::format("JPEG of more than {} pixels a side", JPEG_MAX_DIMENSION));
  }
}

/// Everything in the result of decoding except the pixels, the encoding and the notes on damage.
DecodedImage describe_jpeg_file(const JpegHeader& header) {
  DecodedImage decoded;
  decoded.metadata = read_jpeg_metadata(header, decoded.details);
  if (header.pictures > 1) {
    decoded.notes.emplace_back("JPEG of several pictures (MPO): first picture only");
  }
  if (header.frame.component_count == 4) {
    decoded.notes.emplace_back(kCmykNote);
  }
  return decoded;
}

constexpr std::uint64_t kMinPixels = std::uint64_t{1} << 16;   // with several scans; below this, libjpeg alone is as
                                                               // fast
constexpr std::uint64_t kManyPixels = std::uint64_t{1} << 18;  // below this, threads and backends do not help

std::uint64_t pixels_of(const JpegHeader& header) { return std::uint64_t{header.frame.width} * header.frame.height; }

int threads_for(const JpegHeader& header, const ReadOptions& options) {
  return pixels_of(header) < kManyPixels ? 1 : allowed_threads(options.threads);
}

/// If `cuts` is null, chooses the cuts. Returns true if all codes up to the end of the file have been checked.
bool read_pixels(const JpegFile& file, JpegRows& whole, const ReadOptions& options, const std::vector<int>* cuts,
                 const View& pixels) {
  const bool in_parts = cuts == nullptr || !cuts->empty();
  const int threads = cuts != nullptr ? allowed_threads(options.threads) : threads_for(file.header, options);
  if (in_parts && read_jpeg_parts(file, cuts != nullptr ? *cuts : jpeg_cuts(whole, file.height()), threads, pixels)) {
    return true;
  }
  whole.read_to(file.height(), pixels);
  whole.finish();
  return false;
}

/// Reports bytes after a scan. libjpeg overlooks up to seven of them, because they are already in its bit buffer.
/// gpuimg treats them as an error, like any other bytes after a scan (docs/decisions/0025-bytes-after-a-scan.md).
/// `notes` holds libjpeg's notes.
void judge_bytes_after_scans(const JpegFile& file, const ReadOptions& options, std::vector<std::string>& notes) {
  const auto scans = jpeg_bytes_after_scans(file);
  for (std::size_t i = 0; scans && i < scans->size(); ++i) {
    const ByteSpan after = (*scans)[i];
    const auto marker = static_cast<std::size_t>(after.data() + after.size() - file.bytes.data());
    if (after.empty() || marker + 1 >= file.bytes.size()) {
      continue;
    }
    const std::string what = fmt::format("Corrupt JPEG data: {} extraneous bytes before marker 0x{:02x}", after.size(),
                                         u8_at(file.bytes, marker + 1));
    const bool is_padding =
        std::all_of(after.begin(), after.end(), [](std::byte byte) { return byte == std::byte{0}; });
    if (!is_padding && !options.lenient) {
      throw Error(ErrorKind::decode, fmt::format("{}: file is damaged: {}; download or copy it again, or read the "
                                                 "intact part with --lenient",
                                                 file.name, what));
    }
    if (!notes.empty()) {
      continue;  // libjpeg has already reported some of these bytes
    }
    notes.push_back(is_padding ? fmt::format("JPEG: the pixels are not affected by this: {}", what)
                               : fmt::format("file is damaged; decoded anyway: {}", what));
  }
}

int turn_for(const Metadata& metadata, const ReadOptions& options) {
  return options.auto_orient ? exif_orientation(metadata.exif) : 1;
}

Image new_image(const JpegFile& file, const ReadOptions& options) {
  return options.image(static_cast<int>(file.header.frame.width), file.height(), file.format());
}

/// The scan script of a file whose scans gpuimg can decode itself; nullopt for any other file.
std::optional<JpegScript> script_of(const JpegFile& file) {
  const bool may = file.header.keeps_coefficients && pixels_of(file.header) >= kMinPixels;
  return may ? read_jpeg_script(file.bytes) : std::nullopt;
}

/// Returns false if a single libjpeg decoder must read the file.
bool reads_scans(const JpegFile& file, const ReadOptions& options, DecodedImage& decoded) {
  const std::optional<JpegScript> script = script_of(file);
  if (!script) {
    return false;
  }
  Image image = new_image(file, options);
  const auto result = read_jpeg_scans(file, *script, image.view(), {.threads = threads_for(file.header, options)});
  if (!result) {
    return false;
  }
  decoded.image = std::move(image);
  decoded.source_encoding = result->encoding;
  return true;
}

/// If `cuts` is null, chooses the cuts.
void read_with_one_decoder(const JpegFile& file, const ReadOptions& options, const std::vector<int>* cuts,
                           DecodedImage& decoded) {
  JpegRows whole(file, options.lenient);
  decoded.source_encoding = whole.encoding();
  decoded.image = new_image(file, options);
  const bool is_checked = read_pixels(file, whole, options, cuts, decoded.image.view());
  decoded.notes = whole.warnings();
  if (!is_checked) {
    judge_bytes_after_scans(file, options, decoded.notes);
  }
}

/// If `cuts` is null, chooses the cuts.
DecodedImage read_ended(ByteSpan bytes, const std::string& name, const ReadOptions& options,
                        const std::vector<int>* cuts) {
  const JpegHeader header = read_jpeg_header(bytes, name);
  check_jpeg_kind(header, options, name);
  DecodedImage decoded = describe_jpeg_file(header);
  std::vector<std::string> notes = std::exchange(decoded.notes, {});
  const JpegFile file{bytes, header, name};
  if (cuts != nullptr || !reads_scans(file, options, decoded)) {
    read_with_one_decoder(file, options, cuts, decoded);
  }
  std::move(notes.begin(), notes.end(), std::back_inserter(decoded.notes));
  return decoded;
}

/// The end of the image in a file that has all its MCUs but no EOI between them and the bytes that follow. Returns
/// nullopt for any other file.
std::optional<std::size_t> end_without_eoi(ByteSpan bytes, const std::string& name) {
  constexpr std::size_t kLeastTrailerBytes = 8;  // fewer bytes can be left over from a truncated or damaged file
  std::vector<std::byte> ended(bytes.begin(), bytes.end());
  const std::array eoi = {std::byte{0xFF}, std::byte{jpeg_marker::kEndOfImage}};
  ended.insert(ended.end(), eoi.begin(), eoi.end());
  std::optional<std::vector<ByteSpan>> scans;
  try {
    const JpegHeader header = read_jpeg_header(ended, name);
    scans = jpeg_bytes_after_scans(JpegFile{ended, header, name});
  } catch (const Error&) {
  }
  if (!scans) {
    return std::nullopt;
  }
  const auto end = static_cast<std::size_t>(scans->back().data() - ended.data());
  ByteSpan trailer = ByteSpan(ended).first(bytes.size()).subspan(std::min(end, bytes.size()));
  if (!trailer.empty() && trailer.back() == eoi[0]) {
    trailer = trailer.first(trailer.size() - 1);  // the first byte of an EOI that is cut off
  }
  const bool is_trailer =
      trailer.size() >= kLeastTrailerBytes &&
      std::any_of(trailer.begin(), trailer.end(), [](std::byte byte) { return byte != std::byte{0}; });
  return is_trailer && std::search(trailer.begin(), trailer.end(), eoi.begin(), eoi.end()) == trailer.end()
             ? std::optional(end)
             : std::nullopt;
}

/// If `cuts` is null, chooses the cuts.
DecodedImage read(ByteSpan bytes, const std::string& name, const ReadOptions& options, const std::vector<int>* cuts) {
  try {
    return read_ended(bytes, name, options, cuts);
  } catch (const Error& error) {
    const auto end = error.kind() == ErrorKind::decode ? end_without_eoi(bytes, name) : std::nullopt;
    if (!end) {
      throw;
    }
    std::vector<std::byte> ended(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*end));
    ended.insert(ended.end(), {std::byte{0xFF}, std::byte{jpeg_marker::kEndOfImage}});
    DecodedImage decoded = read_ended(ended, name, options, cuts);
    decoded.notes.push_back(fmt::format(
        "JPEG: it has no end-of-image marker; what follows its image is ignored (bytes: {})", bytes.size() - *end));
    return decoded;
  }
}

/// The state that the host needs to decode the codes of the scans for a backend.
struct DescribedScans {
  std::string name;
  JpegHeader header;
  JpegFile file;
  JpegScript script;
  std::shared_ptr<const SourceEncoding> encoding = nullptr;  ///< set after the scans have been read

  DescribedScans(ByteSpan bytes, std::string called, JpegHeader read, JpegScript scans)
      : name(std::move(called)), header(std::move(read)), file{bytes, header, name}, script(std::move(scans)) {}
};

/// Describes a file of several scans: the host decodes the codes, the backend computes the pixels.
std::optional<DescribedImage> described_scans(const JpegFile& file, const JpegScript& script, DecodedImage rest,
                                              const ReadOptions& options) {
  const bool is_large = pixels_of(file.header) >= kManyPixels;
  std::optional<EncodedJpeg> frame = is_large ? describe_jpeg_frame(file.bytes) : std::nullopt;
  if (!frame) {
    return std::nullopt;
  }
  frame->orientation = turn_for(rest.metadata, options);
  const auto scans = std::make_shared<DescribedScans>(file.bytes, file.name, file.header, script);
  const JpegPipelineChoices choices{.threads = threads_for(file.header, options)};
  const auto read = [scans, choices](JpegBlockSink& sink) {
    const auto result = read_jpeg_coefficients(scans->file, scans->script, sink, choices);
    scans->encoding = result ? result->encoding : nullptr;
    return result.has_value();
  };
  std::optional<DescribedImage> described(std::in_place);
  described->encoded = JpegCoefficients{*frame, read};
  described->rest = std::move(rest);
  described->complete = [scans](DecodedImage& decoded) { decoded.source_encoding = scans->encoding; };
  return described;
}

/// Describes a file of one scan.
std::optional<DescribedImage> described_scan(const JpegFile& file, DecodedImage rest, const ReadOptions& options) {
  JpegRows whole(file, options.lenient);
  std::optional<EncodedJpeg> encoded = describe_jpeg(file.bytes);
  if (!encoded) {
    return std::nullopt;
  }
  encoded->orientation = turn_for(rest.metadata, options);
  rest.source_encoding = whole.encoding();
  const std::vector<std::string> warnings = whole.warnings();
  rest.notes.insert(rest.notes.begin(), warnings.begin(), warnings.end());
  std::optional<DescribedImage> described(std::in_place);
  described->encoded = *encoded;
  described->rest = std::move(rest);
  return described;
}

/// The bytes of a file before its first scan. The header refers to these bytes.
struct JpegBeginning {
  std::vector<std::byte> bytes;
  JpegHeader header;
};

std::unique_ptr<JpegBeginning> read_beginning(const RandomAccess& file, const std::string& name) {
  constexpr std::size_t kFirstRead = std::size_t{64} << 10;
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
  auto beginning = std::make_unique<JpegBeginning>();
  for (std::size_t size = kFirstRead; size <= kMaxBytes; size *= 4) {
    beginning->bytes.resize(size);
    beginning->bytes.resize(file.read(0, beginning->bytes));
    try {
      beginning->header = read_jpeg_header(beginning->bytes, name);
      return beginning;
    } catch (const TruncatedFile&) {
      if (beginning->bytes.size() < size) {
        throw;
      }
    }
  }
  return nullptr;
}

class JpegRowReader final : public RowReader {
 public:
  JpegRowReader(RandomAccess file, std::unique_ptr<JpegBeginning> beginning, std::string name, PixelFormat format,
                std::vector<int> cuts, int threads)
      : RowReader(static_cast<int>(beginning->header.frame.width), static_cast<int>(beginning->header.frame.height),
                  format),
        stored_(std::move(file)),
        beginning_(std::move(beginning)),
        name_(std::move(name)),
        cuts_(std::move(cuts)),
        threads_(threads) {}

  bool read(const BandOutput& to, Order order) override {
    std::mutex taking;
    std::map<int, std::vector<RowBand>> waiting;  // the key is the first row of a part
    const auto read_part = [&](JpegCoefficientPixels& pixels, int first, int end) {
      std::vector<RowBand> bands;
      const int count = (end - first - 1) / to.rows + 1;
      const int rows = (end - first - 1) / count + 1;  // nearly equal for all bands, so that their memory can be reused
      for (int row = first; row < end; row += rows) {
        const int band_end = std::min(row + rows, end);
        RowBand band{row, to.new_rows(band_end - row)};
        pixels.read_rows_to(band_end, band.rows.view(), row);
        if (order == Order::any) {
          const std::lock_guard lock(taking);
          to.take(std::move(band));
        } else {
          bands.push_back(std::move(band));
        }
      }
      const std::lock_guard lock(taking);
      waiting[first] = std::move(bands);
    };
    const auto finish_part = [&](int first) {
      std::unique_lock lock(taking);
      std::vector<RowBand> bands = std::move(waiting.extract(first).mapped());
      lock.unlock();
      for (RowBand& band : bands) {
        to.take(std::move(band));
      }
    };
    const JpegFile file{beginning_->bytes, beginning_->header, name_, &stored_};
    return read_jpeg_parts(file, cuts_, {threads_, read_part, finish_part});
  }

 private:
  RandomAccess stored_;
  std::unique_ptr<JpegBeginning> beginning_;
  std::string name_;
  std::vector<int> cuts_;
  int threads_;
};

}  // namespace

DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  return read(bytes, name, options, nullptr);
}

DecodedImage read_jpeg_cut_at(const std::vector<int>& cuts, std::span<const std::byte> bytes, const std::string& name,
                              const ReadOptions& options) {
  return read(bytes, name, options, &cuts);
}

std::optional<DescribedImage> describe_jpeg_image(std::span<const std::byte> bytes, const std::string& name,
                                                  const ReadOptions& options) {
  try {
    const JpegHeader header = read_jpeg_header(bytes, name);
    check_jpeg_kind(header, options, name);
    const JpegFile file{bytes, header, name};
    if (const std::optional<JpegScript> script = script_of(file)) {
      return described_scans(file, *script, describe_jpeg_file(header), options);
    }
    return described_scan(file, describe_jpeg_file(header), options);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::decode) {
      return std::nullopt;  // read_jpeg() reports the defect, or finds the end of the image
    }
    throw;
  }
}

std::optional<DecodedImage> open_jpeg_rows(const RandomAccess& file, const std::string& name,
                                           const ReadOptions& options) {
  if (options.lenient) {
    return std::nullopt;
  }
  std::unique_ptr<JpegBeginning> beginning = read_beginning(file, name);
  if (beginning == nullptr || beginning->header.keeps_coefficients) {
    return std::nullopt;
  }
  const JpegHeader& header = beginning->header;
  check_jpeg_kind(header, options, name);
  const JpegFile jpeg{beginning->bytes, header, name, &file};
  JpegRows rows(jpeg, false);
  if (!rows.is_sequential()) {
    return std::nullopt;
  }
  DecodedImage opened = describe_jpeg_file(header);
  opened.source_encoding = rows.encoding();
  const PixelFormat format = jpeg.format();
  opened.rows = std::make_shared<JpegRowReader>(file, std::move(beginning), name, format,
                                                jpeg_cuts(rows, jpeg.height()), allowed_threads(options.threads));
  return opened;
}

}  // namespace gpuimg::codecs::jpeg
