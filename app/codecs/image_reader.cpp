// Detects the format, calls its reader, and turns the image upright.
#include "codecs/image_reader.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "codecs/file_header.hpp"
#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/metadata.hpp"
#include "codecs/metadata/xmp.hpp"
#include "codecs/rejections.hpp"
#include "io/input_file.hpp"
#include "orientation.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

/// Opening a file by rows takes 0.08 ms longer than reading a small file whole. For a file of at least this size,
/// reading by rows saves at least ten times that.
constexpr std::uint64_t kLeastBytesForRows = std::uint64_t{1} << 20;

/// Marks the pixels as upright in EXIF data and XMP. Leaves out metadata that cannot be changed.
void say_upright(DecodedImage& decoded) {
  Metadata& metadata = decoded.metadata;
  reset_orientation(metadata.exif);
  if (unlink_thumbnail(metadata.exif)) {
    decoded.details.emplace_back("its EXIF thumbnail is not turned and is left out");
  }
  for (const auto& [tags, name] : {std::pair(&metadata.geotiff, kGeotiffName), {&metadata.imagej, kImagejName}}) {
    if (!tags->empty()) {
      tags->clear();
      decoded.details.push_back(fmt::format("its {} is for the image before it is turned and is left out", name));
    }
  }
  if (!reset_xmp_orientation(metadata.xmp)) {
    metadata.xmp.clear();
    metadata.xmp_extension.clear();
    decoded.details.emplace_back("its XMP has an orientation that cannot be reset and is left out");
  }
  if (mentions_xmp_orientation(metadata.xmp_extension)) {
    metadata.xmp_extension.clear();
    blank_xmp_extension(metadata.xmp);
    decoded.details.emplace_back("its extended XMP has an orientation that cannot be reset and is left out");
  }
}

/// Applies the EXIF orientation to the pixels, and resets it in the metadata.
void turn_upright(DecodedImage& decoded) {
  if (exif_orientation(decoded.metadata.exif) == 1) {
    return;
  }
  const int orientation = applied_orientation(decoded.metadata.exif, decoded.is_upright);
  if (!decoded.picture) {  // a backend has already turned its Picture
    decoded.image = apply_orientation(std::move(decoded.image), orientation);
  }
  say_upright(decoded);
  if (decoded.metadata.density && swaps_sides(orientation)) {
    std::swap(decoded.metadata.density->x, decoded.metadata.density->y);
  }
  if (decoded.source_encoding && swaps_sides(orientation)) {
    decoded.source_encoding = decoded.source_encoding->transposed();
  }
}

/// Makes the returned file keep `source` alive.
RandomAccess kept_with(const std::shared_ptr<const void>& source, RandomAccess file) {
  file.read = [source, read = std::move(file.read)](std::uint64_t offset, std::span<std::byte> to) {
    return read(offset, to);
  };
  return file;
}

/// Reports that sample values were scaled, for users who need the file's original numbers.
void tell_scaling(DecodedImage& decoded, const Codec& codec) {
  if (decoded.scaled_from > 0) {
    (codec.holds_measurements ? decoded.notes : decoded.details)
        .push_back(fmt::format("{}: its levels 0 to {} are scaled to 0 to {}", codec.name, decoded.scaled_from,
                               decoded.format().max_value()));
  }
}

DecodedImage finished(DecodedImage decoded, const Codec& codec, const ReadOptions& options) {
  decoded.file_format = codec.format;
  tell_scaling(decoded, codec);
  complete_density(decoded.metadata);
  if (options.auto_orient || decoded.is_upright) {
    turn_upright(decoded);
  }
  return decoded;
}

/// Opens the image for reading by rows. Returns nullopt if its rows would have to be rotated.
std::optional<DecodedImage> opened(const Codec& codec, const RandomAccess& file, const std::string& shown,
                                   const ReadOptions& options) {
  std::optional<DecodedImage> image = codec.open_rows(file, shown, options);
  const bool is_turned = image && options.auto_orient && exif_orientation(image->metadata.exif) != 1;
  return image && !is_turned ? std::optional(finished(std::move(*image), codec, options)) : std::nullopt;
}

/// False if `options` ask for a later page of a format that has no pages.
bool may_open(const Codec& codec, const ReadOptions& options) {
  return codec.open_rows != nullptr && (codec.paged != nullptr || options.page.number <= 1);
}

/// Returns nullopt if open() rejects the file: the decoder of the whole file then reports the error.
template <class Open>
std::optional<DecodedImage> opened_or_not(const Open& open) {
  try {
    return open();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::out_of_memory) {
      throw;
    }
    return std::nullopt;
  }
}

/// Like open_image_rows, for an input whose format has been detected.
std::optional<DecodedImage> opened_input(const std::shared_ptr<PartialInput>& input, const Codec& codec,
                                         const std::string& path, const ReadOptions& options, const WantsRows& wants) {
  return opened_or_not([&]() -> std::optional<DecodedImage> {
    if (!may_open(codec, options) || !input->file_bytes()) {
      return std::nullopt;
    }
    const RandomAccess file = kept_with(input, input->random_access());
    const std::string shown = printable_name(path, options.page.number);
    const DeclaredImage declared = codec.paged == nullptr ? declared_image_in(*input, codec, shown)
                                                          : codec.paged->declared(file, shown, options.page);
    return wants(declared, file.size) ? opened(codec, file, shown, options) : std::nullopt;
  });
}

/// Decodes an image by rows. Returns nullopt if the rows turn out to be damaged or unusual.
std::optional<DecodedImage> decoded_by_rows(std::optional<DecodedImage> opened, const ReadOptions& options) {
  if (!opened) {
    return std::nullopt;
  }
  const auto new_rows = [&](int rows) { return options.image(opened->width(), rows, opened->format()); };
  Image image;
  const BandOutput whole{opened->height(), new_rows, [&](RowBand band) { image = std::move(band.rows); }};
  if (!opened->rows->read(whole, RowReader::Order::top_down)) {
    return std::nullopt;
  }
  opened->image = std::move(image);
  opened->rows.reset();
  return opened;
}

}  // namespace

DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const std::string shown = input_name(name);
  const Codec& codec = detected_codec(bytes, shown);
  if (codec.paged == nullptr) {
    check_only_page(printable_name(shown, options.page.number), options.page);
    return finished(codec.decode(bytes, shown, options), codec, options);
  }
  return finished(codec.decode(bytes, printable_name(shown, options.page.number), options), codec, options);
}

std::optional<DescribedImage> describe_image(std::span<const std::byte> bytes, const std::string& name,
                                             const ReadOptions& options) {
  const std::string shown = input_name(name);
  const Codec& codec = detected_codec(bytes, shown);
  if (codec.describe == nullptr) {
    return std::nullopt;
  }
  check_only_page(printable_name(shown, options.page.number), options.page);
  std::optional<DescribedImage> described = codec.describe(bytes, shown, options);
  if (described) {
    described->rest.file_format = codec.format;
  }
  return described;
}

DecodedImage described_image(DescribedImage described, Picture pixels, const ReadOptions& options) {
  DecodedImage decoded = std::move(described.rest);
  decoded.picture = std::move(pixels);
  if (described.complete) {
    described.complete(decoded);
  }
  return finished(std::move(decoded), codec_of(decoded.file_format), options);
}

std::optional<DecodedImage> decode_file(const std::string& path, const ReadOptions& options, const WantsRows& wants) {
  const auto input = std::make_shared<PartialInput>(path);
  const Codec& codec = detected_codec_of(*input, printable_name(path));
  if (codec.is_decoded_by_rows && input->file_bytes() >= kLeastBytesForRows) {
    return decoded_by_rows(opened_input(input, codec, path, options, wants), options);
  }
  if (codec.paged == nullptr || !input->file_bytes()) {
    return std::nullopt;
  }
  const RandomAccess file = input->random_access();
  const std::string shown = printable_name(path, options.page.number);
  if (!wants(codec.paged->declared(file, shown, options.page), *input->file_bytes())) {
    return std::nullopt;
  }
  return finished(codec.paged->decode(file, shown, options), codec, options);
}

std::optional<DecodedImage> open_image_rows(const std::string& path, const ReadOptions& options,
                                            const WantsRows& wants) {
  return opened_or_not([&]() -> std::optional<DecodedImage> {
    const auto input = std::make_shared<PartialInput>(path);
    return opened_input(input, detected_codec_of(*input, printable_name(path)), path, options, wants);
  });
}

std::optional<DecodedImage> open_image_rows(const std::shared_ptr<const Bytes>& content, const std::string& name,
                                            const ReadOptions& options, const WantsRows& wants) {
  return opened_or_not([&]() -> std::optional<DecodedImage> {
    const std::string shown = input_name(name, options.page.number);
    const Codec& codec = detected_codec(content->span(), shown);
    if (!may_open(codec, options)) {
      return std::nullopt;
    }
    const RandomAccess file = kept_with(content, in_memory(content->span()));
    const DeclaredImage declared = codec.paged == nullptr ? codec.declared(content->span(), shown)
                                                          : codec.paged->declared(file, shown, options.page);
    return wants(declared, file.size) ? opened(codec, file, shown, options) : std::nullopt;
  });
}

}  // namespace gpuimg::codecs
