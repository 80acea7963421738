// The outputs of one input that are fifos.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "engine/item_outputs.hpp"
#include "io/descriptor.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg {
namespace {

using test::TemporaryFolder;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Counts how often writers have closed a file.
class ClosedWriters {
 public:
  explicit ClosedWriters(const std::string& path) : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    // Successive events that are equal come as one, so an open is between two closes.
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

/// A reader that is between two writers sees end of file and leaves.
TEST(ItemOutputs, AFifoHasOneWriterForAllParts) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Descriptor reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const ClosedWriters writers(path);
  const std::string lent = "in the middle";
  for (const bool is_checked : {true, false}) {  // what a run merges is checked elsewhere
    SCOPED_TRACE(is_checked);
    PhaseTimes times;
    ItemOutputs outputs(times, {});
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

}  // namespace
}  // namespace gpuimg
