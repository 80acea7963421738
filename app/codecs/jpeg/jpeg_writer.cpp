// Encodes rows as JPEG through libjpeg-turbo, directly from where they are.
#include "codecs/jpeg/jpeg_writer.hpp"

#include <stdexcept>

#include "codecs/jpeg/jpeg_encoder.hpp"

namespace gpuimg::codecs {
namespace {

static_assert(kMaxJpegSide == JPEG_MAX_DIMENSION);

// These return false if libjpeg or the sink failed. They hold no object with a destructor: longjmp would skip it.

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

}  // namespace gpuimg::codecs
