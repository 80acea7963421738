// Failure lists and blocked outputs. docs/batch.md, "Failures".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "batch/batch_item.hpp"

namespace gpuimg::test_batch_failures {
namespace {

using Lines = std::vector<std::string>;

TEST(FailureList, FoldsRepeatedFailuresOfOneCause) {
  FailureList list;
  for (int i = 0; i < 5000; ++i) {
    list.add("write", "the disk is full", std::to_string(i) + ": the disk is full");
  }
  EXPECT_EQ(list.lines(), (Lines{"0: the disk is full", "1: the disk is full", "2: the disk is full",
                                 "... and 4,997 more: the disk is full"}));
}

TEST(FailureList, KeepsRunOrderAndCountsEachCause) {
  FailureList list;
  for (int i = 0; i < 4; ++i) {
    list.add("write", "full", fmt::format("w{}", i));
    list.add("internal", "bug", fmt::format("b{}", i));
  }
  EXPECT_EQ(list.lines(), (Lines{"w0", "b0", "w1", "b1", "w2", "b2", "... and 1 more: full", "... and 1 more: bug"}));
  FailureList same_words;
  for (int i = 0; i < 3; ++i) {
    same_words.add("write", "x", "w");
    same_words.add("mismatch", "x", "m");
  }
  EXPECT_EQ(same_words.lines().size(), 6U);
}

TEST(FailureList, ListsMoreNamesForDamagedInputs) {
  FailureList list;
  for (int i = 0; i < 30; ++i) {
    list.add("decode", "is truncated", std::to_string(i));
  }
  const Lines lines = list.lines();
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines[19], "19");
  EXPECT_EQ(lines[20], "... and 10 more: is truncated");
}

TEST(FailureList, StoresABoundedNumberOfLines) {
  FailureList list;
  for (int i = 0; i < 100'000; ++i) {
    list.add("write", std::to_string(i), std::to_string(i));
  }
  const Lines lines = list.lines();
  ASSERT_EQ(lines.size(), 101U);
  EXPECT_EQ(lines[100], "... and 99,900 more with other causes; --manifest FILE records every one");
}

std::vector<std::string> note_lines(Verbosity verbosity, int items, NoteFolder& notes) {
  Lines lines;
  for (int i = 0; i < items; ++i) {
    const PlanItem planned{fmt::format("in/{}.tif", i), fmt::format("out/{}.tif", i), PlanState::to_do};
    BatchItem item;
    item.planned = &planned;
    for (const std::string& text : {planned.input + ": first page only", std::string("the device has no memory")}) {
      if (std::string line = notes.line_of(item, {Verbosity::normal, text}, verbosity); !line.empty()) {
        lines.push_back(std::move(line));
      }
    }
  }
  return lines;
}

TEST(NoteFolder, PrintsThreeNotesOfEachTextAndCountsTheRest) {
  NoteFolder notes;
  const Lines lines = note_lines(Verbosity::normal, 5, notes);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0], "gpuimg: note: in/0.tif: first page only\n");
  EXPECT_EQ(lines[5], "gpuimg: note: in/2.tif: the device has no memory\n");
  EXPECT_EQ(notes.rest(), (Lines{"... and 2 more: first page only", "... and 2 more: the device has no memory"}));
}

TEST(NoteFolder, PrintsAllNotesIfVerbose) {
  NoteFolder notes;
  EXPECT_EQ(note_lines(Verbosity::verbose, 5, notes).size(), 10U);
  EXPECT_TRUE(notes.rest().empty());
}

TEST(NoteFolder, PrintsNotesThatAreNotStored) {
  NoteFolder notes;
  const PlanItem planned{"in.png", "out.png", PlanState::to_do};
  BatchItem item;
  item.planned = &planned;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_NE(notes.line_of(item, {Verbosity::normal, fmt::format("tile {}", i)}, Verbosity::normal), "");
  }
  EXPECT_EQ(notes.rest(), Lines());
}

struct Ending {
  int system_error = 0;
  std::string output = "out/a.png";
  ItemStatus status = ItemStatus::failed;
};

/// The number of items after which the output counts as blocked; 0 if it never does.
std::size_t blocked_after(const std::vector<Ending>& endings) {
  std::vector<PlanItem> items;
  for (const Ending& ending : endings) {
    items.push_back({"in", ending.output, PlanState::to_do});
  }
  BlockedOutput blocked(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    BatchItem item;
    item.planned = &items[i];
    item.record.status = endings[i].status;
    item.system_error = endings[i].system_error;
    blocked.count(item);
    if (blocked.is_certain()) {
      return i + 1;
    }
  }
  return 0;
}

TEST(BlockedOutput, BlocksAfterFiveConsecutiveFailures) {
  for (const int error : {ENOSPC, EDQUOT, EROFS, EACCES, EPERM}) {
    EXPECT_EQ(blocked_after(std::vector<Ending>(9, Ending{error})), 5U) << error;
    EXPECT_EQ(blocked_after(std::vector<Ending>(4, Ending{error})), 0U) << error;
  }
  for (const int error : {0, EFBIG, ENAMETOOLONG, EMFILE, EIO}) {
    EXPECT_EQ(blocked_after(std::vector<Ending>(9, Ending{error})), 0U) << error;
  }
}

TEST(BlockedOutput, ASuccessOrAnotherErrorResetsTheCount) {
  const Ending full{ENOSPC};
  const Ending done{0, "out/a.png", ItemStatus::done};
  const Ending skipped{0, "out/a.png", ItemStatus::skipped};
  EXPECT_EQ(blocked_after({full, full, done, full, full, full, full}), 0U);
  EXPECT_EQ(blocked_after({full, full, Ending{EROFS}, full, full, full, full}), 0U);
  EXPECT_EQ(blocked_after({full, full, skipped, full, full, full, full}), 6U);
}

TEST(BlockedOutput, AnUnwritableFolderDoesNotBlockOthers) {
  std::vector<Ending> endings(8, Ending{EACCES, "a/1.png"});
  EXPECT_EQ(blocked_after(endings), 5U);
  endings.push_back({0, "b/1.png", ItemStatus::done});
  EXPECT_EQ(blocked_after(endings), 0U);
  for (Ending& ending : endings) {
    ending.system_error = ENOSPC;
  }
  EXPECT_EQ(blocked_after(endings), 5U);
}

}  // namespace
}  // namespace gpuimg::test_batch_failures
