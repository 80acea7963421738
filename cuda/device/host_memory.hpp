// Host memory for what a backend returns.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace gpuimg::cuda {

/// Host memory of that many bytes.
using NewHostMemory = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

}  // namespace gpuimg::cuda
