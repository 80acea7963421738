// Marks the arithmetic that the CPU and the GPU both compile. The only place that looks at __CUDACC__.
#pragma once

#ifdef __CUDACC__
#define GPUIMG_HD __host__ __device__
#else
#define GPUIMG_HD
#endif
