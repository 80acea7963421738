// Inflate and the filters, beside one another where there are threads: app/codecs/png/png_fast_reader.hpp.
#include "codecs/png/png_fast_reader.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "codecs/allowed_threads.hpp"
#include "codecs/png/png_parts.hpp"
#include "codecs/png/png_row_inflater.hpp"
#include "codecs/png/row_sink.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kLongestRow = std::size_t{4} << 20;  // longer ones would take too much memory in blocks

/// While the next block is inflated, the last is finished.
void run_at_once(PngRowInflater& inflater, PngRowFinisher& finisher) {
  const auto inflate = [&](tbb::flow_control& flow) -> PngRowBlock* {
    PngRowBlock* const block = inflater.next();
    if (block == nullptr) {
      flow.stop();
    }
    return block;
  };
  const auto finish = [&](PngRowBlock* block) { finisher.take_rows(block->filtered(), block->rows); };
  tbb::task_arena arena(2);
  arena.execute([&] {
    tbb::parallel_pipeline(PngRowInflater::kBlocks,
                           tbb::make_filter<void, PngRowBlock*>(tbb::filter_mode::serial_in_order, inflate) &
                               tbb::make_filter<PngRowBlock*, void>(tbb::filter_mode::serial_in_order, finish));
  });
}

bool read_in_blocks(const PlainPng& png, int threads, PngRowFinisher& finisher) {
  PngRowInflater inflater(png, finisher.rows_at_once());
  if (threads == 1 || inflater.fits_one_block()) {
    while (const PngRowBlock* block = inflater.next()) {
      finisher.take_rows(block->filtered(), block->rows);
    }
  } else {
    run_at_once(inflater, finisher);
  }
  return inflater.is_sound() && finisher.adler() == inflater.declared_adler();
}

bool read_rows(const PlainPng& png, std::byte* rows, int threads, const PngParts& parts) {
  PngRowFinisher finisher(png, rows);
  const bool is_whole =
      parts.part_bytes > 0 ? read_in_parts(png, parts, finisher) : read_in_blocks(png, threads, finisher);
  finisher.finish();
  return is_whole && finisher.is_sound();
}

}  // namespace

std::optional<Image> read_plain_png(const PlainPng& png, const std::string& name, const ReadOptions& options) {
  return read_plain_png(png, name, options, PngParts::of(png, allowed_threads(options.threads)));
}

std::optional<Image> read_plain_png(const PlainPng& png, const std::string& name, const ReadOptions& options,
                                    const PngParts& parts) {
  if (png.row_bytes() > kLongestRow) {
    return std::nullopt;
  }
  const PixelFormat format = png.palette ? PixelFormat{Sample::u8, png.palette->channels()} : png.stored;
  Image image = options.image(png.width, png.height, format);
  std::byte* const rows = png.palette ? PngPalette::indices_of(image) : image.view().data;
  if (!read_rows(png, rows, allowed_threads(options.threads), parts)) {
    return std::nullopt;
  }
  if (png.palette) {
    png.palette->paint(image, name);
  }
  return image;
}

}  // namespace gpuimg
