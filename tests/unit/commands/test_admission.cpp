// A decoder whose pixels differ from those of the linked libjpeg is not used, and doctor reports it. The device is a
// host twin.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "engine/codec_selftest.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/sanitizers.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_admission {
namespace {

using namespace test;

std::size_t count_of(const std::string& words, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

class Admission : public ::testing::Test {
 protected:
  void SetUp() override {
    twin_device().reset();
    for (int i = 0; i < 5; ++i) {
      const FileBytes file = make_jpeg(smooth_image(random_, 60 + i, 40, {Sample::u8, 3}).view());
      put_text(folder_ / fmt::format("p{}.jpg", i), {reinterpret_cast<const char*>(file.data()), file.size()});
    }
  }
  void TearDown() override { twin_device().reset(); }

  /// The contents of all files that a batch with this backend writes, concatenated.
  std::string outputs(const std::string& backend, CommandRun& ran) {
    ran = run_command({"equalize", "--jobs", "3", "--backend", backend, "--format", "bmp", folder_ / "p0.jpg",
                       folder_ / "p1.jpg", folder_ / "p2.jpg", folder_ / "p3.jpg", folder_ / "p4.jpg",
                       folder_ / (backend + "/")});
    std::string all;
    for (int i = 0; i < 5; ++i) {
      all += text_in(folder_ / (backend + "/p" + std::to_string(i) + ".bmp"));
    }
    return all;
  }

  TemporaryFolder folder_;
  Random random_;
};

TEST_F(Admission, AWrongDecoderIsNotUsedAndReportedOnce) {
  twin_device().decodes_wrongly = true;
  CommandRun host;
  CommandRun device;
  const std::string expected = outputs("cpu", host);
  EXPECT_TRUE(outputs("cuda", device) == expected);
  EXPECT_EQ(device.code, ExitCode::ok);
  EXPECT_EQ(
      count_of("the CPU decodes JPEG: twin (device 0) does not give the pixels of the linked libjpeg", device.err), 1U)
      << device.err;
  EXPECT_EQ(twin_device().uploaded, 5);
}

TEST_F(Admission, ADecoderIsTestedOnce) {
  CommandRun ran;
  (void)outputs("cuda", ran);
  EXPECT_EQ(ran.err.find("decodes JPEG"), std::string::npos) << ran.err;
  EXPECT_EQ(twin_device().decoded, 6 + 5);
  EXPECT_EQ(twin_device().uploaded, 0);
}

TEST_F(Admission, AMissingDecoderIsNotReported) {
  twin_device().decodes = false;
  CommandRun ran;
  (void)outputs("cuda", ran);
  EXPECT_EQ(ran.err.find("decodes JPEG"), std::string::npos) << ran.err;
  EXPECT_EQ(twin_device().uploaded, 5);
}

/// A run of doctor takes long under a sanitizer, so each run checks all codecs.
TEST_F(Admission, DoctorShowsEveryCodecOfBothSides) {
  const std::pair<std::string, std::string> codecs_of_the_device[] = {
      {"decoding JPEG", "6"}, {"encoding JPEG", "6"}, {"decoding PNG", "6"}, {"encoding PNG", "7"}};
  const CommandRun good = run_command({"doctor"});
  EXPECT_EQ(good.code, ExitCode::ok);
  for (const codecs::Codec& codec : codecs::codecs()) {
    if (!can_be_tested(codec)) {
      continue;
    }
    EXPECT_NE(good.out.find("  " + std::string(codec.name) + ": "), std::string::npos) << good.out;
  }
  for (const auto& [codec, checks] : codecs_of_the_device) {
    EXPECT_NE(good.out.find(codec + ", identical to the CPU to the byte: " + checks + " checks, all good"),
              std::string::npos)
        << good.out;
  }
  twin_device().decodes_wrongly = true;
  twin_device().encodes_wrongly = true;
  const CommandRun wrong = run_command({"doctor"});
  for (const auto& [codec, checks] : codecs_of_the_device) {
    EXPECT_NE(
        wrong.out.find(codec + ", identical to the CPU to the byte: " + checks + " checks, " + checks + " FAILED"),
        std::string::npos)
        << wrong.out;
  }
  for (const char* const what : {"decodes JPEG", "encodes JPEG", "decodes PNG", "encodes PNG"}) {
    EXPECT_NE(wrong.out.find(std::string(what).append(" on the CPU")), std::string::npos) << wrong.out;
  }
}

TEST_F(Admission, DoctorShowsACodecThatTheDeviceLacks) {
  if (kHasSanitizer) {
    GTEST_SKIP() << "a run of doctor takes a minute; two others run sanitized";
  }
  twin_device().encodes = false;
  EXPECT_NE(run_command({"doctor"}).out.find("encoding JPEG: left to the CPU"), std::string::npos);
}

TEST(CodecSelfTest, EveryCodecPasses) {
  for (const codecs::Codec& codec : codecs::codecs()) {
    const SelfTestResult result = test_codec(codec);
    EXPECT_EQ(result.checks > 0, can_be_tested(codec)) << codec.name;
    EXPECT_TRUE(result.failures.empty()) << codec.name << ": " << result.failures.front();
  }
}

TEST(CodecSelfTest, DetectsABrokenCodec) {
  codecs::Codec broken = codecs::codec_of(codecs::FileFormat::png);
  broken.limits.holds_16_bits = true;
  broken.format = codecs::FileFormat::bmp;  // files of this format cannot hold 16 bits
  EXPECT_FALSE(test_codec(broken).failures.empty());
}

}  // namespace
}  // namespace gpuimg::test_admission
