make_image flat in.png 2x2 7
GPUIMG_BACKEND=cuda gpuimg hist --backend cpu --bins 2 in.png
GPUIMG_THREADS=nonsense gpuimg hist --threads 1 --bins 2 in.png
