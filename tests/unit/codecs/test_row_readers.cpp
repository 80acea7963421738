// Reading in bands of rows gives the rows of the whole image. A file that is rejected as a whole is also rejected in
// bands.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

#include "support/catalogue/catalogue.hpp"
#include "support/row_paths.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test::test_row_readers {
using namespace codecs;

namespace {

int compare(std::span<const std::byte> bytes, const std::string& name, std::initializer_list<int> heights,
            int threads) {
  const RowPaths paths = compare_row_paths(bytes, name, {.threads = threads}, heights);
  EXPECT_EQ(paths.difference, "");
  return paths.read;
}

TEST(FileCatalogue, BandsMatchTheWholeImage) {
  std::map<std::string, int> read;  // by file extension
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    SCOPED_TRACE(file.name);
    for (const int threads : {1, 2}) {
      read[file.name.substr(file.name.rfind('.') + 1)] += compare(file.bytes, file.name, {1, 7, 64, 1 << 20}, threads);
    }
  }
  for (const Codec& codec : codecs::codecs()) {
    const auto add = [&](int sum, std::string_view extension) { return sum + read[std::string(extension)]; };
    const int count = std::accumulate(codec.extensions.begin(), codec.extensions.end(), 0, add);
    EXPECT_TRUE(codec.open_rows == nullptr ? count == 0 : count >= 200) << codec.name << ": " << count;
  }
}

TEST(FileCatalogue, BandsRejectEveryPrefixThatIsRejectedAsAWhole) {
  constexpr std::size_t kMaxFileBytes = 1000;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    for (std::size_t size = 0; size < file.bytes.size() && file.bytes.size() <= kMaxFileBytes; ++size) {
      SCOPED_TRACE(file.name + " cut off to " + std::to_string(size));
      compare(std::span(file.bytes).first(size), file.name, {2}, 1);
    }
  }
}

TEST(FileCatalogue, BandsPropagateErrorsOfTheirOutput) {
  struct Full : std::runtime_error {
    Full() : std::runtime_error("full") {}
  };
  Random random;
  SCOPED_TRACE(random.trace());
  int thrown = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    SCOPED_TRACE(file.name);
    const auto opened = opened_rows(file.bytes, file.name, {.threads = 2});
    std::string fault;
    if (!opened || !read_bands(*opened->rows, 1, RowReader::Order::top_down, fault)) {
      continue;
    }
    auto left = random.below(static_cast<std::uint32_t>(opened->height()));
    const bool fails_for_memory = random.below(2) == 0;
    const auto fail_at_last = [&] {
      if (left-- == 0) {
        throw Full();
      }
    };
    const BandOutput full{1,
                          [&](int rows) {
                            fails_for_memory ? fail_at_last() : void();
                            return Image(opened->width(), rows, opened->format());
                          },
                          [&](const RowBand& /*band*/) { fails_for_memory ? void() : fail_at_last(); }};
    EXPECT_THROW((void)opened->rows->read(full, RowReader::Order::top_down), Full);
    EXPECT_TRUE(read_bands(*opened->rows, 1, RowReader::Order::top_down, fault)) << "not read again";
    ++thrown;
  }
  EXPECT_GE(thrown, 200);
}

}  // namespace
}  // namespace gpuimg::test::test_row_readers
