// The kernel that causes a real fault.
#include "planted_fault.hpp"

namespace gpuimg::faults {
namespace {

__global__ void write_to(int* nowhere) { *nowhere = 1; }

}  // namespace

void launch_illegal_write(cudaStream_t stream) {
  write_to<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(std::size_t{64}));
}

}  // namespace gpuimg::faults
