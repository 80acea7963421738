// gpuimg duplicates IN… [OUT]: finds groups of images that look alike, by perceptual hashes. With --table, writes a row
// for each image with its hashes. docs/cli.md, "duplicates".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "batch/batch_command.hpp"
#include "cli/option_values.hpp"
#include "cli/output_options.hpp"
#include "codecs/file_header.hpp"
#include "commands/commands.hpp"
#include "engine/image_job.hpp"
#include "report/image_hashes.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::duplicates {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg duplicates -r photos/                    groups of images that look alike\n"
    "  gpuimg duplicates -r photos/ groups.csv\n"
    "  gpuimg duplicates --distance 8 scan.png photo.jpg\n"
    "  gpuimg duplicates -r photos/ hashes.csv --table   a row for each image, with its hashes";

const NamedValues<HashKind> kHashNames = {
    {"phash", HashKind::phash, "low frequencies; finds scaled, compressed or brightened images"},
    {"dhash", HashKind::dhash, "whether each pixel is brighter than its neighbor"},
    {"ahash", HashKind::ahash, "whether each pixel is brighter than the average"}};

enum class Format : std::uint8_t { text, csv, jsonl };

const OutputFormats<Format> kFormats = {"a list of groups",
                                        {{"txt", Format::text, "a list to read", {"text"}},
                                         {"csv", Format::csv, "a row per image"},
                                         {"jsonl", Format::jsonl, "an object per image", {"json", "ndjson"}}},
                                        Format::text};

struct Arguments {
  BatchArguments files;
  std::string hash = name_of(HashKind::phash, kHashNames);
  int distance = 4;
  bool table = false;
  std::string format;
  bool json = false;  ///< the global --json: print JSON
};

Format format_of(const Arguments& arguments, const std::string& output) {
  const bool is_printed = output.empty() || is_untyped_stream(output);
  if (arguments.format.empty() && is_printed && (arguments.json || arguments.table)) {
    return arguments.json ? Format::jsonl : Format::csv;
  }
  return output_format(kFormats, arguments.format, output);
}

struct HashedImage {
  std::string name;
  int width = 0;
  int height = 0;
  std::array<std::uint64_t, kHashKinds.size()> hashes{};  ///< in the order of kHashKinds
};

/// The text about an image in a manifest: "640,480,8f373714acfcf4d0,…".
std::string kept_text(const HashedImage& image) {
  std::string text = fmt::format("{},{}", image.width, image.height);
  for (const std::uint64_t hash : image.hashes) {
    text += ',' + hash_text(hash);
  }
  return text;
}

/// Parses the text of kept_text(). Throws Error{decode} for any other text.
HashedImage image_kept(const std::string& name, const std::string& text) {
  HashedImage image;
  image.name = name;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool is_whole = true;
  const auto read = [&](auto& number, int base) {
    const auto [after, failure] = std::from_chars(at, end, number, base);
    is_whole = is_whole && failure == std::errc{};
    at = after < end && *after == ',' ? after + 1 : after;
  };
  read(image.width, 10);
  read(image.height, 10);
  for (std::uint64_t& hash : image.hashes) {
    read(hash, 16);
  }
  if (!is_whole || at != end) {
    throw Error(ErrorKind::decode,
                printable_name(name) + ": its hashes are missing from the manifest; run without --resume");
  }
  return image;
}

/// The group of an image, and its distance.
struct Membership {
  std::uint32_t group = 0;  ///< from 1; 0: in no group
  int distance = 0;         ///< to the first image of the group, in bits
};

class DuplicatesJob final : public ImageJob {
 public:
  explicit DuplicatesJob(const Arguments& arguments)
      : arguments_(arguments), kind_(value_named("--hash", arguments.hash, kHashNames)) {
    expect_within(kHashDistanceLimits, "--distance", arguments.distance);
  }

  void check_name(const std::string& output) const override { (void)format_of(arguments_, output); }
  void note_options(const std::string& output, Verbosity verbosity) const override {
    note_misleading_extension(kFormats, arguments_.format, output, verbosity);
    note_no_effect(arguments_.table && format_of(arguments_, output) == Format::text, "--table",
                   "text lists only groups; write .csv or .jsonl", verbosity);
  }
  [[nodiscard]] bool may_print() const override { return true; }
  [[nodiscard]] bool is_binary(const std::string& /*output*/) const override { return false; }
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override { return "csv"; }
  /// The memory of the gray image, and of the weights and rows for resizing it.
  [[nodiscard]] ExtraBytes extra_bytes(const codecs::DeclaredImage& image,
                                       const std::string& /*output*/) const override {
    constexpr std::uint64_t kOfRowOrColumn = 112;  // two growing tables of weights, and 16 samples
    ExtraBytes held = held_by_steps(image);
    const ImageShape hashed = shape_after_steps(image);
    const auto width = static_cast<std::uint64_t>(hashed.width);
    const auto height = static_cast<std::uint64_t>(hashed.height);
    const std::uint64_t pixels = std::max<std::uint64_t>(image.pixels(), 1);
    held.others += (width * height + pixels - 1) / pixels;
    held.sides = kOfRowOrColumn * (width + height);
    return held;
  }
  [[nodiscard]] bool merges() const override { return true; }
  /// Several names of one file count as one image.
  [[nodiscard]] bool adds_up() const override { return true; }
  [[nodiscard]] bool can_resume() const override { return true; }

  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    codecs::DecodedImage decoded = load(worker, paths);
    const ImageSteps::OfImage before = steps_.for_image(decoded, paths.input, worker);
    Image pixels = worker.executor.process(OperationInput(std::move(decoded)), before.steps);
    save_side_files(before, worker);
    const HashedImage image = hashed(worker, std::move(pixels), shown_input(paths));
    worker.report.keep_result(kept_text(image));
    return adding(image);
  }

  [[nodiscard]] InOrder again(const std::string& input, const std::string& result) const override {
    return adding(image_kept(input, result));
  }

  [[nodiscard]] bool has_merged() const override { return !images_->empty(); }
  void finish(Worker& worker, const std::string& output) const override {
    worker.writer.save(output.empty() ? "-" : output, [&] { return text_of(format_of(arguments_, output)); });
  }

 private:
  [[nodiscard]] InOrder adding(HashedImage image) const {
    return [images = images_.get(), image = std::make_shared<const HashedImage>(std::move(image))] {
      images->push_back(*image);
    };
  }

  /// Computes all hashes with --table, otherwise only the hash of --hash.
  [[nodiscard]] HashedImage hashed(Worker& worker, Image pixels, const std::string& name) const {
    HashedImage image{name, pixels.width(), pixels.height(), {}};
    Backend& cpu = worker.backends.cpu();
    const Picture gray = worker.report.times().measure(Phase::kernel, [&] {
      Image made = gray_for_hashes(pixels.view());
      pixels = Image();
      return cpu.upload(std::move(made));
    });
    for (std::size_t i = 0; i < kHashKinds.size(); ++i) {
      if (arguments_.table || kHashKinds[i] == kind_) {
        image.hashes[i] =
            worker.report.times().measure(Phase::kernel, [&] { return hash_of(cpu, gray, kHashKinds[i]); });
      }
    }
    return image;
  }

  static std::uint64_t hash_of(Backend& cpu, const Picture& gray, HashKind kind) {
    const ThumbnailSize size = thumbnail_size(kind);
    ResizeOptions options;
    options.width = size.width;
    options.height = size.height;
    options.fit = ResizeFit::stretch;
    options.filter = ResizeFilter::lanczos;
    return image_hash(kind, cpu.download(cpu.apply(gray, options)).view());
  }

  [[nodiscard]] std::uint64_t hash_of(std::size_t image) const {
    const auto place =
        static_cast<std::size_t>(std::find(kHashKinds.begin(), kHashKinds.end(), kind_) - kHashKinds.begin());
    return (*images_)[image].hashes[place];
  }

  using Groups = std::vector<std::vector<std::uint32_t>>;

  [[nodiscard]] Groups groups() const {
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < images_->size(); ++i) {
      hashes.push_back(hash_of(i));
    }
    return groups_of_near_hashes(hashes, arguments_.distance);
  }

  [[nodiscard]] Membership membership(std::size_t group, const std::vector<std::uint32_t>& members,
                                      std::uint32_t image) const {
    return {static_cast<std::uint32_t>(group + 1), std::popcount(hash_of(image) ^ hash_of(members.front()))};
  }

  [[nodiscard]] std::string text_of(Format format) const {
    const Groups all = groups();
    if (format == Format::text) {
      return plain_text(all);
    }
    std::string text = format == Format::csv ? header() : "";
    if (arguments_.table) {
      std::vector<Membership> places(images_->size());
      for (std::size_t group = 0; group < all.size(); ++group) {
        for (const std::uint32_t image : all[group]) {
          places[image] = membership(group, all[group], image);
        }
      }
      for (std::size_t image = 0; image < images_->size(); ++image) {
        text += row(format, (*images_)[image], places[image]);
      }
      return text;
    }
    for (std::size_t group = 0; group < all.size(); ++group) {
      for (const std::uint32_t image : all[group]) {
        text += row(format, (*images_)[image], membership(group, all[group], image));
      }
    }
    return text;
  }

  [[nodiscard]] std::string plain_text(const Groups& all) const {
    std::string text;
    std::size_t members = 0;
    for (std::size_t group = 0; group < all.size(); ++group) {
      text += fmt::format("group {}\n", group + 1);
      members += all[group].size();
      for (const std::uint32_t image : all[group]) {
        const std::string name = input_name((*images_)[image].name);
        text += fmt::format("  {:>2}  {}\n", membership(group, all[group], image).distance, name);
      }
    }
    return text + fmt::format("{} group{} of {} images, among {}\n", grouped(all.size()), all.size() == 1 ? "" : "s",
                              grouped(members), grouped(images_->size()));
  }

  [[nodiscard]] std::string header() const {
    std::string line = "group,distance,name,width,height";
    for (const HashKind kind : kHashKinds) {
      line += arguments_.table ? ',' + name_of(kind, kHashNames) : "";
    }
    return line + '\n';
  }

  [[nodiscard]] std::string row(Format format, const HashedImage& image, const Membership& place) const {
    if (format == Format::jsonl) {
      return json_row(image, place);
    }
    std::string line = place.group == 0 ? "," : fmt::format("{},{}", place.group, place.distance);
    line += fmt::format(",{},{},{}", csv_cell(image.name), image.width, image.height);
    for (const std::uint64_t hash : image.hashes) {
      line += arguments_.table ? ',' + hash_text(hash) : "";
    }
    return line + '\n';
  }

  [[nodiscard]] std::string json_row(const HashedImage& image, const Membership& place) const {
    JsonWriter json;
    json.begin_object(JsonWriter::Layout::line);
    if (place.group == 0) {
      json.key("group").null().key("distance").null();
    } else {
      json.key("group").integer(place.group).key("distance").integer(static_cast<std::uint64_t>(place.distance));
    }
    json.name("name", image.name);
    json.key("width").integer(static_cast<std::uint64_t>(image.width));
    json.key("height").integer(static_cast<std::uint64_t>(image.height));
    for (std::size_t i = 0; arguments_.table && i < kHashKinds.size(); ++i) {
      json.key(name_of(kHashKinds[i], kHashNames)).text(hash_text(image.hashes[i]));
    }
    return json.end().take();
  }

  const Arguments& arguments_;
  HashKind kind_;
  std::unique_ptr<std::vector<HashedImage>> images_ = std::make_unique<std::vector<HashedImage>>();
};

/// True if the last name is an input rather than OUT: a folder, or a file with the extension or content of an image or
/// an archive.
bool is_input(const std::string& name) {
  if (is_stream(name) || kFormats.find(file_extension(name)) != nullptr) {
    return false;
  }
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(name, failed);
  return std::filesystem::is_directory(status) ||
         (std::filesystem::is_regular_file(status) &&
          (codecs::is_image_extension(file_extension(name)) || !codecs::binary_format_of(name).empty()));
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<Arguments>();
  add_batch_options(
      parser, arguments->files,
      {.input = "images and folders; - is standard input",
       .output = "a .txt, .csv or .jsonl file; - is standard output; without OUT, or if the last name is that of an "
                 "image or a folder, the groups are printed",
       .output_usage = "[OUT]"});
  parser.text({"--hash", with_choices("what is compared", kHashNames, arguments->hash), "NAME"}, arguments->hash);
  parser.number({.names = "--distance",
                 .description = fmt::format("images are alike if up to N of 64 hash bits differ, 0 to 16 [{}]",
                                            arguments->distance),
                 .type_name = "N",
                 .is_of_end = true},
                arguments->distance);
  parser.flag({"--table", "write a row for every image, with all hashes, not only for images that are alike"},
              arguments->table);
  add_format_option(
      parser, arguments->format,
      with_choices("format of the output", kFormats.names, "by the extension of OUT; txt for -, with --table csv"));
  parser.declare_step();
  return [arguments, &parser](const GlobalOptions& globals) {
    arguments->json = globals.json;
    const std::vector<std::string>& paths = arguments->files.paths;
    arguments->files.all_are_inputs = !paths.empty() && is_input(paths.back());
    DuplicatesJob job(*arguments);
    return run_job(job, parser, arguments->files, globals);
  };
}

}  // namespace
}  // namespace gpuimg::commands::duplicates

namespace gpuimg {

Command duplicates_command() {
  return {"duplicates", "find images that look alike", commands::duplicates::kExamples, commands::duplicates::declare};
}

}  // namespace gpuimg
