// Runs a batch over the files of folder A. Each is an item; its partner in folder B is looked up.
#include "commands/compare_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "batch/inputs.hpp"
#include "batch/session.hpp"
#include "codecs/codec.hpp"
#include "codecs/declared_image.hpp"
#include "codecs/refusals.hpp"
#include "engine/image_job.hpp"
#include "text/number_text.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

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

ImageFacts facts_of(const std::string& name, const Image& image) {
  return facts_of_image(name, image.width(), image.height(), image.format());
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
  CompareJob(const CompareArguments& arguments, const GlobalOptions& globals, std::vector<FilePair> pairs)
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

  InOrder run(CommandContext& context, const ItemPaths& paths) const override {
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
    auto pair =
        std::make_shared<const ComparedPair>(compared(context, files->a, *files->b, page, arguments_.tolerance));
    const ComparedFile* last_of_b = page == files->a.pages() ? &*files->b : nullptr;
    return [counts = counts_.get(), this, pair, last_of_b] {
      *text_ += text_of(*pair);
      ++(pair->comparison.is_equal() ? counts->equal : counts->different);
      if (last_of_b != nullptr) {
        last_of_b->refuse_if_lost();  // no other page of A leads there
      }
    };
  }

  void finish(CommandContext& context, const std::string& /*output*/) const override {
    if (globals_.json || globals_.verbosity != Verbosity::quiet) {
      context.save("-", [&] { return whole_text(); });
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

  const CompareArguments& arguments_;
  const GlobalOptions& globals_;
  std::map<std::string, Pair> pairs_;   ///< by the path in A
  std::vector<std::string> only_in_b_;  ///< files, and pages of files that A has, too
  std::unique_ptr<PairCounts> counts_ = std::make_unique<PairCounts>();
  std::unique_ptr<std::string> text_ = std::make_unique<std::string>();  ///< of the pairs so far
};

std::vector<InputFile> files_in(const std::string& folder, const CompareArguments& arguments) {
  const FileFilter filter(arguments.files.include, arguments.files.exclude, codecs::input_endings());
  return gather_inputs({{folder}, {}, filter, {arguments.files.recursive, {}}}).files;
}

}  // namespace

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

Image ComparedFile::page(CommandContext& context, std::uint32_t number) const {
  context.turn_to(only_page_ > 0 ? codecs::PageRef{only_page_}
                  : is_single()  ? codecs::PageRef{}
                                 : codecs::PageRef{number, pages_.places.at(number - 1)});
  return context.pixels_of(OperationInput(path_ == "-" ? context.decode(content_, path_) : context.load(path_)));
}

void ComparedFile::refuse_if_lost() const {
  if (has_lost_pages()) {
    codecs::refuse_lost_pages(printable_name(name_of(pages() + 1)), pages_.lost);
  }
}

ComparedPair compared(CommandContext& context, const ComparedFile& a, const ComparedFile& b, std::uint32_t page,
                      int tolerance) {
  const Image of_a = a.page(context, page);
  const Image of_b = b.page(context, page);
  const auto most = static_cast<std::uint32_t>(tolerance);
  return {facts_of(a.name_of(page), of_a), facts_of(b.name_of(page), of_b), most,
          compare_images(of_a.view(), of_b.view(), most)};
}

ExitCode compare_folders(const CompareArguments& arguments, const CommandParser& parser, const GlobalOptions& globals) {
  GlobalOptions pagewise = globals;
  pagewise.all_pages = globals.page == 0;
  CompareJob job(arguments, globals, paired(files_in(arguments.a, arguments), files_in(arguments.b, arguments)));
  const ExitCode code = run_files(job, parser, arguments.files, pagewise, {{arguments.a}, "", false});
  return code == ExitCode::ok && job.found_difference() ? ExitCode::different : code;
}

}  // namespace gpuimg
