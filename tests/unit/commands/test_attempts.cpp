// Failed attempts: bands are given up, or the device has no memory for a call, for strips, or for anything. Another
// attempt then follows. Here each attempt fails once, and the results must equal those of a run without failures.
// The device is a host twin.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codecs/image_writer.hpp"
#include "codecs/npy/npy.hpp"
#include "commands/photo_job.hpp"
#include "engine/image_job.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/png_maker.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace gpuimg::test_attempts {
namespace {

using namespace test;

constexpr int kWidth = 37;
constexpr int kHeight = 29;
constexpr int kAll = 1 << 20;  ///< more calls than any command makes

/// A valid PNG whose decoding in bands is given up, because its zlib window is small.
FileBytes png_of_a_small_window(ConstView pixels) {
  PngPicture picture;
  picture.kind = {2, 8};
  picture.width = static_cast<std::uint32_t>(pixels.width);
  picture.height = static_cast<std::uint32_t>(pixels.height);
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row = pixels.row<std::uint8_t>(y);
    picture.samples.insert(picture.samples.end(), row, row + 3 * pixels.width);
  }
  std::vector<PngChunk> chunks = png_chunks(picture);
  for (PngChunk& chunk : chunks) {
    if (chunk.name == "IDAT") {
      chunk.data[0] = std::byte{0x18};  // a window of 512 bytes
      chunk.data[1] = std::byte{0x19};
    }
  }
  return assemble_png(chunks);
}

class Attempts : public ::testing::Test {
 protected:
  void SetUp() override {
    twin_device().reset();
    pixels_ = smooth_image(random_, kWidth, kHeight, {Sample::u8, 3});
    Image mask(kWidth, kHeight, {Sample::u8, 1});
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        mask.view().row<std::uint8_t>(y)[x] = (x + y) % 3 == 0 ? 0 : 255;
      }
    }
    mask_ = std::make_shared<const Image>(std::move(mask));
    put_bytes(in("sound.png"), png(pixels_.view()));
    put_bytes(in("window.png"), png_of_a_small_window(pixels_.view()));
    put_bytes(in("photo.jpg"), make_jpeg(pixels_.view()));
    put_bytes(in("mask.png"), png(mask_->view()));
  }
  void TearDown() override { twin_device().reset(); }

  static std::vector<std::byte> png(ConstView pixels) {
    return codecs::encode_image(pixels, codecs::FileFormat::png, "a.png", {});
  }
  [[nodiscard]] std::string in(const std::string& name) const { return folder_ / name; }

  /// Calls run() repeatedly: the first time, the device's first call fails, the second time its second call, and so on.
  /// `rejected` consecutive calls fail.
  static void reject_each_call(int rejected, const std::function<void()>& run) {
    for (int call = 0;; ++call) {
      SCOPED_TRACE("call " + std::to_string(call) +
                   " of the device, and so many after it: " + std::to_string(rejected));
      twin_device().reset();
      twin_device().downloads_need_none = rejected > 1;  // a result that exists only on the device must be downloadable
      twin_device().reject_from = call;
      twin_device().rejected_calls = rejected;
      run();
      if (::testing::Test::HasFailure() || twin_device().calls <= call) {
        return;
      }
    }
  }

  TemporaryFolder folder_;
  Random random_;
  Image pixels_;
  SharedMask mask_;
};

/// Serves only as an argument of load_rows().
class NoJob final : public ImageJob {
 public:
  void check_name(const std::string& /*output*/) const override {}
  [[nodiscard]] std::string extension_for(const std::string& /*input*/) const override { return {}; }
  InOrder run(Worker& /*worker*/, const ItemPaths& /*paths*/) const override { return {}; }
};

/// A way through the engine: computes a result from a decoded image, and writes it to the named file.
using Way = std::function<void(Worker&, codecs::DecodedImage, const SharedMask&, const std::string& output)>;

std::vector<std::pair<std::string, Way>> ways() {
  const auto equalize = [](Backend& backend, const AttemptPicture& picture, const Picture* mask) {
    EqualizeOptions options;
    options.selection.mask = mask;
    Picture* const own = picture.own();
    return own != nullptr ? backend.equalize(std::move(*own), options) : backend.equalize(picture, options);
  };
  const auto sum = [](Backend& backend, const Picture& picture, const Picture*) {
    return backend.integral(picture, {});
  };
  const auto to_file = [equalize](Worker& worker, codecs::DecodedImage decoded, const SharedMask& mask,
                                  const std::string& output) {
    const ImageShape shape{decoded.width(), decoded.height(), decoded.format()};
    const PhotoOutput photo{ImageOutputArguments()};
    photo.process(OperationInput(std::move(decoded)), {{equalize, mask}}, shape, output, photo.write_options(), worker);
  };
  return {
      {"counts.txt",
       [](Worker& worker, codecs::DecodedImage decoded, const SharedMask& mask, const std::string& output) {
         const auto count = [](Backend& backend, const Picture& picture, const Picture* chosen) {
           HistogramOptions options;
           options.selection.mask = chosen;
           return backend.histogram(picture, options);
         };
         const Histogram counted = worker.executor.count(OperationInput(std::move(decoded)), {}, {count, mask});
         std::string text;
         for (const std::uint64_t of_level : counted.channels.front().counts) {
           text += std::to_string(of_level) + "\n";
         }
         worker.writer.save(output, [&] { return text; });
       }},
      {"pixels.tga",
       [equalize](Worker& worker, codecs::DecodedImage decoded, const SharedMask& mask, const std::string& output) {
         const Image image = worker.executor.process(OperationInput(std::move(decoded)), {{equalize, mask}});
         worker.writer.save_image(output, image.view(), {});
       }},
      {"file.png", to_file},
      {"file.jpg", to_file},
      {"table.npy",
       [sum](Worker& worker, codecs::DecodedImage decoded, const SharedMask& mask, const std::string& output) {
         const auto open = codecs::npy::npy_opener(decoded.width() + 1, decoded.height() + 1, {Sample::u32, 1});
         worker.writer.write_result(worker.executor, OperationInput(std::move(decoded)), {{sum, mask}}, output, open);
       }}};
}

/// Every way through the engine, for pixels of each origin, with `auto`, which falls back to the CPU.
TEST_F(Attempts, KeepTheInputInTheEngine) {
  SCOPED_TRACE(random_.trace());
  const NoJob job;
  const auto shared = std::make_shared<SharedByWorkers>();
  const auto result_of = [&](const std::string& input, const std::string& name, const Way& way, BackendKind backend) {
    GlobalOptions options;
    options.backend = backend;
    options.can_use_cpu = true;
    options.threads = 1;
    options.force = true;
    options.verbosity = Verbosity::quiet;
    Worker worker(options, Worker::Role::command, shared);
    way(worker, worker.loader.load_rows({input, in(name)}, job, RowsWhen::always), mask_, in(name));
    worker.writer.commit();
    return text_in(in(name));
  };
  for (const auto& [name, way] : ways()) {
    for (const char* input : {"sound.png", "window.png", "photo.jpg"}) {
      SCOPED_TRACE(name + " of " + input);
      const std::string plain = std::string(input) == "photo.jpg" ? in("photo.jpg") : in("sound.png");
      twin_device().reset();
      const std::string expected = result_of(plain, name, way, BackendKind::cpu);
      ASSERT_FALSE(expected.empty());
      ASSERT_TRUE(result_of(in(input), name, way, BackendKind::cpu) == expected) << "on the CPU";
      ASSERT_TRUE(result_of(in(input), name, way, BackendKind::cuda) == expected) << "on the device";
      for (const int rejected : {1, 2, kAll}) {
        reject_each_call(rejected, [&, &name = name, &way = way] {
          try {
            EXPECT_TRUE(result_of(in(input), name, way, BackendKind::cuda) == expected);
          } catch (const Error& error) {
            ADD_FAILURE() << error.what();
          }
        });
      }
    }
  }
}

/// Every command with an additional input: compares its printed output and its files.
TEST_F(Attempts, KeepTheAdditionalInputsOfCommands) {
  SCOPED_TRACE(random_.trace());
  const auto words_of = [&](std::string line) {
    std::vector<std::string> words = {"-q", "--force", "--threads", "1"};
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      const std::string word = line.substr(0, end);
      words.push_back(word.find('.') != std::string::npos ? in(word) : word);
      line.erase(0, end + 1);
    }
    return words;
  };
  const auto result_of = [&](const std::string& line, const std::string& backend) {
    std::vector<std::string> words = words_of(line);
    words.insert(words.end(), {"--backend", backend});
    CommandRun ran = run_command(words);
    if (ran.code == ExitCode::ok) {
      for (const std::string& word : words) {
        ran.out += word.starts_with(in("o.")) || word.starts_with(in("lut.")) ? text_in(word) : "";
      }
    }
    return ran;
  };
  put_bytes(in("in.png"), png(pixels_.view()));
  ASSERT_EQ(result_of("hist in.png -o ref.json", "cpu").code, ExitCode::ok);
  ASSERT_EQ(result_of("equalize in.png o.png --lut table.csv", "cpu").code, ExitCode::ok);
  for (const std::string line :
       {"hist in.png --mask mask.png", "hist in.png --mask mask.png -o o.json", "hist in.png --roi 3,4,20,21 -o o.svg",
        "hist in.png --table --mask mask.png", "hist --merge in.png sound.png ref.json -o o.json",
        "hist --overlay in.png sound.png --mask mask.png", "hist in.png photo.jpg --mask mask.png --chart",
        "equalize in.png o.png --mask mask.png --lut lut.csv",
        "equalize in.png o.png --mask mask.png --apply table.csv",
        "equalize in.png o.png --clahe --mask mask.png --roi 2,2,30,20", "equalize in.png o.jpg --match sound.png",
        "equalize in.png o.png --match ref.json --mask mask.png", "equalize in.png o.png --reference ref.json",
        "equalize photo.jpg o.jpg --mask mask.png --lut lut.csv", "denoise in.png o.png --search 3 --progress json",
        "integral in.png o.png --mean 5", "threshold in.png o.png", "compare in.png sound.png --json"}) {
    SCOPED_TRACE(line);
    put_bytes(in("in.png"), png(pixels_.view()));
    twin_device().reset();
    const CommandRun expected = result_of(line, "cpu");
    ASSERT_EQ(expected.code, ExitCode::ok) << expected.err;
    put_bytes(in("in.png"), png_of_a_small_window(pixels_.view()));
    EXPECT_EQ(result_of(line, "cpu").out, expected.out) << "bands are given up";
    reject_each_call(1, [&] {
      const CommandRun found = result_of(line, "cuda");
      if (found.code == ExitCode::ok) {
        EXPECT_EQ(found.out, expected.out);
      } else {  // this command has no attempt other than bands, and --backend cuda excludes the CPU
        EXPECT_EQ(found.code, ExitCode::out_of_memory) << found.err;
      }
    });
  }
}

}  // namespace
}  // namespace gpuimg::test_attempts
