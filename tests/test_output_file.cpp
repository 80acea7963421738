// Outputs are whole or absent: what is refused, what is replaced, and that nothing is left behind when writing fails.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "files/output_file.hpp"
#include "files/temporary_file.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg {
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

void expect_refused(const std::function<void()>& action, const std::string& part_of_message) {
  try {
    action();
    ADD_FAILURE() << "was not refused";
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
  expect_refused([&] { check_output(folder / "a", "", kCareful); }, "--force");
  expect_refused([&] { check_output(folder / "a", "", kInPlace); }, "--force");
  expect_refused([&] { write(folder / "a", "new"); }, "--force");
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

TEST(OutputFile, SymbolicLinksAreFollowedAndStay) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  put_text(folder / "real/file", "old");
  std::filesystem::create_symlink("real/file", folder / "link");
  expect_refused([&] { write(folder / "link", "new"); }, "--force");
  check_output(folder / "link", "", kForce);
  write(folder / "link", "new", kForce);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(text_in(folder / "real/file"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "real"), {}), 1);
}

TEST(OutputFile, LinksToNothingAndInCirclesAreRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  std::filesystem::create_symlink("circle", folder / "circle");
  for (const OverwriteRules& rules : {kCareful, kForce}) {
    expect_refused([&] { check_output(folder / "dangling", "", rules); }, "symbolic link");
    expect_refused([&] { write(folder / "dangling", "new", rules); }, "symbolic link");
    expect_refused([&] { check_output(folder / "circle", "", rules); }, "circle");
  }
  EXPECT_EQ(folder.names(), (Names{"circle", "dangling"}));
}

TEST(OutputFile, TheInputIsKnownUnderEveryAlias) {
  const TemporaryFolder folder;
  put_text(folder / "in", "input");
  std::filesystem::create_symlink("in", folder / "symbolic");
  std::filesystem::create_hard_link(folder / "in", folder / "hard");
  std::filesystem::create_directory(folder / "sub");
  for (const char* alias : {"in", "./in", "symbolic", "hard", "sub/../in"}) {
    SCOPED_TRACE(alias);
    for (const OverwriteRules& rules : {kCareful, kForce}) {
      expect_refused([&] { check_output(folder / alias, folder / "in", rules); }, "--in-place");
      expect_refused([&] { check_output(folder / "in", folder / alias, rules); }, "--in-place");
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

TEST(OutputFile, AFileThatAppearsMeanwhileIsNotReplaced) {
  const TemporaryFolder folder;
  check_output(folder / "a", "", kCareful);
  put_text(folder / "a", "someone else's");
  expect_refused([&] { write(folder / "a", "new"); }, "--force");
  EXPECT_EQ(text_in(folder / "a"), "someone else's");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, AFileThatAppearsAtTheLastMomentIsNotReplaced) {
  const TemporaryFolder folder;
  {
    TemporaryFile file(folder / "a", folder / "a");
    file.write(bytes_of("new"));
    file.flush();
    put_text(folder / "a", "someone else's");
    expect_refused([&] { file.become_target(); }, "--force");
  }
  EXPECT_EQ(text_in(folder / "a"), "someone else's");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(OutputFile, OnlyRegularFilesInFoldersThatExist) {
  const TemporaryFolder folder;
  put_text(folder / "file", "");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const std::vector<std::pair<std::string, std::string>> cases = {{folder / "", "folder"},
                                                                  {folder / "none/a", "does not exist"},
                                                                  {folder / "none/", "does not exist"},
                                                                  {folder / "file/a", "not a folder"},
                                                                  {folder / "fifo", "not a regular file"},
                                                                  {"/dev/full", "not a regular file"},
                                                                  {"/dev/stdout", "cannot write"},
                                                                  {"", "name"},
                                                                  {folder / std::string(256, 'n'), "too long"}};
  for (const auto& [name, words] : cases) {
    const std::string& path = name;  // a lambda of C++20 holds no structured binding, and Clang insists
    const std::string& message = words;
    SCOPED_TRACE(path);
    for (const OverwriteRules& rules : {kForce, OverwriteRules{true, true}}) {
      if (path != "/dev/stdout" || !std::filesystem::is_regular_file(path)) {
        expect_refused([&] { check_output(path, "", rules); }, message);
        expect_refused([&] { write(path, "new", rules); }, message);
      }
    }
  }
  EXPECT_EQ(folder.names(), (Names{"fifo", "file"}));
}

TEST(OutputFile, OddNamesWorkAndArePrintedEscaped) {
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
      ADD_FAILURE() << "was not refused";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find_first_of("\n\x1b"), std::string::npos) << error.what();
    }
  }
}

/// Runs the action in a process of its own and returns its exit status: 0 if it returned, 10 + kind for an Error whose
/// message holds `expected`, 9 for another message, 8 for OutputClosed.
int status_of(const std::function<void()>& action, const std::string& expected) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 0;
    try {
      action();
    } catch (const OutputClosed&) {
      status = 8;
    } catch (const Error& error) {
      const bool found = std::string(error.what()).find(expected) != std::string::npos;
      status = found ? 10 + static_cast<int>(error.kind()) : 9;
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

constexpr int kWriteError = 10 + static_cast<int>(ErrorKind::write);

TEST(OutputFile, AFolderClosedToWritingIsRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "closed");
  ASSERT_EQ(::chmod((folder / "").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((folder / "closed").c_str(), 0555), 0);
  const auto as_ordinary_user = [](const std::function<void()>& action) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) {
      ::_exit(99);
    }
    action();
  };
  const std::string path = folder / "closed/a";
  EXPECT_EQ(status_of([&] { as_ordinary_user([&] { check_output(path, "", kCareful); }); }, "permission"), kWriteError);
  EXPECT_EQ(status_of([&] { as_ordinary_user([&] { write(path, "new"); }); }, "permission"), kWriteError);
}

TEST(OutputFile, TheFileSizeLimitLeavesNothingBehind) {
  const TemporaryFolder folder;
  put_text(folder / "old", "old");
  const auto limited = [&](const std::string& name) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    write(folder / name, std::string(1'000'000, 'x'), kForce);
  };
  EXPECT_EQ(status_of([&] { limited("new"); }, "ulimit -f"), kWriteError);
  EXPECT_EQ(status_of([&] { limited("old"); }, "ulimit -f"), kWriteError);
  EXPECT_EQ(folder.names(), Names{"old"});
  EXPECT_EQ(text_in(folder / "old"), "old");
}

void become_output(const std::string& path, int flags) { ::dup2(::open(path.c_str(), flags, 0600), STDOUT_FILENO); }

TEST(OutputFile, StandardOutput) {
  const TemporaryFolder folder;
  const std::string content(200'000, 'x');
  check_output("-", "", kCareful);
  EXPECT_EQ(status_of([&] { become_output(folder / "a", O_CREAT | O_WRONLY), write("-", content); }, ""), 0);
  EXPECT_EQ(text_in(folder / "a"), content);
  EXPECT_EQ(status_of([&] { become_output("/dev/full", O_WRONLY), write("-", content); }, "disk is full"), kWriteError);
  EXPECT_EQ(status_of([&] { ::close(STDOUT_FILENO), write("-", content); }, "standard output"), kWriteError);
}

TEST(OutputFile, AReaderThatGoesAwayIsToldApart) {
  const auto into_closed_pipe = [] {
    ::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (::pipe(ends) == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      write("-", "content");
    }
  };
  EXPECT_EQ(status_of(into_closed_pipe, ""), 8);
}

TEST(OutputFile, ASlowReaderOfANonBlockingPipeGetsEverything) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string content(1'000'000, 'x');
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
    ::close(ends[0]);
    write("-", content);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::size_t received = 0;
  char buffer[4096];
  for (ssize_t got = 1; got > 0; received += static_cast<std::size_t>(got)) {
    got = ::read(ends[0], buffer, sizeof buffer);
    ASSERT_GE(got, 0);
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(received, content.size());
}

}  // namespace
}  // namespace gpuimg
