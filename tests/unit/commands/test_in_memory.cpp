// The command line for programs that have images in memory: steps and jobs given as words, and decoded images.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"
#include "commands/commands.hpp"
#include "engine/image_job.hpp"
#include "engine/worker.hpp"

namespace gpuimg {
namespace {

using Words = std::vector<std::string>;

std::string rejection_of(const Words& words) {
  try {
    (void)CommandLine::steps_of(all_commands(), words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(InMemory, StepsAreParsedFromWords) {
  const auto steps =
      CommandLine::steps_of(all_commands(), {"resize", "--size", "50%", "--then", "rotate", "90", "--then", "convert"});
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_TRUE(steps[0].text.starts_with("resize --size 50%")) << steps[0].text;
  EXPECT_EQ(steps[0].step->traits({10, 20, {}}).result.width, 5);
  EXPECT_EQ(steps[1].step->traits({10, 20, {}}).result.width, 20);
  EXPECT_EQ(steps[2].step, nullptr);
}

TEST(InMemory, WordsThatAreNotStepsAreRejected) {
  EXPECT_TRUE(rejection_of({"hist"}).starts_with("hist makes numbers"));
  EXPECT_TRUE(rejection_of({"equalize", "--depth", "8"}).starts_with("--depth: does not belong to a step"));
  EXPECT_TRUE(rejection_of({"flip", "horizontal", "in.png"}).starts_with("in.png: does not belong to a step"));
  EXPECT_TRUE(rejection_of({"resize"}).starts_with("resize: --size: is missing"));
  EXPECT_NE(rejection_of({"nothing"}), "");
  EXPECT_NE(rejection_of({}), "");
  EXPECT_NE(rejection_of({"equalize", "--colour", "rgb"}).find("--color"), std::string::npos);
}

TEST(InMemory, AJobAcceptsADecodedImage) {
  Image pixels(3, 2, {Sample::u8, 1});
  std::memset(pixels.view().data, 1, pixels.size_bytes());
  GlobalOptions options;
  options.backend = BackendKind::cpu;
  Worker worker(options, Worker::Role::batch);
  std::string content;
  CommandLine line(all_commands(), [] { return std::string(); });
  line.pass_job({"integral", "--layout", "inclusive", "IN", "sums.csv"}, [&](ImageJob& job) {
    codecs::DecodedImage decoded;
    decoded.image = std::move(pixels);
    worker.begin_member("IN", std::move(decoded));
    EXPECT_TRUE(worker.loader.holds_member("IN"));
    EXPECT_EQ(job.run(worker, {"IN", "sums.csv"}), nullptr);
    EXPECT_FALSE(worker.loader.holds_member("IN"));
    for (const ItemOutputs::Kept& kept : worker.writer.take_kept()) {
      kept.content->for_each_part([&](std::span<const std::byte> part) {
        content.append(reinterpret_cast<const char*>(part.data()), part.size());
      });
    }
  });
  EXPECT_EQ(content, "1,2,3\n2,4,6\n");
}

TEST(InMemory, AMistakeIsThrownRatherThanPrinted) {
  CommandLine line(all_commands(), [] { return std::string(); });
  testing::internal::CaptureStderr();
  EXPECT_THROW(line.pass_job({"equalize", "--color", "purple", "IN", "OUT.png"}, [](ImageJob&) { FAIL(); }), Error);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace gpuimg
