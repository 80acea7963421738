// A command with several steps gives the bytes of single commands that run one after the other and exchange exact
// intermediate files. The device is a host twin.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "batch/batch_command.hpp"
#include "codecs/image_writer.hpp"
#include "commands/photo_job.hpp"
#include "engine/backend_choice.hpp"
#include "support/command_run.hpp"
#include "support/sanitizers.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_steps {
namespace {

using namespace test;
using Words = std::vector<std::string>;

/// Steps for any image whose size has not changed. "@" is the folder with masks and references.
const std::vector<std::string> kSteps = {
    "equalize",
    "equalize --color rgb --formula pillow",
    "equalize --color hsl --strength 0.5",
    "equalize --formula stretch --percent 1,99",
    "equalize --color joint --roi 3,2,20,15",
    "equalize --mask @mask.png",
    "equalize --reference @reference.json --roi 3,2,20,15",
    "equalize --clahe --tiles 3x2 --clip 3",
    "equalize --clahe --mask @mask.png",
    "hsl --saturation 1.3",
    "hsl --hue 40 --lightness 0.8",
    "integral --mean 5",
    "integral --mean 3 --border cut",
    "threshold",
    "threshold --method sauvola",
    "threshold --classes 5",
    "threshold --flatten 15",
    "threshold --flatten 9x5 --method wolf --window 9",
    "threshold --method wolf --roi 2,3,9,8",
    "threshold --method nick --transparent count",
    "threshold --method bradley --window 9",
    "threshold --method mean --offset 2",
    "threshold --mask @mask.png --transparent count --invert",
    "threshold --method bradley --roi 2,3,9,8 --window 5x9",
    "denoise --patch 3 --search 5",
    "denoise --patch 1 --search 3 --filter-strength 20",
    "denoise --patch 3 --search 3 --sigma auto",
    "convert",
    "resize --size 31x",
    "resize --size 40x50 --fit cover --filter lanczos",
    "resize --size 33x27 --fit pad --pad-color red --filter box",
    "resize --size 130% --enlarge --filter hamming",
    "resize --size 29x41 --fit stretch --filter nearest",
    "resize --size 45x25 --box 1.5,2,15,14.25 --fit stretch",
    "crop --size 24x18 --gravity northeast",
    "crop --box 1,2,17,15",
    "rotate 90",
    "rotate 180",
    "rotate 270",
    "flip horizontal",
    "flip vertical",
};

/// Final steps whose result is not an image, and the extension of their OUT.
const std::vector<std::pair<std::string, std::string>> kEnds = {
    {"hist", "csv"},
    {"hist --table", "jsonl"},
    {"hist --channel l", "json"},
    {"integral", "npy"},
    {"integral --square", "npy"},
    {"integral", "csv"},
    {"integral --variance 3", "png"},
    {"integral --deviation 5", "npy"},
    {"hsl --encode u16", "png"},
    {"hsl", "npy"},
    {"convert", "npy"},
};

/// Removes the name of the input from the output of `hist`, because single commands use another input.
std::string without_name(std::string text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
    text.replace(at, name.size(), "NAME");
  }
  return text;
}

/// Steps, and options of their output.
struct Chain {
  std::vector<std::string> steps;
  std::string extension;
  Words of_run;
};

class StepsTest : public ::testing::Test {
 protected:
  void SetUp() override { twin_device().reset(); }
  void TearDown() override { twin_device().reset(); }

  [[nodiscard]] std::string in(const std::string& name) const { return folder_ / name; }

  void put_image(const std::string& name, const Image& image) const {
    const auto format = name.ends_with(".jpg")   ? codecs::FileFormat::jpeg
                        : name.ends_with(".bmp") ? codecs::FileFormat::bmp
                                                 : codecs::FileFormat::png;
    put_bytes(in(name), codecs::encode_image(image.view(), format, name, {}));
  }

  [[nodiscard]] Words words_of(std::string line) const {
    Words words;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      const std::string word = line.substr(0, end);
      words.push_back(word.starts_with('@') ? in(word.substr(1)) : word);
      line.erase(0, std::min(end + 1, line.size()));
    }
    return words;
  }

  static CommandRun run(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"-q", "--force"});
    return run_command(words);
  }

  /// Runs a command line with two additional commands: `blur`, which only the CPU has, and `tint`, for which `auto`
  /// chooses a device.
  [[nodiscard]] CommandRun run_with_blur(const std::string& line) const;

  /// Runs the steps one after the other through PNG files. Returns the exit code of the last step.
  [[nodiscard]] ExitCode run_singly(const std::vector<std::string>& steps, const std::string& output,
                                    const Words& of_run) const {
    std::string from = in(input_);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool is_last = i + 1 == steps.size();
      const std::string to = is_last ? output : in("between" + std::to_string(i) + ".png");
      Words words = words_of(steps[i]);
      words.insert(words.end(), {from, to, "--backend", "cpu"});
      const CommandRun ran = run(words, is_last ? of_run : Words{});
      if (ran.code != ExitCode::ok) {
        return ran.code;
      }
      from = to;
    }
    return ExitCode::ok;
  }

  [[nodiscard]] CommandRun run_together(const std::vector<std::string>& steps, const std::string& output,
                                        const Words& of_run) const {
    Words words = words_of(steps.front());
    words.insert(words.end(), {in(input_), output});
    for (std::size_t i = 1; i < steps.size(); ++i) {
      words.emplace_back("--then");
      const Words more = words_of(steps[i]);
      words.insert(words.end(), more.begin(), more.end());
    }
    return run(words, of_run);
  }

  static std::string line_of(const std::vector<std::string>& steps) {
    std::string line;
    for (const std::string& step : steps) {
      line += (line.empty() ? "" : " --then ") + step;
    }
    return line;
  }

  /// Writes an input of a random format and a mask for it.
  void put_images() {
    const PixelFormat format{random_.below(3) == 0 ? Sample::u16 : Sample::u8, random_.between(1, 4)};
    const int width = random_.between(24, 70);
    const int height = random_.between(20, 60);
    const bool may_be_jpeg = format.sample == Sample::u8 && !format.has_alpha();
    input_ = may_be_jpeg && random_.below(2) == 0 ? "in.jpg" : "in.png";
    put_image(input_, any_image(random_, width, height, format));
    put_image("mask.png", random_mask(random_, width, height));
    ASSERT_EQ(run({"hist", in(input_), in("reference.json"), "--backend", "cpu"}, {}).code, ExitCode::ok);
  }

  void expect_equal_to_single_commands(const Chain& chain, const std::vector<Words>& ways) const {
    SCOPED_TRACE(line_of(chain.steps) + " to ." + chain.extension);
    const std::string single = in("single." + chain.extension);
    const std::string together = in("chain." + chain.extension);
    ExitCode expected_code = run_singly(chain.steps, single, chain.of_run);
    if (expected_code != ExitCode::ok && chain.steps.back() == "hist --table") {
      expected_code = ExitCode::some_failed;  // a batch in which one file failed
    }
    const std::string last_input = in("between" + std::to_string(chain.steps.size() - 2) + ".png");
    for (const Words& way : ways) {
      Words options = chain.of_run;
      options.insert(options.end(), way.begin(), way.end());
      const CommandRun ran = run_together(chain.steps, together, options);
      ASSERT_EQ(ran.code, expected_code) << ran.err;
      if (expected_code == ExitCode::ok) {
        EXPECT_TRUE(without_name(text_in(together), in(input_)) == without_name(text_in(single), last_input))
            << way.back();
      }
    }
  }

  TemporaryFolder folder_;
  Random random_;
  std::string input_ = "in.png";
};

int chains_to_try(int by_default) {
  const char* asked = std::getenv("GPUIMG_TEST_CHAINS");
  return asked != nullptr ? std::atoi(asked) : by_default;
}

Chain random_chain(Random& random, const std::vector<std::string>& steps,
                   const std::vector<std::pair<std::string, std::string>>& ends) {
  Chain chain;
  const int count = random.between(2, 4);
  for (int i = 0; i < count; ++i) {
    chain.steps.push_back(steps[random.below(static_cast<std::uint32_t>(steps.size()))]);
  }
  chain.extension = std::vector<std::string>{"png", "bmp", "jpg", "ppm"}[random.below(4)];
  if (random.below(3) == 0) {
    std::tie(chain.steps.back(), chain.extension) = ends[random.below(static_cast<std::uint32_t>(ends.size()))];
  } else if (chain.extension == "jpg") {
    chain.of_run = {"--quality", "70"};
  } else if (random.below(3) == 0 && !chain.steps.back().starts_with("threshold")) {
    chain.of_run = {"--depth", "8", "--background", "white"};
  }
  return chain;
}

TEST_F(StepsTest, RandomStepsEqualSingleCommands) {
  SCOPED_TRACE(random_.trace());
  for (int chain = 0; chain < chains_to_try(kHasSanitizer ? 20 : 60) && !HasFailure(); ++chain) {
    put_images();
    expect_equal_to_single_commands(random_chain(random_, kSteps, kEnds),
                                    {{"--backend", "cpu"},
                                     {"--backend", "cpu", "--threads", "1"},
                                     {"--backend", "cpu", "--verify"},
                                     {"--backend", "cuda"},
                                     {"--backend", "cuda", "--max-device-memory", "20K"}});
  }
}

/// Includes steps that only the CPU has. The image has sloping lines of dashes that deskew can straighten.
TEST_F(StepsTest, DocumentStepsEqualSingleCommands) {
  SCOPED_TRACE(random_.trace());
  for (const std::vector<std::string>& steps :
       {std::vector<std::string>{"deskew", "threshold"},
        {"threshold", "despeckle --color both --size 9"},
        {"deskew --fill 10,200,30", "equalize", "threshold --method sauvola --window 15", "despeckle"},
        {"equalize --clahe --tiles 3x2", "deskew", "rotate 90"},
        {"threshold", "despeckle --size 2", "deskew", "resize --size 50%"},
        {"rotate 180", "deskew", "threshold", "despeckle --color white", "hist"}}) {
    const PixelFormat format{random_.below(2) == 0 ? Sample::u16 : Sample::u8, random_.between(1, 4)};
    const std::uint32_t most = format.max_value();
    put_image("in.png", image_of_pixels(150, 90, format, [&](std::size_t i) {
                const auto x = static_cast<int>(i % 150);
                const auto y = static_cast<int>(i / 150);
                const bool is_dark = (y + x / 20 + 4) % 18 < 5 && x % 11 < 8 && x > 8 && x < 140;
                std::vector<std::uint32_t> channels(
                    static_cast<std::size_t>(format.channels),
                    (is_dark ? most / 10 : most - most / 10) + random_.below(most / 10));
                channels.back() = format.has_alpha() ? most : channels.back();
                return channels;
              }));
    expect_equal_to_single_commands({steps, steps.back() == "hist" ? "csv" : "png", {}},
                                    {{"--backend", "cpu"},
                                     {"--backend", "cpu", "--threads", "1"},
                                     {"--backend", "auto"},
                                     {"--max-device-memory", "20K"}});
  }
  const CommandRun ran = run_command({"deskew", "--json", "--backend", "cpu", in("in.png"), in("angle.png")});
  const std::size_t at = ran.out.find("\"angle\": ");
  ASSERT_NE(at, std::string::npos) << ran.out << ran.err;
  EXPECT_NEAR(std::stod(ran.out.substr(at + 9)), -2.86, 0.5);  // the angle is imprecise because the image is small
}

bool has_opencl_device() {
  try {
    return backend_entry(BackendKind::opencl).make({}) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

/// Steps that OpenCL supports. PoCL is an OpenCL device without a GPU.
TEST_F(StepsTest, RandomStepsOnOpenclEqualSingleCommands) {
  if (!has_opencl_device()) {
    GTEST_SKIP() << "there is no OpenCL device";
  }
  SCOPED_TRACE(random_.trace());
  std::vector<std::string> steps;
  std::copy_if(kSteps.begin(), kSteps.end(), std::back_inserter(steps),
               [](const std::string& step) { return step.substr(0, step.find(' ')) != "denoise"; });
  for (int chain = 0; chain < chains_to_try(5) && !HasFailure(); ++chain) {
    put_images();
    expect_equal_to_single_commands(random_chain(random_, steps, kEnds), {{"--backend", "opencl"}});
  }
}

/// Serves only as an argument of load_rows().
class NoJob final : public ImageJob {
 public:
  void check_name(const std::string& /*output*/) const override {}
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override { return {}; }
  InOrder run(Worker& /*worker*/, const ItemPaths& /*paths*/) const override { return {}; }
};

/// Bands of rows go through all steps, with the combined halo of all steps. If a step must count all rows first, the
/// steps before it are computed twice.
TEST_F(StepsTest, BandsPassThroughAllSteps) {
  SCOPED_TRACE(random_.trace());
  const Image image = smooth_image(random_, 300, 900, {Sample::u8, 3});
  put_image("in.png", image);
  DenoiseOptions denoise;
  denoise.patch = 3;
  denoise.search = 5;
  WindowOptions mean;
  mean.size = 21;
  mean.border = Border::replicate;
  ThresholdOptions sauvola;
  sauvola.method = ThresholdMethod::sauvola;
  sauvola.window = 31;
  ThresholdOptions wolf = sauvola;
  wolf.method = ThresholdMethod::wolf;
  ResizeOptions half;
  half.percent = 50.0;
  ClaheOptions tiles;
  tiles.tiles_x = 3;
  ThresholdOptions otsu;
  const DespeckleOptions specks{9, SpeckColor::both};
  const std::vector<std::vector<PictureOperation>> chains = {{tiles, mean, tiles},
                                                             {otsu, specks},
                                                             {tiles, sauvola, specks, specks, mean},
                                                             {mean, DeskewOptions(), tiles},
                                                             {mean, otsu},
                                                             {half, tiles, half, otsu},
                                                             {CropOptions{Rect{7, 30, 200, 800}}, tiles, mean, otsu},
                                                             {tiles, HslAdjustment{9.0F}, mean, tiles},
                                                             {mean, TurnOptions{Turn::rotate90}, tiles},
                                                             {denoise, mean},
                                                             {mean, sauvola},
                                                             {wolf},
                                                             {mean, wolf, tiles},
                                                             {HslAdjustment{40.0F}, mean, denoise, sauvola},
                                                             {mean, HslAdjustment{9.0F}},
                                                             {mean, TurnOptions{Turn::flip_horizontal}, denoise},
                                                             {half},
                                                             {half, mean},
                                                             {mean, TurnOptions{Turn::rotate90}},
                                                             {}};
  for (const std::vector<PictureOperation>& operations : chains) {
    if (kHasSanitizer && random_.below(3) != 0) {
      continue;  // all chains would take a minute
    }
    SCOPED_TRACE(operations.size());
    const auto backend = make_cpu_backend(2);
    Picture picture = backend->upload(image.view());
    ImageShape shape{image.width(), image.height(), image.format()};
    Steps steps;
    for (const PictureOperation& operation : operations) {
      picture = backend->apply(picture, operation);
      steps.push_back(
          {[operation](Backend& on, const Picture& pixels, const Picture*) { return on.apply(pixels, operation); },
           nullptr, "step", traits_of(operation, shape)});
      shape = steps.back().traits.result;
    }
    put_image("expected.png", backend->download(picture));
    for (const auto& [kind, bytes] : {std::pair(BackendKind::cpu, 1), std::pair(BackendKind::cpu, 2 << 20),
                                      std::pair(BackendKind::cuda, 1), std::pair(BackendKind::cuda, 2 << 20)}) {
      GlobalOptions options;
      options.backend = kind;
      options.force = true;
      options.verbosity = Verbosity::quiet;
      Worker worker(options);
      // With a limit of one byte, bands have the minimum size; with 2 MiB, some results are kept.
      worker.loader.read_in_bands(bytes);
      codecs::DecodedImage decoded = worker.loader.load_rows({in("in.png"), in("o.png")}, NoJob(), RowsWhen::always);
      ASSERT_NE(decoded.rows, nullptr);
      const PhotoOutput photo{ImageOutputArguments()};
      photo.process(OperationInput(std::move(decoded)), steps, shape, in("o.png"), photo.write_options(), worker);
      worker.writer.commit();
      EXPECT_TRUE(text_in(in("o.png")) == text_in(in("expected.png")));
      EXPECT_EQ(worker.report.times().json().find("\"steps\"") != std::string::npos, operations.size() > 1);
    }
  }
}

/// If `hsl --inverse` is the first step, it reads HSL as it does in a single command: the file declares the encoding
/// and the depth.
TEST_F(StepsTest, HslInputCanBeReadByTheFirstStep) {
  put_image("rgb.png", smooth_image(random_, 40, 30, {Sample::u16, 3}));
  for (const std::string name : {"in.npy", "in.png"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(run({"hsl", in("rgb.png"), in(name)}, {}).code, ExitCode::ok);
    ASSERT_EQ(run({"hsl", "--inverse", in(name), in("between.png")}, {}).code, ExitCode::ok);
    for (const std::string end : {"equalize --clahe", "convert", "hist"}) {
      const std::string out = end == "hist" ? "csv" : "png";
      Words single = words_of(end);
      single.insert(single.end(), {in("between.png"), in("single." + out)});
      ASSERT_EQ(run(single, {}).code, ExitCode::ok);
      Words chain = {"hsl", "--inverse", in(name), in("chain." + out), "--then"};
      const Words last = words_of(end);
      chain.insert(chain.end(), last.begin(), last.end());
      const CommandRun ran = run(chain, {});
      ASSERT_EQ(ran.code, ExitCode::ok) << ran.err;
      EXPECT_TRUE(without_name(text_in(in("chain." + out)), in(name)) ==
                  without_name(text_in(in("single." + out)), in("between.png")))
          << end;
    }
  }
}

TEST_F(StepsTest, EachStepHasItsOwnTables) {
  put_image("in.png", smooth_image(random_, 40, 30, {Sample::u8, 3}));
  ASSERT_EQ(run_singly({"integral --mean 5", "equalize --lut @single.csv", "hsl --hue 10"}, in("single.png"), {}),
            ExitCode::ok);
  const CommandRun ran =
      run_together({"integral --mean 5", "equalize --lut @chain.csv", "hsl --hue 10"}, in("chain.png"), {});
  ASSERT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_EQ(text_in(in("chain.csv")), text_in(in("single.csv")));
  EXPECT_TRUE(text_in(in("chain.png")) == text_in(in("single.png")));
  EXPECT_EQ(run_together({"integral --mean 5", "equalize --apply @chain.csv"}, in("chain.png"), {}).code, ExitCode::ok);
}

TEST_F(StepsTest, TimesHaveARowForEachStep) {
  put_image("in.png", smooth_image(random_, 40, 30, {Sample::u8, 3}));
  const Words words = {"denoise", "--search", "3", in("in.png"), in("o.csv"), "--then", "equalize", "--then", "hist"};
  const CommandRun table = run(words, {"--timing"});
  ASSERT_EQ(table.code, ExitCode::ok) << table.err;
  for (const char* row : {"ms step 1", "ms step 2", "ms step 3"}) {
    EXPECT_NE(table.err.find(row), std::string::npos) << table.err;
  }
  const CommandRun json = run(words, {"--timing", "--json"});
  EXPECT_NE(json.err.find("\"steps\": [{\"step\": \"denoise\", \"ms\": "), std::string::npos) << json.err;
  EXPECT_NE(json.err.find("{\"step\": \"hist\", \"ms\": "), std::string::npos) << json.err;
  const CommandRun one = run({"equalize", in("in.png"), in("o.png")}, {"--timing"});
  EXPECT_EQ(one.err.find("step"), std::string::npos) << "a single operation has no steps: " << one.err;
}

/// Each error is one line that names the mistake; the exit code is 2, and the command opens no file.
TEST_F(StepsTest, UsageErrorsNameTheMistake) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"equalize a b --then", "--then needs the name of a step"},
      {"equalize a b --then --clahe", "--then needs the name of a step"},
      {"equalize a b --then nothing", "nothing is not a step"},
      {"info a --then equalize", "info is not a step"},
      {"hist a b --then equalize", "hist makes numbers, so it can only be the last step"},
      {"hsl a b --then equalize", "hsl: it makes HSL, so it can only be the last step"},
      {"integral a b --then equalize", "integral: it makes a table of numbers, so it can only be the last step"},
      {"equalize a b --then hsl --inverse",
       "hsl: it reads files that no other step writes, so it can only be the first"},
      {"convert a b --then hsl --inverse --then equalize", "hsl: it reads files that no other step writes"},
      {"hsl --inverse --hue 3 a b --then equalize", "hsl: --inverse"},
      {"denoise a b --clahe --then equalize", "--clahe is an option of the step equalize, not of denoise"},
      {"equalize a b --quality 3 --then hist",
       "--quality is an output option, but the last step, hist, does not have it"},
      {"equalize a --then denoise b", "unexpected argument b after --then denoise"},
      {"equalize a b --format png --then denoise --format png", "--format is given more than once"},
      {"denoise --patch 4 a b --then equalize", "denoise: --patch"},
      {"denoise a b --then equalize --colour rgb", "unknown option --colour"},
      {"equalize a b --then threshold --depth 16", "--depth: '16' is neither 1 nor 8"},
      {"equalize a b --then rotate --then equalize", "--then rotate needs ANGLE after it: 90, 180 or 270"},
      {"equalize a b --then rotate 45", "ANGLE: '45'"},
      {"rotate 90 a b --then flip vertical c", "unexpected argument c after --then flip"},
      {"resize a b --then equalize", "resize: --size: is missing"},
  };
  for (const auto& [line, message] : lines) {
    SCOPED_TRACE(line);
    const CommandRun ran = run_command(words_of(line));
    EXPECT_EQ(ran.code, ExitCode::usage);
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

/// Images that do not fit a later step are rejected by size and format alone, before an earlier step runs.
TEST_F(StepsTest, MisfitsAreRejectedBeforeAnyStepRuns) {
  put_image("in.png", smooth_image(random_, 40, 30, {Sample::u8, 3}));
  put_image("mask.png", random_mask(random_, 41, 30));
  const std::vector<std::tuple<std::string, ExitCode, std::string>> lines = {
      {"png --then equalize --mask @mask.png", ExitCode::usage, "equalize: the mask is 41x30, but the image is 40x30"},
      {"png --then equalize --clahe --roi 0,0,41,30", ExitCode::usage,
       "CLAHE: the region 0,0,41,30 is not inside the image"},
      {"png --then threshold --method mean --window 99", ExitCode::usage, "threshold: a window of 99 does not fit"},
      {"png --then integral --mean 99", ExitCode::usage, "a window of 99 does not fit"},
      {"npy --then integral --deviation 99", ExitCode::usage, "a window of 99 does not fit"},
      {"csv --then hist --channel a", ExitCode::bad_input, "hist: the image has no alpha channel"},
      {"csv --then hist --mask @mask.png", ExitCode::usage, "hist: the mask is 41x30, but the image is 40x30"},
  };
  for (const auto& [last, code, message] : lines) {
    SCOPED_TRACE(last);
    const CommandRun ran = run(words_of("denoise --backend cuda @in.png @o." + last), {});
    EXPECT_EQ(ran.code, code);
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
    EXPECT_EQ(twin_device().uploaded, 0);
  }
}

TEST_F(StepsTest, RunOptionsMayStandAnywhere) {
  put_image("in.png", smooth_image(random_, 40, 30, {Sample::u16, 3}));
  const auto output_of = [&](const std::string& line) {
    const CommandRun ran = run(words_of(line), {});
    EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
    return text_in(in("o.jpg"));
  };
  const std::string expected =
      output_of("--backend cpu equalize --quality 40 --depth 8 @in.png @o.jpg --then hsl --hue 30");
  EXPECT_TRUE(output_of("equalize @in.png @o.jpg --then hsl --hue 30 --quality=40 --depth 8 --backend cpu") ==
              expected);
  EXPECT_TRUE(output_of("equalize @in.png -o @o.jpg --depth 8 --then hsl --quality 40 --hue 30 --threads 1") ==
              expected);
}

TEST_F(StepsTest, DryRunPrintsStepsWithDefaults) {
  put_image("in.png", smooth_image(random_, 4, 3, {Sample::u8, 3}));
  const CommandRun ran = run(
      words_of("denoise --patch 5 @in.png @o.png --then equalize --clahe --then rotate 90 --then convert --dry-run"),
      {});
  ASSERT_EQ(ran.code, ExitCode::ok) << ran.err;
  EXPECT_EQ(ran.out.substr(0, ran.out.find('\n')),
            "denoise --filter-strength [10 per 255 levels of the range in use] --patch 5 --search [21] "
            "--transparent [skip]");
  EXPECT_NE(ran.out.find("\n--then equalize --formula [opencv]"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(" --clahe"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\n--then rotate 90\n--then convert\n"), std::string::npos) << ran.out;
}

TEST_F(StepsTest, ManifestsDistinguishSteps) {
  put_image("in.png", smooth_image(random_, 40, 30, {Sample::u8, 3}));
  const auto resumed = [&](const std::string& steps) {
    return run(words_of("denoise --search 3 @in.png @o.png --manifest @m.jsonl --resume @m.jsonl --then " + steps), {});
  };
  ASSERT_EQ(resumed("equalize").code, ExitCode::ok);
  EXPECT_NE(text_in(in("m.jsonl")).find("denoise --then equalize"), std::string::npos);
  const std::string first = text_in(in("m.jsonl"));
  ASSERT_EQ(resumed("equalize").code, ExitCode::ok);
  const std::string second = text_in(in("m.jsonl")).substr(first.size());
  EXPECT_EQ(second.find("\"done\""), std::string::npos) << "it was done before: " << second;
  ASSERT_EQ(resumed("equalize --strength 0.5").code, ExitCode::ok);
  EXPECT_NE(text_in(in("m.jsonl")).substr(first.size() + second.size()).find("\"done\""), std::string::npos)
      << "other options of a step give another result";
}

constexpr std::array kCpuOnly = {BackendKind::cpu};

OperationTraits blur_traits(const ImageShape& input) {
  WindowOptions options;
  options.size = 5;
  OperationTraits traits = traits_of(options, input);
  traits.what = "blurring";
  traits.only_on = kCpuOnly;
  return traits;
}

Picture blurred(Backend& backend, const Picture& picture) {
  EXPECT_EQ(backend.kind(), BackendKind::cpu);
  WindowOptions options;
  options.size = 5;
  return backend.apply(picture, options);
}

/// A step that a device supports, and for which `auto` chooses the device.
class TintStep final : public ImageStep {
 public:
  [[nodiscard]] std::string_view name() const override { return "tint"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override {
    OperationTraits traits = traits_of(HslAdjustment(), input);
    traits.cost = {.thread_ms = 1.0e6};
    return traits;
  }
  [[nodiscard]] StepOfImage for_image(const StepInput& /*input*/, Worker& /*worker*/) const override {
    return {applying(HslAdjustment{40.0F})};
  }
};

/// A step that no device supports.
class BlurStep final : public ImageStep {
 public:
  [[nodiscard]] std::string_view name() const override { return "blur"; }
  [[nodiscard]] OperationTraits traits(const ImageShape& input) const override { return blur_traits(input); }
  [[nodiscard]] StepOfImage for_image(const StepInput& /*input*/, Worker& /*worker*/) const override {
    return {{[](Backend& backend, const Picture& picture, const Picture*) { return blurred(backend, picture); }}};
  }
};

template <class StepOfTest>
RunCommand declare(CommandParser& parser) {
  struct Arguments {
    BatchArguments files;
    ImageOutputArguments image_output;
  };
  const auto arguments = std::make_shared<Arguments>();
  add_batch_options(parser, arguments->files, {.input = "images", .output = "an image"});
  add_photo_options(parser, arguments->image_output);
  parser.declare_step([] { return std::make_shared<StepOfTest>(); });
  return [arguments, &parser](const GlobalOptions& globals) {
    PhotoJob job(std::make_shared<StepOfTest>(), arguments->image_output);
    return run_job(job, parser, arguments->files, globals);
  };
}

CommandRun StepsTest::run_with_blur(const std::string& line) const {
  std::vector<Command> commands = all_commands();
  commands.push_back({"blur", "of the CPU alone", "", declare<BlurStep>});
  commands.push_back({"tint", "for a device", "", declare<TintStep>});
  return run_command(words_of("--force --threads 1 " + line), commands);
}

/// `auto` chooses a device for an expensive step, even if the device does not support another step.
TEST_F(StepsTest, TheCpuRunsStepsThatTheChosenBackendLacks) {
  put_image("in.bmp", smooth_image(random_, 200, 180, {Sample::u8, 3}));
  struct Case {
    std::string steps;
    std::string step_on_cpu;  ///< the step that the CPU runs, as the message names it
    int moves;                ///< number of transfers to and from the device
  };
  const std::vector<Case> cases = {
      {"tint @in.bmp @o.bmp --then blur --then hsl --hue 40", "step 2, blur", 2},
      {"tint @in.bmp @o.bmp --then blur --then blur --then hsl --hue 40", "step 3, blur", 2},
      {"blur @in.bmp @o.bmp --then tint", "step 1, blur", 1},
      {"tint @in.bmp @o.bmp --then blur", "step 2, blur", 1},
      {"tint @in.bmp @o.csv --then blur --then hist", "step 2, blur", 2},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.steps);
    const bool counts = one.steps.ends_with("hist");
    const std::string output = in(counts ? "o.csv" : "o.bmp");
    const CommandRun expected = run_with_blur(one.steps + " --backend cpu");
    ASSERT_EQ(expected.code, ExitCode::ok) << expected.err;
    const std::string bytes = text_in(output);
    twin_device().reset();
    const CommandRun ran = run_with_blur(one.steps + " -v");
    ASSERT_EQ(ran.code, ExitCode::ok) << ran.err;
    EXPECT_NE(ran.err.find("backend cuda (twin"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find(one.step_on_cpu + ": cuda does not have blurring; the CPU runs it"), std::string::npos)
        << ran.err;
    EXPECT_TRUE(text_in(output) == bytes);
    EXPECT_EQ(twin_device().uploaded, one.moves);
    EXPECT_EQ(twin_device().downloaded, counts ? one.moves - 1 : one.moves);
    for (const char* way : {" --verify", " --max-device-memory 40K"}) {
      const CommandRun again = run_with_blur(one.steps + way);
      EXPECT_EQ(again.code, ExitCode::ok) << again.err;
      EXPECT_TRUE(text_in(output) == bytes) << way;
    }
    for (int call = 0; call < 6; ++call) {
      twin_device().reset();
      twin_device().reject_from = call;
      twin_device().rejected_calls = 1;
      const CommandRun again = run_with_blur(one.steps);
      EXPECT_EQ(again.code, ExitCode::ok) << again.err;
      EXPECT_TRUE(text_in(output) == bytes) << "call " << call;
    }
    const CommandRun named = run_with_blur(one.steps + " --backend cuda");
    EXPECT_EQ(named.code, ExitCode::usage);
    EXPECT_EQ(named.err, "gpuimg: error: --backend: cuda does not have blurring; use cpu\n");
  }
}

TEST_F(StepsTest, AutoCountsTransfersForStepsThatABackendLacks) {
  constexpr double kMegapixels = 8.0;
  const OperationTraits anywhere{.what = "anywhere", .cost = {.thread_ms = 100.0, .device_ms = 1.0}};
  const OperationTraits on_cpu{.what = "on_cpu", .only_on = kCpuOnly, .cost = {.thread_ms = 10.0}};
  const auto estimated = [&](const std::vector<OperationTraits>& steps, double decoding_ms = 0.0) {
    const std::vector<BackendEstimate> all =
        estimates(options_for(steps, {}), {.pixels = 8'000'000, .decoding_ms = decoding_ms, .threads = 1});
    EXPECT_EQ(all.size(), 2U);
    return all.back().ms;
  };
  const double there = estimated({anywhere, anywhere});
  EXPECT_DOUBLE_EQ(estimated({anywhere, anywhere, on_cpu}) - there, kMegapixels * 10.0);
  EXPECT_DOUBLE_EQ(estimated({on_cpu, anywhere, anywhere}) - there, kMegapixels * 10.0);
  EXPECT_DOUBLE_EQ(estimated({anywhere, on_cpu, on_cpu, anywhere}) - there, kMegapixels * (20.0 + 1.0));
  EXPECT_DOUBLE_EQ(estimated({on_cpu, anywhere, on_cpu, anywhere}, 15.0) - estimated({anywhere, anywhere}, 15.0),
                   kMegapixels * (20.0 + 2.0))
      << "what is decoded on the device goes to the host first";
}

/// The CPU runs all steps of an image that is read in bands, because a device would have to return each band.
TEST_F(StepsTest, BandsGoToTheCpuIfTheDeviceLacksAStep) {
  const Image image = smooth_image(random_, 300, 200, {Sample::u8, 3});
  put_image("in.png", image);
  const ImageShape shape{image.width(), image.height(), image.format()};
  const Step hue = applying(HslAdjustment{40.0F});
  const auto blur = [](Backend& backend, const Picture& picture, const Picture*) { return blurred(backend, picture); };
  const Steps steps = {{hue.run, nullptr, "hsl", traits_of(HslAdjustment(), shape)},
                       {blur, nullptr, "blur", blur_traits(shape)}};
  const auto backend = make_cpu_backend(1);
  put_image("expected.png", backend->download(blurred(
                                *backend, backend->adjust_hsl(backend->upload(image.view()), HslAdjustment{40.0F}))));
  GlobalOptions options;
  options.backend = BackendKind::cuda;
  options.force = true;
  options.verbosity = Verbosity::quiet;
  for (const bool counts : {false, true}) {
    Worker worker(options);
    worker.loader.read_in_bands(1);
    codecs::DecodedImage decoded = worker.loader.load_rows({in("in.png"), in("o.png")}, NoJob(), RowsWhen::always);
    ASSERT_NE(decoded.rows, nullptr);
    if (counts) {
      const auto count = [](Backend& on, const Picture& picture, const Picture*) { return on.histogram(picture, {}); };
      const Histogram counted = worker.executor.count(OperationInput(std::move(decoded)), steps, {count});
      EXPECT_EQ(counted.counted, std::uint64_t{300} * 200);
    } else {
      const PhotoOutput photo{ImageOutputArguments()};
      photo.process(OperationInput(std::move(decoded)), steps, shape, in("o.png"), photo.write_options(), worker);
      worker.writer.commit();
      EXPECT_TRUE(text_in(in("o.png")) == text_in(in("expected.png")));
    }
    EXPECT_EQ(worker.report.backend_name(), "cpu");
    EXPECT_EQ(twin_device().uploaded, 0);
  }
}

}  // namespace
}  // namespace gpuimg::test_steps
