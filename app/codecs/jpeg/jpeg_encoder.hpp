// libjpeg-turbo as gpuimg encodes with it: its state, and its settings for given options.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "codecs/codec.hpp"
#include "codecs/growing_bytes.hpp"
#include "codecs/jpeg/jpeg_metadata.hpp"

namespace gpuimg::codecs {

/// libjpeg's state; its callbacks find it through client_data.
struct JpegEncoder {
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

/// Borrows `options`. Throws Error{usage} for a quality out of range.
JpegContent jpeg_content(int channels, const WriteOptions& options);

// Functions that call libjpeg between setjmp and longjmp. They hold no object with a destructor: longjmp would skip it.

/// Call setjmp(encoder.escape) next: a failure of libjpeg goes there, after which encoder.message says why.
void set_up_errors(JpegEncoder& encoder);

/// Creates the compressor and sets everything but the pixels. Its output goes to encoder.packed.
void prepare(JpegEncoder& encoder, int width, int height, int channels, const JpegContent& content);

/// Writes SOI, the JFIF header and the metadata.
void begin_file(JpegEncoder& encoder, const JpegContent& content);

/// Moves what libjpeg has written so far to encoder.packed.
void flush(JpegEncoder& encoder);

/// Throws Error{unsupported} or Error{out_of_memory} unless libjpeg is `done` and nothing is missing.
void check_encoded(const JpegEncoder& encoder, bool done, const std::string& name);

}  // namespace gpuimg::codecs
