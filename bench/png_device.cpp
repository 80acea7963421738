// Times PNG on the device: encoding pixels in device memory, and decoding PNG files, including the upload from
// page-locked memory. First checks files and pixels against the host's results. Each thread has its own backend.
// usage: gpuimg_png_device_bench THREADS IMAGE...
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec_times.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/png/simple_png.hpp"
#include "gpuimg/cuda.hpp"
#include "io/input_file.hpp"

namespace {

using namespace gpuimg;

struct Source {
  std::string name;
  Image pixels;
  std::size_t file_bytes = 0;  ///< size of the encoded file
  Image file;                  ///< the input file, as one row of page-locked memory
  std::optional<EncodedPng> png;
};

codecs::WriteOptions options_of(int level) {
  codecs::WriteOptions options;
  options.png_level = level;
  return options;
}

/// Encodes on the device and on the host. Returns the size of the file, or 0 if the results differ.
std::size_t checked_size(Backend& backend, const Source& source, int level) {
  const ConstView pixels = source.pixels.view();
  const codecs::WriteOptions options = options_of(level);
  const std::optional<Encoded> chunks = backend.encode(backend.upload(pixels), PngDataFormat{level});
  if (!chunks) {
    fmt::print("{}: the host must encode it\n", source.name);
    return 0;
  }
  std::vector<std::byte> found;
  codecs::write_encoded(*chunks, pixels.width, pixels.height, pixels.format, codecs::FileFormat::png, source.name,
                        options,
                        [&](std::span<const std::byte> part) { found.insert(found.end(), part.begin(), part.end()); });
  const bool same = found == codecs::encode_image(pixels, codecs::FileFormat::png, source.name, options);
  fmt::print("{}, level {}: {} bytes, {}\n", source.name, level, found.size(), same ? "equal" : "DIFFERENT BYTES");
  return same ? found.size() : 0;
}

/// Decodes a PNG on the device and on the host. Resets `png` if the device does not decode the file, or if the pixels
/// differ.
void describe(Backend& backend, std::span<const std::byte> file, Source& source) {
  source.file = backend.new_image(static_cast<int>(file.size()), 1, {Sample::u8, 1});
  std::memcpy(source.file.view().data, file.data(), file.size());
  source.png = codecs::png::describe_png_data({source.file.view().data, file.size()});
  const std::optional<Picture> picture = source.png ? backend.decode(*source.png) : std::nullopt;
  if (!picture) {
    fmt::print("{}: the host must decode it\n", source.name);
    source.png.reset();
    return;
  }
  const Image found = backend.download(*picture);
  if (found.size_bytes() != source.pixels.size_bytes() ||
      std::memcmp(found.view().data, source.pixels.view().data, found.size_bytes()) != 0) {
    fmt::print("{}: DIFFERENT PIXELS\n", source.name);
    source.png.reset();
  }
}

std::vector<Source> load(Backend& backend, int count, char** names) {
  std::vector<Source> sources;
  for (int i = 0; i < count; ++i) {
    const Bytes read = read_input(names[i]);
    Source source{names[i], codecs::decode_image(read.span(), names[i], {.auto_orient = false}).image, 0, {}, {}};
    describe(backend, read.span(), source);
    source.file_bytes = checked_size(backend, source, 1);
    if (checked_size(backend, source, 0) != 0 && source.file_bytes != 0) {
      sources.push_back(std::move(source));
    }
  }
  return sources;
}

void print_times_alone(Backend& backend, const Source& source) {
  const Picture picture = backend.upload(source.pixels.view());
  const auto encoding = [&](int level) {
    return bench::median_ms([&] { (void)backend.encode(picture, PngDataFormat{level}); });
  };
  fmt::print("{}: {} bytes of pixels, {} of file; level 1 {:.3f} ms alone, level 0 {:.3f} ms\n", source.name,
             source.pixels.size_bytes(), source.file_bytes, encoding(1), encoding(0));
  if (source.png) {
    fmt::print("{}: decoding {:.3f} ms alone, {} bytes\n", source.name,
               bench::median_ms([&] { (void)backend.decode(*source.png); }), source.png->bytes.size());
  }
}

/// Images encoded per second.
double encoding_rate(const std::vector<Source>& sources, int threads) {
  return bench::rate_of_threads(threads, 200 * threads, [&] {
    std::shared_ptr<Backend> backend = make_cuda_backend(0);
    backend->expect_many_images();
    std::vector<Picture> pictures;
    for (const Source& source : sources) {
      pictures.push_back(backend->upload(source.pixels.view()));
      (void)backend->encode(pictures.back(), PngDataFormat{});  // fills the memory pool
    }
    return [backend = std::move(backend), pictures = std::move(pictures)](int k) {
      (void)backend->encode(pictures[static_cast<std::size_t>(k) % pictures.size()], PngDataFormat{});
    };
  });
}

/// Images decoded per second.
double decoding_rate(const std::vector<const Source*>& sources, int threads) {
  return bench::rate_of_threads(threads, 100 * threads, [&] {
    std::shared_ptr<Backend> backend = make_cuda_backend(0);
    backend->expect_many_images();
    for (const Source* source : sources) {
      (void)backend->decode(*source->png);  // fills the memory pool
    }
    return [backend = std::move(backend), &sources](int k) {
      (void)backend->decode(*sources[static_cast<std::size_t>(k) % sources.size()]->png);
    };
  });
}

void print_rates(const std::vector<Source>& sources, int threads) {
  const double encoded = encoding_rate(sources, threads);
  fmt::print("{} threads: {:.0f} images/s encoded, {:.3f} ms per image\n", threads, encoded, 1e3 / encoded);
  std::vector<const Source*> files;
  for (const Source& source : sources) {
    if (source.png) {
      files.push_back(&source);
      const double alone = decoding_rate({&source}, threads);
      fmt::print("{} threads: {} {:.0f} images/s decoded, {:.3f} ms per image\n", threads, source.name, alone,
                 1e3 / alone);
    }
  }
  if (files.size() > 1) {
    const double decoded = decoding_rate(files, threads);
    fmt::print("{} threads: all alternating: {:.0f} images/s decoded, {:.3f} ms per image\n", threads, decoded,
               1e3 / decoded);
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count < 3) {
    std::fputs("usage: gpuimg_png_device_bench THREADS IMAGE...\n", stderr);
    return 2;
  }
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // enough queues that no thread waits for another
  const int most = std::atoi(arguments[1]);
  const auto backend = make_cuda_backend(0);
  backend->expect_many_images();
  const std::vector<Source> sources = load(*backend, count - 2, arguments + 2);
  if (sources.empty()) {
    return 1;
  }
  for (const Source& source : sources) {
    print_times_alone(*backend, source);
  }
  for (int threads = 1; threads <= most; threads *= 4) {
    print_rates(sources, threads);
  }
}
