// The textbook kernels as rivals: prepares their input, and compares their results with the CPU's.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/rivals.hpp"
#include "bench/textbook/textbook.hpp"
#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "gpuimg/ops/equalize.hpp"

namespace gpuimg::bench {
namespace {

using DevicePointer = std::shared_ptr<cuda::Device>;

template <class T>
std::vector<T> downloaded(const cuda::Device& device, const T* from, std::size_t count) {
  std::vector<T> values(count);
  cuda::cuda_check(cudaMemcpyAsync(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, device.stream()),
                   "downloading a textbook kernel's result");
  device.wait();
  return values;
}

/// Converts levels to floats, scaled to [0,1] or unscaled. Thread t of the grid → samples t, t + grid size, ….
__global__ void widen(const std::uint8_t* in, float* out, std::size_t count, float divisor) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    out[i] = static_cast<float>(in[i]) / divisor;
  }
}

void widen(const cuda::Device& device, const Picture& picture, const cuda::DeviceMemory& floats, float divisor) {
  constexpr unsigned kBlocks = 2048;
  widen<<<kBlocks, 256, 0, device.stream()>>>(reinterpret_cast<const std::uint8_t*>(cuda::pixels_of(picture)),
                                              floats.as<float>(), cuda::size_bytes(picture), divisor);
  cuda::check_launch("widening pixels");
}

Rival luma_rival(const DevicePointer& device, bool strided) {
  auto memory = std::make_shared<cuda::DeviceMemory>(device, 256 * sizeof(std::uint32_t));
  Rival rival;
  rival.library = Library::textbook;
  rival.name = strided ? "textbook luma, OpenCL form" : "textbook luma";
  rival.run = [device, memory, strided](const Picture& picture) {
    const auto* pixels = reinterpret_cast<const uchar4*>(cuda::pixels_of(picture));
    auto* counts = memory->as<std::uint32_t>();
    if (strided) {
      textbook::luma_histogram_strided(pixels, picture.pixel_count(), counts, device->multiprocessors(),
                                       device->stream());
    } else {
      textbook::luma_histogram(pixels, picture.pixel_count(), counts, device->stream());
    }
  };
  rival.check = [device, memory](const Image& image, Backend& cpu) -> std::string {
    HistogramOptions options;
    options.luma = Luma::bt601_trunc;
    options.selection.count_transparent = true;
    const auto counts = downloaded(*device, memory->as<const std::uint32_t>(), 256);
    const Histogram expected = cpu.histogram(cpu.upload(image.view()), options);
    return std::equal(counts.begin(), counts.end(), expected.channels[0].counts.begin()) ? "" : "counts differ";
  };
  return rival;
}

struct EqualizeMemory {
  cuda::DeviceMemory out;
  cuda::DeviceMemory scratch;
};

/// The float32 scan may round in the other direction, so a difference of one level is accepted.
std::string check_equalized(const Image& image, const std::vector<std::uint8_t>& out, Backend& cpu) {
  EqualizeOptions options;
  options.formula = EqualizeFormula::cdf;
  const Image expected = cpu.download(cpu.equalize(cpu.upload(image.view()), options));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int level = std::to_integer<int>(expected.view().data[i]);
    if (std::abs(level - static_cast<int>(out[i])) > 1) {
      return "a pixel differs by more than one level";
    }
  }
  return "";
}

Rival equalize_rival(const DevicePointer& device, RivalSize size) {
  auto memory = std::make_shared<EqualizeMemory>();
  memory->out = cuda::DeviceMemory(device, size.pixels());
  memory->scratch = cuda::DeviceMemory(device, sizeof(textbook::EqualizeScratch));
  Rival rival;
  rival.library = Library::textbook;
  rival.name = "textbook equalize";
  rival.run = [device, memory](const Picture& picture) {
    textbook::equalize_gray(reinterpret_cast<const std::uint8_t*>(cuda::pixels_of(picture)),
                            memory->out.as<std::uint8_t>(), picture.width(), picture.height(),
                            memory->scratch.as<textbook::EqualizeScratch>(), device->stream());
  };
  rival.check = [device, memory, size](const Image& image, Backend& cpu) {
    return check_equalized(image, downloaded(*device, memory->out.as<const std::uint8_t>(), size.pixels()), cpu);
  };
  return rival;
}

Rival clahe_rival(const DevicePointer& device, RivalSize size) {
  auto memory = std::make_shared<EqualizeMemory>();
  memory->out = cuda::DeviceMemory(device, size.pixels());
  memory->scratch = cuda::DeviceMemory(device, textbook::kClaheTiles * textbook::kClaheTiles * 256);
  Rival rival;
  rival.library = Library::textbook;
  rival.name = "textbook CLAHE";
  rival.run = [device, memory](const Picture& picture) {
    textbook::clahe_gray(reinterpret_cast<const std::uint8_t*>(cuda::pixels_of(picture)),
                         memory->out.as<std::uint8_t>(), picture.width(), picture.height(),
                         memory->scratch.as<std::uint8_t>(), device->stream());
  };
  rival.check = [device, memory, size](const Image& image, Backend& cpu) -> std::string {
    ClaheOptions options;
    options.tiles_x = options.tiles_y = textbook::kClaheTiles;
    options.clip = textbook::kClaheClip;
    const Image expected = cpu.download(cpu.apply(cpu.upload(image.view()), options));
    const auto out = downloaded(*device, memory->out.as<const std::uint8_t>(), size.pixels());
    return std::memcmp(out.data(), expected.view().data, out.size()) == 0 ? "" : "the bytes differ";
  };
  return rival;
}

struct FloatMemory {
  cuda::DeviceMemory in;
  cuda::DeviceMemory out;
};

/// The textbook's hues are in [−60, 300), and have the rounding errors of several float32 operations.
std::string check_hsl(const Image& image, const std::vector<float>& out, Backend& cpu) {
  const Image expected = cpu.download(cpu.to_hsl(cpu.upload(image.view()), HslEncoding::f32));
  const auto* values = reinterpret_cast<const float*>(expected.view().data);
  for (std::size_t i = 0; i < out.size(); i += 3) {
    const float turn = std::fabs(out[i] - values[i]);
    const bool near = std::fmin(turn, std::fabs(turn - 360.0F)) < 0.02F &&
                      std::fabs(out[i + 1] - values[i + 1]) < 5.0e-4F &&
                      std::fabs(out[i + 2] - values[i + 2]) < 1.0e-5F;
    if (!near) {
      return "a pixel differs too much";
    }
  }
  return "";
}

Rival hsl_rival(const DevicePointer& device, RivalSize size) {
  auto memory = std::make_shared<FloatMemory>();
  memory->in = cuda::DeviceMemory(device, size.pixels() * sizeof(float3));
  memory->out = cuda::DeviceMemory(device, size.pixels() * sizeof(float3));
  Rival rival;
  rival.library = Library::textbook;
  rival.name = "textbook HSL float>float";
  rival.prepare = [device, memory](const Picture& picture) { widen(*device, picture, memory->in, 255.0F); };
  rival.run = [device, memory, size](const Picture&) {
    textbook::hsl(memory->in.as<const float3>(), memory->out.as<float3>(), size.pixels(), device->stream());
  };
  rival.check = [device, memory, size](const Image& image, Backend& cpu) {
    return check_hsl(image, downloaded(*device, memory->out.as<const float>(), 3 * size.pixels()), cpu);
  };
  return rival;
}

/// Float sums above 2²⁴ are rounded at every addition.
std::string check_integral(const Image& image, const std::vector<float>& out, Backend& cpu) {
  IntegralOptions options;
  options.layout = TableLayout::inclusive;
  options.type = Sample::f64;
  const Image expected = cpu.download(cpu.integral(cpu.upload(image.view()), options));
  const auto* values = reinterpret_cast<const double*>(expected.view().data);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::fabs(static_cast<double>(out[i]) - values[i]) > 1.0e-4 * values[i]) {
      return "a sum is too far away";
    }
  }
  return "";
}

Rival integral_rival(const DevicePointer& device, RivalSize size) {
  auto memory = std::make_shared<FloatMemory>();
  memory->in = cuda::DeviceMemory(device, size.pixels() * sizeof(float));
  memory->out = cuda::DeviceMemory(device, size.pixels() * sizeof(float));
  Rival rival;
  rival.library = Library::textbook;
  rival.name = "textbook integral float>float";
  rival.prepare = [device, memory](const Picture& picture) { widen(*device, picture, memory->in, 1.0F); };
  rival.run = [device, memory, size](const Picture&) {
    textbook::integral(memory->in.as<const float>(), memory->out.as<float>(), size.width, size.height,
                       device->stream());
  };
  rival.check = [device, memory, size](const Image& image, Backend& cpu) {
    return check_integral(image, downloaded(*device, memory->out.as<const float>(), size.pixels()), cpu);
  };
  return rival;
}

}  // namespace

std::vector<Rival> textbook_rivals(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize size) {
  switch (operation) {
    case Operation::luma_rgba8: return {luma_rival(device, false), luma_rival(device, true)};
    case Operation::equalize_gray8: return {equalize_rival(device, size)};
    case Operation::clahe_gray8:
      return size.width % textbook::kClaheTiles == 0 && size.height % textbook::kClaheTiles == 0
                 ? std::vector{clahe_rival(device, size)}
                 : std::vector<Rival>();
    case Operation::hsl_f32:
    case Operation::hsl_u16: return {hsl_rival(device, size)};
    case Operation::integral_u32:
      return size.width % 4 == 0 && size.height % 4 == 0 ? std::vector{integral_rival(device, size)}
                                                         : std::vector<Rival>();
    default: return {};
  }
}

}  // namespace gpuimg::bench
