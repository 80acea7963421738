// Writes BMP in blocks of rows: a whole image from the bottom up, or rows from the top, each block at its final offset.
// Uses Microsoft's BITMAPINFOHEADER and BITMAPV4HEADER. The bytes equal those of stb_image_write.
#include "codecs/formats.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "codecs/metadata/metadata.hpp"

namespace gpuimg::codecs::bmp {
namespace {

class HeaderBytes {
 public:
  void u16(std::uint32_t value) { put(value, 2); }
  void u32(std::uint32_t value) { put(value, 4); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void put(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) {
      bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  }

  std::vector<std::byte> bytes_;
};

/// Computes the layout of a file, and packs its rows.
class BmpFile {
 public:
  BmpFile(int width, int height, PixelFormat format, const WriteOptions& options)
      : width_(static_cast<std::size_t>(width)),
        height_(height),
        format_(format),
        channels_(format.has_alpha() ? 4 : 3),
        row_bytes_((width_ * channels_ + 3) / 4 * 4),
        header_(header(options)) {}

  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] std::size_t row_bytes() const { return row_bytes_; }
  /// Returns at least one.
  [[nodiscard]] int rows_a_block() const {
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    return static_cast<int>(std::max<std::size_t>(1, kBlock / row_bytes_));
  }
  [[nodiscard]] const std::vector<std::byte>& header_bytes() const { return header_; }
  [[nodiscard]] bool holds(ConstView rows) const {
    return static_cast<std::size_t>(rows.width) == width_ && rows.format == format_;
  }

  /// Packs rows [begin, end), the last one first.
  void pack(ConstView rows, int begin, int end, std::vector<std::byte>& to) const {
    to.assign(static_cast<std::size_t>(end - begin) * row_bytes_, std::byte{0});
    std::byte* out = to.data();
    for (int y = end - 1; y >= begin; --y, out += row_bytes_) {
      pack_row(rows.row<std::uint8_t>(y), reinterpret_cast<std::uint8_t*>(out));
    }
  }

 private:
  [[nodiscard]] std::vector<std::byte> header(const WriteOptions& options) const {
    const bool has_alpha = channels_ == 4;
    const std::uint32_t info_bytes = has_alpha ? 108 : 40;
    const std::uint32_t offset = 14 + info_bytes;
    const std::size_t pixel_bytes = row_bytes_ * static_cast<std::size_t>(height_);
    const auto density = options.metadata.density ? density_for_png(*options.metadata.density) : std::nullopt;
    HeaderBytes file;
    file.u16(0x4D42);  // "BM"
    file.u32(static_cast<std::uint32_t>(offset + pixel_bytes));
    file.u32(0);
    file.u32(offset);
    file.u32(info_bytes);
    file.u32(static_cast<std::uint32_t>(width_));
    file.u32(static_cast<std::uint32_t>(height_));
    file.u16(1);
    file.u16(static_cast<std::uint32_t>(8 * channels_));
    file.u32(has_alpha ? 3 : 0);  // masks, or no compression
    file.u32(0);                  // size of compressed pixels: none
    file.u32(density ? density->x.numerator : 0);
    file.u32(density ? density->y.numerator : 0);
    file.u32(0);  // no palette
    file.u32(0);
    if (has_alpha) {
      for (const std::uint32_t mask : {0xFF0000U, 0xFF00U, 0xFFU, 0xFF000000U}) {
        file.u32(mask);
      }
      for (int i = 0; i < 13; ++i) {  // color space: calibrated by the following fields, all 0
        file.u32(0);
      }
    }
    return file.bytes();
  }

  void pack_row(const std::uint8_t* from, std::uint8_t* to) const {
    const bool is_gray = format_.color_channels() == 1;
    const auto step = static_cast<std::size_t>(format_.channels);
    for (std::size_t x = 0; x < width_; ++x, from += step, to += channels_) {
      to[0] = from[is_gray ? 0 : 2];
      to[1] = from[is_gray ? 0 : 1];
      to[2] = from[0];
      if (channels_ == 4) {
        to[3] = from[step - 1];
      }
    }
  }

  std::size_t width_;
  int height_;
  PixelFormat format_;
  std::size_t channels_;
  std::size_t row_bytes_;
  std::vector<std::byte> header_;
};

class BmpWriter final : public RowWriter {
 public:
  BmpWriter(BmpFile file, const BytePlacer& place) : file_(std::move(file)), place_(place) {
    place_(0, file_.header_bytes());
  }

  void write(ConstView rows) override {
    if (!file_.holds(rows) || rows.height > file_.height() - next_) {
      throw std::logic_error("BMP: rows of another image");
    }
    for (int begin = 0; begin < rows.height;) {
      const int end = begin + std::min(file_.rows_a_block(), rows.height - begin);
      file_.pack(rows, begin, end, block_);
      next_ += end - begin;
      begin = end;
      place_(file_.header_bytes().size() + static_cast<std::size_t>(file_.height() - next_) * file_.row_bytes(),
             block_);
    }
  }

  void finish() override {
    if (next_ < file_.height()) {
      throw std::logic_error("BMP: rows are missing");
    }
  }

 private:
  BmpFile file_;
  const BytePlacer& place_;
  int next_ = 0;  // next row of the image
  std::vector<std::byte> block_;
};

}  // namespace

void fit_bmp_metadata(Metadata& metadata, MetadataFilter& filter) {
  filter.drop_all_but_density(metadata, "gpuimg writes only the pixel density to BMP");
  if (metadata.density && metadata.density->unit == DensityUnit::none) {
    filter.drop(metadata.density, "the pixel density", "BMP holds it only with a unit");
  } else if (metadata.density) {
    filter.fit_density(metadata, density_for_png(*metadata.density), "BMP holds whole numbers of pixels per meter");
  }
}

void encode_bmp(ConstView pixels, const std::string& /*name*/, const WriteOptions& options, const ByteSink& sink) {
  const BmpFile file(pixels.width, pixels.height, pixels.format, options);
  sink(file.header_bytes());
  std::vector<std::byte> block;
  for (int end = pixels.height; end > 0;) {
    const int begin = std::max(0, end - file.rows_a_block());
    file.pack(pixels, begin, end, block);
    sink(block);
    end = begin;
  }
}

std::unique_ptr<RowWriter> open_bmp_writer(int width, int height, PixelFormat format, const std::string& /*name*/,
                                           const WriteOptions& options, const BytePlacer& place) {
  return std::make_unique<BmpWriter>(BmpFile(width, height, format, options), place);
}

}  // namespace gpuimg::codecs::bmp
