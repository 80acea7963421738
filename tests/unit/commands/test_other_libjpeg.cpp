// Commands and doctor report a libjpeg that differs from the one gpuimg was built with. The linker wraps the two
// functions that compare the versions.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <string>

#include "codecs/jpeg/jpeg.hpp"
#include "support/command_run.hpp"
#include "support/jpeg_maker.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_images.hpp"
#include "support/twin_device.hpp"

namespace {

bool is_other_libjpeg = false;

int version_seen(int version) { return is_other_libjpeg ? version + 18 : version; }

}  // namespace

extern "C" {

void __real_jpeg_CreateDecompress(j_decompress_ptr info, int version, std::size_t bytes);
void __real_jpeg_CreateCompress(j_compress_ptr info, int version, std::size_t bytes);
void __wrap_jpeg_CreateDecompress(j_decompress_ptr info, int version, std::size_t bytes) {
  __real_jpeg_CreateDecompress(info, version_seen(version), bytes);
}
void __wrap_jpeg_CreateCompress(j_compress_ptr info, int version, std::size_t bytes) {
  __real_jpeg_CreateCompress(info, version_seen(version), bytes);
}
}

namespace gpuimg::test_other_libjpeg {
namespace {

using namespace test;

constexpr const char* kProblem = "the libjpeg loaded here is \"";

class OtherLibjpeg : public ::testing::Test {
 protected:
  void SetUp() override {
    twin_device().reset();
    Random random;
    const FileBytes file = make_jpeg(smooth_image(random, 40, 30, {Sample::u8, 3}).view());
    put_text(photo_, {reinterpret_cast<const char*>(file.data()), file.size()});
    is_other_libjpeg = true;
  }
  void TearDown() override { is_other_libjpeg = false; }

  TemporaryFolder folder_;
  std::string photo_ = folder_ / "photo.jpg";
};

TEST_F(OtherLibjpeg, IsReportedInsteadOfDamage) {
  for (const std::string backend : {"cpu", "cuda"}) {
    const CommandRun read = run_command({"equalize", "--backend", backend, photo_, folder_ / "out.png"});
    EXPECT_EQ(read.code, ExitCode::bad_input);
    EXPECT_NE(read.err.find(kProblem), std::string::npos) << read.err;
    EXPECT_EQ(read.err.find("damaged"), std::string::npos) << read.err;
  }
  is_other_libjpeg = false;
  ASSERT_EQ(run_command({"equalize", "--backend", "cpu", photo_, folder_ / "in.png"}).code, ExitCode::ok);
  is_other_libjpeg = true;
  const CommandRun write = run_command({"equalize", "--backend", "cpu", folder_ / "in.png", folder_ / "out.jpg"});
  EXPECT_NE(write.code, ExitCode::ok);
  EXPECT_NE(write.err.find(kProblem), std::string::npos) << write.err;
}

TEST_F(OtherLibjpeg, IsReportedByDoctor) {
  const CommandRun ran = run_command({"doctor"});
  EXPECT_EQ(ran.code, ExitCode::no_backend);
  EXPECT_NE(ran.out.substr(ran.out.find("what to do")).find(kProblem), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("everything works"), std::string::npos);
}

TEST(JpegLibrary, ComparesVersionAndStructures) {
  EXPECT_EQ(codecs::jpeg::jpeg_library_problem(), "");
  EXPECT_EQ(codecs::jpeg::jpeg_library_problem(JPEG_LIB_VERSION, sizeof(jpeg_decompress_struct)), "");
  EXPECT_NE(codecs::jpeg::jpeg_library_problem(JPEG_LIB_VERSION + 10, sizeof(jpeg_decompress_struct)), "");
  EXPECT_NE(codecs::jpeg::jpeg_library_problem(JPEG_LIB_VERSION, sizeof(jpeg_decompress_struct) + 8), "");
}

}  // namespace
}  // namespace gpuimg::test_other_libjpeg
