// Encodes pixels as JPEG through libjpeg-turbo, directly from the image's rows.
#include "codecs/jpeg/jpeg_writer.hpp"

#include <memory>

#include "codecs/jpeg/jpeg_encoder.hpp"

namespace gpuimg::codecs {
namespace {

static_assert(kMaxJpegSide == JPEG_MAX_DIMENSION);

/// Returns false if libjpeg failed. Holds no object with a destructor: longjmp would skip it.
bool compress(JpegEncoder& encoder, ConstView pixels, const JpegContent& content) {
  jpeg_compress_struct& info = encoder.info;
  set_up_errors(encoder);
  if (setjmp(encoder.escape) != 0) {
    jpeg_destroy_compress(&info);
    return false;
  }
  prepare(encoder, pixels.width, pixels.height, pixels.format.channels, content);
  begin_file(encoder, content);
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
  const JpegContent content = jpeg_content(pixels.format.channels, options);
  const auto encoder = std::make_unique<JpegEncoder>();
  check_encoded(*encoder, compress(*encoder, pixels, content), name);
  sink(encoder->packed.take().span());
}

}  // namespace gpuimg::codecs
