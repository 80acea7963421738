// Images in bands of rows whose operation runs on a device: the files equal those of the CPU. The device is a host
// twin.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "codecs/image_writer.hpp"
#include "engine/memory.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/sanitizers.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_bands_on_a_device {
namespace {

using namespace test;

using Words = std::vector<std::string>;

/// The images take at least 12 MB; a band on a device has 8 MB.
class BandsOnADevice : public ::testing::Test {
 protected:
  static constexpr int kWidth = 2003;
  static constexpr int kHeight = 2001;

  void SetUp() override { twin_device().reset(); }
  void TearDown() override { twin_device().reset(); }

  std::string image(const std::string& name, codecs::FileFormat file_format, PixelFormat format) {
    const Image pixels = any_image(random_, kWidth, kHeight, format);
    codecs::WriteOptions options;
    options.png_level = 0;
    put_bytes(folder_ / name, codecs::encode_image(pixels.view(), file_format, name, options));
    return folder_ / name;
  }

  CommandRun run(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--force", "-q"});
    return run_command(words);
  }

  /// `of_the_device` returns additional words for the device's command. Returns the number of pictures uploaded to the
  /// device.
  template <class MakeWords>
  int expect_files_of_the_cpu(const Words& words, const std::string& in, const std::string& extension,
                              const MakeWords& of_the_device) {
    const std::string expected = folder_ / ("cpu." + extension);
    const std::string found = folder_ / ("cuda." + extension);
    EXPECT_EQ(run(words, {in, expected, "--backend", "cpu"}).code, ExitCode::ok);
    const int before = twin_device().uploaded;
    Words more = {in, found, "--backend", "cuda"};
    const Words others = of_the_device();
    more.insert(more.end(), others.begin(), others.end());
    const CommandRun done = run(words, more);
    EXPECT_EQ(done.code, ExitCode::ok) << done.err;
    EXPECT_EQ(text_in(found), text_in(expected)) << words.front() << " " << in << " " << words.back();
    return twin_device().uploaded - before;
  }

  TemporaryFolder folder_;
  Random random_;
};

TEST_F(BandsOnADevice, RunOperationsOfOnePass) {
  SCOPED_TRACE(random_.trace());
  const std::string bmp = image("a.bmp", codecs::FileFormat::bmp, {Sample::u8, 3});
  const std::string deep = image("deep.pnm", codecs::FileFormat::pnm, {Sample::u16, 3});
  const auto expect_bands = [&](const std::string& in, const Words& others) {
    const auto more = [&] { return others; };
    EXPECT_GT(expect_files_of_the_cpu({"hist", "--channel", "rgb"}, in, "csv", more), 1);
    EXPECT_GT(expect_files_of_the_cpu({"integral"}, in, "npy", more), 1);
    EXPECT_GT(expect_files_of_the_cpu({"hsl"}, in, "npy", more), 1);
  };
  expect_bands(bmp, {});
  expect_bands(deep, {});
  expect_bands(bmp, {"--threads", "1", "--max-device-memory", "2M"});
}

TEST_F(BandsOnADevice, RunImagesThatExceedTheMemoryLimit) {
  if (kHasSanitizer) {
    GTEST_SKIP() << "a sanitizer's memory grows while a command runs, and counts";
  }
  SCOPED_TRACE(random_.trace());
  const std::string png = image("a.png", codecs::FileFormat::png, {Sample::u8, 4});
  const auto little = [] {  // in addition to the process's memory; file and image take 16 MB each
    constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;
    constexpr std::uint64_t kRoom = std::uint64_t{26} << 20;
    return Words{"--max-memory", std::to_string(kMuch - memory_for_images(kMuch) + kRoom)};
  };
  for (const Words& words : {Words{"equalize"}, Words{"equalize", "--clahe"}, Words{"threshold"},
                             Words{"hsl", "--hue", "30"}, Words{"integral", "--mean", "9"}}) {
    EXPECT_GT(expect_files_of_the_cpu(words, png, "png", little), 1);
  }
}

TEST_F(BandsOnADevice, MoveToTheCpuIfTheDeviceHasNoMemory) {
  SCOPED_TRACE(random_.trace());
  const std::string png = image("a.png", codecs::FileFormat::png, {Sample::u8, 3});
  twin_device().rejected_operations = 1000;
  const CommandRun rejected = run({"integral"}, {png, folder_ / "a.npy", "--backend", "cuda"});
  EXPECT_EQ(rejected.code, ExitCode::out_of_memory) << rejected.err;
  EXPECT_FALSE(std::ifstream(folder_ / "a.npy").good());
}

TEST_F(BandsOnADevice, AreNotUsedForJpeg) {
  const Image pixels = smooth_image(random_, kWidth, kHeight, {Sample::u8, 3});
  put_bytes(folder_ / "a.jpg", make_jpeg(pixels.view(), {}));
  const int decoded = twin_device().decoded;
  (void)expect_files_of_the_cpu({"integral"}, folder_ / "a.jpg", "npy", [] { return Words(); });
  EXPECT_GT(twin_device().decoded, decoded);
}

}  // namespace
}  // namespace gpuimg::test_bands_on_a_device
