// What is to be said of CUDA.
#include "cuda_facts.hpp"

#include <fmt/format.h>

#include "gpuimg/cuda.hpp"

namespace gpuimg {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

std::string dotted(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

std::string cuda_build_text() {
  const CudaVersions versions = cuda_versions(false);
  if (versions.runtime == 0) {
    return "CUDA none: built without it";
  }
  return fmt::format("CUDA runtime {}, code for {}", dotted(versions.runtime), versions.architectures);
}

std::string cuda_version_facts() {
  const CudaVersions versions = cuda_versions(true);
  if (versions.runtime == 0) {
    return "CUDA\n  none: built without it\n";
  }
  return fmt::format("CUDA\n  runtime {} (linked in), driver {}, code for {}\n", dotted(versions.runtime),
                     versions.driver == 0 ? std::string("none") : "for CUDA " + dotted(versions.driver),
                     versions.architectures);
}

std::string cuda_device_facts() {
  std::string text;
  for (const CudaDevice& device : cuda_devices()) {
    text += fmt::format("  device {}: {}, compute capability {}.{}, {} multiprocessors, {:.1f} of {:.1f} GiB free\n",
                        device.index, device.name, device.compute_major, device.compute_minor, device.multiprocessors,
                        static_cast<double>(device.free_bytes) / kGib, static_cast<double>(device.total_bytes) / kGib);
  }
  return text;
}

}  // namespace gpuimg
