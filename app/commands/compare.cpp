// gpuimg compare A B: equal or not, and by how much. docs/cli.md, "compare".
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
#include "batch/session.hpp"
#include "cli/command_parser.hpp"
#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "codecs/refusals.hpp"
#include "commands/commands.hpp"
#include "engine/image_job.hpp"
#include "engine/worker.hpp"
#include "io/output_file.hpp"
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
    "  gpuimg compare --json a.png b.tga | jq .psnr\n"
    "  gpuimg compare -r expected/ out/               files of the same names";

/// As given on the command line.
struct Arguments {
  std::string a;
  std::string b;
  int tolerance = 0;
  BatchArguments files;  ///< only the options of folders and pace
};

struct FilePair {
  std::string a;  ///< empty: only B has the file
  std::string b;  ///< empty: only A has the file
};

/// The relative name without its ending.
std::string stem_of(const InputFile& file) {
  const std::string ending = file_ending(file.relative);
  return ending.empty() ? file.relative : file.relative.substr(0, file.relative.size() - ending.size() - 1);
}

/// By stem: the path of the one file with it; empty if there are several.
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

/// Pairs files of the same relative name, and then those whose names differ in the ending alone, if there is one
/// candidate. In the order of `a`, followed by what only `b` has.
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

/// A file to compare. Each page is read when it is asked for.
class ComparedFile {
 public:
  /// Finds the pages of the file, or of `content` if the path is "-". With --page N, the file has that page alone.
  ComparedFile(std::string path, const GlobalOptions& globals, Bytes content = {});

  [[nodiscard]] std::uint32_t pages() const { return pages_.count(); }
  [[nodiscard]] bool has_lost_pages() const { return !pages_.lost.empty(); }
  [[nodiscard]] bool is_single() const { return pages() == 1 && !has_lost_pages(); }

  /// For reports.
  [[nodiscard]] std::string name() const { return unescaped_input_name(path_); }

  /// The same with the page, unless the file has no other.
  [[nodiscard]] std::string name_of(std::uint32_t page) const;

  /// The pixels on the host, by way of the backend: it decodes the file if it can, and --verify checks that. Throws as
  /// reading does.
  [[nodiscard]] Image page(Worker& worker, std::uint32_t number) const;

  /// Throws Error{decode} if pages are lost.
  void refuse_if_lost() const;

 private:
  std::string path_;
  Bytes content_;  ///< of standard input
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

Image ComparedFile::page(Worker& worker, std::uint32_t number) const {
  worker.loader.turn_to(only_page_ > 0 ? codecs::PageRef{only_page_}
                        : is_single()  ? codecs::PageRef{}
                                       : codecs::PageRef{number, pages_.places.at(number - 1)});
  codecs::DecodedImage decoded = path_ == "-" ? worker.loader.decode(content_, path_) : worker.loader.load(path_);
  return worker.executor.process(OperationInput(std::move(decoded)), {});
}

void ComparedFile::refuse_if_lost() const {
  if (has_lost_pages()) {
    codecs::refuse_lost_pages(printable_name(name_of(pages() + 1)), pages_.lost);
  }
}

ImageFacts facts_of(const std::string& name, const Image& image) {
  return facts_of_image(name, image.width(), image.height(), image.format());
}

/// Reads and compares a page of each. Throws as reading does.
ComparedPair compared(Worker& worker, const ComparedFile& a, const ComparedFile& b, std::uint32_t page, int tolerance) {
  const Image of_a = a.page(worker, page);
  const Image of_b = b.page(worker, page);
  const auto most = static_cast<std::uint32_t>(tolerance);
  return {facts_of(a.name_of(page), of_a), facts_of(b.name_of(page), of_b), most,
          compare_images(of_a.view(), of_b.view(), most)};
}

/// How many pairs there are of each kind.
struct PairCounts {
  std::uint64_t equal = 0;
  std::uint64_t different = 0;
  std::uint64_t only_in_a = 0;
};

struct Pair {
  ComparedFile a;
  std::optional<ComparedFile> b;  ///< none: only A has the file
};

class CompareJob final : public ImageJob {
 public:
  CompareJob(const Arguments& arguments, const GlobalOptions& globals, std::vector<FilePair> pairs)
      : arguments_(arguments), globals_(globals) {
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
  void check_name(const std::string& /*output*/) const override {}
  [[nodiscard]] bool may_print() const override { return true; }
  [[nodiscard]] std::string ending_for(const std::string& /*input*/) const override { return {}; }
  [[nodiscard]] bool merges() const override { return true; }
  /// The other image and its file, which are expected to be as large.
  [[nodiscard]] HeldBeside held_beside(const codecs::DeclaredImage& image,
                                       const std::string& /*output*/) const override {
    return {image.bytes_per_pixel, image.bytes_per_pixel};
  }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    const auto found = pairs_.find(paths.input);
    const Pair* files = found != pairs_.end() ? &found->second : nullptr;  // nullptr: new since the folders were read
    const std::uint32_t page = std::max(paths.page.number, 1U);
    if (files != nullptr && files->b && page > files->b->pages()) {
      files->b->refuse_if_lost();
    }
    if (files == nullptr || !files->b || page > files->b->pages()) {
      return [counts = counts_.get(), this, input = shown_input(paths)] {
        *text_ += unpaired_text(input, 'a');
        ++counts->only_in_a;
      };
    }
    auto pair = std::make_shared<const ComparedPair>(compared(worker, files->a, *files->b, page, arguments_.tolerance));
    const ComparedFile* last_of_b = page == files->a.pages() ? &*files->b : nullptr;
    return [counts = counts_.get(), this, pair, last_of_b] {
      *text_ += text_of(*pair);
      ++(pair->comparison.is_equal() ? counts->equal : counts->different);
      if (last_of_b != nullptr) {
        last_of_b->refuse_if_lost();  // no other page of A leads there
      }
    };
  }

  void finish(Worker& worker, const std::string& /*output*/) const override {
    if (globals_.json || globals_.verbosity != Verbosity::quiet) {
      worker.writer.save("-", [&] { return whole_text(); });
    }
  }

  [[nodiscard]] bool found_difference() const {
    return counts_->different + counts_->only_in_a + only_in_b_.size() > 0;
  }

 private:
  [[nodiscard]] std::string text_of(const ComparedPair& pair) const {
    if (globals_.json) {
      return comparison_json(pair, ComparisonJson::line);
    }
    const bool is_shown = !pair.comparison.is_equal() || globals_.verbosity == Verbosity::verbose;
    return is_shown ? comparison_line(pair) : "";
  }

  [[nodiscard]] std::string unpaired_text(const std::string& name, char side) const {
    return globals_.json ? unpaired_json(name, side)
                         : fmt::format("only in {}: {}\n", printable_name(side == 'a' ? arguments_.a : arguments_.b),
                                       printable_name(name));
  }

  [[nodiscard]] std::string whole_text() const {
    std::string text = *text_;
    for (const std::string& name : only_in_b_) {
      text += unpaired_text(name, 'b');
    }
    return globals_.json ? text : text + summary();
  }

  [[nodiscard]] std::string summary() const {
    return fmt::format("{} equal, {} different, {} only in {}, {} only in {}\n", grouped(counts_->equal),
                       grouped(counts_->different), grouped(counts_->only_in_a), printable_name(arguments_.a),
                       grouped(only_in_b_.size()), printable_name(arguments_.b));
  }

  /// Of pages that A has lost, nothing is known.
  void add_pages_only_in_b(const Pair& files) {
    for (std::uint32_t page = files.a.pages() + 1; !files.a.has_lost_pages() && page <= files.b->pages(); ++page) {
      only_in_b_.push_back(files.b->name_of(page));
    }
  }

  const Arguments& arguments_;
  const GlobalOptions& globals_;
  std::map<std::string, Pair> pairs_;   ///< by the path in A
  std::vector<std::string> only_in_b_;  ///< files, and pages of files that A has, too
  std::unique_ptr<PairCounts> counts_ = std::make_unique<PairCounts>();
  std::unique_ptr<std::string> text_ = std::make_unique<std::string>();  ///< of the pairs so far
};

std::vector<InputFile> files_in(const std::string& folder, const Arguments& arguments) {
  const FileFilter filter(arguments.files.include, arguments.files.exclude, codecs::input_endings());
  return gather_inputs({{folder}, {}, filter, {arguments.files.recursive, {}}}).files;
}

/// Pairs the files of two folders by name and runs the pairs as a batch. Each file of A is an item; its partner in B is
/// looked up. Throws Error for what ends the run as a whole.
ExitCode compare_folders(const Arguments& arguments, const CommandParser& parser, const GlobalOptions& globals) {
  GlobalOptions pagewise = globals;
  pagewise.all_pages = globals.page == 0;
  CompareJob job(arguments, globals, paired(files_in(arguments.a, arguments), files_in(arguments.b, arguments)));
  const ExitCode code = run_files(job, parser, arguments.files, pagewise, {{arguments.a}, "", false});
  return code == ExitCode::ok && job.found_difference() ? ExitCode::different : code;
}

constexpr int kMaxTolerance = 65535;

void check(const Arguments& arguments) {
  const std::string usage = "; see 'gpuimg compare --help'";
  if (arguments.a.empty() || arguments.b.empty()) {
    throw Error(ErrorKind::usage, "compare needs two names: images, or folders" + usage);
  }
  if (arguments.a == "-" && arguments.b == "-") {
    throw Error(ErrorKind::usage, "standard input holds one image; name a file for the other" + usage);
  }
  if (is_folder_name(arguments.a) != is_folder_name(arguments.b)) {
    const bool is_a = is_folder_name(arguments.a);
    throw Error(ErrorKind::usage, printable_name(is_a ? arguments.a : arguments.b) + " is a folder, but " +
                                      printable_name(is_a ? arguments.b : arguments.a) +
                                      " is not; name two folders, or two images");
  }
  if (arguments.tolerance < 0 || arguments.tolerance > kMaxTolerance) {
    throw Error(ErrorKind::usage, "--tolerance: " + std::to_string(arguments.tolerance) + " is not from 0 to " +
                                      std::to_string(kMaxTolerance));
  }
}

ComparedFile opened(Worker& worker, const std::string& name, const GlobalOptions& globals) {
  return {name, globals, name == "-" ? worker.loader.read_checked(name) : Bytes()};
}

/// Throws Error{decode} if pages of a file are lost.
ComparedFiles compared_pages(Worker& worker, const ComparedFile& a, const ComparedFile& b, int tolerance) {
  a.refuse_if_lost();
  b.refuse_if_lost();
  ComparedFiles files{a.name(), b.name(), a.pages(), b.pages(), static_cast<std::uint32_t>(tolerance), {}};
  for (std::uint32_t page = 1; page <= std::min(a.pages(), b.pages()); ++page) {
    files.pages.push_back(compared(worker, a, b, page, tolerance));
  }
  return files;
}

/// `json` and `text` give what is printed.
template <class Json, class Text>
void print(const GlobalOptions& globals, const Json& json, const Text& text) {
  try {
    if (globals.json) {
      write_text(json());
    } else if (globals.verbosity != Verbosity::quiet) {
      write_text(text());
    }
  } catch (const OutputClosed&) {  // the exit code tells the result too
  }
}

ExitCode compare_files(const Arguments& arguments, const GlobalOptions& globals) {
  expect_work(work_per_device({}, globals, 1, 2));
  Worker worker(globals);
  const ComparedFile a = opened(worker, arguments.a, globals);
  const ComparedFile b = opened(worker, arguments.b, globals);
  bool is_equal = false;
  if (a.is_single() && b.is_single()) {
    const ComparedPair pair = compared(worker, a, b, 1, arguments.tolerance);
    print(
        globals, [&] { return comparison_json(pair, ComparisonJson::block); }, [&] { return comparison_text(pair); });
    is_equal = pair.comparison.is_equal();
  } else {
    const ComparedFiles files = compared_pages(worker, a, b, arguments.tolerance);
    const bool shows_equal_pages = globals.verbosity == Verbosity::verbose;
    print(
        globals, [&] { return comparison_json(files); }, [&] { return comparison_text(files, shows_equal_pages); });
    is_equal = files.is_equal();
  }
  worker.print_times();
  return is_equal ? ExitCode::ok : ExitCode::different;
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  const auto name = [&](const char* as, const char* what, std::string& value) {
    parser.positional({.name = as, .description = what, .endings = codecs::readable_endings()}, value);
  };
  name("A", "an image or a folder; - is standard input", arguments->a);
  name("B", "another one", arguments->b);
  parser.number({"--tolerance", "differences of up to N levels count as equal [0]", "N"}, arguments->tolerance);
  add_folder_options(parser, arguments->files);
  add_pace_options(parser, arguments->files);
  return [arguments, &parser](const GlobalOptions& globals) {
    check(*arguments);
    if (is_folder_name(arguments->a)) {
      return compare_folders(*arguments, parser, globals);
    }
    note_folder_options(arguments->files, {arguments->a, arguments->b}, globals.verbosity);
    (void)checked(arguments->files);
    return compare_files(*arguments, globals);
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
