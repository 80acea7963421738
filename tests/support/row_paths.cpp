// Detects a file's format as decode_image does.
#include "support/row_paths.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "codecs/file_header.hpp"
#include "codecs/image_reader.hpp"
#include "gpuimg/error.hpp"
#include "io/bytes.hpp"

namespace gpuimg::test {
using namespace codecs;

namespace {

std::optional<DecodedImage> decoded(std::span<const std::byte> file, const std::string& name,
                                    const ReadOptions& options) {
  try {
    return decode_image(file, name, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Removes the note that decode_image adds for scaled levels; Codec::open_rows returns only a number for it.
std::vector<std::string> of_the_codec(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& text) { return text.find("are scaled to 0 to ") != std::string::npos; });
  return words;
}

std::string difference(const DecodedImage& rows, const Image& image, const DecodedImage& whole) {
  const bool same_size = image.width() == whole.width() && image.height() == whole.height();
  if (!same_size || image.format() != whole.format()) {
    return "the size or the format differs";
  }
  if (std::memcmp(image.view().data, whole.image.view().data, image.size_bytes()) != 0) {
    return "the pixels differ";
  }
  const bool same_words = rows.notes == of_the_codec(whole.notes) && rows.details == of_the_codec(whole.details);
  const bool same_rest = rows.metadata.exif == whole.metadata.exif && rows.metadata.icc == whole.metadata.icc &&
                         rows.text.size() == whole.text.size() && rows.pages == whole.pages &&
                         rows.scaled_from == whole.scaled_from &&
                         (rows.source_encoding == nullptr) == (whole.source_encoding == nullptr);
  return same_words && same_rest ? "" : "the notes, metadata or other facts differ";
}

}  // namespace

std::optional<Image> read_bands(RowReader& reader, int rows, RowReader::Order order, std::string& fault) {
  Image image(reader.width(), reader.height(), reader.format());
  std::vector<int> taken(static_cast<std::size_t>(reader.height()));
  int next = 0;
  const BandOutput to{rows, [&](int count) { return Image(reader.width(), count, reader.format()); },
                      [&](RowBand band) {
                        if (band.rows.height() > rows || (order == RowReader::Order::top_down && band.first != next)) {
                          fault = "a band is out of order, or too high";
                        }
                        next = band.first + band.rows.height();
                        for (int y = 0; y < band.rows.height(); ++y) {
                          ++taken.at(static_cast<std::size_t>(band.first + y));
                          std::memcpy(image.view().row_bytes(band.first + y), band.rows.view().row_bytes(y),
                                      image.pitch_bytes());
                        }
                      }};
  if (!reader.read(to, order)) {
    return std::nullopt;
  }
  if (!std::all_of(taken.begin(), taken.end(), [](int count) { return count == 1; })) {
    fault = "the bands do not cover the image once";
  }
  return image;
}

std::optional<DecodedImage> opened_rows(std::span<const std::byte> file, const std::string& name,
                                        const ReadOptions& options) {
  try {
    const Codec& codec = detected_codec(file, name);
    return codec.open_rows != nullptr ? codec.open_rows(in_memory(file), name, options) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

RowPaths compare_row_paths(std::span<const std::byte> file, const std::string& name, const ReadOptions& options,
                           std::initializer_list<int> heights) {
  RowPaths result;
  std::optional<DecodedImage> rows = opened_rows(file, name, options);
  if (!rows) {
    return result;
  }
  ReadOptions as_stored = options;
  as_stored.auto_orient = false;
  const std::optional<DecodedImage> whole = decoded(file, name, as_stored);
  for (const int height : heights) {
    for (const auto order : {RowReader::Order::top_down, RowReader::Order::any}) {
      const std::optional<Image> image = read_bands(*rows->rows, height, order, result.difference);
      result.read += image ? 1 : 0;
      if (image && result.difference.empty()) {
        result.difference = whole ? difference(*rows, *image, *whole) : "read, though it is rejected as a whole";
      }
      if (!result.difference.empty()) {
        result.difference += ", in bands of " + std::to_string(height);
        return result;
      }
    }
  }
  return result;
}

}  // namespace gpuimg::test
