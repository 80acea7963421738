// The checksums of the image data are checked beside the decoding; rows count once both are done.
#include "codecs/png/png_row_reader.hpp"

#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <memory>
#include <utility>

#include "arena_memory.hpp"
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
    const PngParts parts = PngParts::of(png_, threads_);
    if (threads_ == 1) {
      return file_.data_checksums_are_right() && read_rows(parts, to);
    }
    bool are_right = false;
    bool is_sound = false;
    require_arena_memory();
    tbb::task_arena(2).execute([&] {
      tbb::parallel_invoke([&] { is_sound = read_rows(parts, to); },
                           [&] { are_right = file_.data_checksums_are_right(); });
    });
    return are_right && is_sound;
  }

 private:
  bool read_rows(const PngParts& parts, const BandOutput& to) const {
    try {
      return read_simple_png_rows(png_, name_, threads_, parts, to);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::decode) {
        return false;
      }
      throw;
    }
  }

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
