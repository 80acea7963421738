// Inflate and the filters, in parallel if more than one thread is allowed.
#include "codecs/png/png_fast_reader.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "arena_memory.hpp"
#include "codecs/allowed_threads.hpp"
#include "codecs/png/png_parts.hpp"
#include "codecs/png/png_row_inflater.hpp"
#include "codecs/png/row_sink.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kMaxRowBytes = std::size_t{4} << 20;  // blocks of longer rows would need too much memory

/// Inflates each block while the one before it is unfiltered.
void read_overlapped(PngRowInflater& inflater, PngRowSink& sink) {
  const auto inflate = [&](tbb::flow_control& flow) -> PngRowBlock* {
    PngRowBlock* const block = inflater.next();
    if (block == nullptr) {
      flow.stop();
    }
    return block;
  };
  const auto unfilter = [&](PngRowBlock* block) { sink.take_rows(block->filtered(), block->rows); };
  require_arena_memory();
  tbb::task_arena arena(2);
  arena.execute([&] {
    tbb::parallel_pipeline(PngRowInflater::kBlocks,
                           tbb::make_filter<void, PngRowBlock*>(tbb::filter_mode::serial_in_order, inflate) &
                               tbb::make_filter<PngRowBlock*, void>(tbb::filter_mode::serial_in_order, unfilter));
  });
}

bool read_in_blocks(const SimplePng& png, int threads, PngRowSink& sink) {
  PngRowInflater inflater(png, sink.rows_at_once());
  if (threads == 1 || inflater.fits_one_block()) {
    while (const PngRowBlock* block = inflater.next()) {
      sink.take_rows(block->filtered(), block->rows);
    }
  } else {
    read_overlapped(inflater, sink);
  }
  return inflater.is_sound() && sink.adler() == inflater.declared_adler();
}

bool read_rows(const SimplePng& png, std::byte* rows, int threads, const PngParts& parts) {
  PngRowSink sink(png, rows);
  const bool is_whole = parts.part_bytes > 0 ? read_in_parts(png, parts, sink) : read_in_blocks(png, threads, sink);
  sink.finish();
  return is_whole && sink.is_sound();
}

}  // namespace

std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options) {
  return read_simple_png(png, name, options, PngParts::of(png, allowed_threads(options.threads)));
}

std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options,
                                     const PngParts& parts) {
  if (png.row_bytes() > kMaxRowBytes) {
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

}  // namespace gpuimg::codecs
