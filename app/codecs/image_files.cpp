// Implements the public interface to image files, gpuimg/codecs.hpp: reads, decodes, carries metadata over, encodes and
// writes.
#include "gpuimg/codecs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "codecs/codec.hpp"
#include "codecs/file_header.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/metadata/metadata.hpp"
#include "gpuimg/ops/limits.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

/// Implements the public handle of a file's metadata.
class FileMetadata {
 public:
  codecs::Metadata metadata;
};

namespace codecs {
namespace {

constexpr Limits<int> kQualityLimits = {1, 100};

ReadOptions internal(const ReadFileOptions& options) {
  return {.max_pixels = options.max_pixels,
          .auto_orient = options.auto_orient,
          .page = {options.page},
          .lenient = options.lenient,
          .threads = options.threads};
}

ImageFile image_file(DecodedImage decoded) {
  auto metadata = std::make_shared<FileMetadata>();
  metadata->metadata = std::move(decoded.metadata);
  return {.image = std::move(decoded.image),
          .format = std::string(codec_of(decoded.file_format).name),
          .pages = decoded.pages,
          .metadata = std::move(metadata),
          .notes = std::move(decoded.notes)};
}

void check_number(const Limits<int>& limits, std::string_view what, int number) {
  if (!limits.hold(number)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} is out of range ({} to {})", what, number, limits.least, limits.most));
  }
}

/// The format that files with this extension are written in. If there is none, throws a message that begins with
/// `shown`.
FileFormat format_named(const std::string& extension, const std::string& shown) {
  for (const Codec& codec : codecs()) {
    for (const WrittenName& written : codec.written) {
      if (written.name == extension && !written.is_one_bit) {
        return codec.format;
      }
    }
  }
  std::string extensions;
  for (const Codec& codec : codecs()) {
    if (codec.is_written()) {
      extensions += fmt::format("{}.{}", extensions.empty() ? "" : ", ", codec.written.begin()->name);
    }
  }
  throw Error(ErrorKind::usage,
              fmt::format("{}: images are written as {}; change the extension, or name a format", shown, extensions));
}

/// Converts the public options, and keeps the metadata that the format can hold for these pixels.
WriteOptions internal(const WriteFileOptions& options, FileFormat format, PixelFormat pixels) {
  check_number(kQualityLimits, "quality", options.quality);
  WriteOptions all;
  all.png_level = options.png_level;
  all.jpeg_quality = options.quality;
  all.webp_quality = options.quality;
  all.webp_lossless = options.lossless;
  all.threads = options.threads;
  if (options.metadata != nullptr) {
    all.metadata = carried_metadata(options.metadata->metadata, format, pixels).metadata;
  }
  return all;
}

}  // namespace
}  // namespace codecs

ImageFile read_image_file(const std::string& path, const ReadFileOptions& options) {
  const codecs::ReadOptions all = codecs::internal(options);
  const auto wants = [](const codecs::DeclaredImage&, std::uint64_t) { return true; };
  if (path != "-") {
    if (std::optional<codecs::DecodedImage> decoded = codecs::decode_file(path, all, wants)) {
      return codecs::image_file(std::move(*decoded));
    }
  }
  const auto check = [&](std::span<const std::byte> beginning) {
    codecs::check_beginning(beginning, input_name(path));
  };
  const Bytes file = read_input(path, nullptr, check);
  return codecs::image_file(codecs::decode_image(file.span(), unescaped_input_name(path), all));
}

ImageFile decode_image_file(std::span<const std::byte> file, const std::string& name, const ReadFileOptions& options) {
  return codecs::image_file(codecs::decode_image(file, name, codecs::internal(options)));
}

ImageFileHeader read_image_file_header(const std::string& path, const ReadFileOptions& options) {
  const codecs::DeclaredImage declared = codecs::declared_image_in(path, {options.page});
  return {declared.width, declared.height, declared.decoded, declared.decoding_bytes()};
}

void write_image_file(ConstView pixels, const std::string& path, const WriteFileOptions& options) {
  const std::string shown = printable_name(path);
  const codecs::FileFormat format =
      codecs::format_named(options.format.empty() ? file_extension(path) : options.format, shown);
  const OverwriteRules rules = {.force = options.may_replace};
  check_output(path, "", rules);
  StagedOutput output(path, rules);
  codecs::encode_image(pixels, format, path, codecs::internal(options, format, pixels.format),
                       [&](std::span<const std::byte> part) { output.write(part); });
  output.finish();
  output.commit();
}

std::vector<std::byte> encode_image_file(ConstView pixels, const WriteFileOptions& options) {
  const std::string shown = "an image in memory";
  const codecs::FileFormat format = codecs::format_named(options.format, shown);
  return codecs::encode_image(pixels, format, shown, codecs::internal(options, format, pixels.format));
}

std::vector<std::string> written_extensions() {
  std::vector<std::string> extensions;
  for (const codecs::Codec& codec : codecs::codecs()) {
    for (const codecs::WrittenName& written : codec.written) {
      if (!written.is_one_bit) {
        extensions.emplace_back(written.name);
      }
    }
  }
  return extensions;
}

std::vector<std::string> read_extensions() { return codecs::readable_extensions(); }

}  // namespace gpuimg
