// Folders: removal of files left by killed runs, and concurrent creation.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gpuimg/error.hpp"
#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_folders {
namespace {

using namespace std::string_literals;
using test::put_text;
using test::TemporaryFolder;

TEST(TempCleanup, RemovesOnlyUnlockedFilesOfThisHost) {
  const TemporaryFolder folder;
  const std::string stale = new_temporary_name();
  std::string foreign = stale;
  foreign[8] = foreign[8] == '0' ? '1' : '0';
  for (const std::string& name : {stale, foreign, stale + "0", ".gpuimg-notes"s}) {
    put_text(folder / name, "x");
  }
  {
    TemporaryFile live(folder / "out", "out");
    live.flush();  // the lock survives the check on close
    EXPECT_EQ(folder.names().size(), 5U);
    EXPECT_EQ(remove_stale_temporaries(folder / ""), 1U);
    EXPECT_EQ(folder.names().size(), 4U);
    live.become_target();
  }
  EXPECT_FALSE(std::filesystem::exists(folder / stale));
  EXPECT_TRUE(std::filesystem::exists(folder / foreign));
  EXPECT_TRUE(std::filesystem::exists(folder / "out"));
  EXPECT_EQ(remove_stale_temporaries(folder / "missing"), 0U);
}

TEST(OutputFolder, CanBeCreatedConcurrently) {
  const TemporaryFolder folder;
  std::vector<std::thread> makers;
  for (int i = 0; i < 8; ++i) {
    makers.emplace_back([&] { make_folder_of(folder / "a/b/c/d/e/file"); });
  }
  for (std::thread& maker : makers) {
    maker.join();
  }
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c/d/e"));
  put_text(folder / "file", "x");
  EXPECT_THROW(make_folder_of(folder / "file/below/out"), Error);
}

}  // namespace
}  // namespace gpuimg::test_folders
