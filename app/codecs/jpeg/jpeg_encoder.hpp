// libjpeg-turbo as gpuimg encodes with it: its state, and its settings for given options.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "codecs/codec.hpp"
#include "codecs/jpeg/jpeg_metadata.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs {

/// libjpeg's state; its callbacks find it through client_data.
struct JpegEncoder {
  JpegEncoder() = default;
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;
  ~JpegEncoder() { jpeg_destroy_compress(&info); }  // nothing if it has not been created

  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_destination_mgr destination{};
  std::jmp_buf escape{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  std::array<JOCTET, 65536> block{};
  const ByteSink* sink = nullptr;  ///< takes the file; set it before anything is written
  std::exception_ptr sink_error;
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

/// Borrows `options`. Throws Error{usage} for a quality out of range.
JpegContent jpeg_content(int channels, const WriteOptions& options);

// Functions that call libjpeg between setjmp and longjmp. They hold no object with a destructor: longjmp would skip it.

/// Call setjmp(encoder.escape) next: a failure of libjpeg or of the sink goes there, after which check_encoded throws.
void set_up_errors(JpegEncoder& encoder);

/// Creates the compressor and sets everything but the pixels.
void prepare(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content);

/// Writes SOI, the JFIF header and the metadata.
void begin_file(JpegEncoder& encoder, const JpegContent& content);

/// Passes what libjpeg has written so far to the sink.
void flush(JpegEncoder& encoder);

/// Unless libjpeg is `done`, throws what the sink has thrown, Error{unsupported} or Error{out_of_memory}.
void check_encoded(const JpegEncoder& encoder, bool done, const std::string& name);

}  // namespace gpuimg::codecs
