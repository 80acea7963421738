gpuimg
