// gpuimg compare A B [OUT]: tells whether two images are equal, or similar enough, and how much they differ. OUT is a
// picture of the differences; for folders, a table. docs/cli.md, "compare".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "batch/batch_command.hpp"
#include "batch/devices.hpp"
#include "batch/inputs.hpp"
#include "batch/outputs.hpp"
#include "batch/plan.hpp"
#include "batch/session.hpp"
#include "batch/stop_signal.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "codecs/rejections.hpp"
#include "commands/commands.hpp"
#include "engine/image_job.hpp"
#include "engine/worker.hpp"
#include "io/output_file.hpp"
#include "report/histogram_file.hpp"
#include "report/image_comparison.hpp"
#include "text/number_text.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::compare {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg compare a.png b.png && echo equal\n"
    "  gpuimg compare --tolerance 2 scan.png scan.jpg\n"
    "  gpuimg compare --min-ssim 0.98 a.png b.jpg     alike enough to pass?\n"
    "  gpuimg compare a.png b.png differences.png     a picture of what differs\n"
    "  gpuimg compare --metric ssim a.png b.jpg       one number\n"
    "  gpuimg compare -r expected/ out/ pairs.csv     files of the same names, the worst first";

/// The number that --metric prints, and by which the pairs of folders are sorted.
enum class Metric : std::uint8_t { ssim, psnr, mse, differing };

const NamedValues<Metric> kMetricNames = {
    {"ssim", Metric::ssim, "structural similarity", {"dssim", "mssim"}},
    {"psnr", Metric::psnr, "peak signal-to-noise ratio in decibels", {"PSNR"}},
    {"mse", Metric::mse, "mean squared error", {"rmse"}},
    {"differing", Metric::differing, "number of pixels that differ", {"ae", "AE"}}};

const OutputFormats<TableFormat> kPairFormats = {
    "a table of pairs",
    {{"csv", TableFormat::csv}, {"jsonl", TableFormat::jsonl, "", {"json", "ndjson"}}},
    TableFormat::csv};

/// As given on the command line.
struct Arguments {
  std::string a;
  std::string b;
  std::string output;  ///< the picture, or the table
  int tolerance = 0;
  std::string max_differing;
  std::optional<double> min_psnr;
  std::optional<double> min_ssim;
  std::string metric;
  std::string transparent;
  bool gaussian = false;
  bool histogram = false;
  std::optional<int> amplify;
  std::string side_by_side;
  BatchArguments files;  ///< only the options for folders and speed
};

/// Validated options.
struct Options {
  ComparisonOptions comparison;
  ComparisonLimits limits;
  std::optional<Metric> metric;
};

struct FilePair {
  std::string a;  ///< empty: only B has the file
  std::string b;  ///< empty: only A has the file
};

/// The relative name without its extension.
std::string stem_of(const InputFile& file) {
  const std::string extension = file_extension(file.relative);
  return extension.empty() ? file.relative : file.relative.substr(0, file.relative.size() - extension.size() - 1);
}

/// Maps each stem to the path of its file; to an empty path if several files have the stem.
std::map<std::string, std::string> by_stem(const std::vector<InputFile>& files, const std::set<std::string>& paired) {
  std::map<std::string, std::string> found;
  for (const InputFile& file : files) {
    if (!paired.contains(file.relative)) {
      const auto [at, is_new] = found.emplace(stem_of(file), file.path);
      at->second = is_new ? at->second : "";
    }
  }
  return found;
}

std::map<std::string, std::string> by_name(const std::vector<InputFile>& files) {
  std::map<std::string, std::string> found;
  for (const InputFile& file : files) {
    found.emplace(file.relative, file.path);
  }
  return found;
}

/// Pairs files with the same relative name, then files whose names differ only in the extension, if there is only one
/// candidate. The order is that of `a`, followed by the files that only `b` has.
std::vector<FilePair> paired(const std::vector<InputFile>& a, const std::vector<InputFile>& b) {
  const auto names_in_b = by_name(b);
  std::set<std::string> exact;
  for (const InputFile& file : a) {
    if (names_in_b.contains(file.relative)) {
      exact.insert(file.relative);
    }
  }
  const auto stems_in_a = by_stem(a, exact);
  const auto stems_in_b = by_stem(b, exact);
  const auto is_alone = [](const std::map<std::string, std::string>& stems, const std::string& stem) {
    const auto found = stems.find(stem);
    return found != stems.end() && !found->second.empty();
  };
  std::vector<FilePair> pairs;
  for (const InputFile& file : a) {
    const std::string stem = stem_of(file);
    const bool has_near = is_alone(stems_in_a, stem) && is_alone(stems_in_b, stem);
    pairs.push_back({file.path, exact.contains(file.relative) ? names_in_b.at(file.relative)
                                : has_near                    ? stems_in_b.at(stem)
                                                              : ""});
  }
  for (const InputFile& file : b) {
    const std::string stem = stem_of(file);
    if (!exact.contains(file.relative) && !(is_alone(stems_in_a, stem) && is_alone(stems_in_b, stem))) {
      pairs.push_back({"", file.path});
    }
  }
  return pairs;
}

/// A file to compare. Reads each page on demand.
class ComparedFile {
 public:
  /// Finds the pages of the file, or of `content` if the path is "-". With --page N, only that page counts.
  ComparedFile(std::string path, const GlobalOptions& globals, Bytes content = {});

  [[nodiscard]] std::uint32_t pages() const { return pages_.count(); }
  [[nodiscard]] bool has_lost_pages() const { return !pages_.lost.empty(); }
  [[nodiscard]] bool is_single() const { return pages() == 1 && !has_lost_pages(); }

  /// The file's name in reports.
  [[nodiscard]] std::string name() const { return unescaped_input_name(path_); }

  /// The name with the page number, unless the file has only one page.
  [[nodiscard]] std::string name_of(std::uint32_t page) const;

  /// The pixels, in host memory. The backend decodes the file if it can, and --verify checks its result. Throws the
  /// errors of reading.
  [[nodiscard]] Image page(Worker& worker, std::uint32_t number) const;

  /// The header of a page; nothing if the file cannot be read. Not for standard input.
  [[nodiscard]] codecs::DeclaredImage declared(std::uint32_t page) const {
    return codecs::declared_image_in(path_, place_of(page));
  }

  /// The size of the file; 0 if it cannot be read. Not for standard input.
  [[nodiscard]] std::uint64_t file_bytes() const {
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
    (void)read_file_facts(path_, bytes, mtime_ns);
    return bytes;
  }

  /// Throws Error{decode} if pages are lost.
  void reject_if_lost() const;

 private:
  [[nodiscard]] codecs::PageRef place_of(std::uint32_t page) const;

  std::string path_;
  Bytes content_;  ///< only for standard input
  codecs::PageList pages_;
  std::uint32_t only_page_ = 0;  ///< --page N
};

ComparedFile::ComparedFile(std::string path, const GlobalOptions& globals, Bytes content)
    : path_(std::move(path)), content_(std::move(content)), only_page_(globals.page) {
  if (only_page_ > 0) {
    pages_.places = {0};
  } else {
    pages_ = path_ == "-" ? codecs::pages_in(content_.span(), path_) : codecs::pages_in(path_);
  }
}

std::string ComparedFile::name_of(std::uint32_t page) const {
  return shown_input(ItemPaths{name(), {}, {is_single() ? 0 : page}});
}

codecs::PageRef ComparedFile::place_of(std::uint32_t page) const {
  return only_page_ > 0 ? codecs::PageRef{only_page_}
         : is_single()  ? codecs::PageRef{}
                        : codecs::PageRef{page, pages_.places.at(page - 1)};
}

Image ComparedFile::page(Worker& worker, std::uint32_t number) const {
  worker.loader.turn_to(place_of(number));
  codecs::DecodedImage decoded = path_ == "-" ? worker.loader.decode(content_, path_) : worker.loader.load(path_);
  return worker.executor.process(OperationInput(std::move(decoded)), {});
}

void ComparedFile::reject_if_lost() const {
  if (has_lost_pages()) {
    codecs::reject_lost_pages(printable_name(name_of(pages() + 1)), pages_.lost);
  }
}

ImageFacts facts_of(const std::string& name, const Image& image) {
  return facts_of_image(name, image.width(), image.height(), image.format());
}

ComparedPair judged(ComparedPair pair, const ComparisonLimits& limits) {
  pair.has_limits = limits.any();
  if (pair.has_limits && pair.comparison.same_size) {
    try {
      pair.broken_limits = limits.broken_by(pair.comparison);
    } catch (const Error& error) {
      throw Error(error.kind(), printable_name(pair.a.name) + ": " + error.what());
    }
  }
  return pair;
}

struct PagePair {
  Image a;
  Image b;
  ComparedPair result;
};

/// Reads the same page of both files and compares the pixels. Throws the errors of reading.
PagePair compared_page(Worker& worker, const ComparedFile& a, const ComparedFile& b, std::uint32_t page,
                       const Options& options) {
  Image of_a = a.page(worker, page);
  Image of_b = b.page(worker, page);
  ComparedPair pair{facts_of(a.name_of(page), of_a), facts_of(b.name_of(page), of_b), options.comparison.tolerance,
                    compare_images(of_a.view(), of_b.view(), options.comparison)};
  return {std::move(of_a), std::move(of_b), judged(std::move(pair), options.limits)};
}

ComparedPair compared(Worker& worker, const ComparedFile& a, const ComparedFile& b, std::uint32_t page,
                      const Options& options) {
  return compared_page(worker, a, b, page, options).result;
}

/// A sort key: greater is worse. For images too small for SSIM, the key of `ssim` only separates equal from different.
double badness(const ImageComparison& comparison, Metric metric) {
  switch (metric) {
    case Metric::ssim: return 1.0 - comparison.ssim.value_or(comparison.is_equal() ? 1.0 : -1.0);
    case Metric::psnr: return -comparison.psnr_db;
    case Metric::mse: return comparison.mean_squared_error;
    case Metric::differing: return static_cast<double>(comparison.differing) / static_cast<double>(comparison.pixels);
  }
  return 0.0;
}

std::string metric_text(const ComparedPair& pair, Metric metric) {
  const ImageComparison& comparison = pair.comparison;
  switch (metric) {
    case Metric::ssim: return comparison.ssim ? fmt::format("{}\n", *comparison.ssim) : "none\n";
    case Metric::psnr: return fmt::format("{}\n", comparison.psnr_db);
    case Metric::mse: return fmt::format("{}\n", comparison.mean_squared_error);
    case Metric::differing: return fmt::format("{}\n", comparison.differing);
  }
  return {};
}

/// The number of pairs of each kind.
struct PairCounts {
  std::uint64_t passing = 0;
  std::uint64_t failing = 0;
};

/// The text about a pair, and its sort key.
struct ReportedPair {
  bool same_size = false;
  double badness = 0.0;
  double psnr_db = 0.0;
  std::string text;
  std::string row;  ///< of the table
};

/// Sorts the worst pairs first; pairs with equal keys stay in the order of the files.
void sort_by_badness(std::vector<ReportedPair>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const ReportedPair& a, const ReportedPair& b) {
    if (a.same_size != b.same_size) {
      return b.same_size;
    }
    return a.badness != b.badness ? a.badness > b.badness : a.psnr_db < b.psnr_db;
  });
}

struct Pair {
  ComparedFile a;
  std::optional<ComparedFile> b;  ///< nothing: only A has the file
};

class CompareJob final : public ImageJob {
 public:
  CompareJob(const Arguments& arguments, const Options& options, const GlobalOptions& globals,
             std::vector<FilePair> pairs)
      : arguments_(arguments), options_(options), globals_(globals) {
    for (FilePair& pair : pairs) {
      if (pair.a.empty()) {
        only_in_b_.push_back(std::move(pair.b));
        continue;
      }
      Pair files{ComparedFile(pair.a, globals), std::nullopt};
      if (!pair.b.empty()) {
        files.b.emplace(std::move(pair.b), globals);
        add_pages_only_in_b(files);
      }
      pairs_.emplace(std::move(pair.a), std::move(files));
    }
  }
  void check_name(const std::string& output) const override { (void)output_format(kPairFormats, "", output); }
  [[nodiscard]] bool may_print() const override { return true; }
  [[nodiscard]] bool is_binary(const std::string& /*output*/) const override { return false; }
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override { return {}; }
  [[nodiscard]] bool merges() const override { return true; }
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& /*image*/,
                                       const std::string& /*output*/) const override {
    return {};
  }
  /// The paired file in the other folder.
  [[nodiscard]] SecondImage second_image(const ItemPaths& paths, const codecs::DeclaredImage& image) const override {
    const Pair* files = pair_of(paths);
    const std::uint32_t page = page_of(paths);
    if (files == nullptr || !files->b || page > files->b->pages()) {
      return {};
    }
    const codecs::DeclaredImage other = files->b->declared(page);
    const ImageShape a = largest_shape(image);
    const ImageShape b = largest_shape(other);
    const bool is_compared = a.width == b.width && a.height == b.height;
    const std::uint64_t comparing =
        is_compared ? comparison_bytes(a.width, a.height, a.format, b.format, options_.comparison) : 0;
    return {other.pixels() * other.bytes_per_pixel,
            files->b->file_bytes() + other.pixels() * other.decoder_bytes_per_pixel,
            std::max(comparing, other.pixels() * picture_bytes_per_pixel())};
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    const Pair* files = pair_of(paths);
    const std::uint32_t page = page_of(paths);
    if (files != nullptr && files->b && page > files->b->pages()) {
      files->b->reject_if_lost();
    }
    if (files == nullptr || !files->b || page > files->b->pages()) {
      return [this, input = shown_input(paths)] { only_in_a_->push_back(input); };
    }
    const ComparedPair pair = compared(worker, files->a, *files->b, page, options_);
    const ComparedFile* last_of_b = page == files->a.pages() ? &*files->b : nullptr;
    return [counts = counts_.get(), this, passes = pair.passes(), reported = reported_pair(pair), last_of_b] {
      reported_->push_back(reported);
      ++(passes ? counts->passing : counts->failing);
      if (last_of_b != nullptr) {
        last_of_b->reject_if_lost();  // every page of A has a partner, so no other call checks B
      }
    };
  }

  void finish(Worker& worker, const std::string& output) const override {
    sort_by_badness(*reported_);
    if (!output.empty()) {
      worker.writer.save(output, [&] { return table(output_format(kPairFormats, "", output)); });
    }
    const bool is_printed = globals_.json || globals_.verbosity != Verbosity::quiet;
    if (is_printed && !is_standard_output(output)) {
      worker.writer.save("-", [&] { return whole_text(); });
    }
  }

  [[nodiscard]] bool found_difference() const { return counts_->failing + only_in_a_->size() + only_in_b_.size() > 0; }

 private:
  /// Null for a file that was added after the folders were read.
  [[nodiscard]] const Pair* pair_of(const ItemPaths& paths) const {
    const auto found = pairs_.find(paths.input);
    return found != pairs_.end() ? &found->second : nullptr;
  }

  /// For two files: 3 bytes for the picture of the differences, or up to 6 if it is amplified; and 9 for
  /// --side-by-side, which shows three pictures.
  [[nodiscard]] std::uint64_t picture_bytes_per_pixel() const {
    const bool has_picture = !arguments_.output.empty() || !arguments_.side_by_side.empty();
    if (!has_picture || is_folder_name(arguments_.a)) {
      return 0;
    }
    return (arguments_.amplify ? 6 : 3) + (arguments_.side_by_side.empty() ? 0 : 9);
  }

  static std::uint32_t page_of(const ItemPaths& paths) { return std::max(paths.page.number, 1U); }

  [[nodiscard]] ReportedPair reported_pair(const ComparedPair& pair) const {
    const ImageComparison& comparison = pair.comparison;
    ReportedPair reported{comparison.same_size, 0.0, comparison.psnr_db, text_of(pair), {}};
    if (comparison.same_size) {
      reported.badness = badness(comparison, options_.metric.value_or(Metric::ssim));
    }
    if (!arguments_.output.empty()) {
      reported.row = output_format(kPairFormats, "", arguments_.output) == TableFormat::csv
                         ? comparison_csv(pair)
                         : comparison_json(pair, ComparisonJson::line);
    }
    return reported;
  }

  [[nodiscard]] std::string text_of(const ComparedPair& pair) const {
    if (globals_.json) {
      return comparison_json(pair, ComparisonJson::line);
    }
    return !pair.passes() || globals_.verbosity == Verbosity::verbose ? comparison_line(pair) : "";
  }

  [[nodiscard]] std::string unpaired_text(const std::string& name, char side) const {
    return globals_.json ? unpaired_json(name, side)
                         : fmt::format("only in {}: {}\n", printable_name(side == 'a' ? arguments_.a : arguments_.b),
                                       printable_name(name));
  }

  /// Calls add(name, side) for each file without a partner.
  template <class Add>
  void for_unpaired(const Add& add) const {
    for (const std::string& name : *only_in_a_) {
      add(name, 'a');
    }
    for (const std::string& name : only_in_b_) {
      add(name, 'b');
    }
  }

  [[nodiscard]] std::string whole_text() const {
    std::string text;
    for (const ReportedPair& pair : *reported_) {
      text += pair.text;
    }
    for_unpaired([&](const std::string& name, char side) { text += unpaired_text(name, side); });
    return globals_.json ? text : text + summary();
  }

  [[nodiscard]] std::string table(TableFormat format) const {
    std::string text = format == TableFormat::csv ? comparison_csv_header() : "";
    for (const ReportedPair& pair : *reported_) {
      text += pair.row;
    }
    for_unpaired([&](const std::string& name, char side) {
      text += format == TableFormat::csv ? unpaired_csv(name, side) : unpaired_json(name, side);
    });
    return text;
  }

  [[nodiscard]] std::string summary() const {
    const bool has_limits = options_.limits.any();
    return fmt::format("{} {}, {} {}, {} only in {}, {} only in {}\n", grouped(counts_->passing),
                       has_limits ? "within the limits" : "equal", grouped(counts_->failing),
                       has_limits ? "beyond" : "different", grouped(only_in_a_->size()), printable_name(arguments_.a),
                       grouped(only_in_b_.size()), printable_name(arguments_.b));
  }

  /// If A has lost pages, it is not known which pages of B have no partner.
  void add_pages_only_in_b(const Pair& files) {
    for (std::uint32_t page = files.a.pages() + 1; !files.a.has_lost_pages() && page <= files.b->pages(); ++page) {
      only_in_b_.push_back(files.b->name_of(page));
    }
  }

  const Arguments& arguments_;
  const Options& options_;
  const GlobalOptions& globals_;
  std::map<std::string, Pair> pairs_;   ///< by the path in A
  std::vector<std::string> only_in_b_;  ///< files, and extra pages of files that both folders have
  std::unique_ptr<PairCounts> counts_ = std::make_unique<PairCounts>();
  std::unique_ptr<std::vector<ReportedPair>> reported_ = std::make_unique<std::vector<ReportedPair>>();
  std::unique_ptr<std::vector<std::string>> only_in_a_ = std::make_unique<std::vector<std::string>>();
};

std::vector<InputFile> files_in(const std::string& folder, const Arguments& arguments) {
  const FileFilter filter(arguments.files.include, arguments.files.exclude, codecs::input_extensions());
  return gather_inputs({{folder}, {}, filter, {arguments.files.recursive, {}}}).files;
}

/// Pairs the files of two folders by name and runs the pairs as a batch. Each file of A is an item; its partner in B is
/// looked up. Throws Error for failures that end the whole run.
ExitCode compare_folders(const Arguments& arguments, const Options& options, const CommandParser& parser,
                         const GlobalOptions& globals) {
  GlobalOptions pagewise = globals;
  pagewise.all_pages = globals.page == 0;
  CompareJob job(arguments, options, globals,
                 paired(files_in(arguments.a, arguments), files_in(arguments.b, arguments)));
  job.check_name(arguments.output);
  const ExitCode code = run_files(job, parser, arguments.files, pagewise, {{arguments.a}, arguments.output, false});
  return code == ExitCode::ok && job.found_difference() ? ExitCode::different : code;
}

constexpr int kMaxTolerance = 65535;

constexpr const char* kSeeHelp = "; see 'gpuimg compare --help'";

void check_names(const Arguments& arguments) {
  if (arguments.a.empty() || arguments.b.empty()) {
    throw Error(ErrorKind::usage, std::string("compare needs two names: images, or folders") + kSeeHelp);
  }
  if (arguments.a == "-" && arguments.b == "-") {
    throw Error(ErrorKind::usage,
                std::string("standard input can be only one of the two; name a file for the other") + kSeeHelp);
  }
  if (is_folder_name(arguments.a) != is_folder_name(arguments.b)) {
    const bool is_a = is_folder_name(arguments.a);
    throw Error(ErrorKind::usage, printable_name(is_a ? arguments.a : arguments.b) + " is a folder, but " +
                                      printable_name(is_a ? arguments.b : arguments.a) +
                                      " is not; name two folders, or two images");
  }
}

/// Throws Error{usage} unless the number is in the range.
void expect_from(const char* option, double number, double least, double most) {
  if (!(number >= least && number <= most)) {
    throw Error(ErrorKind::usage, fmt::format("{}: {} is out of range ({} to {})", option, number, least, most));
  }
}

/// "100" or "0.5%".
void read_max_differing(const std::string& text, ComparisonLimits& limits) {
  if (!text.empty() && text.back() == '%') {
    limits.differing_percent = parse_number<double>("--max-differing", text.substr(0, text.size() - 1));
    expect_from("--max-differing", *limits.differing_percent, 0.0, 100.0);
  } else if (!text.empty()) {
    const double number = parse_number<double>("--max-differing", text);
    expect_from("--max-differing", number, 0.0, 1e15);
    limits.differing = static_cast<std::uint64_t>(number);
    if (static_cast<double>(*limits.differing) != number) {
      throw Error(ErrorKind::usage,
                  "--max-differing: '" + text + "' is not a whole number; write a percentage as P%, such as 0.5%");
    }
  }
}

ComparisonLimits checked_limits(const Arguments& arguments) {
  ComparisonLimits limits;
  read_max_differing(arguments.max_differing, limits);
  limits.min_psnr_db = arguments.min_psnr;
  limits.min_ssim = arguments.min_ssim;
  if (limits.min_psnr_db) {
    expect_from("--min-psnr", *limits.min_psnr_db, 0.0, 200.0);
  }
  if (limits.min_ssim) {
    expect_from("--min-ssim", *limits.min_ssim, -1.0, 1.0);
  }
  return limits;
}

Options checked_options(const Arguments& arguments) {
  Options options;
  expect_from("--tolerance", arguments.tolerance, 0, kMaxTolerance);
  options.comparison.tolerance = static_cast<std::uint32_t>(arguments.tolerance);
  options.comparison.count_transparent =
      arguments.transparent.empty() || value_named("--transparent", arguments.transparent, kTransparentNames);
  options.comparison.window = arguments.gaussian ? SsimWindow::gaussian : SsimWindow::box;
  options.comparison.has_histograms = arguments.histogram;
  options.limits = checked_limits(arguments);
  if (!arguments.metric.empty()) {
    options.metric = value_named("--metric", arguments.metric, kMetricNames);
  }
  if (arguments.amplify) {
    expect_from("--amplify", *arguments.amplify, 1, kMaxTolerance);
  }
  return options;
}

/// The names of the pictures to write for two images. Throws Error{usage}.
std::vector<std::string> pictures_of(const Arguments& arguments) {
  std::vector<std::string> pictures;
  for (const std::string& name : {arguments.output, arguments.side_by_side}) {
    if (name.empty()) {
      continue;
    }
    if (is_standard_output(name)) {
      throw Error(ErrorKind::usage, "the picture of the differences cannot go to standard output; name a file");
    }
    (void)image_format(name);
    pictures.push_back(name);
  }
  return pictures;
}

void note_pictures(const Arguments& arguments, Verbosity verbosity) {
  const bool is_folder = is_folder_name(arguments.a);
  note_no_effect(is_folder && !arguments.side_by_side.empty(), "--side-by-side", "folders have no picture", verbosity);
  note_no_effect(arguments.amplify && (is_folder || pictures_of(arguments).empty()), "--amplify",
                 "it changes the picture of the differences, but no OUT is given", verbosity);
}

ComparedFile opened(Worker& worker, const std::string& name, const GlobalOptions& globals) {
  return {name, globals, name == "-" ? worker.loader.read_checked(name) : Bytes()};
}

/// Throws Error{decode} if pages of a file are lost.
ComparedFiles compared_pages(Worker& worker, const ComparedFile& a, const ComparedFile& b, const Options& options) {
  a.reject_if_lost();
  b.reject_if_lost();
  ComparedFiles files{a.name(), b.name(), a.pages(), b.pages(), options.comparison.tolerance, {}};
  for (std::uint32_t page = 1; page <= std::min(a.pages(), b.pages()); ++page) {
    files.pages.push_back(compared(worker, a, b, page, options));
  }
  return files;
}

/// Prints the result of `json` or of `text`, depending on --json.
template <class Json, class Text>
void print(const GlobalOptions& globals, const Json& json, const Text& text) {
  try {
    if (globals.json) {
      write_text(json());
    } else if (globals.verbosity != Verbosity::quiet) {
      write_text(text());
    }
  } catch (const OutputClosed&) {  // the exit code also tells the result
  }
}

void save_pictures(Worker& worker, const Arguments& arguments, const Options& options, PagePair& pair) {
  if (!pair.result.comparison.same_size) {
    print_note(worker.options.verbosity, "images of different sizes have no picture of their differences");
    return;
  }
  const auto draw = [&] {
    return arguments.amplify
               ? amplified_difference(pair.a.view(), pair.b.view(), options.comparison,
                                      static_cast<std::uint32_t>(*arguments.amplify))
               : difference_picture(pair.a.view(), pair.b.view(), options.comparison, pair.result.comparison);
  };
  const Image picture = worker.writer.encoded(draw);
  if (!arguments.output.empty()) {
    worker.writer.save_image(arguments.output, picture.view(), {});
  }
  if (!arguments.side_by_side.empty()) {
    worker.writer.save_image(arguments.side_by_side, side_by_side(pair.a.view(), pair.b.view(), picture.view()).view(),
                             {});
  }
  worker.writer.commit();
  pair.result.picture = arguments.output;
  pair.result.amplified = static_cast<std::uint32_t>(arguments.amplify.value_or(0));
}

ExitCode compare_single(Worker& worker, const Arguments& arguments, const Options& options, const ComparedFile& a,
                        const ComparedFile& b, const StopSignal& stop) {
  PagePair pair = compared_page(worker, a, b, 1, options);
  if (!pictures_of(arguments).empty() && !stop.requested()) {
    save_pictures(worker, arguments, options, pair);
  }
  const ComparedPair& result = pair.result;
  const bool is_number = options.metric && result.comparison.same_size;
  print(
      worker.options, [&] { return comparison_json(result, ComparisonJson::block); },
      [&] { return is_number ? metric_text(result, *options.metric) : comparison_text(result); });
  return result.passes() ? ExitCode::ok : ExitCode::different;
}

ExitCode compare_pages(Worker& worker, const Arguments& arguments, const Options& options, const ComparedFile& a,
                       const ComparedFile& b, const StopSignal& /*stop*/) {
  if (!pictures_of(arguments).empty()) {
    throw Error(ErrorKind::usage, "a picture shows the differences of one page; choose it with --page N");
  }
  if (options.metric) {
    throw Error(ErrorKind::usage, "--metric prints the number of one page; choose it with --page N");
  }
  const ComparedFiles files = compared_pages(worker, a, b, options);
  const bool shows_all_pages = worker.options.verbosity == Verbosity::verbose;
  print(
      worker.options, [&] { return comparison_json(files); }, [&] { return comparison_text(files, shows_all_pages); });
  return files.passes() ? ExitCode::ok : ExitCode::different;
}

ExitCode compare_files(const Arguments& arguments, const Options& options, const GlobalOptions& globals) {
  expect_work(work_per_device({}, globals, 1, 2));
  const StopSignal stop(nullptr);  // created before other threads start; removes unfinished pictures
  Worker worker(globals);
  for (const std::string& picture : pictures_of(arguments)) {
    worker.writer.check(picture, arguments.a, true);
    worker.writer.check(picture, arguments.b, true);
  }
  const ComparedFile a = opened(worker, arguments.a, globals);
  const ComparedFile b = opened(worker, arguments.b, globals);
  const bool are_single = a.is_single() && b.is_single();
  if (are_single && arguments.a != "-" && arguments.b != "-") {
    const CompareJob pair(arguments, options, globals, {{arguments.a, arguments.b}});
    check_memory(pair, {arguments.a, arguments.output}, globals);
  }
  const auto compare = are_single ? compare_single : compare_pages;
  const ExitCode code = compare(worker, arguments, options, a, b, stop);
  worker.print_times();
  return stop.exit_code().value_or(code);
}

void declare_limits(CommandParser& parser, Arguments& arguments) {
  parser.number({"--tolerance", "differences of up to N levels count as equal [0]", "N"}, arguments.tolerance);
  parser.text({"--max-differing", "pass if at most N pixels, or P percent of them, differ", "N|P%"},
              arguments.max_differing);
  parser.number({"--min-psnr", "pass if the peak signal-to-noise ratio is at least DB decibels", "DB"},
                arguments.min_psnr);
  parser.number({"--min-ssim", "pass if the structural similarity is at least S, up to 1", "S"}, arguments.min_ssim);
}

void declare_measures(CommandParser& parser, Arguments& arguments) {
  parser.text(
      {"--metric",
       with_choices("print only this number; for folders, sort by it", kMetricNames, "a report; for folders ssim"),
       "NAME"},
      arguments.metric);
  parser.flag({"--gaussian", "compute SSIM in windows of 11x11 with Gaussian weights"}, arguments.gaussian);
  parser.flag({"--histogram", "also print five distances between the histograms of each channel"}, arguments.histogram);
  add_transparent_option(parser, arguments.transparent, true);
  parser.number(
      {"--amplify", "OUT shows the difference of each channel, times N, instead of marking pixels in red", "N"},
      arguments.amplify);
  parser.text({"--side-by-side", "write A, B and the picture of the differences side by side", "FILE"},
              arguments.side_by_side);
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  const auto name = [&](const char* as, const char* what, std::string& value) {
    parser.positional({.name = as, .description = what, .extensions = codecs::readable_extensions()}, value);
  };
  name("A", "an image or a folder; - is standard input", arguments->a);
  name("B", "the image or folder to compare with A", arguments->b);
  parser.positional({.name = "OUT",
                     .description = "a picture of the differences; for folders a table of the pairs, .csv or .jsonl",
                     .usage = "[OUT]"},
                    arguments->output);
  declare_limits(parser, *arguments);
  declare_measures(parser, *arguments);
  add_folder_options(parser, arguments->files);
  add_pace_options(parser, arguments->files);
  return [arguments, &parser](const GlobalOptions& globals) {
    const Options options = checked_options(*arguments);
    check_names(*arguments);
    if (globals.take_job) {
      throw Error(ErrorKind::usage, "compare needs two images; give both");
    }
    note_pictures(*arguments, globals.verbosity);
    if (is_folder_name(arguments->a)) {
      return compare_folders(*arguments, options, parser, globals);
    }
    note_folder_options(arguments->files, {arguments->a, arguments->b}, globals.verbosity);
    (void)checked(arguments->files);
    return compare_files(*arguments, options, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::compare

namespace gpuimg {

Command compare_command() {
  return {"compare", "compare two images, or the images of two folders", commands::compare::kExamples,
          commands::compare::declare};
}

}  // namespace gpuimg
