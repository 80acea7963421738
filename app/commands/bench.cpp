// gpuimg bench [IN…]: runs every operation and codec on every backend, compares the results, then times them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "commands/commands.hpp"
#include "engine/backend_choice.hpp"
#include "engine/item_outputs.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "operations/operations.hpp"
#include "operations/result_checks.hpp"
#include "report/bench_report.hpp"

namespace gpuimg::commands::bench {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg bench\n"
    "  gpuimg bench --json photo.jpg scan.png > times.json\n"
    "  gpuimg bench --backend cpu --threads 1 --svg times.svg";

struct BenchImage {
  std::string name;
  Image pixels;
  Bytes file;  ///< empty if the image is generated
  codecs::FileFormat format = codecs::FileFormat::png;
};

struct BenchSide {
  Backend* backend;
  double copy_rate;  ///< bytes per second
};

/// The median time in milliseconds of repeated runs, after one warm-up run. Runs at least 7 times, and up to 101 times
/// while the total is below 400 ms.
template <class Work>
double median_ms(const Work& work) {
  constexpr std::size_t kMinRuns = 7;
  constexpr std::size_t kMaxRuns = 101;
  constexpr double kBudgetMs = 400.0;
  work();
  std::vector<double> times;
  double spent = 0.0;
  while (times.size() < kMinRuns || (spent < kBudgetMs && times.size() < kMaxRuns)) {
    const auto began = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
    spent += times.back();
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// A backend and an image uploaded to it.
struct Side {
  Backend* backend;
  double copy_rate;  ///< bytes per second
  Picture picture;
  double upload_ms;
  double download_ms;
};

BackendTiming timed(const Trial& trial, const Side& side) {
  BackendTiming timing;
  timing.backend = side.backend->name();
  timing.upload_ms = side.upload_ms;
  timing.download_ms = side.download_ms;
  timing.kernel_ms = median_ms([&] {
    [[maybe_unused]] const OperationResult dropped = trial.run(*side.backend, side.picture);
    side.backend->wait();
  });
  const double bytes = trial.bytes_per_pixel * static_cast<double>(side.picture.pixel_count());
  timing.gigabytes_per_second = bytes / (timing.kernel_ms * 1.0e6);
  timing.share_of_copy = timing.gigabytes_per_second * 1.0e9 / side.copy_rate;
  return timing;
}

/// Compares the result of each backend with the first backend's result, then times each. Skips backends that do not
/// have the operation.
BenchRow row_of(const Trial& trial, const std::vector<Side>& sides) {
  BenchRow row;
  row.operation = trial.name;
  const Side* first = nullptr;
  for (const Side& side : sides) {
    if (!trial.is_on(side.backend->kind())) {
      continue;
    }
    if (first == nullptr) {
      first = &side;
    } else if (row.difference.empty()) {
      row.compared = true;
      row.difference = difference(trial, *first->backend, first->picture, *side.backend, side.picture);
    }
  }
  for (const Side& side : sides) {
    if (trial.is_on(side.backend->kind())) {
      row.timings.push_back(timed(trial, side));
    }
  }
  return row;
}

/// One row per operation, for one image.
std::vector<BenchRow> bench_image(const BenchImage& image, const std::vector<BenchSide>& on) {
  std::vector<Side> sides;
  for (const BenchSide& side : on) {
    Backend& backend = *side.backend;
    const double upload = median_ms([&] {
      [[maybe_unused]] const Picture dropped = backend.upload(image.pixels.view());
      backend.wait();
    });
    sides.push_back({&backend, side.copy_rate, backend.upload(image.pixels.view()), upload, 0.0});
    sides.back().download_ms = median_ms([&] { (void)backend.download(sides.back().picture); });
  }
  std::vector<BenchRow> rows;
  for (const Operation& operation : operations()) {
    for (const Trial& trial : operation.trials(image.pixels.format())) {
      if (trial.is_timed) {
        rows.push_back(row_of(trial, sides));
        rows.back().image = image.name;
      }
    }
  }
  return rows;
}

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

  /// The rows of a format. Leaves out rows if the format cannot store the pixels, or if no backend has the codec.
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

  /// Decodes the file; the host decodes for a backend that uses host memory. nullopt if the backend leaves the file to
  /// the host.
  [[nodiscard]] std::optional<Image> decoded(const BenchSide& side, std::span<const std::byte> file) const {
    codecs::DecodedImage decoded = decode(side, file);
    if (side.backend->memory_is_host()) {
      return std::move(decoded.image);
    }
    return decoded.picture ? std::optional(side.backend->download(std::move(*decoded.picture))) : std::nullopt;
  }

  [[nodiscard]] codecs::DecodedImage decode(const BenchSide& side, std::span<const std::byte> file) const {
    if (!side.backend->memory_is_host()) {
      std::optional<codecs::DescribedImage> described = codecs::describe_image(file, image_.name, reading_);
      std::optional<Picture> picture = described ? side.backend->decode(described->encoded) : std::nullopt;
      if (picture) {
        side.backend->wait();
        return codecs::described_image(std::move(*described), std::move(*picture), reading_);
      }
    }
    return codecs::decode_image(file, image_.name, reading_);
  }

  /// Compares the pixels from each backend with the first backend's pixels, then times each. Skips backends that do not
  /// decode the file.
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

  /// Compares the file from each backend with the host's file, then times each. Skips backends that do not encode the
  /// pixels.
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

/// Rows for decoding and encoding JPEG and PNG. Uses the file of the image, or a file that gpuimg encodes from its
/// pixels. The host's codecs are listed under the backend that uses host memory.
std::vector<BenchRow> bench_codecs(const BenchImage& image, const std::vector<BenchSide>& sides,
                                   const codecs::ReadOptions& reading) {
  const CodecBench bench(image, sides, reading);
  std::vector<BenchRow> rows = bench.rows(FileFormat::jpeg);
  for (BenchRow& row : bench.rows(FileFormat::png)) {
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Arguments {
  std::vector<std::string> inputs;
  std::string svg;
  int side = 4096;
};

std::vector<BenchImage> images_of(const Arguments& arguments, const codecs::ReadOptions& reading) {
  std::vector<BenchImage> images;
  for (const std::string& input : arguments.inputs) {
    Bytes bytes = read_input(input);
    codecs::DecodedImage decoded = codecs::decode_image(bytes.span(), input, reading);
    images.push_back({input, std::move(decoded.image), std::move(bytes), decoded.file_format});
  }
  if (images.empty()) {
    images.push_back({.name = fmt::format("generated, {0}x{0}, RGB, 8 bit", arguments.side),
                      .pixels = selftest_image(arguments.side, arguments.side, PixelFormat{Sample::u8, 3}, 1),
                      .file = {}});
  }
  return images;
}

/// The usable backends that are not opt-in, or only the backend of --backend; with --verify also the CPU.
class BenchBackends {
 public:
  explicit BenchBackends(const GlobalOptions& globals) {
    for (const BackendEntry& entry : backends()) {
      const bool is_cpu = entry.kind == BackendKind::cpu;
      const bool is_wanted = globals.backend ? globals.backend == entry.kind : !entry.is_opt_in;
      if (is_wanted || (is_cpu && globals.verify)) {
        add(entry.kind, globals, is_cpu || globals.backend || globals.verify);
      }
    }
  }

  [[nodiscard]] const std::vector<Backend*>& all() const { return all_; }

 private:
  void add(BackendKind kind, const GlobalOptions& globals, bool is_required) {
    try {
      auto source = std::make_unique<BackendSource>(with_backend(globals, kind));
      all_.push_back(&source->get());
      sources_.push_back(std::move(source));
    } catch (const Error& error) {
      if (is_required) {
        throw;
      }
      // A machine without a GPU is normal; a GPU that fails is worth a note.
      const bool is_expected = error.kind() == ErrorKind::backend_unavailable;
      (is_expected ? print_detail : print_note)(globals.verbosity, error.what());
    }
  }

  std::vector<std::unique_ptr<BackendSource>> sources_;
  std::vector<Backend*> all_;
};

int width_of_stdout() {
  const Terminal terminal = terminal_at(STDOUT_FILENO);
  return terminal.is_terminal ? terminal.columns : std::numeric_limits<int>::max();
}

void run(const Arguments& arguments, const GlobalOptions& globals) {
  constexpr int kLargestSide = 65536;
  if (arguments.side < 1 || arguments.side > kLargestSide) {
    throw Error(ErrorKind::usage, "--size: " + std::to_string(arguments.side) + " is out of range (1 to 65536)");
  }
  note_no_effect(arguments.side != Arguments().side && !arguments.inputs.empty(), "--size",
                 "it applies only to the generated image, but images are given", globals.verbosity);
  const OverwriteRules rules{globals.force, false};
  if (!arguments.svg.empty()) {
    check_text_output(arguments.svg, arguments.inputs);
    check_output(arguments.svg, "", rules);
  }
  BenchBackends backends(globals);
  reject_all_pages(globals);
  const codecs::ReadOptions reading{.max_pixels = globals.max_pixels,
                                    .auto_orient = globals.auto_orient,
                                    .lenient = globals.lenient,
                                    .threads = globals.threads};
  const std::vector<BenchImage> images = images_of(arguments, reading);

  constexpr std::size_t kCopyBytes = std::size_t{1} << 28;
  BenchReport report;
  std::vector<BenchSide> sides;
  for (Backend* backend : backends.all()) {
    sides.push_back({backend, backend->measure_copy_rate(kCopyBytes)});
    report.backends.push_back({backend->name(), backend->description(), sides.back().copy_rate});
  }
  for (const BenchImage& image : images) {
    for (const auto& rows : {bench_image(image, sides), bench_codecs(image, sides, reading)}) {
      report.rows.insert(report.rows.end(), rows.begin(), rows.end());
    }
  }
  if (!arguments.svg.empty()) {
    const std::string svg = bench_svg(report);
    write_output(arguments.svg, std::as_bytes(std::span<const char>(svg)), rules);
  }
  write_text(globals.json ? bench_json(report) : bench_table(report, width_of_stdout()));
  const auto differs = [](const BenchRow& row) { return !row.difference.empty(); };
  if (std::any_of(report.rows.begin(), report.rows.end(), differs)) {
    throw Error(ErrorKind::mismatch, "bench: the backends disagree, see above; please report it");
  }
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  parser.positionals({.name = "IN",
                      .description = "images to measure with [a generated one]",
                      .usage = "[IN...]",
                      .extensions = codecs::readable_extensions()},
                     arguments->inputs);
  parser.number({"--size", fmt::format("width and height of the generated image [{}]", arguments->side), "N"},
                arguments->side);
  parser.text({"--svg", "also write a bar chart of the times to FILE.svg", "FILE.svg"}, arguments->svg);
  return [arguments](const GlobalOptions& globals) {
    run(*arguments, globals);
    return ExitCode::ok;
  };
}

}  // namespace
}  // namespace gpuimg::commands::bench

namespace gpuimg {

Command bench_command() {
  return {"bench", "compare the results of all backends, then measure their times", commands::bench::kExamples,
          commands::bench::declare};
}

}  // namespace gpuimg
