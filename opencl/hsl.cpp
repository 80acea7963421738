// TEMPORARY
#include "operations.hpp"
namespace gpuimg::opencl {
Picture apply(const DevicePointer&, const Picture&, const ToHslOptions&) { throw Error(ErrorKind::unsupported, "x"); }
Picture apply(const DevicePointer&, const Picture&, const FromHslOptions&) { throw Error(ErrorKind::unsupported, "x"); }
Picture apply(const DevicePointer&, const Picture&, const HslAdjustment&) { throw Error(ErrorKind::unsupported, "x"); }
}  // namespace gpuimg::opencl
