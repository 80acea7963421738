gpuimg --version
