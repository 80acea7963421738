// RGB of 8 bits to HSL: the kernels of to_hsl.cuh, compiled on their own.
#include "map/to_hsl.cuh"

namespace gpuimg::cuda {

template void launch_to_hsl<std::uint8_t>(Workspace&, const Picture&, HslEncoding, std::byte*);

}  // namespace gpuimg::cuda
