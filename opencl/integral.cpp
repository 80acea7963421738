// TEMPORARY
#include "operations.hpp"
namespace gpuimg::opencl {
Picture apply(const DevicePointer&, const Picture&, const IntegralOptions&) {
  throw Error(ErrorKind::unsupported, "x");
}
}  // namespace gpuimg::opencl
