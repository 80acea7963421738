// Settings of libjpeg-turbo, its errors, and where its output goes.
#include "codecs/jpeg/jpeg_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "codecs/jpeg/jpeg_library.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

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

/// An exception must not pass through C, and longjmp must not leave a handler.
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

/// libjpeg calls this only for a full block, whatever the counters say.
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

}  // namespace

JpegContent jpeg_content(int channels, const WriteOptions& options) {
  if (options.jpeg_quality < 1 || options.jpeg_quality > 100) {
    throw Error(ErrorKind::usage, fmt::format("JPEG quality {}: out of range; use 1 to 100", options.jpeg_quality));
  }
  if (options.jpeg_encoding && static_cast<int>(options.jpeg_encoding->size()) != channels) {
    throw std::logic_error("a JPEG encoding for another number of channels");
  }
  const auto& density = options.metadata.density;
  return {options.jpeg_quality,
          options.jpeg_encoding ? &*options.jpeg_encoding : nullptr,
          options.jpeg_subsampling,
          options.jpeg_restart_interval,
          density ? density_for_jfif(*density) : std::nullopt,
          jpeg_metadata_segments(options.metadata)};
}

void set_up_errors(JpegEncoder& encoder) {
  encoder.info.err = jpeg_std_error(&encoder.errors);
  encoder.info.client_data = &encoder;
  encoder.errors.error_exit = give_up;
  encoder.errors.output_message = keep_silent;
}

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
  if (content.encoding != nullptr) {
    set_encoding(info, *content.encoding);
  } else {
    jpeg_set_quality(&info, content.quality, TRUE);
  }
  if (channels > 1 && (content.subsampling || content.encoding == nullptr)) {
    set_subsampling(info, content.subsampling.value_or(ChromaSubsampling::s420));
  }
  info.restart_interval = static_cast<unsigned>(content.restart_interval);
  if (content.density) {
    set_density(info, *content.density);
  }
}

void begin_file(JpegEncoder& encoder, const JpegContent& content) {
  jpeg_start_compress(&encoder.info, TRUE);
  for (const JpegSegment& segment : content.segments) {
    jpeg_write_marker(&encoder.info, segment.marker, reinterpret_cast<const JOCTET*>(segment.content.data()),
                      static_cast<unsigned>(segment.content.size()));
  }
}

void flush(JpegEncoder& encoder) {
  if (const std::size_t bytes = encoder.block.size() - encoder.destination.free_in_buffer; bytes > 0) {
    write_block(encoder, bytes);
  }
}

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

}  // namespace gpuimg::codecs
