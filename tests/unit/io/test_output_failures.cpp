// Write failures and standard output; each case runs in a child process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/output_file.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_output_failures {
namespace {

using test::put_text;
using test::TemporaryFolder;
using test::text_in;
using Names = std::vector<std::string>;

constexpr OverwriteRules kCareful{};
constexpr OverwriteRules kForce{.force = true};

void write(const std::string& path, const std::string& text, const OverwriteRules& rules = kCareful) {
  write_output(path, std::as_bytes(std::span(text)), rules);
}

/// Runs the action in a child process and returns its exit status: 0 on success, 10 + kind for an Error whose message
/// contains `expected`, 9 for another message, 8 for OutputClosed.
int status_of(const std::function<void()>& action, const std::string& expected) {
  std::fflush(stdout);  // otherwise the child would write the buffered text again when it exits
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

TEST(OutputFile, RejectsAnUnwritableFolder) {
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

TEST(OutputFile, AWritePastTheFileSizeLimitLeavesNothingBehind) {
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

TEST(OutputFile, WritesToStandardOutput) {
  const TemporaryFolder folder;
  const std::string content(200'000, 'x');
  check_output("-", "", kCareful);
  EXPECT_EQ(status_of([&] { become_output(folder / "a", O_CREAT | O_WRONLY), write("-", content); }, ""), 0);
  EXPECT_EQ(text_in(folder / "a"), content);
  EXPECT_EQ(status_of([&] { become_output("/dev/full", O_WRONLY), write("-", content); }, "disk is full"), kWriteError);
  EXPECT_EQ(status_of([&] { ::close(STDOUT_FILENO), write("-", content); }, "standard output"), kWriteError);
}

TEST(OutputFile, AClosedPipeIsReportedSeparately) {
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
}  // namespace gpuimg::test_output_failures
