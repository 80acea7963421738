// Converts 8-bit RGB to HSL. A separate file so that its kernels compile in parallel.
#include "map/to_hsl.cuh"

namespace gpuimg::cuda {

template void launch_to_hsl<std::uint8_t>(Workspace&, const Picture&, HslEncoding, std::byte*);

}  // namespace gpuimg::cuda
