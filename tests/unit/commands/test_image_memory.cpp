// The estimate that --max-memory uses covers the memory that an image takes. The tests measure this memory, and compare
// it with the number in the error message. docs/batch.md, "Memory".
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "codecs/image_writer.hpp"
#include "engine/memory.hpp"
#include "heap_meter.hpp"
#include "support/command_run.hpp"
#include "support/emulation.hpp"
#include "support/jpeg_maker.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "text/path_names.hpp"

namespace gpuimg::test_image_memory {
namespace {

using namespace test;

using Words = std::vector<std::string>;

class ImageMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (is_emulated()) {
      GTEST_SKIP() << "the memory of the emulator would count";
    }
  }

  static constexpr int kWidth = 1600;
  static constexpr int kHeight = 1100;
  static constexpr std::size_t kText = (std::size_t{1} << 20) + 1;  // size of the text in whole_png

  std::string put(const std::string& name, const FileBytes& file) {
    put_bytes(folder_ / name, file);
    return folder_ / name;
  }
  std::string progressive() {
    const Image pixels = smooth_image(random_, kWidth, kHeight, {Sample::u8, 3});
    return put("progressive.jpg", make_jpeg(pixels.view(), {.progressive = true}));
  }
  std::string image(const std::string& name, codecs::FileFormat file_format, PixelFormat format) {
    const Image pixels = smooth_image(random_, kWidth, kHeight, format);
    return put(name, codecs::encode_image(pixels.view(), file_format, name, {}));
  }
  /// A PNG that is not read in bands, because it has more than 1 MB in addition to the pixels.
  std::string whole_png(const std::string& name, PixelFormat format) {
    const Image pixels = smooth_image(random_, kWidth, kHeight, format);
    codecs::WriteOptions options;
    options.text.push_back({"Comment", std::string(kText, 'x')});
    return put(name, codecs::encode_image(pixels.view(), codecs::FileFormat::png, name, options));
  }

  CommandRun run(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--backend", "cpu", "--threads", "1", "--force", "-q"});
    return run_command(words);
  }

  /// The estimate in megabytes, from the error message for an image that exceeds --max-memory.
  std::size_t declared(const Words& words, const Words& names) {
    Words more = names;
    more.insert(more.end(), {"--max-memory", "1K"});
    const CommandRun rejected = run(words, more);
    const std::string before = "needs about ";
    const std::size_t at = rejected.err.find(before);
    EXPECT_NE(at, std::string::npos) << rejected.err;
    return at == std::string::npos ? 0 : std::stoul(rejected.err.substr(at + before.size()));
  }

  /// The estimate covers the peak memory of two such images, processed one after the other, and is not much larger.
  void expect_declared(const Words& words, const std::string& file, bool in_bands = false) {
    const std::string extension = file_extension(file);
    const std::string out = folder_ / "out/";
    const std::string result = words == Words{"integral"} || words == Words{"hsl"} ? "out.npy" : "out.png";
    const Words names = in_bands ? Words{file, folder_ / result} : Words{file, file + "2." + extension, out};
    if (!in_bands) {
      put_text(file + "2." + extension, text_in(file));
    }
    (void)run(words, names);  // allocates memory that is kept between runs
    const std::size_t figure = declared(words, names) << 20;
    const HeapMeter meter;
    const CommandRun done = run(words, names);
    const std::size_t held = meter.peak();
    std::string trace;
    for (const std::string& word : words) {
      trace += word + " ";
    }
    EXPECT_EQ(done.code, ExitCode::ok) << done.err;
    const std::size_t text = file_extension(file) == "png" && !in_bands ? kText : 0;  // the text is kept with the image
    EXPECT_LE(held, figure + text) << trace << file;
    EXPECT_GE(held + held / 2 + (std::size_t{8} << 20), figure) << trace << file;
    RecordProperty(trace + extension, std::to_string(held >> 10) + " of " + std::to_string(figure >> 10) + " KB");
  }

  /// The same for a run over folders. Two files may be in flight, and a small image may reuse the memory of a large
  /// one.
  void expect_counted(const Words& words, const Words& names, const std::string& what) {
    (void)run(words, names);
    const std::size_t figure = declared(words, names) << 20;
    const HeapMeter meter;
    const CommandRun done = run(words, names);
    const std::size_t held = meter.peak();
    EXPECT_EQ(done.err, "") << what;
    EXPECT_LE(held, figure) << what;
    EXPECT_GE(held + held / 2 + (std::size_t{16} << 20), figure) << what;
    RecordProperty(what, std::to_string(held >> 10) + " of " + std::to_string(figure >> 10) + " KB");
  }

  /// Writes two images to a folder, as 1 and 2 with this extension.
  std::string folder_of_two(const std::string& name, const std::string& extension, const FileBytes& file) {
    std::filesystem::create_directories(folder_ / name);
    put(name + "/1." + extension, file);
    put(name + "/2." + extension, file);
    return folder_ / name;
  }
  FileBytes encoded(int width, int height, PixelFormat format, codecs::FileFormat file_format) {
    return codecs::encode_image(smooth_image(random_, width, height, format).view(), file_format, "x", {});
  }

  TemporaryFolder folder_;
  Random random_;
};

/// The estimate includes both images, and the rows, sums and counts of the comparison. The second image may be larger.
TEST_F(ImageMemory, MatchesMeasuredMemoryOfPairs) {
  if (!heap_is_metered()) {
    GTEST_SKIP() << "a sanitizer replaces the allocator";
  }
  constexpr PixelFormat kGray{Sample::u8, 1};
  constexpr PixelFormat kColors{Sample::u8, 3};
  constexpr PixelFormat kDeep{Sample::u16, 4};
  struct Case {
    const char* what;
    int width;
    int height;
    PixelFormat a;
    PixelFormat b;
    Words more;
  };
  const Case cases[] = {{"colors", kWidth, kHeight, kColors, kColors, {}},
                        {"a deeper partner", kWidth, kHeight, kGray, kDeep, {}},
                        {"a less deep partner", kWidth, kHeight, kDeep, kGray, {"--histogram"}},
                        {"long rows", 300000, 7, kColors, kColors, {}},
                        {"long rows that become deep", 150000, 7, kGray, kDeep, {}},
                        {"long rows with Gaussian windows", 150000, 11, kColors, kColors, {"--gaussian"}},
                        {"long rows below a window", 1000000, 3, kColors, kColors, {}}};
  for (const Case& one : cases) {
    const auto png = codecs::FileFormat::png;
    const std::string a = folder_of_two("A", "png", encoded(one.width, one.height, one.a, png));
    const std::string b = folder_of_two("B", "png", encoded(one.width, one.height, one.b, png));
    Words words = {"compare"};
    words.insert(words.end(), one.more.begin(), one.more.end());
    expect_counted(words, {a, b}, one.what);
  }
  const Image pixels = smooth_image(random_, kWidth, kHeight, kColors);
  const FileBytes jpeg = make_jpeg(pixels.view(), {.progressive = true});
  expect_counted({"compare"}, {folder_of_two("P", "jpg", jpeg), folder_of_two("Q", "jpg", jpeg)}, "progressive");
  const std::string small = folder_of_two("S", "png", encoded(9, 9, kColors, codecs::FileFormat::png));
  expect_counted({"compare"}, {small, folder_ / "P"}, "a small image and a large one");
}

TEST_F(ImageMemory, MatchesMeasuredMemoryOfHashes) {
  if (!heap_is_metered()) {
    GTEST_SKIP() << "a sanitizer replaces the allocator";
  }
  const auto png = codecs::FileFormat::png;
  for (const PixelFormat format :
       {PixelFormat{Sample::u8, 1}, PixelFormat{Sample::u8, 3}, PixelFormat{Sample::u16, 4}}) {
    const std::string name = name_of(format);
    for (const auto& [width, height] : {std::pair(kWidth, kHeight), std::pair(400000, 3), std::pair(3, 400000)}) {
      const std::string in = folder_of_two("in", "png", encoded(width, height, format, png));
      const std::string what = name + ", " + std::to_string(width) + "x" + std::to_string(height);
      expect_counted({"duplicates", "--table"}, {in, "-"}, what);
      if (width == kWidth) {
        expect_counted({"resize", "--size", "2400x"}, {in, "-", "--then", "duplicates"}, "enlarged " + what);
      }
    }
  }
}

TEST_F(ImageMemory, MatchesMeasuredMemory) {
  if (!heap_is_metered()) {
    GTEST_SKIP() << "a sanitizer replaces the allocator";
  }
  const std::string jpeg = progressive();
  const std::string png = whole_png("a.png", {Sample::u8, 3});
  const std::string deep = whole_png("deep.png", {Sample::u16, 4});
  const Words of_rows[] = {{"hist"}, {"integral"}, {"hsl"}, {"hist", "--channel", "h"}};
  for (const Words& words : of_rows) {
    expect_declared(words, jpeg);
  }
  const Words others[] = {{"equalize"},
                          {"equalize", "--clahe"},
                          {"equalize", "--depth", "16", "--format", "png"},
                          {"equalize", "--background", "white", "--format", "jpg", "--depth", "8"},
                          {"integral", "--format", "png"},
                          {"integral", "--mean", "5"},
                          {"integral", "--variance", "5"},
                          {"hsl", "--format", "png"},
                          {"hsl", "--planes"},
                          {"hsl", "--hue", "20"},
                          {"threshold"},
                          {"threshold", "--method", "sauvola"},
                          {"threshold", "--classes", "16"},
                          {"deskew"}};
  for (const Words& words : others) {
    for (const std::string& file : {png, deep}) {
      expect_declared(words, file);
    }
  }
}

TEST_F(ImageMemory, MatchesMeasuredMemoryOfBands) {
  if (!heap_is_metered()) {
    GTEST_SKIP() << "a sanitizer replaces the allocator";
  }
  const std::string png = image("a.png", codecs::FileFormat::png, {Sample::u8, 3});
  const std::string deep = image("deep.png", codecs::FileFormat::png, {Sample::u16, 4});
  const std::string lut = folder_ / "lut.csv";
  ASSERT_EQ(run({"equalize"}, {png, folder_ / "out.png", "--lut", lut}).code, ExitCode::ok);
  for (const Words& words :
       {Words{"hsl"}, Words{"integral"}, Words{"hsl", "--format", "png"}, Words{"equalize", "--apply", lut}}) {
    for (const std::string& file : {png, deep, image("a.jpg", codecs::FileFormat::jpeg, {Sample::u8, 3}),
                                    image("a.bmp", codecs::FileFormat::bmp, {Sample::u8, 3})}) {
      if (words.front() == "equalize" && file == deep) {
        continue;  // the table is for 8 bits
      }
      expect_declared(words, file, true);
    }
  }
}

/// If a step first counts all rows, the steps before it are computed twice, so that no whole image is in memory.
TEST_F(ImageMemory, StaysBelowTheLimitForStepsInBands) {
  if (!heap_is_metered()) {
    GTEST_SKIP() << "a sanitizer replaces the allocator";
  }
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;
  constexpr std::uint64_t kRoom = std::uint64_t{15} << 20;  // the whole image needs at least 20 MB
  const std::string png = image("a.png", codecs::FileFormat::png, {Sample::u8, 3});
  const std::vector<std::vector<Words>> chains = {
      {{"integral", "--mean", "15"}, {"equalize"}},
      {{"denoise", "--patch", "1", "--search", "3"}, {"threshold"}},
      {{"threshold"}, {"despeckle", "--size", "2"}},
      {{"equalize"}, {"equalize", "--clahe"}, {"integral", "--mean", "3"}},
      {{"resize", "--size", "1500x"}, {"equalize", "--formula", "stretch"}, {"crop", "--size", "900x900"}}};
  for (const std::vector<Words>& steps : chains) {
    SCOPED_TRACE(steps.front().front());
    std::string from = png;
    Words chain = steps.front();
    chain.insert(chain.end(), {png, folder_ / "chain.png"});
    for (const Words& step : steps) {
      const std::string to = folder_ / ("single" + std::to_string(&step - steps.data()) + ".png");
      ASSERT_EQ(run(step, {from, to}).code, ExitCode::ok);
      from = to;
      if (&step != &steps.front()) {
        chain.emplace_back("--then");
        chain.insert(chain.end(), step.begin(), step.end());
      }
    }
    const std::string limit = std::to_string(kMuch - memory_for_images(kMuch) + kRoom);
    const HeapMeter meter;
    const CommandRun done = run(chain, {"--max-memory", limit});
    const std::size_t held = meter.peak();
    ASSERT_EQ(done.code, ExitCode::ok) << done.err;
    EXPECT_TRUE(text_in(folder_ / "chain.png") == text_in(from));
    EXPECT_LE(held, kRoom);
  }
}

/// Two threads decode a JPEG in parts. Its coefficients and pixels are in memory together with the bands.
TEST_F(ImageMemory, StaysBelowTheLimitForAJpegInParts) {
  if (!heap_is_metered()) {
    GTEST_SKIP() << "a sanitizer replaces the allocator";
  }
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;
  constexpr std::uint64_t kRoom = std::uint64_t{26} << 20;  // the whole image needs at least 36 MB
  const Image pixels = smooth_image(random_, 3000, 2000, {Sample::u8, 3});
  const std::string jpeg = put("a.jpg", make_jpeg(pixels.view(), {}));
  for (const Words& words : {Words{"denoise", "--patch", "1", "--search", "3"}, Words{"integral", "--mean", "15"},
                             Words{"hsl", "--format", "png"}}) {
    SCOPED_TRACE(words.front());
    ASSERT_EQ(run(words, {jpeg, folder_ / "whole.png"}).code, ExitCode::ok);
    Words in_bands = words;
    in_bands.insert(in_bands.end(),
                    {jpeg, folder_ / "bands.png", "--backend", "cpu", "--threads", "2", "-q", "--force"});
    (void)run_command(in_bands);  // allocates memory that is kept between runs
    const std::string limit = std::to_string(kMuch - memory_for_images(kMuch) + kRoom);
    in_bands.insert(in_bands.end(), {"--max-memory", limit});
    const HeapMeter meter;
    const CommandRun done = run_command(in_bands);
    const std::size_t held = meter.peak();
    EXPECT_EQ(done.code, ExitCode::ok) << done.err;
    EXPECT_TRUE(text_in(folder_ / "bands.png") == text_in(folder_ / "whole.png"));
    EXPECT_LE(held, kRoom);
    RecordProperty(words.front(), std::to_string(held >> 10) + " of " + std::to_string(kRoom >> 10) + " KB");
  }
}

/// Each mask of a run is in memory once; images and steps do not copy it.
TEST_F(ImageMemory, HoldsEachMaskOnceInBands) {
  if (!heap_is_metered()) {
    GTEST_SKIP() << "a sanitizer replaces the allocator";
  }
  constexpr int kWide = 3000;
  constexpr int kHigh = 2000;
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40;
  constexpr std::uint64_t kMasks = std::uint64_t{2} * kWide * kHigh;
  constexpr std::uint64_t kRoom = kMasks + (std::uint64_t{10} << 20);  // 18 MB of pixels are read in bands
  const auto png_of = [&](const std::string& name, const Image& pixels) {
    return put(name, codecs::encode_image(pixels.view(), codecs::FileFormat::png, name, {}));
  };
  const std::string png = png_of("a.png", smooth_image(random_, kWide, kHigh, {Sample::u8, 3}));
  const std::string first = png_of("first.png", random_mask(random_, kWide, kHigh));
  const std::string second = png_of("second.png", random_mask(random_, kWide, kHigh));
  const std::string half = folder_ / "half.png";
  const std::string whole = folder_ / "whole.png";
  ASSERT_EQ(run({"equalize", "--mask", first}, {png, half}).code, ExitCode::ok);
  ASSERT_EQ(run({"equalize", "--clahe", "--mask", second}, {half, whole}).code, ExitCode::ok);
  // Freed memory that malloc may keep. The whole image needs 48 MB.
  constexpr std::uint64_t kKept = std::uint64_t{8} << 20;
  const std::string limit = std::to_string(kMuch - memory_for_images(kMuch) + kRoom + kKept);
  const HeapMeter meter;
  const CommandRun done = run({"equalize", "--mask", first, png, folder_ / "bands.png"},
                              {"--then", "equalize", "--clahe", "--mask", second, "--max-memory", limit});
  const std::size_t held = meter.peak();
  ASSERT_EQ(done.code, ExitCode::ok) << done.err;
  EXPECT_TRUE(text_in(folder_ / "bands.png") == text_in(whole));
  EXPECT_LE(held, kRoom);
  RecordProperty("held", std::to_string(held >> 10) + " of " + std::to_string(kRoom >> 10) + " KB");
}

}  // namespace
}  // namespace gpuimg::test_image_memory
