// The parts of an image (jpeg_parts.hpp) become bands. From top to bottom, those of a part wait for the parts above.
#include "codecs/jpeg/jpeg_row_reader.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "codecs/allowed_threads.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/jpeg/jpeg_parts.hpp"
#include "codecs/jpeg/jpeg_reader.hpp"
#include "codecs/jpeg/jpeg_rows.hpp"
#include "codecs/refusals.hpp"

namespace gpuimg::codecs {
namespace {

/// The file up to its first scan, to which the header refers.
struct JpegBeginning {
  std::vector<std::byte> bytes;
  JpegHeader header;
};

std::unique_ptr<JpegBeginning> read_beginning(const RandomAccess& file, const std::string& name) {
  constexpr std::size_t kFirstRead = std::size_t{64} << 10;
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
  auto beginning = std::make_unique<JpegBeginning>();
  for (std::size_t size = kFirstRead; size <= kMaxBytes; size *= 4) {
    beginning->bytes.resize(size);
    beginning->bytes.resize(file.read(0, beginning->bytes));
    try {
      beginning->header = read_jpeg_header(beginning->bytes, name);
      return beginning;
    } catch (const TruncatedFile&) {
      if (beginning->bytes.size() < size) {
        throw;
      }
    }
  }
  return nullptr;
}

class JpegRowReader final : public RowReader {
 public:
  JpegRowReader(RandomAccess file, std::unique_ptr<JpegBeginning> beginning, std::string name, PixelFormat format,
                std::vector<int> cuts, int threads)
      : RowReader(static_cast<int>(beginning->header.width), static_cast<int>(beginning->header.height), format),
        stored_(std::move(file)),
        beginning_(std::move(beginning)),
        name_(std::move(name)),
        cuts_(std::move(cuts)),
        threads_(threads) {}

  bool read(const BandOutput& to, Order order) override {
    std::mutex taking;
    std::map<int, std::vector<RowBand>> waiting;  // by the first row of a part
    const auto read_part = [&](JpegCoefficientPixels& pixels, int first, int end) {
      std::vector<RowBand> bands;
      const int count = (end - first - 1) / to.rows + 1;
      const int rows = (end - first - 1) / count + 1;  // about the same for all, so that their memory fits again
      for (int row = first; row < end; row += rows) {
        const int band_end = std::min(row + rows, end);
        RowBand band{row, to.new_rows(band_end - row)};
        pixels.read_rows_to(band_end, band.rows.view(), row);
        if (order == Order::any) {
          const std::lock_guard lock(taking);
          to.take(std::move(band));
        } else {
          bands.push_back(std::move(band));
        }
      }
      const std::lock_guard lock(taking);
      waiting[first] = std::move(bands);
    };
    const auto finish_part = [&](int first) {
      std::unique_lock lock(taking);
      std::vector<RowBand> bands = std::move(waiting.extract(first).mapped());
      lock.unlock();
      for (RowBand& band : bands) {
        to.take(std::move(band));
      }
    };
    const JpegFile file{beginning_->bytes, beginning_->header, name_, &stored_};
    return read_jpeg_parts(file, cuts_, {threads_, read_part, finish_part});
  }

 private:
  RandomAccess stored_;
  std::unique_ptr<JpegBeginning> beginning_;
  std::string name_;
  std::vector<int> cuts_;
  int threads_;
};

}  // namespace

std::optional<DecodedImage> open_jpeg_rows(const RandomAccess& file, const std::string& name,
                                           const ReadOptions& options) {
  if (options.lenient) {
    return std::nullopt;
  }
  std::unique_ptr<JpegBeginning> beginning = read_beginning(file, name);
  if (beginning == nullptr || beginning->header.keeps_coefficients) {
    return std::nullopt;
  }
  const JpegHeader& header = beginning->header;
  check_jpeg_kind(header, options, name);
  const JpegFile jpeg{beginning->bytes, header, name, &file};
  JpegRows rows(jpeg, false);
  if (!rows.is_sequential()) {
    return std::nullopt;
  }
  DecodedImage opened = describe_jpeg_file(header);
  opened.jpeg_encoding = rows.encoding();
  const PixelFormat format = jpeg.format();
  opened.rows = std::make_shared<JpegRowReader>(file, std::move(beginning), name, format,
                                                jpeg_cuts(rows, jpeg.height()), allowed_threads(options.threads));
  return opened;
}

}  // namespace gpuimg::codecs
