// Atomic outputs: rejected outputs, replacement, permissions.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "io/output_file.hpp"
#include "io/temporary_file.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_output_file {
namespace {

using test::put_text;
using test::TemporaryFolder;
using test::text_in;
using Names = std::vector<std::string>;

constexpr OverwriteRules kCareful{};
constexpr OverwriteRules kForce{.force = true};
constexpr OverwriteRules kInPlace{.in_place = true};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

void write(const std::string& path, const std::string& text, const OverwriteRules& rules = kCareful) {
  write_output(path, bytes_of(text), rules);
}

void expect_rejected(const std::function<void()>& action, const std::string& part_of_message) {
  try {
    action();
    ADD_FAILURE() << "was not rejected";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::write);
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
  }
}

mode_t mode_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
}

TEST(OutputFile, WritesAWholeFileAndNothingElse) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3'000'000}}) {
    const std::string name = "out" + std::to_string(size);
    const std::string content(size, 'x');
    check_output(folder / name, "", kCareful);
    write(folder / name, content);
    EXPECT_EQ(text_in(folder / name), content);
  }
  EXPECT_EQ(folder.names(), (Names{"out0", "out1", "out3000000"}));
}

TEST(OutputFile, NewFilesObeyTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write(folder / "a", "text");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "a"), 0640U);
}

TEST(OutputFile, ExistingFilesAreKeptWithoutForce) {
  const TemporaryFolder folder;
  put_text(folder / "a", "old");
  expect_rejected([&] { check_output(folder / "a", "", kCareful); }, "--force");
  expect_rejected([&] { check_output(folder / "a", "", kInPlace); }, "--force");
  expect_rejected([&] { write(folder / "a", "new"); }, "--force");
  EXPECT_EQ(text_in(folder / "a"), "old");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, ForceReplacesAndKeepsPermissions) {
  const TemporaryFolder folder;
  for (const mode_t mode : {0600U, 0444U, 0755U}) {
    put_text(folder / "a", "old");
    ASSERT_EQ(::chmod((folder / "a").c_str(), mode), 0);
    check_output(folder / "a", "", kForce);
    write(folder / "a", "new", kForce);
    EXPECT_EQ(text_in(folder / "a"), "new");
    EXPECT_EQ(mode_of(folder / "a"), mode);
    std::filesystem::remove(folder / "a");
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(OutputFile, FollowsAndKeepsSymbolicLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  put_text(folder / "real/file", "old");
  std::filesystem::create_symlink("real/file", folder / "link");
  expect_rejected([&] { write(folder / "link", "new"); }, "--force");
  check_output(folder / "link", "", kForce);
  write(folder / "link", "new", kForce);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(text_in(folder / "real/file"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "real"), {}), 1);
}

TEST(OutputFile, RejectsDanglingAndCyclicLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  std::filesystem::create_symlink("circle", folder / "circle");
  for (const OverwriteRules& rules : {kCareful, kForce}) {
    expect_rejected([&] { check_output(folder / "dangling", "", rules); }, "symbolic link");
    expect_rejected([&] { write(folder / "dangling", "new", rules); }, "symbolic link");
    expect_rejected([&] { check_output(folder / "circle", "", rules); }, "cycle");
  }
  EXPECT_EQ(folder.names(), (Names{"circle", "dangling"}));
}

TEST(OutputFile, RecognizesTheInputUnderEveryAlias) {
  const TemporaryFolder folder;
  put_text(folder / "in", "input");
  std::filesystem::create_symlink("in", folder / "symbolic");
  std::filesystem::create_hard_link(folder / "in", folder / "hard");
  std::filesystem::create_directory(folder / "sub");
  for (const char* alias : {"in", "./in", "symbolic", "hard", "sub/../in"}) {
    SCOPED_TRACE(alias);
    for (const OverwriteRules& rules : {kCareful, kForce}) {
      expect_rejected([&] { check_output(folder / alias, folder / "in", rules); }, "--in-place");
      expect_rejected([&] { check_output(folder / "in", folder / alias, rules); }, "--in-place");
    }
    check_output(folder / alias, folder / "in", kInPlace);
  }
  put_text(folder / "other", "");
  check_output(folder / "other", folder / "in", kForce);
  check_output(folder / "other", folder / "missing", kForce);
  write(folder / "in", "output", kInPlace);
  EXPECT_EQ(text_in(folder / "in"), "output");
  EXPECT_EQ(text_in(folder / "hard"), "input");
}

TEST(OutputFile, DoesNotReplaceAFileCreatedSinceTheCheck) {
  const TemporaryFolder folder;
  check_output(folder / "a", "", kCareful);
  put_text(folder / "a", "someone else's");
  expect_rejected([&] { write(folder / "a", "new"); }, "--force");
  EXPECT_EQ(text_in(folder / "a"), "someone else's");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, DoesNotReplaceAFileCreatedJustBeforeTheRename) {
  const TemporaryFolder folder;
  {
    TemporaryFile file(folder / "a", folder / "a");
    file.write(bytes_of("new"));
    file.flush();
    put_text(folder / "a", "someone else's");
    expect_rejected([&] { file.become_target(); }, "--force");
  }
  EXPECT_EQ(text_in(folder / "a"), "someone else's");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, AcceptsOnlyRegularFilesInExistingFolders) {
  const TemporaryFolder folder;
  put_text(folder / "file", "");
  const std::vector<std::pair<std::string, std::string>> cases = {{folder / "", "folder"},
                                                                  {folder / "none/a", "does not exist"},
                                                                  {folder / "none/", "does not exist"},
                                                                  {folder / "file/a", "not a folder"},
                                                                  {"/dev/full", "a device"},
                                                                  {"/dev/fd/0", "cannot be outputs"},
                                                                  {"/dev/fd/2", "cannot be outputs"},
                                                                  {"", "name"},
                                                                  {folder / std::string(256, 'n'), "too long"}};
  for (const auto& [name, words] : cases) {
    const std::string& path = name;  // Clang does not capture structured bindings in C++20 lambdas
    const std::string& message = words;
    SCOPED_TRACE(path);
    for (const OverwriteRules& rules : {kForce, OverwriteRules{true, true}}) {
      expect_rejected([&] { check_output(path, "", rules); }, message);
      expect_rejected([&] { write(path, "new", rules); }, message);
    }
  }
  EXPECT_EQ(folder.names(), Names{"file"});
}

TEST(OutputFile, UnusualNamesWorkAndAreEscapedInMessages) {
  const TemporaryFolder folder;
  const Names names = {std::string(255, 'n'), "-", "new\nline", "\xFF\xFE", "esc\x1b[31m", "sp ace", "..."};
  for (const std::string& name : names) {
    if (name != "-") {
      write(folder / name, name);
      EXPECT_EQ(text_in(folder / name), name);
    }
  }
  for (const std::string& name : {names[2], names[4]}) {
    try {
      check_output(folder / name, "", kCareful);
      ADD_FAILURE() << "was not rejected";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find_first_of("\n\x1b"), std::string::npos) << error.what();
    }
  }
}

TEST(OutputFile, OutOfMemoryIsNotReportedAsADiskError) {
  EXPECT_THROW(fail_writing("out", ENOMEM), std::bad_alloc);
  EXPECT_THROW(fail_writing("out", ENOSPC), OutputError);
}

}  // namespace
}  // namespace gpuimg::test_output_file
