// Encodes rows as JPEG with libjpeg-turbo, without copying the rows. If a backend has encoded the scan, writes only the
// parts of the file before and after it: docs/decisions/0016-jpeg-encoded-on-the-device.md.
#include "codecs/jpeg/jpeg.hpp"

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/jpeg/jpeg_encoding.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "io/bytes.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

/// libjpeg's state. Its callbacks find this object through client_data.
struct JpegEncoder {
  JpegEncoder() = default;
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;
  ~JpegEncoder() { jpeg_destroy_compress(&info); }  // a no-op if it was never created

  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_destination_mgr destination{};
  std::jmp_buf escape{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  std::array<JOCTET, 65536> block{};
  const ByteSink* sink = nullptr;  ///< receives the file; must be set before anything is written
  std::exception_ptr sink_error;
};

/// What to write besides the pixels, and how.
struct JpegContent {
  int quality = 0;
  const std::vector<JpegComponent>* components = nullptr;  ///< replace the quality if not null
  std::optional<ChromaSubsampling> subsampling;
  int restart_interval = 0;
  std::optional<PixelDensity> density;
  std::vector<JpegMetadataSegment> segments;
};

// These functions call libjpeg between setjmp and longjmp. They must hold no object with a destructor: longjmp would
// skip the destructor.

JpegEncoder& encoder_of(j_common_ptr info) { return *static_cast<JpegEncoder*>(info->client_data); }
JpegEncoder& encoder_of(j_compress_ptr info) { return *static_cast<JpegEncoder*>(info->client_data); }

/// libjpeg's error handler must not return.
[[noreturn]] void give_up(j_common_ptr info) {
  JpegEncoder& encoder = encoder_of(info);
  info->err->format_message(info, encoder.message.data());
  std::longjmp(encoder.escape, 1);
}

void keep_silent(j_common_ptr /*info*/) {}

void start_block(j_compress_ptr info) {
  JpegEncoder& encoder = encoder_of(info);
  info->dest->next_output_byte = encoder.block.data();
  info->dest->free_in_buffer = encoder.block.size();
}

/// Calls the sink. Catches exceptions, because they must not pass through C. Does not call longjmp itself, because
/// longjmp must not leave an exception handler.
bool pass_to_sink(JpegEncoder& encoder, std::size_t bytes) noexcept {
  try {
    (*encoder.sink)(std::as_bytes(std::span(encoder.block).first(bytes)));
    return true;
  } catch (...) {
    encoder.sink_error = std::current_exception();
    return false;
  }
}

void write_block(JpegEncoder& encoder, std::size_t bytes) {
  if (!pass_to_sink(encoder, bytes)) {
    std::longjmp(encoder.escape, 1);
  }
  start_block(&encoder.info);
}

/// Passes what libjpeg has written so far to the sink.
void flush(JpegEncoder& encoder) {
  if (const std::size_t bytes = encoder.block.size() - encoder.destination.free_in_buffer; bytes > 0) {
    write_block(encoder, bytes);
  }
}

/// libjpeg calls this only when the buffer is full, whatever its counters say.
boolean take_block(j_compress_ptr info) {
  write_block(encoder_of(info), encoder_of(info).block.size());
  return TRUE;
}

void take_last_block(j_compress_ptr info) { flush(encoder_of(info)); }

void set_subsampling(jpeg_compress_struct& info, ChromaSubsampling subsampling) {
  const bool halves_width = subsampling == ChromaSubsampling::s422 || subsampling == ChromaSubsampling::s420;
  const bool halves_height = subsampling == ChromaSubsampling::s440 || subsampling == ChromaSubsampling::s420;
  info.comp_info[0].h_samp_factor = halves_width ? 2 : 1;
  info.comp_info[0].v_samp_factor = halves_height ? 2 : 1;
  for (int i = 1; i < info.num_components; ++i) {
    info.comp_info[i].h_samp_factor = 1;
    info.comp_info[i].v_samp_factor = 1;
  }
}

/// Components with equal quantization tables share one table. Must hold no object with a destructor, as compress()
/// requires.
void set_components(jpeg_compress_struct& info, const std::vector<JpegComponent>& components) {
  constexpr int kExactScale = 100;
  int tables = 0;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const JpegComponent& component = components[i];
    jpeg_component_info& set = info.comp_info[i];
    set.h_samp_factor = component.horizontal_sampling;
    set.v_samp_factor = component.vertical_sampling;
    std::size_t same = 0;
    while (components[same].steps != component.steps) {
      ++same;
    }
    if (same < i) {
      set.quant_tbl_no = info.comp_info[same].quant_tbl_no;
      continue;
    }
    std::array<unsigned, DCTSIZE2> steps{};
    std::copy(component.steps.begin(), component.steps.end(), steps.begin());
    set.quant_tbl_no = tables++;
    jpeg_add_quant_table(&info, set.quant_tbl_no, steps.data(), kExactScale, TRUE);  // baseline: clamped to 1 … 255
  }
}

void set_density(jpeg_compress_struct& info, const PixelDensity& density) {
  constexpr UINT8 kInch = 1;
  constexpr UINT8 kCentimeter = 2;
  info.density_unit = density.unit == DensityUnit::inch         ? kInch
                      : density.unit == DensityUnit::centimeter ? kCentimeter
                                                                : UINT8{0};
  info.X_density = static_cast<UINT16>(density.x.numerator);
  info.Y_density = static_cast<UINT16>(density.y.numerator);
}

/// The result refers to `options`. Throws Error{usage} for a quality out of range.
JpegContent jpeg_content(int channels, const WriteOptions& options) {
  if (options.jpeg_quality < 1 || options.jpeg_quality > 100) {
    throw Error(ErrorKind::usage, fmt::format("JPEG quality {}: out of range; use 1 to 100", options.jpeg_quality));
  }
  const auto* const source = dynamic_cast<const JpegEncoding*>(options.source_encoding.get());
  if (source != nullptr && static_cast<int>(source->components.size()) != channels) {
    throw std::logic_error("a JPEG encoding for another number of channels");
  }
  const auto& density = options.metadata.density;
  return {options.jpeg_quality,
          source != nullptr ? &source->components : nullptr,
          options.jpeg_subsampling,
          options.jpeg_restart_interval,
          density ? density_for_jfif(*density) : std::nullopt,
          jpeg_metadata_segments(options.metadata)};
}

/// The caller must call setjmp(encoder.escape) next: a failure of libjpeg or of the sink jumps there. check_encoded
/// then throws.
void set_up_errors(JpegEncoder& encoder) {
  encoder.info.err = jpeg_std_error(&encoder.errors);
  encoder.info.client_data = &encoder;
  encoder.errors.error_exit = give_up;
  encoder.errors.output_message = keep_silent;
}

/// Creates the compressor and sets everything but the pixels.
void prepare(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content) {
  jpeg_compress_struct& info = encoder.info;
  jpeg_create_compress(&info);
  encoder.destination.init_destination = start_block;
  encoder.destination.empty_output_buffer = take_block;
  encoder.destination.term_destination = take_last_block;
  info.dest = &encoder.destination;
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  info.dct_method = JDCT_ISLOW;
  if (content.components != nullptr) {
    set_components(info, *content.components);
  } else {
    jpeg_set_quality(&info, content.quality, TRUE);
  }
  if (channels > 1 && (content.subsampling || content.components == nullptr)) {
    set_subsampling(info, content.subsampling.value_or(ChromaSubsampling::s420));
  }
  info.restart_interval = static_cast<unsigned>(content.restart_interval);
  if (content.density) {
    set_density(info, *content.density);
  }
}

/// Writes SOI, the JFIF header and the metadata.
void begin_file(JpegEncoder& encoder, const JpegContent& content) {
  jpeg_start_compress(&encoder.info, TRUE);
  for (const JpegMetadataSegment& segment : content.segments) {
    jpeg_write_marker(&encoder.info, static_cast<int>(segment.marker),
                      reinterpret_cast<const JOCTET*>(segment.content.data()),
                      static_cast<unsigned>(segment.content.size()));
  }
}

/// Returns if `done`. Otherwise throws the sink's exception, Error{unsupported} or Error{out_of_memory}.
void check_encoded(const JpegEncoder& encoder, bool done, const std::string& name) {
  if (done) {
    return;
  }
  if (encoder.sink_error) {
    std::rethrow_exception(encoder.sink_error);
  }
  if (const std::string why = jpeg_library_problem(); !why.empty()) {
    throw Error(ErrorKind::unsupported, fmt::format("{}: JPEG cannot be written: {}", printable_name(name), why));
  }
  throw Error(ErrorKind::out_of_memory,
              fmt::format("{}: cannot write: the JPEG encoder ran out of memory: {}; use a smaller image",
                          printable_name(name), encoder.message.data()));
}

static_assert(kMaxJpegSide == JPEG_MAX_DIMENSION);

// These functions return false if libjpeg or the sink failed. They must hold no object with a destructor: longjmp would
// skip the destructor.

bool begin(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content) {
  set_up_errors(encoder);
  if (setjmp(encoder.escape) != 0) {
    return false;
  }
  prepare(encoder, width, height, channels, content);
  begin_file(encoder, content);
  return true;
}

bool compress(JpegEncoder& encoder, ConstView rows) {
  if (setjmp(encoder.escape) != 0) {
    return false;
  }
  for (int y = 0; y < rows.height; ++y) {
    // libjpeg's parameter lacks const; it only reads the row.
    auto* row = const_cast<JSAMPLE*>(rows.row<JSAMPLE>(y));
    jpeg_write_scanlines(&encoder.info, &row, 1);
  }
  return true;
}

bool end(JpegEncoder& encoder) {
  if (setjmp(encoder.escape) != 0) {
    return false;
  }
  jpeg_finish_compress(&encoder.info);
  return true;
}

class JpegWriter final : public RowWriter {
 public:
  JpegWriter(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options,
             const ByteSink& sink)
      : name_(name), format_(format) {
    const JpegContent content = jpeg_content(format.channels, options);
    encoder_.sink = &sink;
    check_encoded(encoder_, begin(encoder_, width, height, format.channels, content), name);
  }

  void write(ConstView rows) override {
    const jpeg_compress_struct& info = encoder_.info;
    if (static_cast<JDIMENSION>(rows.width) != info.image_width || rows.format != format_ ||
        static_cast<JDIMENSION>(rows.height) > info.image_height - info.next_scanline) {
      throw std::logic_error("JPEG: rows of another image");
    }
    check_encoded(encoder_, compress(encoder_, rows), name_);
  }

  void finish() override {
    if (encoder_.info.next_scanline < encoder_.info.image_height) {
      throw std::logic_error("JPEG: rows are missing");
    }
    check_encoded(encoder_, end(encoder_), name_);
  }

 private:
  const std::string& name_;
  PixelFormat format_;
  JpegEncoder encoder_;
};

/// Returns false if libjpeg failed. Must hold no object with a destructor: longjmp would skip the destructor.
bool set_tables(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content) {
  set_up_errors(encoder);
  if (setjmp(encoder.escape) != 0) {
    return false;
  }
  prepare(encoder, width, height, channels, content);
  return true;
}

/// Like set_tables, returns false if libjpeg failed, and must hold no object with a destructor. Called without pixels,
/// jpeg_write_scanlines writes only the headers of the frame and the scan.
bool write_header(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content) {
  set_up_errors(encoder);
  if (setjmp(encoder.escape) != 0) {
    return false;
  }
  prepare(encoder, width, height, channels, content);
  begin_file(encoder, content);
  jpeg_write_scanlines(&encoder.info, nullptr, 0);
  flush(encoder);
  return true;
}

bool is_usual(const jpeg_compress_struct& info) {
  const bool is_sequential = info.scan_info == nullptr && info.arith_code == FALSE && info.optimize_coding == FALSE;
  const bool is_plain = info.restart_interval == 0 && info.restart_in_rows == 0 && info.smoothing_factor == 0 &&
                        info.data_precision == 8 && info.dct_method == JDCT_ISLOW;
  const jpeg_component_info* const parts = info.comp_info;
  const bool has_usual_sampling =
      info.num_components == 1 ||
      (info.num_components == 3 && parts[0].h_samp_factor <= 2 && parts[0].v_samp_factor <= 2 &&
       std::all_of(parts + 1, parts + 3,
                   [](const auto& chroma) { return chroma.h_samp_factor == 1 && chroma.v_samp_factor == 1; }));
  return is_sequential && is_plain && has_usual_sampling;
}

JpegHuffmanTable table_of(const JHUFF_TBL& from) {
  JpegHuffmanTable table;
  std::copy_n(from.bits + 1, table.codes_of_length.size(), table.codes_of_length.begin());
  std::copy_n(from.huffval, table.symbols.size(), table.symbols.begin());
  return table;
}

/// Returns nullopt if a table is missing or if baseline does not allow it.
std::optional<JpegScanFormat> format_of(const jpeg_compress_struct& info) {
  JpegScanFormat format;
  format.component_count = info.num_components;
  if (info.num_components > 1) {  // a single component's factors have no effect: its blocks are in row order
    format.horizontal_sampling = info.comp_info[0].h_samp_factor;
    format.vertical_sampling = info.comp_info[0].v_samp_factor;
  }
  for (std::size_t i = 0; i < format.dc_tables.size(); ++i) {
    if (info.dc_huff_tbl_ptrs[i] == nullptr || info.ac_huff_tbl_ptrs[i] == nullptr) {
      return std::nullopt;
    }
    format.dc_tables[i] = table_of(*info.dc_huff_tbl_ptrs[i]);
    format.ac_tables[i] = table_of(*info.ac_huff_tbl_ptrs[i]);
  }
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& from = info.comp_info[i];
    const JQUANT_TBL* const steps = info.quant_tbl_ptrs[from.quant_tbl_no];
    if (steps == nullptr || from.dc_tbl_no > 1 || from.ac_tbl_no > 1) {
      return std::nullopt;
    }
    EncodedJpegComponent& component = format.components.at(static_cast<std::size_t>(i));
    std::copy_n(steps->quantval, component.steps.size(), component.steps.begin());
    component.dc_table = from.dc_tbl_no;
    component.ac_table = from.ac_tbl_no;
  }
  return format;
}

}  // namespace

std::unique_ptr<RowWriter> open_jpeg_writer(int width, int height, PixelFormat format, const std::string& name,
                                            const WriteOptions& options, const ByteSink& sink) {
  return std::make_unique<JpegWriter>(width, height, format, name, options, sink);
}

void encode_jpeg(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  const auto writer = open_jpeg_writer(pixels.width, pixels.height, pixels.format, name, options, sink);
  writer->write(pixels);
  writer->finish();
}

std::optional<Encoding> jpeg_scan_format(int width, int height, PixelFormat format, const WriteOptions& options) {
  const JpegContent content = jpeg_content(format.channels, options);
  const auto encoder = std::make_unique<JpegEncoder>();
  if (!set_tables(*encoder, width, height, format.channels, content)) {
    return std::nullopt;
  }
  return is_usual(encoder->info) ? std::optional<Encoding>(format_of(encoder->info)) : std::nullopt;
}

void write_encoded_jpeg(const Encoded& scan, int width, int height, PixelFormat format, const std::string& name,
                        const WriteOptions& options, const ByteSink& sink) {
  constexpr std::array<std::byte, 2> kEndOfImage = {std::byte{0xFF}, std::byte{0xD9}};
  const JpegContent content = jpeg_content(format.channels, options);
  const auto encoder = std::make_unique<JpegEncoder>();
  encoder->sink = &sink;
  check_encoded(*encoder, write_header(*encoder, width, height, format.channels, content), name);
  sink(scan.span());
  sink(kEndOfImage);
}

}  // namespace gpuimg::codecs::jpeg

namespace gpuimg::codecs {

bool is_writable_sampling(const JpegEncoding& encoding) {
  constexpr int kMaxBlocks = 10;  // per MCU: ITU-T T.81, B.2.3
  int width = 1;
  int height = 1;
  int blocks = 0;
  for (const JpegComponent& component : encoding.components) {
    width = std::max(width, component.horizontal_sampling);
    height = std::max(height, component.vertical_sampling);
    blocks += component.horizontal_sampling * component.vertical_sampling;
  }
  const auto& components = encoding.components;
  const bool is_integral = std::all_of(components.begin(), components.end(), [&](const JpegComponent& component) {
    return width % component.horizontal_sampling == 0 && height % component.vertical_sampling == 0;
  });
  return is_integral && (blocks <= kMaxBlocks || components.size() == 1);
}

std::shared_ptr<const SourceEncoding> JpegEncoding::transposed() const {
  constexpr std::size_t kSide = 8;
  auto turned = std::make_shared<JpegEncoding>(*this);
  for (JpegComponent& component : turned->components) {
    std::swap(component.horizontal_sampling, component.vertical_sampling);
    for (std::size_t row = 0; row < kSide; ++row) {
      for (std::size_t column = 0; column < row; ++column) {
        std::swap(component.steps[row * kSide + column], component.steps[column * kSide + row]);
      }
    }
  }
  return turned;
}

}  // namespace gpuimg::codecs
