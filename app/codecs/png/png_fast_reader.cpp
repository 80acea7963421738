// Inflate and the filters, in parallel if more than one thread is allowed.
#include "codecs/png/png_fast_reader.hpp"

#include <tbb/parallel_pipeline.h>

#include <cstddef>
#include <span>
#include <utility>

#include "codecs/allowed_threads.hpp"
#include "codecs/codec_arena.hpp"
#include "codecs/deflate/zlib_stream.hpp"
#include "codecs/png/png_parts.hpp"
#include "codecs/png/png_row_inflater.hpp"
#include "codecs/png/row_sink.hpp"

namespace gpuimg::codecs {
namespace {

void add_adler(PngRowBlock& block, const SimplePng& png) {
  const std::size_t bytes = static_cast<std::size_t>(block.rows) * (png.row_bytes() + 1);
  block.adler = adler32_of(std::as_bytes(std::span(block.filtered(), bytes)));
}

/// Inflates each block while the one before it is unfiltered. The checksum is for whichever thread has time.
void read_overlapped(const SimplePng& png, PngRowInflater& inflater, PngRowSink& sink, const CheckPngData& check) {
  const auto inflate = [&](tbb::flow_control& flow) -> PngRowBlock* {
    PngRowBlock* const block = check(inflater.position()) ? inflater.next() : nullptr;
    if (block == nullptr) {
      flow.stop();
    }
    return block;
  };
  const auto sum = [&](PngRowBlock* block) {
    add_adler(*block, png);
    return block;
  };
  const auto unfilter = [&](PngRowBlock* block) { sink.take_rows(block->filtered(), block->rows, block->adler); };
  CodecArena(2).execute([&] {
    tbb::parallel_pipeline(PngRowInflater::kBlocks,
                           tbb::make_filter<void, PngRowBlock*>(tbb::filter_mode::serial_in_order, inflate) &
                               tbb::make_filter<PngRowBlock*, PngRowBlock*>(tbb::filter_mode::parallel, sum) &
                               tbb::make_filter<PngRowBlock*, void>(tbb::filter_mode::serial_in_order, unfilter));
  });
}

bool read_in_blocks(const SimplePng& png, int threads, PngRowSink& sink, const CheckPngData& check) {
  PngRowInflater inflater(png, sink.rows_at_once());
  if (threads == 1 || inflater.fits_one_block()) {
    while (PngRowBlock* const block = inflater.next()) {
      add_adler(*block, png);
      sink.take_rows(block->filtered(), block->rows, block->adler);
    }
  } else {
    read_overlapped(png, inflater, sink, check);
  }
  return check(png.image_data.size) && inflater.is_sound() && sink.adler() == inflater.declared_adler();
}

}  // namespace

bool read_simple_png_rows(const SimplePng& png, const std::string& name, int threads, const PngParts& parts,
                          const BandOutput& to, const CheckPngData& check) {
  PngRowSink sink(png, to, name);
  const bool is_whole =
      parts.part_bytes > 0 ? read_in_parts(png, parts, sink, check) : read_in_blocks(png, threads, sink, check);
  const bool is_sound = is_whole && sink.is_sound();
  if (is_sound) {
    sink.finish();
  }
  return is_sound;
}

std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options) {
  return read_simple_png(png, name, options, PngParts::of(png, allowed_threads(options.threads)));
}

std::optional<Image> read_simple_png(const SimplePng& png, const std::string& name, const ReadOptions& options,
                                     const PngParts& parts) {
  if (png.row_bytes() > kMaxSimpleRowBytes) {
    return std::nullopt;
  }
  Image image;
  const BandOutput whole{png.height, [&](int rows) { return options.image(png.width, rows, png.decoded()); },
                         [&](RowBand band) { image = std::move(band.rows); }};
  const auto checked = [](std::uint64_t /*end*/) { return true; };  // by parse_simple_png
  if (!read_simple_png_rows(png, name, allowed_threads(options.threads), parts, whole, checked)) {
    return std::nullopt;
  }
  return image;
}

}  // namespace gpuimg::codecs
