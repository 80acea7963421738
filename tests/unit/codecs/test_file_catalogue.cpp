// Reads every file of the catalogue and every prefix of it, and compares with the expected verdict.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "support/catalogue/catalogue.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test::test_file_catalogue {
using namespace codecs;

namespace {

/// The minimum numbers that docs/reliability.md states.
constexpr std::size_t kMinFiles = 900;
constexpr std::size_t kMinPrefixes = 200000;

/// Prefixes of larger files would take minutes without testing anything new.
constexpr std::size_t kMaxFileBytes = 2000;

std::string stem_of(const std::string& name) { return name.substr(0, name.find_last_of('.')); }

/// Removes the note that levels are scaled. Returns true if the note is present exactly when levels are scaled.
bool take_scaling(DecodedImage& decoded) {
  const auto told = [&](std::vector<std::string>& texts) {
    return std::erase_if(texts, [&](const std::string& text) {
      return text.ends_with(": its levels 0 to " + std::to_string(decoded.scaled_from) + " are scaled to 0 to " +
                            std::to_string(decoded.format().max_value()));
    });
  };
  return told(decoded.notes) + told(decoded.details) == (decoded.scaled_from > 0 ? 1U : 0U);
}

/// True if the file gives the expected pixels and the expected note; a note that levels are scaled is also allowed.
::testing::AssertionResult is_good(const CatalogueFile& file, std::span<const std::byte> bytes) {
  try {
    DecodedImage decoded = decode(bytes, file.name);
    if (!take_scaling(decoded)) {
      return ::testing::AssertionFailure() << "the note that levels are scaled is missing or wrong";
    }
    const std::string& words = bytes.size() < file.bytes.size() ? file.words_if_cut : file.words;
    const std::size_t notes = words.empty() ? 0 : 1;
    if (decoded.notes.size() != notes || (notes > 0 && decoded.notes[0].find(words) == std::string::npos)) {
      return ::testing::AssertionFailure()
             << decoded.notes.size() << " notes " << ::testing::PrintToString(decoded.notes);
    }
    return same_pixels(decoded.image.view(), file.expected.view());
  } catch (const Error& error) {
    return ::testing::AssertionFailure() << "rejected with: " << error.what();
  }
}

TEST(FileCatalogue, HasNoDuplicates) {
  const Catalogue catalogue = make_catalogue();
  std::set<std::string> stems;
  std::set<std::pair<std::string, FileBytes>> contents;
  for (const CatalogueFile& file : catalogue.files()) {
    EXPECT_TRUE(stems.insert(stem_of(file.name)).second) << file.name;
    EXPECT_TRUE(contents.emplace(file.name.substr(stem_of(file.name).size()), file.bytes).second) << file.name;
  }
}

TEST(FileCatalogue, MatchesItsVerdicts) {
  std::size_t files = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    ++files;
    if (file.verdict == Verdict::good) {
      EXPECT_TRUE(is_good(file, file.bytes)) << file.name;
    } else {
      const ErrorKind kind = file.verdict == Verdict::damaged ? ErrorKind::decode : ErrorKind::unsupported;
      EXPECT_TRUE(rejects(file.bytes, kind, file.words, file.name)) << file.name;
    }
  }
  RecordProperty("files", std::to_string(files));
  EXPECT_GE(files, kMinFiles);
}

/// A prefix of a good file is good if it contains the whole image. It then lacks only bytes that the image does not
/// need, such as bytes after PNG's IEND, the frames of a GIF after the first, or the footer of a TGA. All other
/// prefixes are damaged. Prefixes of an unsupported file can be rejected as unsupported instead.
TEST(FileCatalogue, RejectsEveryPrefix) {
  std::size_t prefixes = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    const std::size_t sizes = file.bytes.size() <= kMaxFileBytes ? file.bytes.size() : 0;
    for (std::size_t size = 0; size < sizes; ++size, ++prefixes) {
      const auto prefix = std::span(file.bytes).first(size);
      if (file.verdict == Verdict::good && size >= file.whole_bytes) {
        ASSERT_TRUE(is_good(file, prefix)) << file.name << " cut off to " << size << " bytes";
        continue;
      }
      const auto damaged = rejects(prefix, ErrorKind::decode, "", file.name);
      const bool may_be_unsupported = !damaged && file.verdict == Verdict::unsupported;
      ASSERT_TRUE(may_be_unsupported ? rejects(prefix, ErrorKind::unsupported, "", file.name) : damaged)
          << file.name << " cut off to " << size << " bytes";
    }
  }
  RecordProperty("prefixes", std::to_string(prefixes));
  EXPECT_GE(prefixes, kMinPrefixes);
}

}  // namespace
}  // namespace gpuimg::test::test_file_catalogue
