// The checksums of the image data are checked beside the decoding.
#include "codecs/png/png_row_reader.hpp"

#include <memory>
#include <utility>

#include "codecs/allowed_threads.hpp"
#include "codecs/png/png_fast_reader.hpp"
#include "codecs/png/png_file.hpp"
#include "codecs/png/png_reader.hpp"
#include "codecs/png/simple_png.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

class PngRowReader final : public RowReader {
 public:
  PngRowReader(PngFile file, SimplePng png, std::string name, int threads)
      : RowReader(png.width, png.height, png.decoded()),
        file_(std::move(file)),
        png_(std::move(png)),
        name_(std::move(name)),
        threads_(threads) {}

  bool read(const BandOutput& to, Order /*order*/) override {
    PngDataCheck checksums(file_);
    const PngParts parts = PngParts::of(png_, threads_);
    SimplePng png = png_;
    if (parts.part_bytes == 0) {  // the data are inflated in order
      png.image_data = checksums.image_data();
    }
    try {
      return read_simple_png_rows(png, name_, threads_, parts, to,
                                  [&](std::uint64_t end) { return checksums.up_to(end); });
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::decode) {
        return false;  // libpng may give another verdict
      }
      throw;
    }
  }

 private:
  PngFile file_;
  SimplePng png_;
  std::string name_;
  int threads_;
};

}  // namespace

std::optional<DecodedImage> open_png_rows(const RandomAccess& file, const std::string& name,
                                          const ReadOptions& options) {
  std::optional<PngFile> scanned = scan_png(file);
  if (!scanned) {
    return std::nullopt;
  }
  std::optional<SimplePng> simple = parse_simple_png(*scanned, name);
  if (!simple || simple->row_bytes() > kMaxSimpleRowBytes || !is_plausible_png(scanned->frame, file.size, name)) {
    return std::nullopt;
  }
  check_size(name, static_cast<std::uint64_t>(simple->width), static_cast<std::uint64_t>(simple->height),
             options.max_pixels);
  DecodedImage opened = describe_png(scanned->frame, name);
  opened.rows =
      std::make_shared<PngRowReader>(std::move(*scanned), std::move(*simple), name, allowed_threads(options.threads));
  return opened;
}

}  // namespace gpuimg::codecs
