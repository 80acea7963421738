// The CUDA backend with what only tests ask for.
#pragma once

#include <memory>

#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {

/// make_cuda_backend of gpuimg/cuda.hpp whose device memory is filled with 0xCD whenever it is handed out.
std::unique_ptr<Backend> make_poisoned_backend(int device);

}  // namespace gpuimg::cuda
