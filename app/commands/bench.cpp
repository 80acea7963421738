// gpuimg bench [IN…]: runs every operation and codec on every backend, compares the results, then times them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "cli/terminal.hpp"
#include "codecs/codec.hpp"
#include "codecs/image_reader.hpp"
#include "commands/commands.hpp"
#include "engine/backend_source.hpp"
#include "engine/item_outputs.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "report/bench_report.hpp"
#include "selftest/bench_run.hpp"
#include "selftest/selftest_image.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg bench\n"
    "  gpuimg bench --json photo.jpg scan.png > times.json\n"
    "  gpuimg bench --backend cpu --threads 1 --svg times.svg";

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

/// Every usable backend, or the one that the user asked for by name; with --verify the CPU too.
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
    throw Error(ErrorKind::usage, "--size: " + std::to_string(arguments.side) + " is not from 1 to 65536");
  }
  note_no_effect(arguments.side != Arguments().side && !arguments.inputs.empty(), "--size",
                 "it is for the generated image, and images are given", globals.verbosity);
  const OverwriteRules rules{globals.force, false};
  if (!arguments.svg.empty()) {
    check_text_output(arguments.svg, arguments.inputs);
    check_output(arguments.svg, "", rules);
  }
  BenchBackends backends(globals);
  refuse_all_pages(globals);
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
                      .endings = codecs::readable_endings()},
                     arguments->inputs);
  parser.number({"--size", fmt::format("width and height of the generated image [{}]", arguments->side), "N"},
                arguments->side);
  parser.text({"--svg", "draw the times as a bar chart too", "FILE.svg"}, arguments->svg);
  return [arguments](const GlobalOptions& globals) {
    run(*arguments, globals);
    return ExitCode::ok;
  };
}

}  // namespace

Command bench_command() {
  return {"bench", "compare every operation on every backend, then time them", kExamples, declare};
}

}  // namespace gpuimg
