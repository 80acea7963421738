// NPP's versions of the operations, if NPP was found. They are limited to row pitches below 2³¹ bytes and to 32-bit
// counts.
#include "bench/rivals.hpp"

#include "bench/our_operations.hpp"

#ifdef GPUIMG_BENCH_HAS_NPP

#include <nppcore.h>
#include <nppi_color_conversion.h>
#include <nppi_filtering_functions.h>
#include <nppi_statistics_functions.h>

#include <algorithm>
#include <cstdlib>

#include "device/cuda_check.hpp"
#include "device/cuda_picture.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::bench {
namespace {

using DevicePointer = std::shared_ptr<cuda::Device>;

void npp_check(NppStatus status, const char* doing) {
  if (status != NPP_SUCCESS) {
    throw Error(ErrorKind::device_fault,
                std::string("NPP: while ") + doing + ": status " + std::to_string(static_cast<int>(status)));
  }
}

/// Filled in by hand, because newer versions of NPP have no function for it.
NppStreamContext stream_context(const cuda::Device& device) {
  cudaDeviceProp properties{};
  cuda::cuda_check(cudaGetDeviceProperties(&properties, device.index()), "reading the device");
  NppStreamContext context{};
  context.hStream = device.stream();
  context.nCudaDeviceId = device.index();
  context.nMultiProcessorCount = properties.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
  context.nSharedMemPerBlock = properties.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = properties.major;
  context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
  cuda::cuda_check(cudaStreamGetFlags(device.stream(), &context.nStreamFlags), "reading the stream's flags");
  return context;
}

/// The type of NPP's buffer sizes is int in older versions and std::size_t in newer versions. The compiler deduces Size
/// from `ask`.
template <class Size>
std::size_t buffer_size(NppStatus (*ask)(NppiSize, int, Size*, NppStreamContext), NppiSize area, int levels,
                        const NppStreamContext& context) {
  Size bytes = 0;
  npp_check(ask(area, levels, &bytes, context), "asking for a buffer size");
  return static_cast<std::size_t>(bytes);
}

struct NppMemory {
  cuda::DeviceMemory out;
  cuda::DeviceMemory scratch;
};

const Npp8u* pixels_of(const Picture& picture) { return reinterpret_cast<const Npp8u*>(cuda::pixels_of(picture)); }

template <class T>
std::vector<T> downloaded(const cuda::Device& device, const cuda::DeviceMemory& memory, std::size_t count) {
  std::vector<T> values(count);
  cuda::cuda_check(
      cudaMemcpyAsync(values.data(), memory.data(), count * sizeof(T), cudaMemcpyDeviceToHost, device.stream()),
      "downloading NPP's result");
  device.wait();
  return values;
}

Rival histogram_rival(const DevicePointer& device, RivalSize size) {
  constexpr int kLevels = 257;
  const NppStreamContext context = stream_context(*device);
  const NppiSize area{size.width, size.height};
  auto memory = std::make_shared<NppMemory>();
  memory->out = cuda::DeviceMemory(device, 256 * sizeof(Npp32s));
  memory->scratch =
      cuda::DeviceMemory(device, buffer_size(nppiHistogramEvenGetBufferSize_8u_C1R_Ctx, area, kLevels, context));
  Rival rival;
  rival.library = Library::npp;
  rival.name = "nppiHistogramEven_8u_C1R";
  rival.run = [=](const Picture& picture) {
    npp_check(nppiHistogramEven_8u_C1R_Ctx(pixels_of(picture), area.width, area, memory->out.as<Npp32s>(), kLevels, 0,
                                           256, memory->scratch.as<Npp8u>(), context),
              "counting");
  };
  rival.counts = [=] {
    const auto counts = downloaded<Npp32s>(*device, memory->out, 256);
    return std::vector<std::uint64_t>(counts.begin(), counts.end());
  };
  return rival;
}

Rival integral_rival(const DevicePointer& device, RivalSize size) {
  const NppStreamContext context = stream_context(*device);
  const NppiSize area{size.width, size.height};
  const int step = (size.width + 1) * static_cast<int>(sizeof(Npp32s));
  const std::size_t entries = (static_cast<std::size_t>(size.width) + 1) * (static_cast<std::size_t>(size.height) + 1);
  auto memory = std::make_shared<NppMemory>();
  memory->out = cuda::DeviceMemory(device, entries * sizeof(Npp32s));
  Rival rival;
  rival.library = Library::npp;
  rival.name = "nppiIntegral_8u32s_C1R";
  rival.run = [=](const Picture& picture) {
    npp_check(
        nppiIntegral_8u32s_C1R_Ctx(pixels_of(picture), area.width, memory->out.as<Npp32s>(), step, area, 0, context),
        "summing");
  };
  rival.check = [=](const Image& image, Backend& cpu) -> std::string {
    IntegralOptions options;
    options.type = Sample::u32;
    const Image expected = cpu.download(cpu.integral(cpu.upload(image.view()), options));
    const auto* values = reinterpret_cast<const std::uint32_t*>(expected.view().data);
    const auto sums = downloaded<std::uint32_t>(*device, memory->out, entries);
    return std::equal(sums.begin(), sums.end(), values) ? "" : "sums differ";
  };
  return rival;
}

/// Compares only lightness, with a tolerance of one level, because NPP truncates where OpenCV rounds, and scales hue to
/// 255.
std::string check_lightness(const Image& image, const std::vector<Npp8u>& out, Backend& cpu) {
  const Image expected = cpu.download(cpu.to_hsl(cpu.upload(image.view()), HslEncoding::opencv));
  for (std::size_t i = 1; i < out.size(); i += 3) {
    const int level = std::to_integer<int>(expected.view().data[i]);
    if (std::abs(level - static_cast<int>(out[i])) > 1) {
      return "a lightness differs by more than one level";
    }
  }
  return "";
}

Rival hls_rival(const DevicePointer& device, RivalSize size) {
  const NppStreamContext context = stream_context(*device);
  const NppiSize area{size.width, size.height};
  auto memory = std::make_shared<NppMemory>();
  memory->out = cuda::DeviceMemory(device, 3 * size.pixels());
  Rival rival;
  rival.library = Library::npp;
  rival.name = "nppiRGBToHLS_8u_C3R (8 bit out)";
  rival.run = [=](const Picture& picture) {
    const int step = 3 * area.width;
    npp_check(nppiRGBToHLS_8u_C3R_Ctx(pixels_of(picture), step, memory->out.as<Npp8u>(), step, area, context),
              "converting");
  };
  rival.check = [=](const Image& image, Backend& cpu) {
    return check_lightness(image, downloaded<Npp8u>(*device, memory->out, 3 * size.pixels()), cpu);
  };
  return rival;
}

/// NPP's rounding is not documented, so a difference of one level is accepted.
std::string check_means(const Image& image, const std::vector<Npp8u>& out, WindowOptions options, Backend& cpu) {
  options.border = Border::replicate;  // the only border that NPP supports
  const Image expected = cpu.download(cpu.apply(cpu.upload(image.view()), options));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::abs(std::to_integer<int>(expected.view().data[i]) - static_cast<int>(out[i])) > 1) {
      return "a mean differs by more than one level";
    }
  }
  return "";
}

Rival box_rival(const DevicePointer& device, RivalSize size, const WindowOptions& options) {
  const NppStreamContext context = stream_context(*device);
  const NppiSize area{size.width, size.height};
  const NppiSize window{options.size.width, options.size.height};
  const NppiPoint anchor{options.size.width / 2, options.size.height / 2};
  auto memory = std::make_shared<NppMemory>();
  memory->out = cuda::DeviceMemory(device, size.pixels());
  Rival rival;
  rival.library = Library::npp;
  rival.name = "nppiFilterBoxBorder_8u_C1R";
  rival.run = [=](const Picture& picture) {
    npp_check(nppiFilterBoxBorder_8u_C1R_Ctx(pixels_of(picture), area.width, area, {0, 0}, memory->out.as<Npp8u>(),
                                             area.width, area, window, anchor, NPP_BORDER_REPLICATE, context),
              "averaging");
  };
  rival.check = [=](const Image& image, Backend& cpu) {
    return check_means(image, downloaded<Npp8u>(*device, memory->out, size.pixels()), options, cpu);
  };
  return rival;
}

}  // namespace

std::vector<Rival> npp_rivals(const std::shared_ptr<cuda::Device>& device, Operation operation, RivalSize size) {
  switch (operation) {
    case Operation::hist_gray8: return {histogram_rival(device, size)};
    case Operation::integral_u32: return {integral_rival(device, size)};
    case Operation::hsl_u16: return {hls_rival(device, size)};
    case Operation::mean_63: return {box_rival(device, size, std::get<WindowOptions>(picture_operation(operation)))};
    default: return {};
  }
}

std::string npp_version() {
  const NppLibraryVersion* version = nppGetLibVersion();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->build);
}

}  // namespace gpuimg::bench

#else

namespace gpuimg::bench {

std::vector<Rival> npp_rivals(const std::shared_ptr<cuda::Device>&, Operation, RivalSize) { return {}; }

std::string npp_version() { return "not built in"; }

}  // namespace gpuimg::bench

#endif
