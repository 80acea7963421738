// The outputs of one input: FIFOs as outputs, and files that text must not replace.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/item_outputs.hpp"
#include "io/system_handles.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_item_outputs {
namespace {

using test::TemporaryFolder;

const std::vector<std::string> kNoInputs;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Counts how often writers close a file.
class ClosedWriters {
 public:
  explicit ClosedWriters(const std::string& path) : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    // inotify merges equal consecutive events; an open event separates two close events.
    EXPECT_GE(::inotify_add_watch(events_.number(), path.c_str(), IN_OPEN | IN_CLOSE_WRITE), 0);
  }

  [[nodiscard]] int count() const {
    inotify_event event{};
    int closed = 0;
    while (::read(events_.number(), &event, sizeof event) == sizeof event) {
      closed += (event.mask & IN_CLOSE_WRITE) != 0 ? 1 : 0;
    }
    return closed;
  }

 private:
  Descriptor events_;
};

std::string read_all(const Descriptor& file) {
  std::string text;
  std::array<char, 100> part{};
  for (ssize_t size = 0; (size = ::read(file.number(), part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  return text;
}

/// A reader between two writers would see the end of the file and stop reading.
TEST(ItemOutputs, OpenAFifoOnceForAllParts) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Descriptor reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const ClosedWriters writers(path);
  const std::string lent = "in the middle";
  for (const bool is_checked : {true, false}) {  // the outputs of a run with --merge are checked elsewhere
    SCOPED_TRACE(is_checked);
    PhaseTimes times;
    ItemOutputs outputs(times, {}, kNoInputs);
    if (is_checked) {
      outputs.check(path, "", true);
    }
    outputs.stage(path, Phase::encode,
                  [&](const FileParts& to) {
                    to.append(bytes_of("before "));
                    to.append(bytes_of(lent));
                    to.append(bytes_of(" and after"));
                  },
                  {bytes_of(lent), nullptr});
    outputs.commit([](const Message&) {});
    EXPECT_EQ(read_all(reader), "before in the middle and after");
    EXPECT_EQ(writers.count(), 1);
  }
}

/// The kind of an error; nullopt if there is none.
template <class Step>
std::optional<ErrorKind> error_of(const Step& step) {
  try {
    step();
    return std::nullopt;
  } catch (const Error& error) {
    return error.kind();
  }
}

TEST(ItemOutputs, DoNotReplaceAnImageOrInputWithText) {
  const TemporaryFolder folder;
  const std::string qoi = "qoif, of a format that gpuimg does not read";
  const std::vector<std::string> inputs = {folder / "in.json"};
  test::put_text(folder / "photo.csv", qoi);
  test::put_text(folder / "in.json", "{}");
  test::put_text(folder / "old.csv", "bin,luma\n");
  ASSERT_EQ(::link(inputs.front().c_str(), (folder / "link.json").c_str()), 0);
  ASSERT_EQ(::symlink("photo.csv", (folder / "link.csv").c_str()), 0);
  const std::string text = "text";
  const auto stage = [&](const std::string& name) {
    return error_of([&] {
      PhaseTimes times;
      ItemOutputs outputs(times, {true, true}, inputs);
      outputs.stage_text(folder / name, {bytes_of(text), nullptr});
      outputs.commit([](const Message&) {});
    });
  };
  EXPECT_EQ(stage("photo.csv"), ErrorKind::write);
  EXPECT_EQ(stage("link.csv"), ErrorKind::write);
  EXPECT_EQ(stage("in.json"), ErrorKind::write);
  EXPECT_EQ(stage("link.json"), ErrorKind::write);
  EXPECT_EQ(stage("new.PNG"), ErrorKind::usage);
  EXPECT_EQ(stage("old.csv"), std::nullopt);
  EXPECT_EQ(stage("new.csv"), std::nullopt);
  EXPECT_EQ(test::text_in(folder / "photo.csv"), qoi);
  EXPECT_EQ(test::text_in(folder / "link.json"), "{}");
  EXPECT_EQ(test::text_in(folder / "old.csv"), text);
  EXPECT_EQ(error_of([&] { check_text_output("/dev/stdout", inputs); }), std::nullopt);
}

}  // namespace
}  // namespace gpuimg::test_item_outputs
