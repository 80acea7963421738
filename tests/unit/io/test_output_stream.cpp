// Names of standard output, and FIFOs. docs/cli.md, "Output files".
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "io/output_file.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_output_stream {
namespace {

using test::TemporaryFolder;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string made_fifo(const std::string& path) {
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
  return path;
}

/// Reads at most `max_bytes` bytes, then closes the pipe.
std::string read_from(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY));
  std::string text(max_bytes, '\0');
  std::size_t size = 0;
  while (size < max_bytes) {
    const ssize_t more = ::read(file.number(), text.data() + size, max_bytes - size);
    if (more <= 0) {
      break;
    }
    size += static_cast<std::size_t>(more);
  }
  return text.substr(0, size);
}

TEST(OutputStream, RecognizesTheNamesOfStandardOutput) {
  const TemporaryFolder folder;
  const std::string pid = std::to_string(::getpid());
  std::filesystem::create_symlink("/dev/fd/1", folder / "link");
  std::filesystem::create_symlink("link", folder / "link_to_link");
  for (const std::string& name : {std::string("-"), std::string("/dev/fd/1"), std::string("/proc/self/fd/1"),
                                  std::string("/proc/self/fd/../fd/1"), std::string("/proc/thread-self/fd/1"),
                                  "/proc/" + pid + "/fd/1", folder / "link", folder / "link_to_link"}) {
    EXPECT_TRUE(is_standard_output(name)) << name;
    EXPECT_FALSE(is_other_standard_stream(name)) << name;
    EXPECT_TRUE(is_untyped_stream(name)) << name;
  }
  std::filesystem::create_symlink("circle", folder / "circle");
  for (const std::string& name : {std::string("1"), std::string("./-"), std::string(""), std::string("/proc/1/fd/1"),
                                  std::string("/dev/null"), folder / "1", folder / "circle"}) {
    EXPECT_FALSE(is_standard_output(name)) << name;
  }
  EXPECT_TRUE(is_other_standard_stream("/dev/fd/0"));
  EXPECT_TRUE(is_other_standard_stream("/dev/fd/2"));
}

TEST(OutputStream, WritesMoreThanAFifoHolds) {
  const TemporaryFolder folder;
  const std::string path = made_fifo(folder / "pipe");
  const std::string content(3'000'000, 'x');
  std::string got;
  std::thread reader([&] { got = read_from(path, content.size() + 1); });
  check_output(path, "", {});
  write_output(path, bytes_of(content), {});
  reader.join();
  EXPECT_EQ(got, content);
}

TEST(OutputStream, RejectsAFifoWithoutAReader) {
  const TemporaryFolder folder;
  const std::string path = made_fifo(folder / "pipe");
  try {
    const FifoOutput output(path);
    ADD_FAILURE() << "was not rejected";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("no program reads"), std::string::npos) << error.what();
  }
}

TEST(OutputStream, AReaderThatClosesEarlyIsAnError) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const TemporaryFolder folder;
  const std::string path = made_fifo(folder / "pipe");
  std::thread reader([&] { EXPECT_EQ(read_from(path, 3).size(), 3U); });
  const FifoOutput output(path);
  const std::string content(3'000'000, 'x');
  EXPECT_THROW(output.write(bytes_of(content)), OutputError);
  reader.join();
  std::signal(SIGPIPE, before);
}

TEST(OutputStream, AReaderSeesEndOfFileIfNothingIsWritten) {
  const TemporaryFolder folder;
  const std::string path = made_fifo(folder / "pipe");
  std::string got = "unchanged";
  std::thread reader([&] { got = read_from(path, 1); });
  { const FifoOutput output(path); }
  reader.join();
  EXPECT_EQ(got, "");
}

}  // namespace
}  // namespace gpuimg::test_output_stream
