// Times decoding of JPEGs to pixels in device memory, and encoding of these pixels at quality 90. First checks both
// against libjpeg-turbo. Each thread has its own backend; the files are in page-locked memory.
// usage: gpuimg_jpeg_device_bench THREADS JPEG...
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec_times.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "gpuimg/cuda.hpp"
#include "io/input_file.hpp"

namespace {

using namespace gpuimg;

struct File {
  std::string name;
  Image bytes;  ///< the file, as one row of page-locked memory
  EncodedJpeg jpeg;
  Encoding encoding;  ///< the format that the pixels are encoded to
};

/// Decodes a file on the device and on the host. Returns true if the pixels are equal.
bool is_sound(Backend& backend, const File& file) {
  const std::optional<Picture> picture = backend.decode(file.jpeg);
  if (!picture) {
    fmt::print("{}: the host must decode it\n", file.name);
    return false;
  }
  const Image found = backend.download(*picture);
  const std::span<const std::byte> all(file.bytes.view().data, file.bytes.size_bytes());
  const Image expected = codecs::decode_image(all, file.name, {.auto_orient = false}).image;
  const bool same = found.size_bytes() == expected.size_bytes() &&
                    std::memcmp(found.view().data, expected.view().data, found.size_bytes()) == 0;
  fmt::print("{}: {}x{}, {}\n", file.name, file.jpeg.width, file.jpeg.height, same ? "equal" : "DIFFERENT PIXELS");
  return same;
}

/// Encodes a file's pixels on the device and on the host. Returns true if the bytes are equal.
bool is_encoded_alike(Backend& backend, const File& file, const Picture& picture) {
  const std::optional<Encoded> scan = backend.encode(picture, file.encoding);
  if (!scan) {
    fmt::print("{}: the host must encode it\n", file.name);
    return false;
  }
  std::vector<std::byte> found;
  codecs::write_encoded(*scan, picture.width(), picture.height(), picture.format(), codecs::FileFormat::jpeg, file.name,
                        {},
                        [&](std::span<const std::byte> part) { found.insert(found.end(), part.begin(), part.end()); });
  const bool same =
      found == codecs::encode_image(backend.download(picture).view(), codecs::FileFormat::jpeg, file.name, {});
  fmt::print("{}: {} bytes encoded, {}\n", file.name, found.size(), same ? "equal" : "DIFFERENT BYTES");
  return same;
}

std::vector<File> load(Backend& backend, int count, char** names) {
  std::vector<File> files;
  for (int i = 0; i < count; ++i) {
    const Bytes read = read_input(names[i]);
    File file{names[i], backend.new_image(static_cast<int>(read.size), 1, {Sample::u8, 1}), {}, {}};
    std::memcpy(file.bytes.view().data, read.data.get(), read.size);
    const auto jpeg = codecs::jpeg::describe_jpeg({file.bytes.view().data, read.size});
    if (jpeg) {
      file.jpeg = *jpeg;
    }
    if (!jpeg || !is_sound(backend, file)) {
      continue;
    }
    const Picture picture = backend.decode(file.jpeg).value();
    const auto encoding =
        codecs::backend_encoding(picture.width(), picture.height(), picture.format(), codecs::FileFormat::jpeg, {});
    file.encoding = encoding.value();
    if (is_encoded_alike(backend, file, picture)) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

/// Images per second of all threads together. Each thread calls work_on(its backend), and passes one file after another
/// to the result.
template <class WorkOn>
double rate(const std::vector<File>& files, int threads, const WorkOn& work_on) {
  return bench::rate_of_threads(threads, 400 * threads, [&] {
    std::shared_ptr<Backend> backend = make_cuda_backend(0);
    (void)backend->new_image(1, 1, {Sample::u8, 1});  // page-locks its memory from now on, as in a batch
    auto work = work_on(*backend);
    for (const File& file : files) {
      work(file);  // fills the memory pool
    }
    return [&files, backend = std::move(backend), work = std::move(work)](int k) mutable {
      work(files[static_cast<std::size_t>(k) % files.size()]);
    };
  });
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count < 3) {
    std::fputs("usage: gpuimg_jpeg_device_bench THREADS JPEG...\n", stderr);
    return 2;
  }
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // as app/backends/cuda.cpp does
  const int most = std::atoi(arguments[1]);
  const auto backend = make_cuda_backend(0);
  const std::vector<File> files = load(*backend, count - 2, arguments + 2);
  if (files.empty()) {
    return 1;
  }
  for (const File& file : files) {
    const Picture picture = backend->decode(file.jpeg).value();
    fmt::print("{}: decoding {:.3f} ms alone, {} bytes; encoding {:.3f} ms alone\n", file.name,
               bench::median_ms([&] { (void)backend->decode(file.jpeg); }), file.jpeg.scan.size(),
               bench::median_ms([&] { (void)backend->encode(picture, file.encoding); }));
  }
  for (int threads = 1; threads <= most; threads *= 2) {
    const double decoded =
        rate(files, threads, [](Backend& on) { return [&on](const File& file) { (void)on.decode(file.jpeg); }; });
    const double encoded = rate(files, threads, [](Backend& on) {
      return [&on, pictures = std::map<const File*, Picture>()](const File& file) mutable {
        auto picture = pictures.find(&file);
        if (picture == pictures.end()) {
          picture = pictures.emplace(&file, on.decode(file.jpeg).value()).first;
        }
        (void)on.encode(picture->second, file.encoding);
      };
    });
    const double both = rate(files, threads, [](Backend& on) {
      return [&on](const File& file) { (void)on.encode(on.decode(file.jpeg).value(), file.encoding); };
    });
    fmt::print("{} threads: {:.3f} ms per image decoded, {:.3f} ms encoded; {:.0f} images/s decoded and encoded\n",
               threads, 1e3 / decoded, 1e3 / encoded, both);
  }
}
