// A file in memory: bytes in order, whatever the order of writes, and bytes that are lent instead of copied.
#include "io/output_file.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuimg::test_file_content {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(const FileContent& content) {
  std::string text;
  content.for_each_part(
      [&](std::span<const std::byte> part) { text.append(reinterpret_cast<const char*>(part.data()), part.size()); });
  EXPECT_EQ(content.size(), text.size());
  return text;
}

TEST(FileContent, IsEmptyWithoutParts) {
  const FileContent content;
  EXPECT_EQ(content.size(), 0U);
  EXPECT_EQ(text_of(content), "");
}

TEST(FileContent, CopiesBytesThatAreNotLent) {
  FileContent content;
  std::string text = "one ";
  const FileParts to = content.parts();
  to.append(bytes_of(text));
  text = "two";
  to.append(bytes_of(text));
  text = "xxx";
  EXPECT_EQ(text_of(content), "one two");
}

TEST(FileContent, KeepsLentPartsWhereTheyAre) {
  const auto lent = std::make_shared<std::string>("[first][second]");
  FileContent content({bytes_of(*lent), lent});
  const std::string_view all = *lent;
  const FileParts to = content.parts();
  to.append(bytes_of("a"));
  to.append(bytes_of(all.substr(7)));
  to.append(bytes_of("b"));
  to.append(bytes_of("c"));
  to.append(bytes_of(all.substr(0, 7)));
  EXPECT_EQ(text_of(content), "a[second]bc[first]");
  (*lent)[1] = 'F';
  EXPECT_EQ(text_of(content), "a[second]bc[First]");
}

TEST(FileContent, BeginsAndEndsWithLentParts) {
  const std::string_view lent = "lent";
  FileContent content({bytes_of(lent), nullptr});
  content.parts().append(bytes_of(lent));
  EXPECT_EQ(text_of(content), "lent");
  content.parts().append({});
  content.parts().append(bytes_of(lent));
  EXPECT_EQ(text_of(content), "lentlent");
}

TEST(FileContent, IsContiguousWithoutACopyUnlessPartsAreLent) {
  const auto text_of_span = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  std::vector<std::byte> room;
  FileContent own;
  own.parts().append(bytes_of("abc"));
  own.parts().place(1, bytes_of("xyz"));
  const std::span<const std::byte> piece = own.in_one_piece(room);
  EXPECT_EQ(text_of_span(piece), "axyz");
  EXPECT_EQ(piece.data(), own.in_one_piece(room).data());
  EXPECT_TRUE(room.empty());

  const std::string lent = "lent";
  FileContent mixed({bytes_of(lent), nullptr});
  mixed.parts().append(bytes_of("before "));
  mixed.parts().append(bytes_of(lent));
  mixed.parts().append(bytes_of(" behind"));
  room = {std::byte{1}};
  EXPECT_EQ(text_of_span(mixed.in_one_piece(room)), "before lent behind");
  EXPECT_EQ(mixed.in_one_piece(room).data(), room.data());
}

/// The bytes around the lent memory belong to other code.
TEST(FileContent, CopiesPartsThatAreOnlyPartlyLent) {
  std::string text = "0123456789";
  const std::string_view whole = text;
  FileContent content({bytes_of(whole.substr(2, 6)), nullptr});
  const FileParts to = content.parts();
  to.append(bytes_of(whole.substr(0, 3)));
  to.append(bytes_of(whole.substr(7, 2)));
  to.append(bytes_of(whole.substr(3, 2)));
  text[1] = text[8] = 'x';
  text[3] = 'y';
  EXPECT_EQ(text_of(content), "01278y4");
}

TEST(FileContent, KeepsTheOwnerOfLentPartsAlive) {
  auto lent = std::make_shared<std::string>("owned");
  const std::weak_ptr<std::string> watched = lent;
  {
    FileContent content({bytes_of(*lent), lent});
    content.parts().append(bytes_of(*lent));
    lent.reset();
    EXPECT_EQ(text_of(content), "owned");
  }
  EXPECT_TRUE(watched.expired());
}

TEST(FileContent, AcceptsPlacedPartsInAnyOrder) {
  FileContent content;
  const FileParts to = content.parts();
  to.place(4, bytes_of("56"));
  to.place(0, bytes_of("12"));
  EXPECT_EQ(text_of(content), std::string("12\0\00056", 6));
}

}  // namespace
}  // namespace gpuimg::test_file_content
