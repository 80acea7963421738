// A file whose IDAT chunks come from rows, or from a backend.
#include "codecs/png/png_writer.hpp"

#include <fmt/format.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "codecs/packed_bits.hpp"
#include "codecs/png/png_output.hpp"
#include "codecs/png/png_strip_writer.hpp"
#include "gpuimg/png/encoder_limits.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

[[noreturn]] void refuse_without_memory(const std::string& name, int width, int height) {
  throw Error(ErrorKind::out_of_memory,
              fmt::format("{}: cannot write: not enough memory to encode {}x{} pixels; use a smaller image or fewer "
                          "threads",
                          printable_name(name), width, height));
}

class PngWriter final : public RowWriter {
 public:
  PngWriter(int width, int height, PixelFormat format, const std::string& name, const WriteOptions& options,
            const ByteSink& sink)
      : name_(name),
        width_(width),
        height_(height),
        format_(format),
        one_bit_(options.one_bit && can_pack_bits(format)),
        file_(sink),
        strips_(one_bit_ ? packed_row_bytes(width) : width, height, format, options.threads, options.png_level, file_) {
    file_.begin(width, height, format, name, options);
  }

  void write(ConstView rows) override {
    if (rows.width != width_ || rows.format != format_ || rows.height > strips_.rows_left()) {
      throw std::logic_error("PNG: rows of another image");
    }
    try {
      if (one_bit_) {
        strips_.write(packed_bits(rows).view());
      } else {
        strips_.write(rows);
      }
    } catch (const std::bad_alloc&) {
      refuse_without_memory(name_, width_, height_);
    }
  }

  void finish() override {
    if (strips_.rows_left() > 0) {
      throw std::logic_error("PNG: rows are missing");
    }
    file_.finish();
  }

 private:
  const std::string& name_;
  int width_;
  int height_;
  PixelFormat format_;
  bool one_bit_;
  PngOutput file_;
  PngStripWriter strips_;
};

void check_level(int level) {
  if (level < 0 || level > 3) {
    throw Error(ErrorKind::usage, fmt::format("PNG level {}: out of range; use 0 to 3", level));
  }
}

std::size_t row_bytes_of(int width, PixelFormat format) {
  return static_cast<std::size_t>(width) * format.bytes_per_pixel();
}

}  // namespace

std::unique_ptr<RowWriter> open_png_writer(int width, int height, PixelFormat format, const std::string& name,
                                           const WriteOptions& options, const ByteSink& sink) {
  check_level(options.png_level);
  if (row_bytes_of(width, format) >= kMaxStripBytes) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: cannot write: rows of {} pixels are too long for PNG; write .npy, or a narrower image",
                            printable_name(name), width));
  }
  try {
    return std::make_unique<PngWriter>(width, height, format, name, options, sink);
  } catch (const std::bad_alloc&) {
    refuse_without_memory(name, width, height);
  }
}

void encode_png(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink) {
  const auto writer = open_png_writer(pixels.width, pixels.height, pixels.format, name, options, sink);
  writer->write(pixels);
  writer->finish();
}

std::optional<Encoding> png_data_format(int width, int /*height*/, PixelFormat format, const WriteOptions& options) {
  const PngDataFormat data{options.png_level};
  const bool is_short = row_bytes_of(width, format) < kMaxStripBytes;
  const bool one_bit = options.one_bit && can_pack_bits(format);
  return is_short && !one_bit && png::can_encode(format, data) ? std::optional<Encoding>(data) : std::nullopt;
}

void write_encoded_png(const Encoded& chunks, int width, int height, PixelFormat format, const std::string& name,
                       const WriteOptions& options, const ByteSink& sink) {
  try {
    PngOutput file(sink);
    file.begin(width, height, format, name, options);
    file.append(chunks.span());
    file.finish();
  } catch (const std::bad_alloc&) {
    refuse_without_memory(name, width, height);
  }
}

}  // namespace gpuimg::codecs
