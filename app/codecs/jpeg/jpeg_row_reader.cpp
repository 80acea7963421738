// In any order, the parts of an image (jpeg_parts.hpp) give their bands as they come. From top to bottom, one decoder
// works ahead of who takes the bands.
#include "codecs/jpeg/jpeg_row_reader.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "arena_memory.hpp"
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

/// Decodes bands with one decoder.
class TopDown {
 public:
  TopDown(const JpegFile& file, const BandOutput& to)
      : file_(file), to_(to), rows_(file, false), header_warnings_(rows_.warning_count()) {}

  /// Returns false after the last band, or if the file is not sound.
  bool next(RowBand& band) {
    if (row_ == file_.height() || !is_sound_) {
      return false;
    }
    const int end = std::min(row_ + to_.rows, file_.height());
    band = {row_, to_.new_rows(end - row_)};
    is_sound_ = decode(end, band.rows.view());
    row_ = end;
    return is_sound_;
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }

 private:
  bool decode(int end, const View& to) {
    try {
      rows_.read_to(end, to, row_);
      if (end == file_.height()) {
        rows_.finish();
      }
      return rows_.warning_count() == header_warnings_;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::out_of_memory) {
        throw;
      }
      return false;
    }
  }

  const JpegFile& file_;
  const BandOutput& to_;
  JpegRows rows_;
  std::size_t header_warnings_;
  int row_ = 0;
  bool is_sound_ = true;
};

class JpegRowReader final : public RowReader {
 public:
  JpegRowReader(RandomAccess file, std::unique_ptr<JpegBeginning> beginning, std::string name, PixelFormat format,
                int threads)
      : RowReader(static_cast<int>(beginning->header.width), static_cast<int>(beginning->header.height), format),
        stored_(std::move(file)),
        beginning_(std::move(beginning)),
        name_(std::move(name)),
        threads_(threads) {}

  bool read(const BandOutput& to, Order order) override {
    const JpegFile file{{}, beginning_->header, name_, &stored_};
    const int parts = jpeg_part_count(width(), height(), threads_);
    return order == Order::any && parts > 1 ? read_parts(file, parts, to) : read_ahead(file, to);
  }

 private:
  bool read_parts(const JpegFile& file, int parts, const BandOutput& to) const {
    std::mutex taking;
    JpegRows whole(file, false);
    const auto read_band = [&](JpegRows& rows, int first, int end) {
      RowBand band{first, to.new_rows(end - first)};
      rows.read_to(end, band.rows.view(), first);
      const std::lock_guard lock(taking);
      to.take(std::move(band));
    };
    const std::vector<int> cuts = jpeg_cuts(height(), parts, jpeg_skip_cost(file));
    return read_jpeg_parts(file, whole, cuts, {threads_, to.rows, read_band});
  }

  bool read_ahead(const JpegFile& file, const BandOutput& to) const {
    constexpr std::size_t kAhead = 3;
    std::array<RowBand, kAhead> ring;
    std::size_t number = 0;
    TopDown rows(file, to);
    const auto decode = [&](tbb::flow_control& flow) {
      RowBand& band = ring[number++ % kAhead];
      if (!rows.next(band)) {
        flow.stop();
      }
      return &band;
    };
    const auto take = [&](RowBand* band) { to.take(std::move(*band)); };
    require_arena_memory();
    tbb::task_arena(std::min(threads_, 2)).execute([&] {
      tbb::parallel_pipeline(kAhead, tbb::make_filter<void, RowBand*>(tbb::filter_mode::serial_in_order, decode) &
                                         tbb::make_filter<RowBand*, void>(tbb::filter_mode::serial_in_order, take));
    });
    return rows.is_sound();
  }

  RandomAccess stored_;
  std::unique_ptr<JpegBeginning> beginning_;
  std::string name_;
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
  const JpegFile jpeg{{}, header, name, &file};
  JpegRows rows(jpeg, false);
  if (!rows.is_sequential()) {
    return std::nullopt;
  }
  DecodedImage opened = describe_jpeg_file(header);
  opened.jpeg_encoding = rows.encoding();
  const PixelFormat format = jpeg.format();
  opened.rows =
      std::make_shared<JpegRowReader>(file, std::move(beginning), name, format, allowed_threads(options.threads));
  return opened;
}

}  // namespace gpuimg::codecs
