// Decodes JPEG on the CUDA backend and compares with libjpeg-turbo. The backend must return the same pixels, or leave
// the file to the host.
#pragma once

#include <optional>
#include <span>

#include "backends.hpp"
#include "codecs/jpeg/jpeg.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "support/jpeg_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

/// The pixels; nullopt if the backend leaves the file to the host.
inline std::optional<Image> decode_on(Backend& backend, std::span<const std::byte> file, int orientation = 1) {
  std::optional<EncodedJpeg> jpeg = codecs::jpeg::describe_jpeg(file);
  if (!jpeg) {
    return std::nullopt;
  }
  jpeg->orientation = orientation;
  const std::optional<Picture> picture = backend.decode(*jpeg);
  return picture ? std::optional(backend.download(*picture)) : std::nullopt;
}

/// Like decode_on, for a JPEG with several scans, whose coefficients the host decodes. The device takes only images of
/// at least 2¹⁸ pixels.
inline std::optional<Image> decode_scans_on(Backend& backend, std::span<const std::byte> file) {
  codecs::ReadOptions options;
  options.new_image = [&](int width, int height, PixelFormat format) {
    return backend.new_image(width, height, format);
  };
  const std::optional<codecs::DescribedImage> described = codecs::jpeg::describe_jpeg_image(file, "file", options);
  const std::optional<Picture> picture = described ? backend.decode(described->encoded) : std::nullopt;
  return picture ? std::optional(backend.download(*picture)) : std::nullopt;
}

inline void expect_taken(Backend& backend, std::span<const std::byte> file) {
  const std::optional<Image> found = decode_on(backend, file);
  ASSERT_TRUE(found);
  ASSERT_TRUE(same_pixels(found->view(), read_with_libjpeg(file).view()));
}

/// Expects libjpeg-turbo's pixels, or that the backend leaves the file to the host. Increments `taken` if the backend
/// decodes the file.
inline void expect_same_or_left(Backend& backend, std::span<const std::byte> file, int& taken) {
  const std::optional<Image> found = decode_on(backend, file);
  if (!found) {
    return;
  }
  ++taken;
  try {
    const codecs::DecodedImage expected = codecs::jpeg::read_jpeg(file, "file", {.threads = 1});
    ASSERT_TRUE(same_pixels(found->view(), expected.image.view()));
  } catch (const Error& error) {
    FAIL() << "the device decodes a file that libjpeg-turbo rejects: " << error.what();
  }
}

}  // namespace gpuimg::test
