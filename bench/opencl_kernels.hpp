// The OpenCL C sources of the benchmark, embedded at build time.
#pragma once

namespace gpuimg::bench {

extern const char* const kStreamSource;    ///< opencl_stream.cl
extern const char* const kSampleSource;    ///< opencl_sample_pixels.cl
extern const char* const kTextbookSource;  ///< textbook/histogram.cl

}  // namespace gpuimg::bench
