// Wraps the CPU backend.
#include "support/twin_device.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpuimg/cuda.hpp"
#include "support/jpeg_encoder_twin.hpp"
#include "support/jpeg_twin.hpp"
#include "support/png_encoder_twin.hpp"
#include "support/png_twin.hpp"

namespace gpuimg {
namespace test {
namespace {

class TwinBackend final : public Backend {
 public:
  explicit TwinBackend(int device) : device_(device) {}

  [[nodiscard]] BackendKind kind() const override { return BackendKind::cuda; }
  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] std::string description() const override { return "twin (device " + std::to_string(device_) + ")"; }
  [[nodiscard]] bool memory_is_host() const override { return false; }

  void expect_many_images() override { expects_many_ = true; }
  Image new_image(int width, int height, PixelFormat format) override {
    expect_many_images();
    return host_->new_image(width, height, format);
  }
  Picture upload(ConstView pixels) override {
    note_use();
    take_memory();
    ++twin_device().uploaded;
    return host_->upload(pixels);
  }
  Picture upload(Image pixels) override { return upload(std::as_const(pixels).view()); }
  Image download(const Picture& picture) override {
    if (!twin_device().downloads_need_none) {
      take_memory();
    }
    ++twin_device().downloaded;
    return host_->download(picture);
  }
  Image download(Picture&& picture) override { return download(std::as_const(picture)); }

  std::optional<Picture> decode(const EncodedImage& encoded) override {
    note_use();
    std::optional<Image> image;
    if (twin_device().decodes && !is_rejected()) {
      const auto decode = [](const auto& file) { return std::move(decode_with_twin(file).image); };
      image = std::visit(decode, encoded);
    }
    if (!image) {
      return std::nullopt;
    }
    const int number = twin_device().decoded++;
    const int wrong_from = twin_device().wrong_from;
    if (twin_device().decodes_wrongly || (wrong_from >= 0 && number >= wrong_from)) {
      *image->view().data ^= std::byte{1};
    }
    return host_->upload(std::move(*image));
  }

  std::optional<Encoded> encode(const Picture& picture, const Encoding& as) override {
    note_use();
    std::optional<std::vector<std::byte>> scan;
    if (twin_device().encodes && !is_rejected()) {
      const Image pixels = host_->download(picture);
      scan = std::visit([&](const auto& format) { return encode_with_twin(pixels.view(), format); }, as);
    }
    if (!scan) {
      return std::nullopt;
    }
    const int number = twin_device().encoded++;
    const int wrong_from = twin_device().encoded_wrong_from;
    if (twin_device().encodes_wrongly || (wrong_from >= 0 && number >= wrong_from)) {
      scan->front() ^= std::byte{1};
    }
    const auto memory = std::make_shared<std::vector<std::byte>>(std::move(*scan));
    return Encoded{{memory, memory->data()}, memory->size()};
  }

  Histogram histogram(const Picture& picture, const HistogramOptions& options) override {
    begin_operation();
    return host_->histogram(picture, options);
  }
  LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) override {
    begin_operation();
    return host_->table_counts(picture, options);
  }
  using Backend::equalize;
  Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used) override {
    begin_operation();
    return host_->equalize(picture, options, used);
  }
  WolfScale wolf_scale(const Picture& picture, const ThresholdOptions& options, int first_row, int end_row) override {
    begin_operation();
    return host_->wolf_scale(picture, options, first_row, end_row);
  }
  Picture apply(const Picture& picture, const PictureOperation& operation) override {
    begin_operation();
    return host_->apply(picture, operation);
  }

  void wait() override {}
  [[nodiscard]] std::size_t available_bytes() override { return twin_device().available_bytes; }
  double measure_copy_rate(std::size_t bytes) override { return host_->measure_copy_rate(bytes); }

 private:
  void note_use() const { twin_device().unprepared += expects_many_ ? 0 : 1; }

  void begin_operation() const {
    if (twin_device().on_operation) {
      twin_device().on_operation(device_);
    }
    if (twin_device().rejected_operations > 0) {
      --twin_device().rejected_operations;
      throw Error(ErrorKind::out_of_memory, "the twin has no memory");
    }
    take_memory();
  }

  static bool is_rejected() {
    const int call = twin_device().calls++ - twin_device().reject_from;
    return call >= 0 && call < twin_device().rejected_calls;
  }

  static void take_memory() {
    if (is_rejected()) {
      throw Error(ErrorKind::out_of_memory, "the twin rejects this call");
    }
  }

  int device_;
  bool expects_many_ = false;
  std::unique_ptr<Backend> host_ = make_cpu_backend(1);
};

}  // namespace

void TwinDevice::reset() {
  devices = 1;
  on_operation = nullptr;
  decodes = true;
  decodes_wrongly = false;
  wrong_from = -1;
  encodes = true;
  encodes_wrongly = false;
  encoded_wrong_from = -1;
  available_bytes = ~std::size_t{0};
  reject_from = rejected_calls = 0;
  downloads_need_none = false;
  rejected_operations = calls = made = unprepared = decoded = encoded = uploaded = downloaded = 0;
}

TwinDevice& twin_device() {
  static TwinDevice device;
  return device;
}

}  // namespace test

CudaVersions cuda_versions(bool /*ask_driver*/) { return {13000, 13000, "none: a twin"}; }

int cuda_device_count() {
  check_cuda_device(0);
  return test::twin_device().devices;
}

std::vector<CudaDevice> cuda_devices() {
  check_cuda_device(0);
  std::vector<CudaDevice> devices;
  for (int index = 0; index < test::twin_device().devices; ++index) {
    devices.push_back({.index = index, .name = "twin"});
  }
  return devices;
}

void check_cuda_device(int device) {
  if (device >= test::twin_device().devices) {
    throw Error(ErrorKind::backend_unavailable, "no CUDA device: the test has none; use --backend cpu");
  }
}

std::unique_ptr<Backend> make_cuda_backend(int device) { return make_cuda_backend(device, device); }

std::unique_ptr<Backend> make_cuda_backend(int device, int number) {
  check_cuda_device(device);
  ++test::twin_device().made;
  return std::make_unique<test::TwinBackend>(number);
}

}  // namespace gpuimg
