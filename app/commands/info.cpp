// gpuimg info FILE…: prints the headers of files without decoding. docs/cli.md, "info".
// Prints words for people and keys for programs. Format-specific properties are stored as HeaderFacts, which this file
// does not list.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "batch/batch_command.hpp"
#include "batch/inputs.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/icc.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"
#include "orientation.hpp"
#include "text/json.hpp"
#include "text/number_text.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::commands::info {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg info photo.jpg\n"
    "  gpuimg info -r photos/                         one line per file\n"
    "  gpuimg info --json photo.jpg | jq .upright_width\n"
    "  cat photo.jpg | gpuimg info -";

using codecs::DeclaredImage;
using codecs::DensityUnit;
using codecs::FileHeader;
using codecs::HeaderFact;
using codecs::Metadata;

/// What decoding does for each EXIF orientation.
constexpr std::array<std::string_view, 9> kTurns = {"",
                                                    "upright",
                                                    "mirrored left to right",
                                                    "turned by 180 degrees",
                                                    "mirrored top to bottom",
                                                    "transposed",
                                                    "turned clockwise",
                                                    "transposed and turned by 180 degrees",
                                                    "turned counterclockwise"};

struct Size {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
};

int shown_orientation(const FileHeader& header) {
  return codecs::applied_orientation(header.metadata.exif, header.image.is_upright);
}

Size upright_size(const FileHeader& header, int orientation) {
  const Size stored{header.image.width, header.image.height};
  return swaps_sides(orientation) ? Size{stored.height, stored.width} : stored;
}

std::string_view unit_name(DensityUnit unit) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "inch", "centimeter", "meter"};
  return kNames.at(static_cast<std::size_t>(unit));
}

/// A whole number, or a decimal number of up to nine digits.
std::string ratio_text(const codecs::Ratio& ratio) {
  return ratio.denominator == 1 ? std::to_string(ratio.numerator) : fmt::format("{:.9g}", ratio.value());
}

/// "u8", "f64" and so on.
std::string sample_text(Sample sample) {
  const bool is_float = sample == Sample::f32 || sample == Sample::f64;
  return fmt::format("{}{}", is_float ? 'f' : 'u', 8 * sample_bytes(sample));
}

/// "8-bit RGB with alpha", "4-bit palette of 16".
std::string color_text(const DeclaredImage& image) {
  const std::string of = image.palette_colors > 0 ? fmt::format(" of {}", image.palette_colors) : "";
  const std::string_view alpha = image.may_add_alpha         ? " with alpha if used"
                                 : image.decoded.has_alpha() ? " with alpha"
                                                             : "";
  return fmt::format("{}-bit {}{}{}", image.bits, image.color, of, alpha);
}

/// "1 channel of u16; levels 0 to 4095 are scaled to 0 to 65535".
std::string decoded_text(const DeclaredImage& image) {
  const std::string scaling = image.scaled_from > 0 ? fmt::format("; levels 0 to {} are scaled to 0 to {}",
                                                                  image.scaled_from, image.decoded.max_value())
                                                    : "";
  return fmt::format("{}{} channel{} of {}{}", image.decoded.channels,
                     image.may_add_alpha ? fmt::format(" or {}", image.decoded.channels + 1) : "",
                     image.decoded.channels == 1 ? "" : "s", sample_text(image.decoded.sample), scaling);
}

/// The color space of a profile: "RGB", "GRAY".
std::string profile_space(codecs::ByteSpan profile) {
  const std::uint32_t signature = codecs::icc_color_space(profile);
  std::string letters;
  for (int shift = 24; shift >= 0; shift -= 8) {
    letters += static_cast<char>(signature >> shift & 0xFFU);
  }
  return printable_name(letters.substr(0, letters.find_last_not_of(' ') + 1));
}

std::string spaced(std::string_view key) {
  std::string label(key);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

using Row = std::pair<std::string, std::string>;

struct FactText {
  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(const std::string& value) const { return value; }
};

void add_metadata_rows(const FileHeader& header, std::vector<Row>& rows) {
  const Metadata& metadata = header.metadata;
  const auto add_bytes = [&](const char* label, std::size_t bytes) {
    if (bytes > 0) {
      rows.emplace_back(label, grouped(bytes) + " bytes");
    }
  };
  if (!metadata.icc.empty()) {
    const std::string name = codecs::icc_description(metadata.icc);
    rows.emplace_back("ICC profile", fmt::format("{}, {}, {} bytes", name.empty() ? "without a name" : name,
                                                 profile_space(metadata.icc), grouped(metadata.icc.size())));
  } else if (const std::string space = codecs::foreign_color_space(metadata); !space.empty()) {
    rows.emplace_back("color space", space);
  }
  add_bytes("EXIF", header.exif_bytes);
  add_bytes("XMP", metadata.xmp.size() + metadata.xmp_extension.size());
  add_bytes("IPTC", metadata.iptc.size());
  add_bytes("GeoTIFF", metadata.geotiff.size());
  add_bytes("ImageJ", metadata.imagej.size());
  if (metadata.density) {
    const auto& [x, y, unit] = *metadata.density;
    rows.emplace_back("density", unit == DensityUnit::none
                                     ? fmt::format("{}:{}", ratio_text(x), ratio_text(y))
                                     : fmt::format("{} x {} per {}", ratio_text(x), ratio_text(y), unit_name(unit)));
  }
  if (!metadata.not_kept.empty()) {
    rows.emplace_back("also", fmt::format("{}", fmt::join(metadata.not_kept, ", ")));
  }
}

std::vector<Row> rows_of(const std::string& name, const FileHeader& header) {
  const DeclaredImage& image = header.image;
  std::vector<Row> rows = {{"file", input_name(name)}, {"format", std::string(header.format)}};
  if (header.file_bytes) {
    rows.emplace_back("file size", grouped(*header.file_bytes) + " bytes");
  }
  rows.emplace_back("size", fmt::format("{}x{}", image.width, image.height));
  const int orientation = shown_orientation(header);
  if (orientation != 1) {
    const Size upright = upright_size(header, orientation);
    rows.emplace_back("orientation", fmt::format("{}: read as {}x{}, {}", orientation, upright.width, upright.height,
                                                 kTurns.at(static_cast<std::size_t>(orientation))));
  }
  rows.emplace_back("stored", color_text(image));
  rows.emplace_back("decoded", decoded_text(image));
  for (const HeaderFact& fact : image.facts) {
    rows.emplace_back(spaced(fact.key), std::visit(FactText(), fact.value));
  }
  if (!header.damage.empty()) {
    rows.emplace_back("damaged", header.damage);
  }
  add_metadata_rows(header, rows);
  rows.emplace_back("memory", grouped(image.decoding_bytes()) + " bytes to decode it");
  return rows;
}

/// Adds the facts that fit on a line: words, true flags, and the number of pages or images if there are several.
void add_brief_facts(const DeclaredImage& image, std::string& line) {
  for (const HeaderFact& fact : image.facts) {
    const auto* count = std::get_if<std::uint64_t>(&fact.value);
    if (count != nullptr && *count > 1 && (fact.key == "pages" || fact.key == "images")) {
      line += fmt::format(", {} {}", *count, fact.key);
    }
    if (const auto* words = std::get_if<std::string>(&fact.value)) {
      line += ", " + *words;
    } else if (const auto* is_so = std::get_if<bool>(&fact.value); is_so != nullptr && *is_so) {
      line += ", " + spaced(fact.key);
    }
  }
}

void write_fact(const HeaderFact& fact, JsonWriter& json) {
  json.key(fact.key);
  if (const auto* words = std::get_if<std::string>(&fact.value)) {
    json.text(*words);
  } else if (const auto* number = std::get_if<std::uint64_t>(&fact.value)) {
    json.integer(*number);
  } else {
    json.boolean(std::get<bool>(fact.value));
  }
}

void write_size(const FileHeader& header, JsonWriter& json) {
  const int orientation = shown_orientation(header);
  const Size upright = upright_size(header, orientation);
  json.key("width").integer(header.image.width).key("height").integer(header.image.height);
  json.key("orientation").integer(static_cast<std::uint64_t>(orientation));
  json.key("upright_width").integer(upright.width).key("upright_height").integer(upright.height);
}

void write_pixels(const DeclaredImage& image, JsonWriter& json) {
  json.key("color").text(image.color).key("bit_depth").integer(static_cast<std::uint64_t>(image.bits));
  json.key("palette_colors").integer(static_cast<std::uint64_t>(image.palette_colors));
  json.key("sample").text(sample_text(image.decoded.sample));
  json.key("channels").integer(static_cast<std::uint64_t>(image.decoded.channels));
  json.key("alpha");
  if (image.may_add_alpha) {
    json.null();
  } else {
    json.boolean(image.decoded.has_alpha());
  }
  json.key("scaled_from");
  if (image.scaled_from > 0) {
    json.integer(image.scaled_from);
  } else {
    json.null();
  }
}

void write_profile(const Metadata& metadata, JsonWriter& json) {
  json.key("icc_profile");
  if (metadata.icc.empty()) {
    json.null();
  } else {
    json.begin_object(JsonWriter::Layout::line);
    json.key("name").text(codecs::icc_description(metadata.icc));
    json.key("color_space").text(profile_space(metadata.icc));
    json.key("bytes").integer(metadata.icc.size()).end();
  }
  json.key("color_space");
  const std::string space = codecs::foreign_color_space(metadata);
  if (space.empty()) {
    json.null();
  } else {
    json.text(space);
  }
}

void write_metadata(const FileHeader& header, JsonWriter& json) {
  const Metadata& metadata = header.metadata;
  write_profile(metadata, json);
  json.key("exif_bytes").integer(header.exif_bytes);
  json.key("xmp_bytes").integer(metadata.xmp.size() + metadata.xmp_extension.size());
  json.key("iptc_bytes").integer(metadata.iptc.size());
  json.key("density");
  if (metadata.density) {
    json.begin_object(JsonWriter::Layout::line);
    json.key("x").literal(ratio_text(metadata.density->x)).key("y").literal(ratio_text(metadata.density->y));
    json.key("unit").text(unit_name(metadata.density->unit)).end();
  } else {
    json.null();
  }
  json.key("also").begin_array(JsonWriter::Layout::line);
  for (const std::string& other : metadata.not_kept) {
    json.text(other);
  }
  json.end();
}

// The functions below take the file's name as given, and print "-" as standard input.

/// A line for each property: "size:   5120x2880".
std::string info_text(const std::string& name, const FileHeader& header) {
  const std::vector<Row> rows = rows_of(name, header);
  std::size_t widest = 0;
  for (const Row& row : rows) {
    widest = std::max(widest, row.first.size());
  }
  std::string text;
  for (const auto& [label, value] : rows) {
    text += fmt::format("{:<{}}  {}\n", label + ':', widest + 1, value);
  }
  return text;
}

/// One line with the most important properties.
std::string info_line(const std::string& name, const FileHeader& header) {
  std::string line = fmt::format("{}: {} {}x{}, {}", input_name(name), header.format, header.image.width,
                                 header.image.height, color_text(header.image));
  add_brief_facts(header.image, line);
  const Metadata& metadata = header.metadata;
  if (const int orientation = shown_orientation(header); orientation != 1) {
    line += fmt::format(", orientation {}", orientation);
  }
  if (!metadata.icc.empty()) {
    const std::string profile = codecs::icc_description(metadata.icc);
    line += profile.empty() ? ", ICC profile" : ", ICC profile '" + profile + "'";
  } else if (const std::string space = codecs::foreign_color_space(metadata); !space.empty()) {
    line += ", " + space;
  }
  for (const auto& [label, is_present] :
       {std::pair("EXIF", header.exif_bytes > 0), {"XMP", !metadata.xmp.empty()}, {"IPTC", !metadata.iptc.empty()}}) {
    line += is_present ? std::string(", ") + label : "";
  }
  line += header.damage.empty() ? "" : ", damaged";
  return line + '\n';
}

enum class InfoJson { block, line };

/// An object, indented or on one line.
std::string info_json(const std::string& name, const FileHeader& header, InfoJson layout) {
  JsonWriter json;
  json.begin_object(layout == InfoJson::line ? JsonWriter::Layout::line : JsonWriter::Layout::block);
  json.key("file").text(name).key("format").text(header.format).key("file_bytes");
  if (header.file_bytes) {
    json.integer(*header.file_bytes);
  } else {
    json.null();
  }
  write_size(header, json);
  write_pixels(header.image, json);
  for (const HeaderFact& fact : header.image.facts) {
    write_fact(fact, json);
  }
  if (!header.damage.empty()) {
    json.key("damage").text(header.damage);
  }
  write_metadata(header, json);
  json.key("decoding_bytes").integer(header.image.decoding_bytes());
  json.end();
  return json.take();
}

struct Files {
  std::vector<std::string> names;
  bool are_many = false;  ///< a folder, a list, or several names: print one line per file
};

/// The files in the order given; files of a folder are sorted. A missing file fails later, when it is read.
Files files_of(const InputArguments& arguments, Verbosity verbosity) {
  const FileFilter filter(arguments.include, arguments.exclude, codecs::input_extensions());
  Files files;
  for (const std::string& path : arguments.paths) {
    if (!is_folder_name(path)) {
      files.names.push_back(path);
      continue;
    }
    const GatheredInputs gathered = gather_inputs({{path}, {}, filter, {arguments.recursive, {}}});
    for (const std::string& note : gathered.notes) {
      print_note(verbosity, note);
    }
    for (const InputFile& file : gathered.files) {
      files.names.push_back(file.path);
    }
    files.are_many = true;
  }
  for (std::string& listed : listed_files(arguments)) {
    files.names.push_back(listed == "-" ? "./-" : std::move(listed));
    files.are_many = true;
  }
  files.are_many = files.are_many || files.names.size() > 1;
  return files;
}

/// Prints the properties of a file, as far as its header can be read; returns false if the file is damaged.
bool show(const std::string& name, bool is_one_of_many, const GlobalOptions& globals) {
  const codecs::FileHeader header = codecs::read_file_header(name, {globals.page});
  for (const std::string& detail : header.details) {
    print_detail(globals.verbosity, printable_name(name) + ": " + detail);
  }
  if (globals.json) {
    write_text(info_json(name, header, is_one_of_many ? InfoJson::line : InfoJson::block));
  } else {
    write_text(is_one_of_many ? info_line(name, header) : info_text(name, header));
  }
  if (!header.damage.empty()) {
    print_error(fmt::format("{}: file is damaged: {}; download or copy it again", input_name(name), header.damage));
  }
  return header.damage.empty();
}

/// Like show(), but also returns false if the file cannot be read, so that the other files are printed too. Throws only
/// if the output cannot be written.
bool shows_one_of_many(const std::string& name, const GlobalOptions& globals) {
  try {
    return show(name, true, globals);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::write) {
      throw;
    }
    print_error(error.what());
    return false;
  }
}

ExitCode run(const InputArguments& arguments, const GlobalOptions& globals) {
  check(arguments);
  reject_all_pages(globals);
  if (arguments.paths.empty() && arguments.files_from.empty()) {
    throw Error(ErrorKind::usage,
                "FILE is missing: name an image or a folder, or - for standard input; see 'gpuimg info --help'");
  }
  note_folder_options(arguments, arguments.paths, globals.verbosity);
  const Files files = files_of(arguments, globals.verbosity);
  if (!files.are_many) {
    return show(files.names.front(), false, globals) ? ExitCode::ok : ExitCode::some_failed;
  }
  bool all_are_good = true;
  for (const std::string& name : files.names) {
    all_are_good = shows_one_of_many(name, globals) && all_are_good;
  }
  return all_are_good ? ExitCode::ok : ExitCode::some_failed;
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<InputArguments>();
  parser.positionals({.name = "FILE",
                      .description = "images, .npy tables and folders; - is standard input",
                      .usage = "FILE...",
                      .extensions = codecs::readable_extensions()},
                     arguments->paths);
  add_input_options(parser, *arguments);
  return [arguments](const GlobalOptions& globals) { return run(*arguments, globals); };
}

}  // namespace
}  // namespace gpuimg::commands::info

namespace gpuimg {

Command info_command() {
  return {"info", "print format, size, depth, profile and metadata, without decoding", commands::info::kExamples,
          commands::info::declare};
}

}  // namespace gpuimg
