// Codecs in `gpuimg bench`: the backend that decodes, and the message if the device's pixels differ. The device is a
// host twin.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "codecs/image_writer.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_bench {
namespace {

using namespace test;

class BenchCommand : public ::testing::Test {
 protected:
  void SetUp() override { twin_device().reset(); }
  void TearDown() override { twin_device().reset(); }

  /// Runs `bench --json`. Returns the codecs as "decode JPEG: cpu cuda equal", in the order of the rows.
  std::vector<std::string> codec_rows(std::vector<std::string> words) {
    words.insert(words.begin(), {"bench", "--json", "--threads", "1"});
    ran_ = run_command(words);
    std::vector<std::string> found;
    const nlohmann::json report = nlohmann::json::parse(ran_.out);
    for (const auto& row : report.at("results")) {
      if (!row.at("codec").get<bool>()) {
        continue;
      }
      std::string text = row.at("operation").get<std::string>() + ":";
      for (const auto& timing : row.at("timings")) {
        text += fmt::format(" {}", timing.at("backend").get<std::string>());
        EXPECT_GT(timing.at("kernel_ms").get<double>(), 0.0);
        EXPECT_GT(timing.at("gb_s").get<double>(), 0.0);
        EXPECT_EQ(timing.at("upload_ms").get<double>(), 0.0);
      }
      const auto& equal = row.at("equal");
      found.push_back(text + (equal.is_null() ? "" : equal.get<bool>() ? " equal" : " DIFFERENT"));
    }
    return found;
  }

  std::string put(const std::string& name, const FileBytes& file) {
    put_text(folder_ / name, {reinterpret_cast<const char*>(file.data()), file.size()});
    return folder_ / name;
  }

  using Rows = std::vector<std::string>;
  CommandRun ran_;
  TemporaryFolder folder_;
  Random random_;
};

TEST_F(BenchCommand, MeasuresTheCodecsOfTheHostAndTheDevice) {
  EXPECT_EQ(codec_rows({"--size", "40"}), (Rows{"decode JPEG: cpu cuda equal", "encode JPEG: cpu cuda equal",
                                                "decode PNG: cpu", "encode PNG: cpu cuda equal"}));
  EXPECT_EQ(ran_.code, ExitCode::ok) << ran_.err;
  EXPECT_EQ(codec_rows({"--size", "40", "--backend", "cuda"}),
            (Rows{"decode JPEG: cuda", "encode JPEG: cuda equal", "encode PNG: cuda equal"}));
}

TEST_F(BenchCommand, OmitsCodecsThatTheDeviceLacks) {
  twin_device().decodes = false;
  twin_device().encodes = false;
  EXPECT_EQ(codec_rows({"--size", "40"}),
            (Rows{"decode JPEG: cpu", "encode JPEG: cpu", "decode PNG: cpu", "encode PNG: cpu"}));
  EXPECT_EQ(ran_.code, ExitCode::ok);
}

/// The command decodes the user's file, which is progressive here, and not a file made from its pixels.
TEST_F(BenchCommand, DecodesTheFileItself) {
  const Image image = smooth_image(random_, 50, 40, {Sample::u8, 3});
  EXPECT_EQ(codec_rows({put("p.jpg", make_jpeg(image.view(), {.progressive = true}))}).front(), "decode JPEG: cpu");
  EXPECT_EQ(codec_rows({put("b.jpg", with_exif(make_jpeg(image.view()), exif_with(6, true)))}).front(),
            "decode JPEG: cpu cuda equal");
}

TEST_F(BenchCommand, OmitsFormatsThatCannotHoldThePixels) {
  const Image deep = smooth_image(random_, 20, 10, {Sample::u16, 4});
  const std::string path = folder_ / "deep.png";
  codecs::WriteOptions options;
  EXPECT_EQ(codec_rows({put("deep.png", codecs::encode_image(deep.view(), codecs::FileFormat::png, path, options))}),
            (Rows{"decode PNG: cpu", "encode PNG: cpu cuda equal"}));
}

TEST_F(BenchCommand, ReportsDifferentPixelsAsAMismatch) {
  twin_device().decodes_wrongly = true;
  EXPECT_EQ(codec_rows({"--size", "40"}).front(), "decode JPEG: cpu cuda DIFFERENT");
  EXPECT_EQ(ran_.code, ExitCode::different);
  EXPECT_NE(ran_.err.find("the backends disagree"), std::string::npos) << ran_.err;
}

}  // namespace
}  // namespace gpuimg::test_bench
