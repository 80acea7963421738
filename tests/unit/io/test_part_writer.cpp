// Several threads write parts of one file: its bytes, its length, and the messages for missing space or permissions.
// The files are in memory, so the writer uses mappings. fault_sweep makes every system call fail in turn.
#include "io/temporary_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gpuimg/error.hpp"
#include "support/emulation.hpp"
#include "support/temporary_folder.hpp"

namespace {

std::atomic<bool> has_busy_writer = false;

}  // namespace

// PartWriter calls this to find out whether another thread is writing. The linker redirects the calls to this function.
extern "C" {
int __real_pthread_mutex_trylock(pthread_mutex_t* mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {
  return has_busy_writer ? EBUSY : __real_pthread_mutex_trylock(mutex);
}
}

namespace gpuimg::test_part_writer {
namespace {

/// While this object exists, every part seems to find another thread writing: up to four threads use a mapping, and
/// others wait for the writer. Without it, threads rarely coincide on a busy machine.
struct BusyWriter {
  BusyWriter() { has_busy_writer = true; }
  ~BusyWriter() { has_busy_writer = false; }
};

using test::TemporaryFolder;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

/// A file in tmpfs that has no name in any folder.
class FileInMemory {
 public:
  FileInMemory() : file_(::memfd_create("part_writer", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {}

  [[nodiscard]] int number() const { return file_.number(); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number()); }
  [[nodiscard]] std::size_t size() const {
    struct stat found {};
    EXPECT_EQ(::fstat(number(), &found), 0);
    return static_cast<std::size_t>(found.st_size);
  }
  [[nodiscard]] Bytes content() const {
    Bytes bytes(size());
    EXPECT_EQ(::pread(number(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return bytes;
  }

 private:
  Descriptor file_;
};

Bytes random_bytes(std::size_t size, std::mt19937& random) {
  Bytes bytes(size);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
  return bytes;
}

/// The end offsets of parts with 1 to `most` bytes.
std::vector<std::size_t> ends_of_parts(std::size_t size, std::size_t most, std::mt19937& random) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < size;) {
    end = std::min(size, end + 1 + random() % most);
    ends.push_back(end);
  }
  return ends;
}

/// Writes the parts that end at `ends`, in random order. After all threads have ended, rethrows the first error.
void write_parts(PartWriter& writer, const Bytes& content, const std::vector<std::size_t>& ends, int threads,
                 std::mt19937& random) {
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
  std::vector<std::thread> pool;
  for (std::exception_ptr& failure : failures) {
    pool.emplace_back([&] {
      try {
        for (std::size_t i; (i = next++) < order.size();) {
          const std::size_t begin = order[i] == 0 ? 0 : ends[order[i] - 1];
          writer.write_at(begin, std::span(content).subspan(begin, ends[order[i]] - begin));
        }
      } catch (...) {
        failure = std::current_exception();
      }
    });
  }
  for (std::thread& thread : pool) {
    thread.join();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

/// Writes `content` in parts of up to `most` bytes. Returns true if a mapping was used, which makes the file longer
/// during the write.
bool write_and_compare(const Bytes& content, std::size_t most, int threads, std::mt19937& random) {
  const FileInMemory file;
  const std::string path = file.path();
  const std::string shown = "out.tar";
  PartWriter writer(file.number(), path, shown);
  write_parts(writer, content, ends_of_parts(content.size(), most, random), threads, random);
  const bool is_mapped = file.size() > content.size();
  writer.finish(0);
  EXPECT_TRUE(file.content() == content) << threads << " threads, parts of up to " << most << " bytes";
  return is_mapped;
}

TEST(PartWriter, WritesTheSameBytesFromAnyNumberOfThreads) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const std::size_t most : {std::size_t{300}, std::size_t{20'000}, 3 * kMegabyte}) {
    const Bytes content = random_bytes(std::min(1000 * most, 6 * kMegabyte) + 1, random);
    EXPECT_FALSE(write_and_compare(content, most, 1, random)) << "one thread alone has no reason to use a mapping";
    write_and_compare(content, most, 2, random);
    write_and_compare(content, most, 8, random);
    const BusyWriter busy;
    EXPECT_TRUE(write_and_compare(content, most, 8, random)) << "parts of up to " << most << " bytes";
  }
}

/// More windows than stay mapped at a time; each part spans two windows.
TEST(PartWriter, WritesPartsThatAreFarApart) {
  constexpr std::size_t kApart = 64 * kMegabyte;
  constexpr std::size_t kParts = 12;
  constexpr std::size_t kThreads = 4;  // all of them can use mappings
  const std::string shown = "out.tar";
  std::mt19937 random(1);
  const Bytes content = random_bytes(kParts * 200'001, random);
  const std::size_t size = content.size() / kParts;
  const FileInMemory file;
  const std::string path = file.path();
  PartWriter writer(file.number(), path, shown);
  const auto place = [&](std::size_t i) { return (i + 1) * kApart - size / 2; };
  const BusyWriter busy;
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < kThreads; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < kParts; i += kThreads) {
        writer.write_at(place(i), std::span(content).subspan(i * size, size));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_GT(file.size(), place(kParts - 1) + size) << "no mapping was used";
  writer.finish(0);
  ASSERT_EQ(file.size(), place(kParts - 1) + size);
  for (std::size_t i = 0; i < kParts; ++i) {
    Bytes found(size);
    ASSERT_EQ(::pread(file.number(), found.data(), size, static_cast<off_t>(place(i))), static_cast<ssize_t>(size));
    EXPECT_TRUE(std::ranges::equal(found, std::span(content).subspan(i * size, size))) << "part " << i;
  }
}

TEST(PartWriter, TheFileEndsAfterItsLastByte) {
  const std::string shown = "out.tar";
  std::mt19937 random(1);
  const Bytes content = random_bytes(3 * kMegabyte, random);
  for (const std::size_t appended : {std::size_t{0}, content.size() - 1, content.size() + 5000}) {
    const FileInMemory file;
    const std::string path = file.path();
    ASSERT_EQ(::ftruncate(file.number(), static_cast<off_t>(appended)), 0);
    PartWriter writer(file.number(), path, shown);
    const BusyWriter busy;
    write_parts(writer, content, ends_of_parts(content.size(), 10'000, random), 8, random);
    EXPECT_GT(file.size(), std::max(content.size(), appended)) << "no mapping was used";
    writer.finish(appended);
    EXPECT_EQ(file.size(), std::max(content.size(), appended));
  }
}

TEST(PartWriter, WritesTheSameBytesWithoutAMapping) {
  const std::string shown = "out.tar";
  const std::string missing = "/nowhere/at/all";
  std::mt19937 random(2);
  const Bytes content = random_bytes(8 * kMegabyte, random);
  const std::vector<std::size_t> ends = ends_of_parts(content.size(), kMegabyte, random);
  {
    const FileInMemory file;  // sealed against growth, so the writer cannot extend it for a mapping
    const std::string path = file.path();
    ASSERT_EQ(::ftruncate(file.number(), static_cast<off_t>(content.size())), 0);
    ASSERT_EQ(::fcntl(file.number(), F_ADD_SEALS, F_SEAL_GROW), 0);
    PartWriter writer(file.number(), path, shown);
    write_parts(writer, content, ends, 8, random);
    writer.finish(0);
    EXPECT_TRUE(file.content() == content);
  }
  {
    const FileInMemory file;  // such a file cannot be opened for reading
    PartWriter writer(file.number(), missing, shown);
    write_parts(writer, content, ends, 8, random);
    EXPECT_EQ(file.size(), content.size());
    writer.finish(0);
    EXPECT_TRUE(file.content() == content);
  }
  {
    const TemporaryFolder folder;  // usually on a disk
    const std::string path = folder / "out.tar";
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    PartWriter writer(file.number(), path, shown);
    write_parts(writer, content, ends, 8, random);
    writer.finish(0);
    const std::string text = test::text_in(path);
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(text)), content));
  }
}

constexpr int kSkipped = 77;

/// Runs the action in a child process and returns its exit status; negative for a signal.
int status_of(const std::function<int()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(action());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// 0 if the file gets the right bytes, 1 for an error whose message contains `expected`, 2 for anything else.
int outcome(const std::string& path, const Bytes& content, std::size_t most, const std::string& expected,
            std::mt19937& random) {
  const std::string shown = "out.tar";
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  PartWriter writer(file.number(), path, shown);
  try {
    write_parts(writer, content, ends_of_parts(content.size(), most, random), 4, random);
    writer.finish(0);
  } catch (const Error& error) {
    const bool is_expected = std::string(error.what()).find(expected) != std::string::npos;
    return is_expected && error.kind() == ErrorKind::write ? 1 : 2;
  }
  const std::string text = test::text_in(path);
  return std::ranges::equal(std::as_bytes(std::span(text)), content) ? 0 : 2;
}

TEST(PartWriter, TheFileSizeLimitAppliesOnlyToTheContent) {
  const auto limited = [](std::size_t limit) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit of_files{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &of_files);
    std::mt19937 random(3);
    const Bytes content = random_bytes(2 * kMegabyte, random);
    const FileInMemory file;
    return outcome(file.path(), content, 50'000, "ulimit -f", random);
  };
  EXPECT_EQ(status_of([&] { return limited(2 * kMegabyte); }), 0);
  EXPECT_EQ(status_of([&] { return limited(2 * kMegabyte - 1); }), 1);
}

/// Mounts a small tmpfs at `folder`, visible only to this process.
bool has_own_disk(const std::string& folder) {
  const bool is_apart = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  return is_apart && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=4k") == 0;
}

TEST(PartWriter, AFullDiskIsAnErrorForAnyAmountThatFits) {
  if (test::is_emulated()) {
    GTEST_SKIP() << "the emulator ignores MADV_POPULATE_WRITE, so a full disk is a bus error";
  }
  const TemporaryFolder folder;
  const int status = status_of([&] {
    if (!has_own_disk(folder / "")) {
      return kSkipped;
    }
    std::mt19937 random(4);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const Bytes content = random_bytes(64 * page, random);
    for (std::size_t pages = 1; pages <= 66; ++pages) {
      const std::string size = "size=" + std::to_string(pages * page);
      if (::mount("tmpfs", (folder / "").c_str(), "tmpfs", MS_REMOUNT, size.c_str()) != 0) {
        return 3;
      }
      for (const std::size_t most : {page / 3, 10 * page}) {
        const int found = outcome(folder / "out.tar", content, most, "disk is full", random);
        ::unlink((folder / "out.tar").c_str());
        const bool may_fail = pages < 65;  // while the file is longer than its content, its last page also needs space
        const bool must_fail = pages < 64;
        if (found > 1 || (found == 0 && must_fail) || (found == 1 && !may_fail)) {
          return 10 + found;
        }
      }
    }
    return 0;
  });
  if (status == kSkipped) {
    GTEST_SKIP() << "no permission to mount a small disk";
  }
  EXPECT_EQ(status, 0) << "a negative number is a signal";
}

}  // namespace
}  // namespace gpuimg::test_part_writer
