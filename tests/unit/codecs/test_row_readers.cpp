// The rows that are read in bands are those of the whole image, and a file that is refused whole is not read in bands.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>

#include "codecs/format_detection.hpp"
#include "codecs/image_reader.hpp"
#include "io/random_access.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
using namespace codecs;

namespace {

/// Nullopt if the reader says that the bands are void. Bands must cover the image, and come in order if so asked.
std::optional<Image> read_bands(RowReader& reader, int rows, RowReader::Order order) {
  Image image(reader.width(), reader.height(), reader.format());
  std::vector<int> taken(static_cast<std::size_t>(reader.height()));
  int next = 0;
  const BandOutput to{rows, [&](int count) { return Image(reader.width(), count, reader.format()); },
                      [&](RowBand band) {
                        EXPECT_TRUE(order == RowReader::Order::any || band.first == next) << band.first;
                        EXPECT_LE(band.rows.height(), rows);
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
  EXPECT_EQ(taken, std::vector<int>(taken.size(), 1));
  return image;
}

std::optional<DecodedImage> decoded(std::span<const std::byte> bytes, const std::string& name,
                                    const ReadOptions& options) {
  try {
    return decode_image(bytes, name, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<DecodedImage> opened(std::span<const std::byte> bytes, const std::string& name,
                                   const ReadOptions& options) {
  try {
    const Codec& codec = detected_codec(bytes, name);
    return codec.open_rows != nullptr ? codec.open_rows(in_memory(bytes), name, options) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Returns how often the file was read in bands.
int compare(std::span<const std::byte> bytes, const std::string& name, std::initializer_list<int> bands, int threads) {
  const ReadOptions options{.auto_orient = false, .threads = threads};
  std::optional<DecodedImage> rows = opened(bytes, name, options);
  if (!rows) {
    return 0;
  }
  int read = 0;
  const std::optional<DecodedImage> whole = decoded(bytes, name, options);
  for (const int band : bands) {
    for (const auto order : {RowReader::Order::top_down, RowReader::Order::any}) {
      const std::optional<Image> image = read_bands(*rows->rows, band, order);
      EXPECT_FALSE(image && !whole) << "read, though it is refused as a whole";
      if (image && whole) {
        ++read;
        EXPECT_TRUE(same_pixels(image->view(), whole->image.view()));
        EXPECT_EQ(rows->notes, whole->notes);
        EXPECT_EQ(rows->details, whole->details);
        EXPECT_EQ(rows->metadata.exif, whole->metadata.exif);
        EXPECT_EQ(rows->text.size(), whole->text.size());
        EXPECT_EQ(rows->jpeg_encoding.has_value(), whole->jpeg_encoding.has_value());
      }
    }
  }
  return read;
}

TEST(FileCatalogue, RowsInBandsAreThoseOfTheImage) {
  int read = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    SCOPED_TRACE(file.name);
    for (const int threads : {1, 2}) {
      read += compare(file.bytes, file.name, {1, 7, 64, 1 << 20}, threads);
    }
  }
  EXPECT_GE(read, 1000);
}

TEST(FileCatalogue, NoPrefixIsReadInBandsThatIsRefusedWhole) {
  constexpr std::size_t kMaxFileBytes = 1000;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    for (std::size_t size = 0; size < file.bytes.size() && file.bytes.size() <= kMaxFileBytes; ++size) {
      SCOPED_TRACE(file.name + " cut off to " + std::to_string(size));
      compare(std::span(file.bytes).first(size), file.name, {7}, 1);
    }
  }
}

}  // namespace
}  // namespace gpuimg::test
