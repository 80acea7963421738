// Runs a batch over the files of folder A. Each is an item; its partner in folder B is looked up.
#include "commands/compare_folders.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "batch/batch_session.hpp"
#include "batch/input_files.hpp"
#include "codecs/codec.hpp"
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

/// The pixels on the host, by way of the backend: it decodes the file if it can, and --verify checks that.
Image pixels_of(CommandContext& context, const std::string& path) {
  return context.pixels_of(OperationInput(context.load(path)));
}

/// How many pairs there are of each kind.
struct PairCounts {
  std::uint64_t equal = 0;
  std::uint64_t different = 0;
  std::uint64_t only_in_a = 0;
};

class CompareJob final : public ImageJob {
 public:
  CompareJob(const CompareArguments& arguments, const GlobalOptions& globals, std::vector<FilePair> pairs)
      : arguments_(arguments), globals_(globals) {
    for (FilePair& pair : pairs) {
      if (pair.a.empty()) {
        only_in_b_.push_back(std::move(pair.b));
      } else {
        partners_.emplace(std::move(pair.a), std::move(pair.b));
      }
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
    const auto found = partners_.find(paths.input);
    if (found == partners_.end() || found->second.empty()) {  // new since the folders were read
      return [counts = counts_.get(), this, input = paths.input] {
        *text_ += unpaired_text(input, 'a');
        ++counts->only_in_a;
      };
    }
    auto pair =
        std::make_shared<const ComparedPair>(compared(context, {paths.input, found->second}, arguments_.tolerance));
    return [counts = counts_.get(), this, pair] {
      *text_ += text_of(*pair);
      ++(pair->comparison.is_equal() ? counts->equal : counts->different);
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

  const CompareArguments& arguments_;
  const GlobalOptions& globals_;
  std::map<std::string, std::string> partners_;  ///< in B, by the path in A; empty: none
  std::vector<std::string> only_in_b_;
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

ComparedPair compared(CommandContext& context, const FilePair& pair, int tolerance) {
  const Image a = pixels_of(context, pair.a);
  const Image b = pixels_of(context, pair.b);
  const auto most = static_cast<std::uint32_t>(tolerance);
  return {facts_of(pair.a, a), facts_of(pair.b, b), most, compare_images(a.view(), b.view(), most)};
}

ExitCode compare_folders(const CompareArguments& arguments, const CommandParser& parser, const GlobalOptions& globals) {
  CompareJob job(arguments, globals, paired(files_in(arguments.a, arguments), files_in(arguments.b, arguments)));
  const ExitCode code = BatchSession(job, parser, arguments.files, globals).run({{arguments.a}, "", false});
  return code == ExitCode::ok && job.found_difference() ? ExitCode::different : code;
}

}  // namespace gpuimg
