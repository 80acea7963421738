// A JPEG or PNG decoded on the device gives the same as on the host: outputs, messages and exit codes of whole
// commands. The device is the twin.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "codecs/png/simple_png.hpp"
#include "io/tar.hpp"
#include "support/catalogue/catalogue.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/metadata_maker.hpp"
#include "support/png_twin.hpp"
#include "support/random_png.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_decoding_side {
namespace {

using namespace test;

using Words = std::vector<std::string>;

std::string text_of(const FileBytes& file) { return {reinterpret_cast<const char*>(file.data()), file.size()}; }

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class DecodingSide : public ::testing::Test {
 protected:
  void SetUp() override { twin_device().reset(); }
  void TearDown() override { twin_device().reset(); }

  std::string put(const std::string& name, const FileBytes& file) {
    put_text(folder_ / name, text_of(file));
    return folder_ / name;
  }

  std::string put_photo(const JpegChoices& choices = {}, int channels = 3) {
    const Image image = smooth_image(random_, 67, 45, {Sample::u8, channels});
    return put("photo.jpg", make_jpeg(image.view(), choices));
  }

  /// Runs the command, whose OUT is `out`, with both backends, and compares all their outputs. True if the device
  /// decoded.
  bool same_on_both(const Words& command, const std::string& out) {
    const Words options = {"--force", "-q", "--threads", "1", "--backend"};
    const CommandRun host = run_command(command + options + Words{"cpu"});
    const std::string expected = taken(out);
    const int before = twin_device().decoded;
    const CommandRun device = run_command(command + options + Words{"cuda"});
    EXPECT_EQ(host.code, device.code) << host.err << device.err;
    EXPECT_EQ(host.out, device.out);
    EXPECT_EQ(host.err, device.err);
    EXPECT_TRUE(taken(out) == expected) << "other bytes in " << out;
    return twin_device().decoded > before + kSelfTestFiles;
  }

  /// Compares the notes, which the commands print because they run without -q.
  static bool same_notes_on_both(const Words& command, const std::string& out) {
    const Words options = {"--threads", "1", "--backend"};
    const CommandRun host = run_command(command + options + Words{"cpu"});
    (void)taken(out);
    const CommandRun device = run_command(command + options + Words{"cuda"});
    (void)taken(out);
    EXPECT_EQ(host.err, device.err);
    return host.err == device.err;
  }

  static std::string taken(const std::string& path) {
    const std::string text = std::filesystem::exists(path) ? text_in(path) : "nothing";
    std::filesystem::remove(path);
    return text;
  }

  static constexpr int kSelfTestFiles = 6;  ///< each command tests the decoder first
  TemporaryFolder folder_;
  Random random_;
};

TEST_F(DecodingSide, EveryJpegOfTheCatalogueMatchesTheHost) {
  int taken_by_device = 0;
  int files = 0;
  const Catalogue catalogue = make_catalogue();
  for (const CatalogueFile& file : catalogue.files()) {
    if (!file.name.ends_with(".jpg")) {
      continue;
    }
    SCOPED_TRACE(file.name);
    ++files;
    const std::string path = put(file.name, file.bytes);
    taken_by_device += same_on_both({"equalize", path, folder_ / "out.png"}, folder_ / "out.png") ? 1 : 0;
    EXPECT_TRUE(same_notes_on_both({"hist", "--lenient", path, folder_ / "o.csv"}, folder_ / "o.csv"));
    std::filesystem::remove(path);
  }
  EXPECT_GT(taken_by_device, 20) << "of " << files;
  EXPECT_LT(taken_by_device, files);
}

TEST_F(DecodingSide, EverySamplingOrientationAndOperationMatchesTheHost) {
  SCOPED_TRACE(random_.trace());
  for (const auto& [horizontal, vertical] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      SCOPED_TRACE(std::to_string(horizontal) + std::to_string(vertical) + " " + std::to_string(orientation));
      JpegChoices choices;
      choices.horizontal_sampling = horizontal;
      choices.vertical_sampling = vertical;
      choices.restart_interval = static_cast<int>(random_.below(3));
      const Image image = smooth_image(random_, random_.between(1, 90), random_.between(1, 60),
                                       {Sample::u8, random_.below(4) == 0 ? 1 : 3});
      const FileBytes exif = exif_with(orientation, random_.below(2) == 0);
      const std::string path = put("turned.jpg", with_exif(make_jpeg(image.view(), choices), exif));
      const std::string jpg = folder_ / "out.jpg";
      const std::string npy = folder_ / "out.npy";
      EXPECT_TRUE(same_on_both({"equalize", "--quality", "keep", path, jpg}, jpg));
      EXPECT_TRUE(same_on_both({"equalize", "--no-auto-orient", path, jpg}, jpg));
      EXPECT_TRUE(same_on_both({"hist", "--channel", "luma", path, folder_ / "o.json"}, folder_ / "o.json"));
      EXPECT_TRUE(same_on_both({"integral", path, npy}, npy));
      EXPECT_TRUE(same_on_both({"hsl", path, npy}, npy));
      EXPECT_TRUE(same_on_both({"hsl", "--hue", "30", path, jpg}, jpg));
      EXPECT_TRUE(same_on_both({"compare", "--json", path, path}, folder_ / "nothing"));
      EXPECT_TRUE(same_on_both({"compare", "--json", "-r", folder_ / ".", folder_ / "."}, folder_ / "nothing"));
    }
  }
}

TEST_F(DecodingSide, MetadataIsCarriedOver) {
  for (const int channels : {1, 3}) {
    const Image image = smooth_image(random_, 50, 40, {Sample::u8, channels});
    const std::string path =
        put("full.jpg", written(image, codecs::FileFormat::jpeg, full_metadata(image.format(), 3000)));
    for (const std::string name : {"out.png", "out.jpg"}) {
      EXPECT_TRUE(same_on_both({"equalize", path, folder_ / name}, folder_ / name));
    }
    EXPECT_TRUE(same_notes_on_both({"equalize", path, folder_ / "out.tga"}, folder_ / "out.tga"));
  }
}

TEST_F(DecodingSide, MasksConversionsAndRegionsMatchTheHost) {
  const std::string photo = put_photo();
  const std::string out = folder_ / "out.png";
  std::filesystem::copy_file(photo, folder_ / "mask.jpg");
  EXPECT_TRUE(same_on_both({"equalize", "--mask", folder_ / "mask.jpg", photo, out}, out));
  EXPECT_TRUE(same_on_both({"equalize", "--roi", "3,4,20,10", "--depth", "16", photo, out}, out));
  EXPECT_TRUE(same_on_both({"hsl", "--inverse", "--encode", "opencv", photo, out}, out));
}

TEST_F(DecodingSide, PixelsAreUploadedOnlyIfTheHostDecodes) {
  const std::string out = folder_ / "out.bmp";  // the host encodes it: no encoder uploads images of its self-test
  (void)run_command({"equalize", "--backend", "cuda", put_photo(), out});
  EXPECT_EQ(twin_device().uploaded, 0);
  (void)run_command({"equalize", "--backend", "cuda", "--force", put_photo({.progressive = true}), out});
  EXPECT_EQ(twin_device().uploaded, 1);
}

TEST_F(DecodingSide, LimitsAndDamageAreReportedAsOnTheHost) {
  const std::string photo = put_photo();
  const std::string out = folder_ / "out.png";
  EXPECT_FALSE(same_on_both({"equalize", "--max-pixels", "3014", photo, out}, out));
  EXPECT_TRUE(same_on_both({"equalize", "--max-pixels", "3015", photo, out}, out));
  FileBytes cut = make_jpeg(smooth_image(random_, 90, 80, {Sample::u8, 3}).view());
  cut.resize(cut.size() * 3 / 4);
  const std::string damaged = put("cut.jpg", cut);
  EXPECT_FALSE(same_on_both({"equalize", damaged, out}, out));
  EXPECT_FALSE(same_on_both({"equalize", "--lenient", damaged, out}, out));
  EXPECT_TRUE(same_notes_on_both({"equalize", "--lenient", damaged, out}, out));
}

TEST_F(DecodingSide, DamageIsReportedBeforeAMissingDevice) {
  twin_device().devices = 0;
  FileBytes cut = make_jpeg(smooth_image(random_, 90, 80, {Sample::u8, 3}).view());
  cut.resize(cut.size() / 2);
  const std::string out = folder_ / "out.png";
  const CommandRun damaged = run_command({"equalize", "--backend", "cuda", put("cut.jpg", cut), out});
  EXPECT_EQ(damaged.code, ExitCode::bad_input);
  const CommandRun sound = run_command({"equalize", "--backend", "cuda", put_photo(), out});
  EXPECT_EQ(sound.code, ExitCode::no_backend);
}

TEST_F(DecodingSide, LittleDeviceMemoryMeansStripsFromTheHost) {
  const std::string photo = put_photo();
  const std::string out = folder_ / "out.png";
  EXPECT_FALSE(same_on_both({"equalize", "--max-device-memory", "20K", photo, out}, out));
  EXPECT_TRUE(same_on_both({"equalize", "--max-device-memory", "8M", photo, out}, out));
  twin_device().available_bytes = std::size_t{64} << 20;
  twin_device().uploaded = 0;
  EXPECT_FALSE(same_on_both({"equalize", photo, out}, out)) << "free memory suffices only for scratch memory";
  EXPECT_GT(twin_device().uploaded, 1) << "strips";
  EXPECT_FALSE(same_on_both({"compare", "--json", "--max-device-memory", "20K", photo, photo}, out));
}

TEST_F(DecodingSide, MembersOfAnArchiveAreDecodedOnTheDevice) {
  if (tar_library().empty()) {
    GTEST_SKIP() << "built without libarchive";
  }
  (void)put_photo();
  const std::string archive = folder_ / "in.tar";
  ASSERT_EQ(std::system(("tar -C '" + (folder_ / ".") + "' -cf '" + archive + "' photo.jpg").c_str()), 0);
  const std::string out = folder_ / "out.tar";
  EXPECT_TRUE(same_on_both({"equalize", archive, out}, out));
  EXPECT_TRUE(same_on_both({"hist", "--table", archive, folder_ / "o.csv"}, folder_ / "o.csv"));
}

TEST_F(DecodingSide, AnOperationWithoutMemoryIsRetriedInStrips) {
  const std::string photo = put_photo();
  for (const char* operation : {"equalize", "hsl", "integral"}) {
    const std::string out = folder_ / "out.png";
    twin_device().reset();
    twin_device().rejected_operations = 1;
    EXPECT_TRUE(same_on_both({operation, photo, out}, out)) << operation;
    EXPECT_EQ(twin_device().rejected_operations, 0);
    EXPECT_GT(twin_device().uploaded, 0);
  }
}

TEST_F(DecodingSide, EveryModeOfEqualizeWorksInStripsAndWithVerify) {
  const std::string photo = put_photo();
  const std::string out = folder_ / "out.png";
  for (const Words& mode : {Words{"--clahe"}, Words{"--clahe", "--tiles", "3x5", "--color", "rgb"},
                            Words{"--match", photo}, Words{"--formula", "stretch"}}) {
    const Words words = Words{"equalize"} + mode;
    EXPECT_TRUE(same_on_both(words + Words{photo, out}, out)) << mode.front();
    const Words in_strips = words + Words{"--max-device-memory", "20K", photo, out};
    EXPECT_FALSE(same_on_both(in_strips, out)) << mode.front() << ": no room to decode";
    const CommandRun verified =
        run_command(words + Words{"--verify", "--backend", "cuda", "-v", "--force", photo, out});
    EXPECT_EQ(verified.code, ExitCode::ok) << verified.err;
    EXPECT_NE(verified.err.find("both backends computed the same bytes"), std::string::npos) << verified.err;
  }
}

TEST_F(DecodingSide, VerifyComparesTheDecoders) {
  const std::string photo = put_photo();
  const std::string out = folder_ / "out.png";
  const CommandRun good = run_command({"equalize", "--verify", "--backend", "cuda", "-v", photo, out});
  EXPECT_EQ(good.code, ExitCode::ok) << good.err;
  EXPECT_NE(good.err.find("both backends computed the same bytes"), std::string::npos);
  EXPECT_GT(twin_device().decoded, kSelfTestFiles);
  // This decoder is correct only for the self-test's files.
  twin_device().reset();
  twin_device().wrong_from = kSelfTestFiles;
  const CommandRun wrong = run_command({"equalize", "--verify", "--backend", "cuda", "--force", photo, out});
  EXPECT_EQ(wrong.code, ExitCode::different) << wrong.err;
}

TEST_F(DecodingSide, TimesAndManifestNameTheDecodingSide) {
  const std::string photo = put_photo();
  const Words timed = {"hist", "--timing", "--json", "--backend", "cuda", "--force"};
  const std::string out = folder_ / "o.csv";
  EXPECT_NE(run_command(timed + Words{photo, out}).err.find(R"("decoded_by": "cuda"})"), std::string::npos);
  const std::string progressive =
      put("progressive.jpg", make_jpeg(smooth_image(random_, 40, 30, {Sample::u8, 3}).view(), {.progressive = true}));
  EXPECT_NE(run_command(timed + Words{progressive, out}).err.find(R"("decoded_by": "cpu"})"), std::string::npos);
  EXPECT_NE(run_command({"hist", "--timing", "--backend", "cuda", "--force", photo, out}).err.find(" ms on cuda\n"),
            std::string::npos);
  const std::string manifest = folder_ / "run.jsonl";
  const CommandRun batch = run_command(
      {"equalize", "--backend", "cuda", "--manifest", manifest, "--jobs", "2", photo, progressive, folder_ / "out/"});
  EXPECT_EQ(batch.code, ExitCode::ok) << batch.err;
  const std::string lines = text_in(manifest);
  EXPECT_NE(lines.find(R"("decoded_by": "cuda")"), std::string::npos) << lines;
  EXPECT_NE(lines.find(R"("decoded_by": "cpu")"), std::string::npos) << lines;
}

TEST_F(DecodingSide, TheHostReadsTheScansOfALargeProgressiveJpeg) {
  const std::string out = folder_ / "out.png";
  for (const int channels : {1, 3}) {
    const Image image = smooth_image(random_, 701, 502, {Sample::u8, channels});
    const FileBytes file = make_jpeg(image.view(), {.progressive = true});
    const std::string turned = put("turned.jpg", with_exif(file, exif_with(6, true)));
    EXPECT_TRUE(same_on_both({"equalize", turned, out}, out));
    EXPECT_TRUE(same_on_both({"equalize", "--no-auto-orient", turned, folder_ / "o.jpg"}, folder_ / "o.jpg"));
    EXPECT_TRUE(same_on_both({"equalize", "--quality", "keep", turned, folder_ / "o.jpg"}, folder_ / "o.jpg"));
    twin_device().uploaded = 0;
    const CommandRun timed =
        run_command({"hist", "--timing", "--json", "--backend", "cuda", "--force", turned, out + ".csv"});
    EXPECT_NE(timed.err.find(R"("decoded_by": "cuda"})"), std::string::npos) << timed.err;
    EXPECT_EQ(twin_device().uploaded, 0) << "pixels";
    FileBytes damaged = file;
    damaged[damaged.size() / 2] ^= std::byte{0x10};
    const std::string broken = put("broken.jpg", damaged);
    EXPECT_FALSE(same_on_both({"equalize", "--max-device-memory", "100K", turned, out}, out));
    (void)same_notes_on_both({"equalize", broken, out}, out);
    const std::string cut =
        put("cut.jpg", FileBytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2)));
    EXPECT_FALSE(same_on_both({"equalize", cut, out}, out));
    EXPECT_FALSE(same_on_both({"equalize", "--lenient", cut, out}, out));
  }
}

TEST_F(DecodingSide, BatchesReadFilesInTurnIntoTheSameMemory) {
  Words files;
  for (int i = 0; i < 12; ++i) {
    const Image image = smooth_image(random_, random_.between(20, 400), random_.between(20, 300), {Sample::u8, 3});
    files.push_back(put(fmt::format("p{}.jpg", i), make_jpeg(image.view())));
  }
  for (const std::string backend : {"cpu", "cuda"}) {
    const CommandRun ran = run_command(Words{"equalize", "-q", "--jobs", "2", "--backend", backend} + files +
                                       Words{folder_ / (backend + "/")});
    ASSERT_EQ(ran.code, ExitCode::ok) << ran.err;
  }
  for (int i = 0; i < 12; ++i) {
    const std::string name = "/p" + std::to_string(i) + ".jpg";
    EXPECT_TRUE(text_in(folder_ / ("cpu" + name)) == text_in(folder_ / ("cuda" + name))) << name;
  }
  EXPECT_EQ(twin_device().decoded, 12 + kSelfTestFiles);
}

/// The files are large enough for a device. A device rarely leaves a stream to the host (png::Defect), but must not
/// leave three of them in succession.
TEST_F(DecodingSide, PngOfEveryFormatMatchesTheHost) {
  SCOPED_TRACE(random_.trace());
  for (const PixelFormat format : photographic_formats()) {
    SCOPED_TRACE(name_of(format));
    PngDeflating deflating;
    deflating.chunk_bytes = 8192;
    std::vector<std::uint32_t> defects;
    for (bool by_device = false; !by_device && defects.size() < 3;) {
      const FileBytes file = deflated_png(random_, smooth_image(random_, 800, 700, format).view(), deflating);
      by_device = same_on_both({"hist", put("photo.png", file), folder_ / "o.json"}, folder_ / "o.json");
      if (!by_device) {
        defects.push_back(decode_with_twin(codecs::png::describe_png_data(file).value()).defects);
      }
    }
    EXPECT_LT(defects.size(), 3U) << "defects " << fmt::format("{}", fmt::join(defects, ", "));
  }
}

TEST_F(DecodingSide, PngThatIsSmallOrUnusualIsLeftToTheHost) {
  const Image small = smooth_image(random_, 700, 700, {Sample::u8, 3});
  const std::string path = put("small.png", deflated_png(random_, small.view()));
  EXPECT_FALSE(same_on_both({"hist", path, folder_ / "o.csv"}, folder_ / "o.csv"));
  PngPicture picture = random_picture(random_, {2, 8}, 800, 700);
  picture.interlaced = true;
  const std::string interlaced = put("interlaced.png", make_png(picture));
  EXPECT_FALSE(same_on_both({"hist", interlaced, folder_ / "o.csv"}, folder_ / "o.csv"));
}

TEST_F(DecodingSide, PngWithMetadataAndOrientationMatchesTheHost) {
  const Image image = smooth_image(random_, 800, 700, {Sample::u8, 3});
  codecs::Metadata metadata = full_metadata(image.format(), 3000);
  const std::string path = put("full.png", written(image, codecs::FileFormat::png, metadata));
  const std::string out = folder_ / "out.png";
  (void)same_on_both({"equalize", path, out}, out);
  EXPECT_TRUE(same_notes_on_both({"equalize", path, folder_ / "out.tga"}, folder_ / "out.tga"));
  for (const int orientation : {1, 6}) {
    metadata.exif = exif_with(orientation, true);
    const std::string turned = put("turned.png", written(image, codecs::FileFormat::png, metadata));
    EXPECT_EQ(same_on_both({"equalize", turned, out}, out), orientation == 1);
    EXPECT_TRUE(same_on_both({"equalize", "--no-auto-orient", turned, out}, out));
  }
}

TEST_F(DecodingSide, PngDamageIsReportedAsOnTheHost) {
  SCOPED_TRACE(random_.trace());
  const Image image = smooth_image(random_, 800, 700, {Sample::u8, 3});
  const FileBytes file = deflated_png(random_, image.view());
  for (int i = 0; i < 5; ++i) {
    const std::string path = put("damaged.png", mutant_of_png(random_, file));
    (void)same_on_both({"hist", path, folder_ / "o.csv"}, folder_ / "o.csv");
    (void)same_on_both({"equalize", "--lenient", path, folder_ / "out.png"}, folder_ / "out.png");
  }
}

}  // namespace
}  // namespace gpuimg::test_decoding_side
