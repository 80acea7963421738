// GPUIMG_HD marks functions that both the CPU and the GPU compile. No other file tests __CUDACC__.
#pragma once

#ifdef __CUDACC__
#define GPUIMG_HD __host__ __device__
#else
#define GPUIMG_HD
#endif
