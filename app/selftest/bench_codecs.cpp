// Codecs as `gpuimg bench` measures them: the host's, and those for JPEG of backends that have them.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "operations/result_compare.hpp"
#include "selftest/bench_run.hpp"
#include "selftest/median_time.hpp"

namespace gpuimg {
namespace {

using codecs::FileFormat;

BackendTiming timing_of(const BenchSide& side, double ms, std::size_t bytes) {
  BackendTiming timing;
  timing.backend = side.backend->name();
  timing.kernel_ms = ms;
  timing.gigabytes_per_second = static_cast<double>(bytes) / (ms * 1.0e6);
  timing.share_of_copy = timing.gigabytes_per_second * 1.0e9 / side.copy_rate;
  return timing;
}

class CodecBench {
 public:
  CodecBench(const BenchImage& image, const std::vector<BenchSide>& sides, const codecs::ReadOptions& reading)
      : image_(image), sides_(sides), reading_(reading) {}

  /// The row of a format that cannot hold the pixels is left out, and one that no backend has.
  std::vector<BenchRow> rows(FileFormat format) const {
    const std::string name = std::string(codecs::codec_of(format).name);
    std::vector<BenchRow> rows;
    if (image_.format == format && image_.file.size > 0) {
      rows.push_back(decoding("decode " + name, image_.file.span()));
    }
    try {
      check_holds(format, image_.pixels.width(), image_.pixels.height(), image_.pixels.format(), image_.name);
    } catch (const Error&) {
      return rows;
    }
    codecs::WriteOptions writing;
    writing.threads = reading_.threads;
    const std::vector<std::byte> file = encode_image(image_.pixels.view(), format, image_.name, writing);
    if (rows.empty()) {
      rows.push_back(decoding("decode " + name, file));
    }
    rows.push_back(encoding("encode " + name, format, file, writing));
    std::erase_if(rows, [](const BenchRow& row) { return row.timings.empty(); });
    return rows;
  }

 private:
  [[nodiscard]] BenchRow row(std::string name) const {
    BenchRow row;
    row.image = image_.name;
    row.operation = std::move(name);
    row.is_codec = true;
    return row;
  }

  /// The host decodes for a backend whose memory is the host's. nullopt if the backend leaves the file to it.
  [[nodiscard]] std::optional<Image> decoded(const BenchSide& side, std::span<const std::byte> file) const {
    codecs::DecodedImage decoded = decode(side, file);
    if (side.backend->memory_is_host()) {
      return std::move(decoded.image);
    }
    return decoded.picture ? std::optional(side.backend->download(std::move(*decoded.picture))) : std::nullopt;
  }

  [[nodiscard]] codecs::DecodedImage decode(const BenchSide& side, std::span<const std::byte> file) const {
    codecs::ReadOptions options = reading_;
    if (!side.backend->memory_is_host()) {
      options.decode_on_backend = [&](const EncodedImage& encoded) { return side.backend->decode(encoded); };
    }
    codecs::DecodedImage image = codecs::decode_image(file, image_.name, options);
    side.backend->wait();
    return image;
  }

  /// Compares every backend that decodes the file with the first one, then times each.
  [[nodiscard]] BenchRow decoding(std::string name, std::span<const std::byte> file) const {
    BenchRow found = row(std::move(name));
    std::optional<Image> first;
    std::string first_name;
    for (const BenchSide& side : sides_) {
      std::optional<Image> image = decoded(side, file);
      if (!image) {
        continue;
      }
      if (first) {
        found.compared = true;
        if (found.difference.empty()) {
          found.difference = first_difference(*first, first_name, *image, side.backend->name());
        }
      }
      const double ms = median_ms([&] { [[maybe_unused]] const codecs::DecodedImage dropped = decode(side, file); });
      found.timings.push_back(timing_of(side, ms, file.size() + image->size_bytes()));
      if (!first) {
        first = std::move(image);
        first_name = side.backend->name();
      }
    }
    return found;
  }

  /// Compares the file of every backend that encodes the pixels with the host's, then times each.
  [[nodiscard]] BenchRow encoding(std::string name, FileFormat format, const std::vector<std::byte>& file,
                                  const codecs::WriteOptions& options) const {
    BenchRow found = row(std::move(name));
    const ConstView pixels = image_.pixels.view();
    for (const BenchSide& side : sides_) {
      if (side.backend->memory_is_host()) {
        const double ms = median_ms(
            [&] { [[maybe_unused]] const auto dropped = encode_image(pixels, format, image_.name, options); });
        found.timings.push_back(timing_of(side, ms, file.size() + image_.pixels.size_bytes()));
        continue;
      }
      const auto as = codecs::backend_encoding(pixels.width, pixels.height, pixels.format, format, options);
      const Picture picture = side.backend->upload(pixels);
      if (!as || !side.backend->encode(picture, *as)) {
        continue;
      }
      const auto encode = [&] {
        std::vector<std::byte> written;
        write_encoded(
            side.backend->encode(picture, *as).value(), pixels.width, pixels.height, pixels.format, format, image_.name,
            options, [&](std::span<const std::byte> part) { written.insert(written.end(), part.begin(), part.end()); });
        return written;
      };
      found.compared = true;
      if (encode() != file) {
        found.difference = side.backend->name() + " encodes other bytes than the host";
      }
      const double ms = median_ms([&] { [[maybe_unused]] const auto dropped = encode(); });
      found.timings.push_back(timing_of(side, ms, file.size() + image_.pixels.size_bytes()));
    }
    return found;
  }

  const BenchImage& image_;
  const std::vector<BenchSide>& sides_;
  const codecs::ReadOptions& reading_;
};

}  // namespace

std::vector<BenchRow> bench_codecs(const BenchImage& image, const std::vector<BenchSide>& sides,
                                   const codecs::ReadOptions& reading) {
  const CodecBench bench(image, sides, reading);
  std::vector<BenchRow> rows = bench.rows(FileFormat::jpeg);
  for (BenchRow& row : bench.rows(FileFormat::png)) {
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gpuimg
