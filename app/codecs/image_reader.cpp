// Identifies the format, calls its reader, and turns the image upright.
#include "codecs/image_reader.hpp"

#include <memory>
#include <utility>

#include "codecs/declared_image.hpp"
#include "codecs/format_detection.hpp"
#include "codecs/metadata/exif_orientation.hpp"
#include "codecs/metadata/xmp_packet.hpp"
#include "codecs/refusals.hpp"
#include "io/input_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

/// Makes EXIF data and XMP say that the pixels are upright. Leaves out what cannot say so.
void say_upright(DecodedImage& decoded) {
  Metadata& metadata = decoded.metadata;
  reset_orientation(metadata.exif);
  if (unlink_thumbnail(metadata.exif)) {
    decoded.details.emplace_back("its EXIF thumbnail is not turned and is left out");
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
  constexpr int kFirstTransposing = 5;
  const int orientation = exif_orientation(decoded.metadata.exif);
  if (orientation == 1) {
    return;
  }
  if (!decoded.picture && !decoded.is_upright) {  // a backend has turned its pixels
    decoded.image = apply_orientation(std::move(decoded.image), orientation);
  }
  say_upright(decoded);
  if (decoded.metadata.density && !decoded.is_upright && orientation >= kFirstTransposing) {
    std::swap(decoded.metadata.density->x, decoded.metadata.density->y);
  }
  if (decoded.jpeg_encoding && orientation >= kFirstTransposing) {
    decoded.jpeg_encoding = transposed(*decoded.jpeg_encoding);
  }
}

/// `source` stays as long as the result is used.
RandomAccess kept_with(const std::shared_ptr<const void>& source, RandomAccess file) {
  file.read = [source, read = std::move(file.read)](std::uint64_t offset, std::span<std::byte> to) {
    return read(offset, to);
  };
  return file;
}

DecodedImage finished(DecodedImage decoded, const Codec& codec, const ReadOptions& options) {
  decoded.file_format = codec.format;
  if (options.auto_orient || decoded.is_upright) {
    turn_upright(decoded);
  }
  return decoded;
}

/// The image if it is upright.
std::optional<DecodedImage> opened(const Codec& codec, const RandomAccess& file, const std::string& shown,
                                   const ReadOptions& options) {
  std::optional<DecodedImage> image = codec.open_rows(file, shown, options);
  const bool is_turned = image && options.auto_orient && exif_orientation(image->metadata.exif) != 1;
  return image && !is_turned ? std::optional(finished(std::move(*image), codec, options)) : std::nullopt;
}

/// Nothing for what open() refuses: the decoder of the whole file reports the error.
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

}  // namespace

DecodedImage decode_image(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const std::string shown = name == "-" ? "standard input" : printable_name(name);
  const Codec& codec = detected_codec(bytes, shown);
  if (codec.paged == nullptr) {
    check_page(printable_name(shown, options.page), options.page, 1);
    return finished(codec.decode(bytes, shown, options), codec, options);
  }
  return finished(codec.decode(bytes, printable_name(shown, options.page), options), codec, options);
}

std::optional<DecodedImage> decode_paged_file(const std::string& path, const ReadOptions& options,
                                              const std::function<void(const DeclaredImage&)>& expect) {
  PartialInput input(path);
  const Codec& codec = detected_codec_of(input, printable_name(path));
  if (codec.paged == nullptr || !input.file_bytes()) {
    return std::nullopt;
  }
  const RandomAccess file = input.random_access();
  const std::string shown = printable_name(path, options.page);
  expect(codec.paged->declared(file, shown, options.page));
  return finished(codec.paged->decode(file, shown, options), codec, options);
}

std::optional<DecodedImage> open_image_rows(const std::string& path, const ReadOptions& options,
                                            const std::function<void(const DeclaredImage&)>& expect) {
  return opened_or_not([&]() -> std::optional<DecodedImage> {
    const auto input = std::make_shared<PartialInput>(path);
    const std::string shown = printable_name(path);
    const Codec& codec = detected_codec_of(*input, shown);
    if (codec.open_rows == nullptr || !input->file_bytes() || options.page > 1) {
      return std::nullopt;
    }
    expect(declared_image_in(*input, codec, shown));
    return opened(codec, kept_with(input, input->random_access()), shown, options);
  });
}

std::optional<DecodedImage> open_image_rows(const std::shared_ptr<const Bytes>& content, const std::string& name,
                                            const ReadOptions& options,
                                            const std::function<void(const DeclaredImage&)>& expect) {
  return opened_or_not([&]() -> std::optional<DecodedImage> {
    const std::string shown = name == "-" ? "standard input" : printable_name(name);
    const Codec& codec = detected_codec(content->span(), shown);
    if (codec.open_rows == nullptr || options.page > 1) {
      return std::nullopt;
    }
    expect(declared_image(content->span(), shown));
    return opened(codec, kept_with(content, in_memory(content->span())), shown, options);
  });
}

}  // namespace gpuimg::codecs
