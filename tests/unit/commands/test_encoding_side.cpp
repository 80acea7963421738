// A JPEG encoded on the device equals the host's file. Compares outputs, messages and exit codes of whole commands. The
// device is a host twin.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/tar.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/metadata_maker.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_encoding_side {
namespace {

using namespace test;

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class EncodingSide : public ::testing::Test {
 protected:
  void SetUp() override { twin_device().reset(); }
  void TearDown() override { twin_device().reset(); }

  std::string put(const std::string& name, const FileBytes& file) {
    put_text(folder_ / name, {reinterpret_cast<const char*>(file.data()), file.size()});
    return folder_ / name;
  }
  std::string put_jpeg(const JpegChoices& choices = {}, int channels = 3) {
    return put("photo.jpg", make_jpeg(smooth_image(random_, 67, 45, {Sample::u8, channels}).view(), choices));
  }
  std::string put_png(PixelFormat format) {
    return put("photo.png", written(smooth_image(random_, 61, 43, format), codecs::FileFormat::png, {}));
  }

  /// Runs the command with both backends; compares the files `out_` and the messages. True if the device encoded.
  bool same_on_both(const Words& command) {
    const Words options = {"--force", "-q", "--threads", "1", "--backend"};
    const CommandRun host = run_command(command + options + Words{"cpu"});
    const std::string expected = taken(out_);
    const int before = twin_device().encoded;
    const CommandRun device = run_command(command + options + Words{"cuda"});
    EXPECT_EQ(host.code, device.code) << host.err << device.err;
    EXPECT_TRUE(host.out == device.out);
    EXPECT_EQ(host.err, device.err);
    EXPECT_TRUE(taken(out_) == expected) << "other bytes in " << out_;
    return twin_device().encoded > before + kSelfTestScans;
  }

  static std::string taken(const std::string& path) {
    const std::string text = std::filesystem::exists(path) ? text_in(path) : "nothing";
    std::filesystem::remove(path);
    return text;
  }

  static constexpr int kSelfTestScans = 6;  ///< each command first tests the encoder
  TemporaryFolder folder_;
  std::string out_ = folder_ / "out.jpg";
  Random random_;
};

TEST_F(EncodingSide, QualitiesSamplingsAndOperationsMatchTheHost) {
  SCOPED_TRACE(random_.trace());
  for (const int channels : {1, 3}) {
    for (const std::string quality : {"1", "50", "90", "100", "keep"}) {
      for (const std::string subsampling : {"4:4:4", "4:2:2", "4:4:0", "4:2:0"}) {
        SCOPED_TRACE(quality + ", " + subsampling);
        const std::string photo = put_jpeg({.quality = random_.between(30, 100)}, channels);
        const Words options = {"--quality", quality, "--subsampling", subsampling, photo, out_};
        EXPECT_TRUE(same_on_both(Words{"equalize"} + options));
        EXPECT_TRUE(same_on_both(Words{"hsl", "--saturation", "1.5"} + options));
      }
    }
    EXPECT_TRUE(same_on_both({"equalize", put_jpeg({}, channels), out_}));
  }
}

TEST_F(EncodingSide, KeptSamplingsMatchTheHost) {
  for (const auto& [horizontal, vertical] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}}) {
    const std::string photo = put_jpeg({.horizontal_sampling = horizontal, .vertical_sampling = vertical});
    EXPECT_TRUE(same_on_both({"equalize", "--quality", "keep", photo, out_}));
  }
  EXPECT_FALSE(same_on_both({"equalize", "--quality", "keep", put_jpeg({.horizontal_sampling = 4}), out_}));
}

TEST_F(EncodingSide, PixelsStayOnTheDevice) {
  ASSERT_EQ(run_command({"equalize", "--backend", "cuda", put_jpeg(), out_}).code, ExitCode::ok);
  EXPECT_EQ(twin_device().downloaded, 6) << "only the decoder's self-test downloads";
  EXPECT_EQ(twin_device().uploaded, 6) << "only the encoder's self-test uploads";
  twin_device().reset();
  twin_device().encodes = false;
  ASSERT_EQ(run_command({"equalize", "--backend", "cuda", "--force", put_jpeg(), out_}).code, ExitCode::ok);
  EXPECT_EQ(twin_device().downloaded, 7);
}

TEST_F(EncodingSide, PixelsDecodedByTheHostAreEncodedOnTheDevice) {
  EXPECT_TRUE(same_on_both({"equalize", put_jpeg({.progressive = true}), out_}));
  EXPECT_TRUE(same_on_both({"equalize", put_png({Sample::u8, 3}), out_}));
  EXPECT_TRUE(same_on_both({"equalize", put_png({Sample::u8, 1}), out_}));
  EXPECT_TRUE(same_on_both({"hsl", "--inverse", "--encode", "opencv", put_png({Sample::u8, 3}), out_}));
}

TEST_F(EncodingSide, ConvertedPixelsAreLeftToTheHost) {
  for (const PixelFormat format : {PixelFormat{Sample::u16, 3}, {Sample::u16, 1}, {Sample::u8, 4}, {Sample::u8, 2}}) {
    const Words options = {"--depth", "8", "--background", "white", put_png(format), out_};
    EXPECT_FALSE(same_on_both(Words{"equalize"} + options));
  }
  EXPECT_FALSE(same_on_both({"equalize", put_png({Sample::u8, 4}), out_})) << "rejected";
  EXPECT_TRUE(same_on_both({"equalize", "--depth", "8", "--background", "white", put_png({Sample::u8, 3}), out_}));
}

TEST_F(EncodingSide, MetadataAndStandardOutputMatchTheHost) {
  for (const int channels : {1, 3}) {
    const Image image = smooth_image(random_, 50, 40, {Sample::u8, channels});
    const std::string path =
        put("full.jpg", written(image, codecs::FileFormat::jpeg, full_metadata(image.format(), 90000)));
    EXPECT_TRUE(same_on_both({"equalize", path, out_}));
    EXPECT_TRUE(same_on_both({"equalize", "--strip", path, out_}));
    EXPECT_TRUE(same_on_both({"equalize", "--format", "jpg", path, "-"}));
  }
}

TEST_F(EncodingSide, OtherFormatsAndStripsAreLeftToTheHost) {
  const std::string photo = put_jpeg();
  out_ = folder_ / "out.bmp";
  EXPECT_FALSE(same_on_both({"equalize", photo, out_}));
  out_ = folder_ / "out.png";
  for (const std::string level : {"2", "3"}) {
    EXPECT_FALSE(same_on_both({"equalize", "--png-level", level, photo, out_}));
  }
  EXPECT_EQ(twin_device().encoded, 0) << "the encoder is not even tested";
  out_ = folder_ / "out.jpg";
  EXPECT_FALSE(same_on_both({"equalize", "--max-device-memory", "20K", photo, out_}));
  EXPECT_EQ(twin_device().encoded, 0);
  twin_device().rejected_operations = 1;
  EXPECT_FALSE(same_on_both({"equalize", photo, out_})) << "strips after the device ran out of memory";
}

TEST_F(EncodingSide, PngOfEveryFormatMatchesTheHost) {
  SCOPED_TRACE(random_.trace());
  out_ = folder_ / "out.png";
  for (const Sample sample : {Sample::u8, Sample::u16}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const std::string source = put_png({sample, channels});
      for (const std::string level : {"0", "1"}) {
        EXPECT_TRUE(same_on_both({"equalize", "--png-level", level, source, out_}));
      }
      EXPECT_TRUE(same_on_both({"hsl", source, out_})) << "with text that describes it";
      EXPECT_FALSE(same_on_both({"hsl", "--planes", source, folder_ / "out.npy"}));
    }
  }
  EXPECT_TRUE(same_on_both({"equalize", put_jpeg(), out_}));
  EXPECT_TRUE(same_on_both({"equalize", "--format", "png", put_jpeg(), "-"}));
}

/// The bytes encoded on the device stay in its buffer until the member is written.
TEST_F(EncodingSide, MembersOfAnArchiveAreEncodedOnTheDevice) {
  if (tar_library().empty()) {
    GTEST_SKIP() << "built without libarchive";
  }
  const std::filesystem::path members = folder_ / "members";
  std::filesystem::create_directory(members);
  for (int i = 0; i < 12; ++i) {
    std::filesystem::rename(put_jpeg({.quality = random_.between(30, 100)}, i % 2 == 0 ? 3 : 1),
                            members / (std::to_string(i) + ".jpg"));
  }
  const std::string archive = folder_ / "in.tar";
  ASSERT_EQ(std::system(("tar -C '" + std::string(folder_ / "members") + "' -cf '" + archive + "' .").c_str()), 0);
  out_ = folder_ / "out.tar";
  for (const Words& options : {Words{}, {"--format", "png"}, {"--jobs", "4"}}) {
    EXPECT_TRUE(same_on_both(Words{"equalize"} + options + Words{archive, out_}));
  }
}

TEST_F(EncodingSide, AWrongEncoderIsNotUsed) {
  const std::pair<const char*, const char*> formats[] = {
      {"out.png", "the CPU encodes PNG: twin (device 0) does not give the bytes of the CPU's encoder"},
      {"out.jpg", "the CPU encodes JPEG: twin (device 0) does not give the bytes of the linked libjpeg"}};
  const std::string photo = put_jpeg();
  for (const auto& [name, note] : formats) {
    twin_device().reset();
    const std::string out = folder_ / name;
    ASSERT_EQ(run_command({"equalize", "--backend", "cpu", photo, out}).code, ExitCode::ok);
    const std::string expected = taken(out);
    twin_device().encodes_wrongly = true;
    const CommandRun run = run_command({"equalize", "--backend", "cuda", photo, out});
    EXPECT_EQ(run.code, ExitCode::ok);
    EXPECT_TRUE(taken(out) == expected) << name;
    EXPECT_NE(run.err.find(note), std::string::npos) << run.err;
  }
}

TEST_F(EncodingSide, VerifyComparesTheEncoders) {
  const std::string photo = put_jpeg();
  const Words command = {"equalize", "--verify", "--backend", "cuda", photo, out_};
  const CommandRun good = run_command(command);
  EXPECT_EQ(good.code, ExitCode::ok) << good.err;
  EXPECT_EQ(twin_device().encoded, kSelfTestScans + 1);
  EXPECT_FALSE(taken(out_) == "nothing");
  // This encoder is correct only for the self-test's images.
  twin_device().reset();
  twin_device().encoded_wrong_from = kSelfTestScans;
  const CommandRun wrong = run_command(command);
  EXPECT_EQ(wrong.code, ExitCode::different) << wrong.err;
  EXPECT_EQ(taken(out_), "nothing");
}

TEST_F(EncodingSide, TimesAndManifestNameTheEncodingSide) {
  const std::string photo = put_jpeg();
  const Words timed = {"equalize", "--timing", "--json", "--backend", "cuda", "--force", photo};
  EXPECT_NE(run_command(timed + Words{out_}).err.find(R"("encoded_by": "cuda"})"), std::string::npos);
  EXPECT_NE(run_command(timed + Words{folder_ / "o.png"}).err.find(R"("encoded_by": "cuda"})"), std::string::npos);
  EXPECT_NE(run_command(timed + Words{folder_ / "o.bmp"}).err.find(R"("encoded_by": "cpu"})"), std::string::npos);
  const std::string manifest = folder_ / "run.jsonl";
  const Words batch = {"equalize", "--backend", "cuda", "--force", "--manifest", manifest};
  EXPECT_EQ(run_command(batch + Words{photo, folder_ / "out/"}).code, ExitCode::ok);
  EXPECT_NE(text_in(manifest).find(R"("encoded_by": "cuda")"), std::string::npos);
  EXPECT_EQ(run_command(batch + Words{"--format", "bmp", photo, folder_ / "out/"}).code, ExitCode::ok);
  EXPECT_NE(text_in(manifest).find(R"("encoded_by": "cpu")"), std::string::npos);
}

}  // namespace
}  // namespace gpuimg::test_encoding_side
