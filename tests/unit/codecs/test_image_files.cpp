// The public functions for image files (gpuimg/codecs.hpp), and reading files ahead (gpuimg/loader.hpp).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/codecs.hpp"
#include "gpuimg/loader.hpp"

namespace gpuimg {
namespace {

/// A folder for a single test. It is removed when the test ends.
class Folder {
 public:
  Folder() : path_(std::filesystem::path(testing::TempDir()) / ("image_files." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t count() const {
    const std::filesystem::directory_iterator all(path_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

 private:
  std::filesystem::path path_;
};

Image pattern(int width, int height, PixelFormat format) {
  Image image(width, height, format);
  auto* bytes = reinterpret_cast<unsigned char*>(image.view().data);
  for (std::size_t i = 0; i < image.size_bytes(); ++i) {
    bytes[i] = static_cast<unsigned char>(i * 7 + i / 11);
  }
  return image;
}

bool are_equal(const Image& a, const Image& b) {
  return a.width() == b.width() && a.height() == b.height() && a.format() == b.format() &&
         std::memcmp(a.view().data, b.view().data, a.size_bytes()) == 0;
}

template <class Act>
std::string error_of(ErrorKind kind, const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing is thrown";
  return "";
}

TEST(ImageFiles, EveryLosslessFormatRoundTrips) {
  const Folder folder;
  for (const std::string extension : {"png", "bmp", "tga", "pam", "tif"}) {
    const std::vector<std::string> written = written_extensions();
    if (std::find(written.begin(), written.end(), extension) == written.end()) {
      continue;  // gpuimg was built without libtiff
    }
    const Image image = pattern(19, 7, {Sample::u8, 4});
    const std::string path = folder.file("image." + extension);
    write_image_file(image.view(), path);
    const ImageFile read = read_image_file(path);
    EXPECT_TRUE(are_equal(read.image, image)) << extension;
    EXPECT_EQ(read.pages, 1U);
    const ImageFileHeader header = read_image_file_header(path);
    EXPECT_EQ(header.width, 19U);
    EXPECT_EQ(header.height, 7U);
    EXPECT_GE(header.decoding_bytes, image.size_bytes());
  }
}

TEST(ImageFiles, EncodingInMemoryGivesTheSameBytes) {
  const Folder folder;
  const Image image = pattern(40, 30, {Sample::u8, 3});
  const std::vector<std::byte> file = encode_image_file(image.view(), {.format = "jpg", .quality = 70});
  write_image_file(image.view(), folder.file("a.jpg"), {.quality = 70});
  EXPECT_EQ(std::filesystem::file_size(folder.file("a.jpg")), file.size());
  const ImageFile decoded = decode_image_file(file, "a.jpg");
  EXPECT_EQ(decoded.format, "JPEG");
  EXPECT_TRUE(are_equal(decoded.image, read_image_file(folder.file("a.jpg")).image));
  EXPECT_LT(encode_image_file(image.view(), {.format = "jpg", .quality = 30}).size(), file.size());
}

TEST(ImageFiles, MetadataIsCarriedOver) {
  // The density of this BMP, 2835 per meter, is metadata that PNG can hold, too.
  Image image = pattern(5, 4, {Sample::u8, 3});
  std::vector<std::byte> bmp = encode_image_file(image.view(), {.format = "bmp"});
  bmp[38] = bmp[42] = std::byte{0x13};
  bmp[39] = bmp[43] = std::byte{0x0B};
  const ImageFile file = decode_image_file(bmp, "a.bmp");
  const std::vector<std::byte> with = encode_image_file(image.view(), {.format = "png", .metadata = file.metadata});
  const std::vector<std::byte> without = encode_image_file(image.view(), {.format = "png"});
  EXPECT_EQ(with.size(), without.size() + 21);  // the size of a pHYs chunk
}

TEST(ImageFiles, ErrorsNameTheFile) {
  const Folder folder;
  const Image image = pattern(3, 3, {Sample::u16, 3});
  const std::string path = folder.file("a.jpg");
  EXPECT_NE(error_of(ErrorKind::usage, [&] { write_image_file(image.view(), path); }).find("a.jpg: JPEG holds 8 bits"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorKind::usage, [&] { write_image_file(image.view(), folder.file("a.xyz")); }).find("a.xyz: "),
            std::string::npos);
  EXPECT_EQ(
      error_of(ErrorKind::usage, [&] { (void)encode_image_file(image.view(), {.format = "png", .quality = 101}); }),
      "quality: 101 is out of range (1 to 100)");
  (void)error_of(ErrorKind::usage, [&] { (void)encode_image_file(image.view(), {.format = "png", .png_level = 4}); });
  (void)error_of(ErrorKind::unsupported, [&] {
    (void)encode_image_file(Image(2, 2, {Sample::f32, 1}).view(), {.format = "png"});
  });
  (void)error_of(ErrorKind::read, [&] { (void)read_image_file(folder.file("none.png")); });
  EXPECT_EQ(folder.count(), 0U) << "something was left behind";
}

TEST(ImageFiles, ExistingFilesAreKept) {
  const Folder folder;
  const std::string path = folder.file("a.png");
  std::ofstream(path) << "text";
  const Image image = pattern(3, 3, {Sample::u8, 1});
  (void)error_of(ErrorKind::write, [&] { write_image_file(image.view(), path); });
  EXPECT_EQ(std::filesystem::file_size(path), 4U);
  write_image_file(image.view(), path, {.may_replace = true});
  EXPECT_TRUE(are_equal(read_image_file(path).image, image));
  EXPECT_EQ(folder.count(), 1U);
}

/// The number of tasks that run at the same time, and its maximum.
struct Seen {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
};

ReadAhead<std::size_t>::Plan plan_of(std::size_t count, int workers, Seen& seen) {
  ReadAhead<std::size_t>::Plan plan;
  plan.count = count;
  plan.workers = workers;
  plan.make_worker = [&seen] {
    return [&seen](std::size_t index) {
      const int now = ++seen.running;
      seen.most = std::max(seen.most.load(), now);
      std::this_thread::sleep_for(std::chrono::microseconds((index * 7919) % 500));
      --seen.running;
      if (index % 10 == 3) {
        throw std::runtime_error("task " + std::to_string(index));
      }
      return index * index;
    };
  };
  return plan;
}

TEST(ReadAhead, ReturnsResultsAndErrorsInOrder) {
  Seen seen;
  ReadAhead<std::size_t> ahead(plan_of(100, 4, seen));
  for (std::size_t i = 0; i < 100; ++i) {
    const auto item = ahead.next();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->index, i);
    EXPECT_EQ(item->error != nullptr, i % 10 == 3);
    EXPECT_EQ(item->result.has_value(), i % 10 != 3);
    EXPECT_EQ(item->result.value_or(i * i), i * i);
  }
  EXPECT_FALSE(ahead.next());
  EXPECT_FALSE(ahead.next());
  EXPECT_GT(seen.most, 1);
}

TEST(ReadAhead, MemoryIsBounded) {
  Seen seen;
  std::atomic<std::size_t> begun = 0;
  auto plan = plan_of(50, 4, seen);
  plan.ahead = 30;
  plan.max_bytes = 100;
  plan.bytes_of = [&begun](std::size_t index) -> std::uint64_t {
    begun = index;
    return index == 20 ? 1000 : 40;  // two tasks fit; a task larger than the limit runs alone
  };
  ReadAhead<std::size_t> ahead(std::move(plan));
  for (std::size_t i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_LE(begun, i + 2);  // two tasks that hold memory, and one that waits for memory
    ASSERT_TRUE(ahead.next());
  }
  EXPECT_LE(seen.most, 2);
}

TEST(ReadAhead, HandlesEarlyEndsAndFailedWorkers) {
  Seen seen;
  {
    ReadAhead<std::size_t> ahead(plan_of(1000000, 4, seen));
    (void)ahead.next();
  }
  EXPECT_EQ(seen.running, 0);
  ReadAhead<std::size_t> none(plan_of(0, 2, seen));
  EXPECT_FALSE(none.next());
  auto failing = plan_of(2, 1, seen);
  failing.make_worker = []() -> ReadAhead<std::size_t>::Make { throw std::runtime_error("no worker"); };
  ReadAhead<std::size_t> workless(std::move(failing));
  EXPECT_TRUE(workless.next()->error);
  EXPECT_TRUE(workless.next()->error);
  EXPECT_FALSE(workless.next());
}

TEST(ReadAhead, ReturnsFilesInOrder) {
  const Folder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < 20; ++i) {
    paths.push_back(folder.file(std::to_string(i) + ".png"));
    if (i != 7) {
      write_image_file(pattern(i + 1, 3, {Sample::u8, 3}).view(), paths.back());
    }
  }
  auto files = read_image_files(paths, {.workers = 3, .max_bytes = 100});
  for (int i = 0; i < 20; ++i) {
    const auto item = files.next();
    ASSERT_TRUE(item);
    ASSERT_EQ(item->error != nullptr, i == 7);
    EXPECT_TRUE(i == 7 || are_equal(item->result->image, pattern(i + 1, 3, {Sample::u8, 3})));
  }
  EXPECT_FALSE(files.next());
}

}  // namespace
}  // namespace gpuimg
