// Encodes pixels as JPEG through libjpeg-turbo, directly from the image's rows.
#include "codecs/jpeg/jpeg_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

#include <jpeglib.h>

#include "codecs/growing_bytes.hpp"
#include "codecs/jpeg/jpeg_library.hpp"
#include "codecs/jpeg/jpeg_metadata.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

static_assert(kMaxJpegSide == JPEG_MAX_DIMENSION);

/// libjpeg's state; its callbacks find it through client_data.
struct Encoder {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_destination_mgr destination{};
  std::jmp_buf escape{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  std::array<JOCTET, 65536> block{};
  GrowingBytes packed;
};

/// What to write besides the pixels, and how.
struct JpegContent {
  int quality = 0;
  const JpegEncoding* encoding = nullptr;  ///< replaces the quality
  std::optional<ChromaSubsampling> subsampling;
  int restart_interval = 0;
  std::optional<PixelDensity> density;
  std::vector<JpegSegment> segments;
};

Encoder& encoder_of(j_common_ptr info) { return *static_cast<Encoder*>(info->client_data); }
Encoder& encoder_of(j_compress_ptr info) { return *static_cast<Encoder*>(info->client_data); }

/// libjpeg's error handler must not return.
[[noreturn]] void give_up(j_common_ptr info) {
  Encoder& encoder = encoder_of(info);
  info->err->format_message(info, encoder.message.data());
  std::longjmp(encoder.escape, 1);
}

void keep_silent(j_common_ptr /*info*/) {}

void start_block(j_compress_ptr info) {
  Encoder& encoder = encoder_of(info);
  info->dest->next_output_byte = encoder.block.data();
  info->dest->free_in_buffer = encoder.block.size();
}

/// libjpeg calls this only for a full block, whatever the counters say.
boolean take_block(j_compress_ptr info) {
  encoder_of(info).packed.append(std::as_bytes(std::span(encoder_of(info).block)));
  start_block(info);
  return TRUE;
}

void take_last_block(j_compress_ptr info) {
  Encoder& encoder = encoder_of(info);
  encoder.packed.append(
      std::as_bytes(std::span(encoder.block).first(encoder.block.size() - info->dest->free_in_buffer)));
}

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

/// Components with equal tables share one. Holds no object with a destructor, as compress() requires.
void set_encoding(jpeg_compress_struct& info, const JpegEncoding& encoding) {
  constexpr int kExactScale = 100;
  int tables = 0;
  for (std::size_t i = 0; i < encoding.size(); ++i) {
    const JpegComponent& component = encoding[i];
    jpeg_component_info& set = info.comp_info[i];
    set.h_samp_factor = component.horizontal_sampling;
    set.v_samp_factor = component.vertical_sampling;
    std::size_t same = 0;
    while (encoding[same].steps != component.steps) {
      ++same;
    }
    if (same < i) {
      set.quant_tbl_no = info.comp_info[same].quant_tbl_no;
      continue;
    }
    std::array<unsigned, DCTSIZE2> steps{};
    std::copy(component.steps.begin(), component.steps.end(), steps.begin());
    set.quant_tbl_no = tables++;
    jpeg_add_quant_table(&info, set.quant_tbl_no, steps.data(), kExactScale, TRUE);  // clamped to baseline's 1 … 255
  }
}

void set_density(jpeg_compress_struct& info, const PixelDensity& density) {
  constexpr UINT8 kInch = 1;
  constexpr UINT8 kCentimeter = 2;
  info.density_unit = density.unit == DensityUnit::inch         ? kInch
                      : density.unit == DensityUnit::centimeter ? kCentimeter
                                                                : UINT8{0};
  info.X_density = static_cast<UINT16>(density.x);
  info.Y_density = static_cast<UINT16>(density.y);
}

void prepare(Encoder& encoder, ConstView pixels, const JpegContent& content) {
  jpeg_compress_struct& info = encoder.info;
  jpeg_create_compress(&info);
  encoder.destination.init_destination = start_block;
  encoder.destination.empty_output_buffer = take_block;
  encoder.destination.term_destination = take_last_block;
  info.dest = &encoder.destination;
  info.image_width = static_cast<JDIMENSION>(pixels.width);
  info.image_height = static_cast<JDIMENSION>(pixels.height);
  info.input_components = pixels.format.channels;
  info.in_color_space = pixels.format.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  info.dct_method = JDCT_ISLOW;
  if (content.encoding != nullptr) {
    set_encoding(info, *content.encoding);
  } else {
    jpeg_set_quality(&info, content.quality, TRUE);
  }
  if (pixels.format.channels > 1 && (content.subsampling || content.encoding == nullptr)) {
    set_subsampling(info, content.subsampling.value_or(ChromaSubsampling::s420));
  }
  info.restart_interval = static_cast<unsigned>(content.restart_interval);
  if (content.density) {
    set_density(info, *content.density);
  }
}

/// Returns false if libjpeg failed; encoder.message says why. Holds no object with a destructor: longjmp would skip it.
bool compress(Encoder& encoder, ConstView pixels, const JpegContent& content) {
  jpeg_compress_struct& info = encoder.info;
  info.err = jpeg_std_error(&encoder.errors);
  info.client_data = &encoder;
  encoder.errors.error_exit = give_up;
  encoder.errors.output_message = keep_silent;
  if (setjmp(encoder.escape) != 0) {
    jpeg_destroy_compress(&info);
    return false;
  }
  prepare(encoder, pixels, content);
  jpeg_start_compress(&info, TRUE);
  for (const JpegSegment& segment : content.segments) {
    jpeg_write_marker(&info, segment.marker, reinterpret_cast<const JOCTET*>(segment.content.data()),
                      static_cast<unsigned>(segment.content.size()));
  }
  while (info.next_scanline < info.image_height) {
    // libjpeg's parameter lacks const; it only reads the row.
    auto* row = const_cast<JSAMPLE*>(pixels.row<JSAMPLE>(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

}  // namespace

void encode_jpeg(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  if (options.jpeg_quality < 1 || options.jpeg_quality > 100) {
    throw Error(ErrorKind::usage, fmt::format("JPEG quality {}: out of range; use 1 to 100", options.jpeg_quality));
  }
  if (options.jpeg_encoding && static_cast<int>(options.jpeg_encoding->size()) != pixels.format.channels) {
    throw std::logic_error("a JPEG encoding for another number of channels");
  }
  const auto& density = options.metadata.density;
  const JpegContent content{options.jpeg_quality,
                            options.jpeg_encoding ? &*options.jpeg_encoding : nullptr,
                            options.jpeg_subsampling,
                            options.jpeg_restart_interval,
                            density ? density_for_jfif(*density) : std::nullopt,
                            jpeg_metadata_segments(options.metadata)};
  const auto encoder = std::make_unique<Encoder>();
  const bool done = compress(*encoder, pixels, content);
  if (const std::string why = done ? "" : jpeg_library_problem(); !why.empty()) {
    throw Error(ErrorKind::unsupported, fmt::format("{}: JPEG cannot be written: {}", printable_name(name), why));
  }
  if (!done || encoder->packed.failed()) {
    throw Error(ErrorKind::out_of_memory,
                fmt::format("{}: cannot write: the JPEG encoder ran out of memory{}{}; use a smaller image",
                            printable_name(name), done ? "" : ": ", encoder->message.data()));
  }
  sink(encoder->packed.take().span());
}

}  // namespace gpuimg::codecs
