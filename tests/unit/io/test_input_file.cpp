// Reading inputs: the complete content, and error messages.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test_input_file {
namespace {

using namespace test;

std::string text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data.get()), bytes.size}; }

/// Lends memory of `owner` until the Bytes are destroyed.
ByteMemory lent_by(const std::shared_ptr<std::vector<std::byte>>& owner, std::size_t bytes) {
  owner->resize(bytes);
  return {owner->data(), ByteDeleter(owner)};
}

TEST(InputFile, ReadsAFileIntoLentMemory) {
  const TemporaryFolder folder;
  put_text(folder / "file", "content");
  const auto owner = std::make_shared<std::vector<std::byte>>();
  {
    const Bytes bytes = read_input(folder / "file", [&](std::size_t size) { return lent_by(owner, size); });
    EXPECT_EQ(bytes.data.get(), owner->data());
    EXPECT_EQ(text_of(bytes), "content");
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(text_of(read_input(folder / "file", [](std::size_t) { return ByteMemory(); })), "content");
}

TEST(InputFile, AFileLongerThanReportedIsMovedOutOfLentMemory) {
  const auto owner = std::make_shared<std::vector<std::byte>>();
  const Bytes bytes = read_input("/proc/self/status", [&](std::size_t size) { return lent_by(owner, size); });
  EXPECT_GT(bytes.size, 0U);
  EXPECT_NE(text_of(bytes).find("VmSize"), std::string::npos);
}

::testing::AssertionResult cannot_read(const std::string& path, const std::string& part) {
  try {
    read_input(path);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (error.kind() == ErrorKind::read && message.find(part) != std::string::npos &&
        message.find('\n') == std::string::npos) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "kind " << static_cast<int>(error.kind()) << ": " << message;
  }
  return ::testing::AssertionFailure() << "was read";
}

std::string random_text(Random& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>(random.below(256));
  }
  return text;
}

/// Replaces standard input while this object exists.
class StandardInput {
 public:
  explicit StandardInput(int replacement) : kept_(::dup(STDIN_FILENO)) { ::dup2(replacement, STDIN_FILENO); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    ::dup2(kept_, STDIN_FILENO);
    ::close(kept_);
  }

 private:
  int kept_;
};

TEST(InputFile, ReadsFilesOfAnySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  const TemporaryFolder folder;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{65537}, std::size_t{3000001}}) {
    const std::string text = random_text(random, size);
    put_text(folder / "file", text);
    EXPECT_EQ(text_of(read_input(folder / "file")), text) << size;
  }
}

TEST(InputFile, ReadsASectionOfAFile) {
  const TemporaryFolder folder;
  Random random;
  const std::string text = random_text(random, 300000);
  put_text(folder / "file", text);
  const Descriptor file(::open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC));
  const FileSection section{file.number(), 1000, 200000, "file"};
  EXPECT_EQ(text_of(read_input(section)), text.substr(1000, 200000));
  PartialInput input(section);
  EXPECT_EQ(input.beginning(10).size(), 10U);
  EXPECT_FALSE(input.is_whole());
  EXPECT_EQ(input.end(5).front(), static_cast<std::byte>(text[200995]));
  const auto all = input.beginning(1 << 20);
  EXPECT_TRUE(input.is_whole());
  EXPECT_TRUE(std::equal(all.begin(), all.end(), std::as_bytes(std::span<const char>(text)).subspan(1000).begin()));
  EXPECT_EQ(all.size(), 200000U);
  ASSERT_EQ(::truncate((folder / "file").c_str(), 200999), 0);
  EXPECT_THROW(read_input(section), Error);
}

TEST(InputFile, ReadsUnusualNames) {
  const TemporaryFolder folder;
  const std::string long_name(255, 'n');
  for (const std::string& name : {std::string("-x"), std::string("new\nline"), std::string("\xFF\xFE"),
                                  std::string("a b"), std::string("\x1B[31m"), long_name}) {
    put_text(folder / name, name);
    EXPECT_EQ(text_of(read_input(folder / name)), name);
  }
}

TEST(InputFile, ReadsFilesOfUnknownSize) {
  const std::string status = text_of(read_input("/proc/self/status"));
  EXPECT_NE(status.find("Name:"), std::string::npos);
}

TEST(InputFile, ErrorsNameTheReason) {
  const TemporaryFolder folder;
  EXPECT_TRUE(cannot_read(folder / "missing.png", "file does not exist"));
  EXPECT_TRUE(cannot_read("", "file does not exist"));
  EXPECT_TRUE(cannot_read(folder / "new\nline.png", "new\\nline.png"));
  EXPECT_TRUE(cannot_read(folder / std::string(300, 'x'), "too long"));
  EXPECT_TRUE(cannot_read(folder / "", "is a folder"));
  EXPECT_TRUE(cannot_read("/dev/null", "is a device"));
  EXPECT_TRUE(cannot_read("/dev/zero", "is a device"));
  put_text(folder / "secret", "x");
  std::filesystem::permissions(folder / "secret", std::filesystem::perms::none);
  if (::geteuid() != 0) {
    EXPECT_TRUE(cannot_read(folder / "secret", "Permission denied"));
  }
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_TRUE(cannot_read(folder / "loop", "symbolic link"));
}

TEST(InputFile, RejectsFifosAndSocketsWithoutWaiting) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(cannot_read(fifo, "is a named pipe"));
  const std::string path = folder / "s";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(cannot_read(path, "is a socket"));
  ::close(listener);
}

TEST(InputFile, ReadsStandardInputFromAPipeAndAFile) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::string text = random_text(random, 1000003);
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t count = ::write(ends[1], text.data() + at, std::min<std::size_t>(text.size() - at, 5000));
      at += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    ::close(ends[1]);
  });
  {
    const StandardInput input(ends[0]);
    EXPECT_EQ(text_of(read_input("-")), text);
  }
  writer.join();
  ::close(ends[0]);

  const TemporaryFolder folder;
  put_text(folder / "file", text);
  const int file = ::open((folder / "file").c_str(), O_RDONLY);
  const StandardInput input(file);
  EXPECT_EQ(text_of(read_input("-")), text);
  ::close(file);
}

TEST(InputFile, ReportsUnreadableStandardInput) {
  const int folder = ::open("/", O_RDONLY);
  const StandardInput input(folder);
  EXPECT_TRUE(cannot_read("-", "standard input"));
  ::close(folder);
}

TEST(InputFile, SurvivesFilesThatGrowOrShrink) {
  const TemporaryFolder folder;
  const std::string path = folder / "changing";
  put_text(path, std::string(1 << 20, 'a'));
  std::atomic<bool> done = false;
  std::thread changer([&] {
    for (int i = 0; !done; ++i) {
      std::filesystem::resize_file(path, static_cast<std::uintmax_t>(i % 7) << 18);
    }
  });
  for (int i = 0; i < 300; ++i) {
    EXPECT_LE(read_input(path).size, std::size_t{8} << 20);
  }
  done = true;
  changer.join();
}

}  // namespace
}  // namespace gpuimg::test_input_file
