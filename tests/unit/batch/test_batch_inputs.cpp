// Batch inputs: globs, lists, folders, output names, shards. docs/batch.md.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "batch/inputs.hpp"
#include "batch/manifest.hpp"
#include "batch/outputs.hpp"
#include "gpuimg/error.hpp"
#include "support/temporary_folder.hpp"
#include "text/fnv_hash.hpp"
#include "text/path_names.hpp"

namespace gpuimg::test_batch_inputs {
namespace {

using namespace std::string_literals;
using test::put_text;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

const FileFilter kPng({}, {}, {"png"});

TEST(Glob, MatchesNamesOrWholePaths) {
  EXPECT_TRUE(matches_glob("*.png", "a/b/c.png"));
  EXPECT_TRUE(matches_glob("a/*.png", "a/b/c.png"));
  EXPECT_FALSE(matches_glob("b/*.png", "a/b/c.png"));
  EXPECT_TRUE(matches_glob("[ab]?.*", "b1.x"));
  EXPECT_FALSE(matches_glob("*", ".hidden"));
  EXPECT_TRUE(matches_glob(".*", ".hidden"));
  EXPECT_TRUE(matches_glob("\xff*", "\xff\xfe.png"));
  EXPECT_FALSE(matches_glob("*.PNG", "a.png"));
}

TEST(Glob, SelectsByExtensionByDefault) {
  EXPECT_TRUE(kPng.takes("a/B.PNG"));
  EXPECT_FALSE(kPng.takes("a/b.txt"));
  EXPECT_FALSE(kPng.takes("a/.b.png"));
  EXPECT_FALSE(kPng.takes("png"));
  const FileFilter chosen({"*.txt", "x*"}, {"*2*"}, {"png"});
  EXPECT_TRUE(chosen.takes("a/b.txt"));
  EXPECT_TRUE(chosen.takes("x"));
  EXPECT_FALSE(chosen.takes("a/2.txt"));
  EXPECT_FALSE(chosen.takes("a.png"));
}

TEST(FileList, SplitsNamesByteForByte) {
  EXPECT_EQ(split_list("a\n b \n\n\r\n-x", ListSeparator::line_break), (Names{"a", " b ", "\r", "-x"}));
  EXPECT_EQ(split_list("a\nb\0\0c\0"s, ListSeparator::nul), (Names{"a\nb", "c"}));
  EXPECT_EQ(split_list("", ListSeparator::nul), Names{});
  EXPECT_EQ(split_list("\xef\xbb\xbf\n", ListSeparator::nul), Names{"\xef\xbb\xbf\n"});
}

TEST(FileList, StripsByteOrderMarkAndConsistentCrlf) {
  constexpr auto kLines = ListSeparator::line_break;
  EXPECT_EQ(split_list("\xef\xbb\xbf"
                       "a\nb",
                       kLines),
            (Names{"a", "b"}));
  EXPECT_EQ(split_list("a\r\n\r\nb\r\n", kLines), (Names{"a", "b"}));
  EXPECT_EQ(split_list("\xef\xbb\xbf"
                       "a\r\nb",
                       kLines),
            (Names{"a", "b"}));
  EXPECT_EQ(split_list("a\r\nb\n", kLines), (Names{"a\r", "b"}));
  EXPECT_EQ(split_list("\na\r\n", kLines), (Names{"a\r"}));
  EXPECT_EQ(split_list("a\r", kLines), (Names{"a\r"}));
  EXPECT_EQ(split_list("a\r\0"s, ListSeparator::nul), (Names{"a\r"}));
}

TEST(FileList, RejectsNulInAListOfLines) {
  // Output of `find -print0` that is read without --null forms one name. The system would cut it at the first NUL.
  EXPECT_THROW((void)split_list("a.png\0b.png\0"s, ListSeparator::line_break), Error);
  EXPECT_THROW((void)split_list("a\nb\0c\n"s, ListSeparator::line_break), Error);
}

TEST(PathNames, StayInsideTheirFolder) {
  EXPECT_EQ(contained_path("/a//b/./c.png"), "a/b/c.png");
  EXPECT_EQ(contained_path("../../a.png"), "a.png");
  EXPECT_EQ(contained_path("a/../../b.png"), "b.png");
  EXPECT_EQ(contained_path("a/.."), "");
  EXPECT_EQ(contained_path("..."), "...");
  EXPECT_EQ(contained_path("/"), "");
}

TEST(PathNames, PlainPathsAreCanonical) {
  EXPECT_EQ(plain_path("./a//b/."), "a/b");
  EXPECT_EQ(plain_path("/a/./b/"), "/a/b");
  EXPECT_EQ(plain_path("//"), "/");
  EXPECT_EQ(plain_path("../a"), "../a");
  EXPECT_EQ(plain_path("."), "");
}

TEST(PathNames, ExtensionsAreFoundAndReplaced) {
  EXPECT_EQ(file_extension("a.b/c"), "");
  EXPECT_EQ(file_extension("a/.png"), "");
  EXPECT_EQ(file_extension("a.tar.GZ"), "gz");
  EXPECT_EQ(file_extension("a."), "");
  EXPECT_EQ(with_extension("a.b/c.d.png", "csv"), "a.b/c.d.csv");
  EXPECT_EQ(with_extension("a.b/c", "csv"), "a.b/c.csv");
  EXPECT_EQ(with_extension(".x", "csv"), ".x.csv");
  EXPECT_EQ(joined_path("a/", "b"), "a/b");
  EXPECT_EQ(joined_path("", "b"), "b");
}

TEST(FolderScan, ReturnsRegularFilesSortedBytewise) {
  const TemporaryFolder folder;
  for (const char* name : {"b.png", "a.png", "B.png", "\xff.png", "c.txt"}) {
    put_text(folder / name, "x");
  }
  ASSERT_EQ(::mkfifo((folder / "pipe.png").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("nowhere", (folder / "dangling.png").c_str()), 0);
  const FolderScan scan = scan_folder(folder / "", kPng, {});
  EXPECT_EQ(scan.files, (Names{"B.png", "a.png", "b.png", "dangling.png", "\xff.png"}));
  EXPECT_EQ(scan.notes.size(), 2U);
}

TEST(FolderScan, EntersEachFolderOnceUnderItsRealName) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "z/below");
  put_text(folder / "z/below/a.png", "x");
  ASSERT_EQ(::symlink("z", (folder / "a").c_str()), 0);               // sorts before its target
  ASSERT_EQ(::symlink("../..", (folder / "z/below/up").c_str()), 0);  // a cycle
  EXPECT_EQ(scan_folder(folder / "", kPng, {.recursive = true, .leave_out = {}}).files, Names{"z/below/a.png"});
  EXPECT_EQ(scan_folder(folder / "", kPng, {}).files, Names{});
  EXPECT_EQ(scan_folder(folder / "", kPng, {.recursive = true, .leave_out = identity_of(folder / "z")}).files, Names{});
}

TEST(FolderScan, FollowsLinksOutOfTheFolder) {
  const TemporaryFolder other;
  put_text(other / "a.png", "x");
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink((other / "").c_str(), (folder / "link").c_str()), 0);
  EXPECT_EQ(scan_folder(folder / "", kPng, {.recursive = true, .leave_out = {}}).files, Names{"link/a.png"});
}

TEST(OutputTemplate, ExpandsFields) {
  const InputFile deep{"photos/2024/a.b.JPG", "2024/a.b.JPG"};
  EXPECT_EQ(OutputTemplate("{dir}/{stem}_eq.png").name_for(deep, 7), "photos/2024/a.b_eq.png");
  EXPECT_EQ(OutputTemplate("o/{rel}/{index}-{name}.{ext}").name_for(deep, 7), "o/2024/7-a.b.JPG.JPG");
  const InputFile here{"a", "a"};
  EXPECT_EQ(OutputTemplate("{dir}/{stem}.{ext}x").name_for(here, 1), "a.x");
  EXPECT_EQ(OutputTemplate("{{{name}}}").name_for(here, 1), "{a}");
  EXPECT_EQ(OutputTemplate("{dir}/{name}").name_for({"/a", "a"}, 1), "//a");
}

TEST(OutputTemplate, RejectsNamesThatLeaveTheOutputFolder) {
  const auto name = [](const char* text, const char* input) {
    return OutputTemplate(text).name_for({input, contained_path(input)}, 1);
  };
  EXPECT_THROW(name("o/{stem}/{index}.png", "...png"), Error);  // o/../1.png
  EXPECT_THROW(name("o/.{stem}/{index}.png", "..png"), Error);
  EXPECT_THROW(name("o/{name}/x.png", "a/.."), Error);
  EXPECT_THROW(name("{ext}/{name}", "README"), Error);  // /README
  EXPECT_THROW(name("{stem}/x.png", "a/"), Error);
  EXPECT_THROW(name("o/{name}/{ext}/../x.png", "a/"), Error);
  EXPECT_THROW(name("{ext}", "README"), Error);
  EXPECT_EQ(name("{stem}", "-.png"), "./-");  // not standard output
  EXPECT_EQ(name("o/{stem}.png", "...png"), "o/...png");
  EXPECT_EQ(name("../{stem}/{ext}.png", "a.b"), "../a/b.png");
  EXPECT_EQ(name("/o/{ext}/{name}", "README"), "/o//README");
  EXPECT_EQ(name("{dir}/../{name}", "../a/b.png"), "../a/../b.png");
}

TEST(MirroredName, KeepsTheRelativePathAndChangesTheExtension) {
  EXPECT_EQ(mirrored_name("o/", "a/b.PNG", "png"), "o/a/b.PNG");
  EXPECT_EQ(mirrored_name("o", "a/b.jpg", "csv"), "o/a/b.csv");
  EXPECT_EQ(mirrored_name("o", "...png", "csv"), "o/...csv");
}

TEST(OutputTemplate, RejectsUnknownFields) {
  for (const char* text : {"{stm}", "{", "a}", "{}", "{dir", "{{}"}) {
    EXPECT_THROW(OutputTemplate{text}, Error) << text;
  }
  try {
    OutputTemplate("{stm}.png");
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean stem?"), std::string::npos) << error.what();
  }
}

TEST(Fnv, MatchesPublishedValues) {
  EXPECT_EQ(fnv_hash(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv_hash("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv_hash("foobar"), 0x85944171f73967e8U);
}

TEST(Shard, EachFileHasOneStableShard) {
  for (std::uint64_t count : {1U, 2U, 3U, 7U, 16U}) {
    std::map<std::uint64_t, int> sizes;
    for (int i = 0; i < 1000; ++i) {
      const std::string name = "day/" + std::to_string(i) + ".png";
      int holders = 0;
      for (std::uint64_t index = 1; index <= count; ++index) {
        if (Shard{index, count, ""}.holds(name)) {
          ++holders;
          ++sizes[index];
          EXPECT_EQ(fnv_hash(name) % count, index - 1);
        }
      }
      EXPECT_EQ(holders, 1);
    }
    for (const auto& [index, size] : sizes) {
      EXPECT_GT(size, 500 / static_cast<int>(count)) << index << "/" << count;
    }
  }
}

Shard auto_shard(const std::map<std::string, std::string>& variables) {
  return parse_shard("auto", [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Shard, ReadsSchedulerVariables) {
  EXPECT_EQ(auto_shard({{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_TASK_MIN", "10"}, {"SLURM_ARRAY_TASK_COUNT", "4"}})
                .text(),
            "3/4");
  EXPECT_EQ(auto_shard({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}).text(), "1/2");
  EXPECT_EQ(auto_shard({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}).text(), "2/2");
  EXPECT_EQ(auto_shard({{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}).text(),
            "4/8");
  EXPECT_EQ(auto_shard({{"JOB_COMPLETION_INDEX", "4"}, {"GPUIMG_SHARDS", "5"}}).text(), "5/5");
  EXPECT_THROW(auto_shard({}), Error);
  EXPECT_THROW(auto_shard({{"JOB_COMPLETION_INDEX", "4"}}), Error);
  EXPECT_THROW(auto_shard({{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "2"}}), Error);
  EXPECT_THROW(auto_shard({{"SLURM_PROCID", "one"}, {"SLURM_NTASKS", "2"}}), Error);
}

TEST(Shard, ParsesItsOption) {
  const auto none = [](const char*) -> const char* { return nullptr; };
  EXPECT_EQ(parse_shard("", none).text(), "1/1");
  EXPECT_EQ(parse_shard("2/8", none).text(), "2/8");
  for (const char* text : {"0/2", "3/2", "1", "1/", "/2", "-1/2", "1/2/3", "1/0", "a/b", "AUTO"}) {
    EXPECT_THROW(parse_shard(text, none), Error) << text;
  }
}

}  // namespace
}  // namespace gpuimg::test_batch_inputs
